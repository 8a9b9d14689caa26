//! A file that belongs to a publication as a whole: a sitemap, the policy, robots.txt. It is held as
//! it was when the publication was read, so that what it lists and what is served agree.

use hyper::header::HeaderValue;
use sha2::{Digest, Sha256};
use sitecast_storage::{Content, Opened};
use std::io::{self, Read};

use super::pinned::{pin, reader};
use super::variants::{Sized, Variants};
use crate::Kind;
use crate::http::date;
use crate::protection::Parts;

/// One version of it.
#[derive(Debug)]
pub(crate) struct Document {
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

impl Document {
    /// Takes hold of it and hashes it.
    pub(crate) fn read(kind: Kind, opened: &Opened) -> io::Result<Self> {
        let content = pin(opened)?;
        let hash = hash(&content, opened.size)?;
        Ok(Self {
            kind,
            variants: Variants::new(Sized {
                content,
                size: opened.size,
            }),
            etag: HeaderValue::from_str(&format!("\"{hash}\"")).ok(),
            hash,
            modified: opened.modified.and_then(date::seconds),
            content_type: "application/octet-stream",
            cache_control: sitecast_tct::CACHE_CONTROL,
            link: None,
            parts: Parts::default(),
        })
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
