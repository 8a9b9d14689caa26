//! Compressed variants of content, made on first use and kept.

use std::io::{self, Write};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use hyper::header::HeaderValue;
use sha2::{Digest, Sha256};
use sitecast_storage::Content;
use zstd_safe::{CCtx, CParameter};

use super::pinned::{Spool, reader};
use crate::http::body::{Piece, slice};
use crate::http::encoding::Coding;

/// The levels that the first draft of SCP recommends.
const GZIP_LEVEL: u32 = 6;
const ZSTD_LEVEL: i32 = 9;

/// Content and its size in bytes.
#[derive(Debug, Clone)]
pub(crate) struct SizedContent {
    pub(crate) content: Content,
    pub(crate) size: u64,
    /// The content if it is in memory, to be cloned for each response.
    bytes: Option<Bytes>,
    digest: OnceLock<Option<HeaderValue>>,
}

impl SizedContent {
    pub(crate) fn new(content: Content, size: u64) -> Self {
        let bytes = match &content {
            Content::Memory(bytes) => Some(Bytes::from_owner(Arc::clone(bytes))),
            _ => None,
        };
        Self {
            content,
            size,
            bytes,
            digest: OnceLock::new(),
        }
    }

    /// Returns a range of the content.
    pub(crate) fn piece(&self, range: Range<u64>) -> Piece {
        match &self.bytes {
            Some(bytes) if range == (0..bytes.len() as u64) => Piece::Bytes(bytes.clone()),
            Some(bytes) => Piece::Bytes(slice(bytes, &range)),
            None => Piece::Part(self.content.clone(), range),
        }
    }

    /// Returns the value of `Content-Digest` (RFC 9530) if the content is in memory.
    pub(crate) fn digest(&self) -> Option<HeaderValue> {
        let digest = self.digest.get_or_init(|| {
            let digest = BASE64_STANDARD.encode(Sha256::digest(self.bytes.as_ref()?));
            HeaderValue::from_str(&format!("sha-256=:{digest}:")).ok()
        });
        digest.clone()
    }
}

/// Content with its compressed variants. A variant that is not smaller is not kept.
#[derive(Debug)]
pub(crate) struct Variants {
    pub(crate) identity: SizedContent,
    gzip: OnceLock<Option<SizedContent>>,
    zstd: OnceLock<Option<SizedContent>>,
}

impl Variants {
    pub(crate) fn new(identity: SizedContent) -> Self {
        Self {
            identity,
            gzip: OnceLock::new(),
            zstd: OnceLock::new(),
        }
    }

    /// Returns the first coding that exists, if all codings before it are known not to save anything. `None`: one has
    /// to be [made](Self::make) first.
    pub(crate) fn ready(&self, codings: &[Coding]) -> Option<(Coding, &SizedContent)> {
        for &coding in codings {
            let made = match coding {
                Coding::Identity => return Some((coding, &self.identity)),
                Coding::Gzip => self.gzip.get()?,
                Coding::Zstd => self.zstd.get()?,
            };
            if let Some(made) = made {
                return Some((coding, made));
            }
        }
        None
    }

    /// Makes the preferred variant. Blocks, so not for a worker thread. If compression fails, for want of disk space
    /// for example, falls back to the plain content where the client accepts that.
    pub(crate) fn make(&self, codings: &[Coding]) -> io::Result<(Coding, SizedContent)> {
        match self.try_make(codings) {
            Err(_) if codings.contains(&Coding::Identity) => {
                Ok((Coding::Identity, self.identity.clone()))
            }
            made => made,
        }
    }

    fn try_make(&self, codings: &[Coding]) -> io::Result<(Coding, SizedContent)> {
        for (place, &coding) in codings.iter().enumerate() {
            let slot = match coding {
                Coding::Identity => return Ok((coding, self.identity.clone())),
                Coding::Gzip => &self.gzip,
                Coding::Zstd => &self.zstd,
            };
            // If the client accepts nothing else, a variant that saves nothing is sent all the same.
            let is_last = place + 1 == codings.len();
            if slot.get().is_none() {
                let made = compress(&self.identity, coding)?;
                let saves = made.size < self.identity.size;
                if is_last && !saves {
                    return Ok((coding, made));
                }
                let _ = slot.set(saves.then_some(made));
            }
            match slot.get() {
                Some(Some(made)) => return Ok((coding, made.clone())),
                _ if is_last => return Ok((coding, compress(&self.identity, coding)?)),
                _ => {}
            }
        }
        Ok((Coding::Identity, self.identity.clone()))
    }
}

