//! The same content, compressed: made when first asked for, and kept.

use std::io::{self, Write};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use hyper::header::HeaderValue;
use sha2::{Digest, Sha256};
use sitecast_storage::Content;
use zstd_safe::{CCtx, CParameter};

use super::pinned::{Spool, reader};
use crate::http::base64::base64;
use crate::http::body::{Piece, cut};
use crate::http::encoding::Coding;

/// SCP's first draft recommends these levels.
const GZIP_LEVEL: u32 = 6;
const ZSTD_LEVEL: i32 = 9;

/// Content and how long it is.
#[derive(Debug, Clone)]
pub(crate) struct Sized {
    pub(crate) content: Content,
    pub(crate) size: u64,
    /// The same, where it is in memory: to be handed out again and again.
    bytes: Option<Bytes>,
    digest: OnceLock<Option<HeaderValue>>,
}

impl Sized {
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

    /// A part of it.
    pub(crate) fn piece(&self, range: Range<u64>) -> Piece {
        match &self.bytes {
            Some(bytes) if range == (0..bytes.len() as u64) => Piece::Bytes(bytes.clone()),
            Some(bytes) => Piece::Bytes(cut(bytes, &range)),
            None => Piece::Part(self.content.clone(), range),
        }
    }

    /// The value of `Content-Digest` (RFC 9530), where all of it is at hand.
    pub(crate) fn digest(&self) -> Option<HeaderValue> {
        let digest = self.digest.get_or_init(|| {
            let digest = base64(&Sha256::digest(self.bytes.as_ref()?));
            HeaderValue::from_str(&format!("sha-256=:{digest}:")).ok()
        });
        digest.clone()
    }
}

/// Content with its compressions. Those that save nothing are not kept.
#[derive(Debug)]
pub(crate) struct Variants {
    pub(crate) identity: Sized,
    gzip: OnceLock<Option<Sized>>,
    zstd: OnceLock<Option<Sized>>,
}

impl Variants {
    pub(crate) fn new(identity: Sized) -> Self {
        Self {
            identity,
            gzip: OnceLock::new(),
            zstd: OnceLock::new(),
        }
    }

    /// The first of the codings that there is, if all that come before it are known not to be
    /// worth it. `None`: somebody has to [`make`](Self::make) one.
    pub(crate) fn ready(&self, codings: &[Coding]) -> Option<(Coding, &Sized)> {
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

    /// Makes what is wanted most. Takes its time: not for a thread that serves. Where it cannot be made, for want of
    /// space say, who takes it plain gets it plain.
    pub(crate) fn make(&self, codings: &[Coding]) -> io::Result<(Coding, Sized)> {
        match self.try_make(codings) {
            Err(_) if codings.contains(&Coding::Identity) => {
                Ok((Coding::Identity, self.identity.clone()))
            }
            made => made,
        }
    }

    fn try_make(&self, codings: &[Coding]) -> io::Result<(Coding, Sized)> {
        for (place, &coding) in codings.iter().enumerate() {
            let slot = match coding {
                Coding::Identity => return Ok((coding, self.identity.clone())),
                Coding::Gzip => &self.gzip,
                Coding::Zstd => &self.zstd,
            };
            // With nothing else to fall back on, what saves nothing is sent all the same.
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

fn compress(from: &Sized, coding: Coding) -> io::Result<Sized> {
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
    Ok(Sized::new(content, size))
}

fn zstd(source: &mut dyn io::Read, size: u64, out: &mut Spool) -> io::Result<()> {
    let failed = |code| io::Error::other(zstd_safe::get_error_name(code));
    let mut context = CCtx::create();
    context
        .set_parameter(CParameter::CompressionLevel(ZSTD_LEVEL))
        .map_err(failed)?;
    // So that a small document takes a small window of whoever reads it.
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

    fn text(length: usize) -> Sized {
        let bytes: Vec<u8> = b"all work and no play "
            .iter()
            .copied()
            .cycle()
            .take(length)
            .collect();
        Sized::new(Content::Memory(bytes.into()), length as u64)
    }

    #[test]
    fn compressions_hold_the_same_bytes() {
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
    fn what_saves_nothing_is_sent_only_if_nothing_else_is_taken() {
        let variants = Variants::new(text(5));
        let all = [Coding::Zstd, Coding::Gzip, Coding::Identity];
        assert!(variants.ready(&all).is_none());
        assert_eq!(variants.make(&all).unwrap().0, Coding::Identity);
        assert_eq!(variants.ready(&all).unwrap().0, Coding::Identity);
        assert_eq!(variants.make(&[Coding::Gzip]).unwrap().0, Coding::Gzip);
    }

    #[test]
    fn what_cannot_be_compressed_is_sent_plain_to_those_who_take_it() {
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
        let variants = Variants::new(Sized::new(content, 100));
        let all = [Coding::Zstd, Coding::Gzip, Coding::Identity];
        assert_eq!(variants.make(&all).unwrap().0, Coding::Identity);
        assert!(variants.make(&[Coding::Zstd, Coding::Gzip]).is_err());
    }
}
