//! A file that belongs to a publication as a whole: a sitemap, the policy, robots.txt. It is held as
//! it was when the publication was read, so that what it lists and what is served agree.

use std::io::{self, Read};
use std::sync::Arc;

use hyper::header::{CACHE_CONTROL, HeaderValue, LINK};
use sha2::{Digest, Sha256};
use sitecast_storage::{Content, Opened};

use super::held::Held;
use super::pinned::{pin, reader};
use super::variants::{Sized, Variants};
use crate::Kind;
use crate::http::date;
use crate::protection::Parts;
use crate::reply::Head;

/// One version of it, ready to be sent.
#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) held: Arc<Held>,
    pub(crate) parts: Parts,
}

/// One version of it, while the publication is being read.
#[derive(Debug)]
pub(crate) struct Draft {
    pub(crate) kind: Kind,
    pub(crate) variants: Variants,
    /// `sha256-…`, of its bytes.
    pub(crate) hash: String,
    pub(crate) etag: Option<HeaderValue>,
    /// Seconds since 1970.
    pub(crate) modified: Option<i64>,
    pub(crate) content_type: &'static str,
    pub(crate) cache_control: &'static str,
    pub(crate) link: Option<HeaderValue>,
    pub(crate) parts: Parts,
}

impl Draft {
    /// Takes hold of it and hashes it.
    pub(crate) fn read(kind: Kind, opened: &Opened) -> io::Result<Self> {
        let content = pin(opened)?;
        let hash = hash(&content, opened.size)?;
        Ok(Self {
            kind,
            variants: Variants::new(Sized::new(content, opened.size)),
            etag: HeaderValue::from_str(&format!("\"{hash}\"")).ok(),
            hash,
            modified: opened.modified.and_then(date::seconds),
            content_type: "application/octet-stream",
            cache_control: sitecast_tct::CACHE_CONTROL,
            link: None,
            parts: Parts::default(),
        })
    }

    /// What is served of it, as part of a publication.
    pub(crate) fn finish(self, generation: u64) -> Document {
        let content_type = HeaderValue::from_static(self.content_type);
        let head = Head::new(self.kind, content_type, self.etag, self.modified)
            .with(
                CACHE_CONTROL,
                Some(HeaderValue::from_static(self.cache_control)),
            )
            .with(LINK, self.link);
        let head = match self.content_type {
            // Compressed already.
            "application/gzip" => head,
            _ => head.varying(),
        };
        Document {
            held: Arc::new(Held::new(generation, head, Arc::new(self.variants))),
            parts: self.parts,
        }
    }

    /// Its bytes, from the first on.
    pub(crate) fn reader(&self) -> io::Result<Box<dyn Read + Send>> {
        reader(&self.variants.identity.content, self.variants.identity.size)
    }
}

fn hash(content: &Content, size: u64) -> io::Result<String> {
    let mut source = reader(content, size)?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 64 << 10];
    loop {
        let read = source.read(&mut buffer)?;
        if read == 0 {
            break;
        }
        hasher.update(buffer.get(..read).unwrap_or_default());
    }
    let digest = hasher.finalize();
    let digits: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(format!("sha256-{digits}"))
}