fn compress(from: &SizedContent, coding: Coding) -> io::Result<SizedContent> {
    let mut source = reader(&from.content, from.size)?;
    let mut spool = Spool::default();
    match coding {
        Coding::Identity => {
            io::copy(&mut source, &mut spool)?;
        }
        Coding::Gzip => {
            let mut encoder = GzEncoder::new(&mut spool, Compression::new(GZIP_LEVEL));
            io::copy(&mut source, &mut encoder)?;
            encoder.finish()?;
        }
        Coding::Zstd => zstd(&mut source, from.size, &mut spool)?,
    }
    let (content, size) = spool.finish()?;
    Ok(SizedContent::new(content, size))
}

fn zstd(source: &mut dyn io::Read, size: u64, out: &mut Spool) -> io::Result<()> {
    let failed = |code| io::Error::other(zstd_safe::get_error_name(code));
    let mut context = CCtx::create();
    context
        .set_parameter(CParameter::CompressionLevel(ZSTD_LEVEL))
        .map_err(failed)?;
    // With the size known, zstd picks a small window for small documents, which saves the reader's memory.
    context.set_pledged_src_size(Some(size)).map_err(failed)?;
    let mut input = vec![0; 64 << 10];
    let mut output = vec![0; 64 << 10];
    loop {
        let read = source.read(&mut input)?;
        let mut chunk = zstd_safe::InBuffer::around(input.get(..read).unwrap_or_default());
        let directive = if read == 0 {
            zstd_safe::zstd_sys::ZSTD_EndDirective::ZSTD_e_end
        } else {
            zstd_safe::zstd_sys::ZSTD_EndDirective::ZSTD_e_continue
        };
        loop {
            let mut space = zstd_safe::OutBuffer::around(output.as_mut_slice());
            let left = context
                .compress_stream2(&mut space, &mut chunk, directive)
                .map_err(failed)?;
            out.write_all(space.as_slice())?;
            let done = if read == 0 {
                left == 0
            } else {
                chunk.pos() == read
            };
            if done {
                break;
            }
        }
        if read == 0 {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;
    use crate::site::pinned::read_all;

    fn text(length: usize) -> SizedContent {
        let bytes: Vec<u8> = b"all work and no play "
            .iter()
            .copied()
            .cycle()
            .take(length)
            .collect();
        SizedContent::new(Content::Memory(bytes.into()), length as u64)
    }

    #[test]
    fn compressed_variants_hold_the_same_bytes() {
        for length in [100, 10_000, 3_000_000] {
            let variants = Variants::new(text(length));
            let expected = read_all(&variants.identity.content, length as u64).unwrap();
            let (coding, gzip) = variants.make(&[Coding::Gzip]).unwrap();
            assert_eq!(coding, Coding::Gzip);
            let mut plain = Vec::new();
            flate2::read::GzDecoder::new(reader(&gzip.content, gzip.size).unwrap())
                .read_to_end(&mut plain)
                .unwrap();
            assert!(plain == expected);
            let (_, zstd) = variants.make(&[Coding::Zstd]).unwrap();
            let stored = read_all(&zstd.content, zstd.size).unwrap();
            let mut plain = vec![0; length];
            let size = zstd_safe::decompress(plain.as_mut_slice(), &stored).unwrap();
            assert_eq!(size, length);
            assert!(plain == expected);
            assert!(zstd.size < length as u64 && gzip.size < length as u64);
        }
    }

    #[test]
    fn sends_a_useless_compression_only_if_nothing_else_is_accepted() {
        let variants = Variants::new(text(5));
        let all = [Coding::Zstd, Coding::Gzip, Coding::Identity];
        assert!(variants.ready(&all).is_none());
        assert_eq!(variants.make(&all).unwrap().0, Coding::Identity);
        assert_eq!(variants.ready(&all).unwrap().0, Coding::Identity);
        assert_eq!(variants.make(&[Coding::Gzip]).unwrap().0, Coding::Gzip);
    }

    #[test]
    fn falls_back_to_plain_content_if_compression_fails() {
        #[derive(Debug)]
        struct Unreadable;

        impl sitecast_storage::Ranged for Unreadable {
            fn read(
                &self,
                _: Range<u64>,
            ) -> Result<Box<dyn Read + Send>, sitecast_storage::StoreError> {
                Ok(Box::new(Self))
            }
        }

        impl Read for Unreadable {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::ErrorKind::StorageFull.into())
            }
        }

        let content = Content::Remote(Arc::new(Unreadable));
        let variants = Variants::new(SizedContent::new(content, 100));
        let all = [Coding::Zstd, Coding::Gzip, Coding::Identity];
        assert_eq!(variants.make(&all).unwrap().0, Coding::Identity);
        assert!(variants.make(&[Coding::Zstd, Coding::Gzip]).is_err());
    }
}
