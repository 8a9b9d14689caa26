//! Files of a publication as a whole: sitemaps, the policy, robots.txt. Their content is pinned when the publication is
//! read, so that the listed pages and the served ones agree.

use std::io::{self, Read};
use std::sync::Arc;

use hyper::header::{CACHE_CONTROL, HeaderValue, LINK};
use sha2::{Digest, Sha256};
use sitecast_storage::{Content, Opened};

use super::pinned::{pin, reader};
use super::prepared::PreparedResponse;
use super::variants::{SizedContent, Variants};
use crate::Kind;
use crate::http::date;
use crate::protection::ProtectedParts;
use crate::reply::Head;

/// A document, ready to be sent.
#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) response: Arc<PreparedResponse>,
    pub(crate) parts: ProtectedParts,
}

/// A document while the publication is being read.
#[derive(Debug)]
pub(crate) struct DocumentBuilder {
    pub(crate) kind: Kind,
    pub(crate) variants: Variants,
    /// `sha256-…` of its content.
    pub(crate) hash: String,
    pub(crate) etag: Option<HeaderValue>,
    /// Last modification, in seconds since 1970.
    pub(crate) modified: Option<i64>,
    pub(crate) content_type: &'static str,
    pub(crate) cache_control: &'static str,
    pub(crate) link: Option<HeaderValue>,
    pub(crate) parts: ProtectedParts,
}

impl DocumentBuilder {
    /// Pins and hashes the content.
    pub(crate) fn read(kind: Kind, opened: &Opened) -> io::Result<Self> {
        let content = pin(opened)?;
        let hash = hash(&content, opened.size)?;
        Ok(Self {
            kind,
            variants: Variants::new(SizedContent::new(content, opened.size)),
            etag: HeaderValue::from_str(&format!("\"{hash}\"")).ok(),
            hash,
            modified: opened.modified.and_then(date::seconds),
            content_type: "application/octet-stream",
            cache_control: sitecast_tct::CACHE_CONTROL,
            link: None,
            parts: ProtectedParts::default(),
        })
    }

    /// Builds the document for a publication.
    pub(crate) fn finish(self, generation: u64) -> Document {
        let content_type = HeaderValue::from_static(self.content_type);
        let head = Head::new(self.kind, content_type, self.etag, self.modified)
            .with(
                CACHE_CONTROL,
                Some(HeaderValue::from_static(self.cache_control)),
            )
            .with(LINK, self.link);
        let head = match self.content_type {
            // The file is compressed already.
            "application/gzip" => head,
            _ => head.varying(),
        };
        Document {
            response: Arc::new(PreparedResponse::new(
                generation,
                head,
                Arc::new(self.variants),
            )),
            parts: self.parts,
        }
    }

    /// Reads the content from its beginning.
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
