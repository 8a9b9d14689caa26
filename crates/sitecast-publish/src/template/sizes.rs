//! The size of the site's HTML with gzip, estimated from the sample.

use flate2::{Compress, Compression, FlushCompress, Status};
use serde::{Deserialize, Serialize};

/// The size of the site's HTML, by the sample.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct HtmlSizes {
    /// All of the sample.
    pages: u64,
    bytes: u64,
    /// The part that was compressed.
    pub(crate) weighed_pages: u64,
    weighed_bytes: u64,
    gzip_bytes: u64,
}

/// Pages whose HTML is compressed to learn what it weighs on the wire: it costs more than parsing them.
pub(super) const WEIGHED: std::ops::RangeInclusive<usize> = 4..=16;
/// The bytes of HTML to compress, within that number of pages.
pub(super) const WEIGHED_BYTES: usize = 96 << 10;

impl HtmlSizes {
    pub(super) fn see(&mut self, html: &[u8]) {
        self.pages += 1;
        self.bytes += html.len() as u64;
    }

    pub(super) fn weigh(&mut self, html: &[u8], scale: &mut Scale) {
        self.weighed_pages += 1;
        self.weighed_bytes += html.len() as u64;
        self.gzip_bytes += scale.gzip_bytes(html);
    }

    pub(super) fn add(&mut self, other: Self) {
        self.pages += other.pages;
        self.bytes += other.bytes;
        self.weighed_pages += other.weighed_pages;
        self.weighed_bytes += other.weighed_bytes;
        self.gzip_bytes += other.gzip_bytes;
    }

    /// Estimates the size of a number of pages with gzip.
    pub(crate) fn gzip_bytes_of(&self, pages: u64) -> u64 {
        let ratio = self.gzip_bytes as f64 / self.weighed_bytes.max(1) as f64;
        let mean = self.bytes as f64 / self.pages.max(1) as f64;
        (ratio * mean * pages as f64) as u64
    }
}

/// Weighs pages, one after the other: to begin with a new compressor takes as long as a small page does.
#[derive(Default)]
pub(super) struct Scale(Option<(Compress, Box<[u8]>)>);

impl Scale {
    /// Returns the size of bytes as a web server sends them.
    fn gzip_bytes(&mut self, bytes: &[u8]) -> u64 {
        const HEADER_AND_TRAILER: u64 = 18;
        let (deflate, buffer) = self.0.get_or_insert_with(|| {
            let deflate = Compress::new(Compression::new(6), false);
            (deflate, vec![0; 16 << 10].into())
        });
        deflate.reset();
        loop {
            let taken = usize::try_from(deflate.total_in()).unwrap_or(usize::MAX);
            let rest = bytes.get(taken..).unwrap_or_default();
            match deflate.compress(rest, buffer, FlushCompress::Finish) {
                Ok(Status::Ok) => {}
                // It is at its end, or it fails, which with all of the input at hand it cannot.
                _ => return deflate.total_out() + HEADER_AND_TRAILER,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_weigh_what_gzip_makes_of_them() {
        let mut scale = Scale::default();
        let text = |seed: usize| (0..40_000).map(move |n| (n * n * seed / 7 % 251) as u8);
        for html in [
            Vec::new(),
            vec![b'a'; 100_000],
            text(3).collect(),
            text(5).collect(),
        ] {
            let out = Vec::new();
            let mut gzip = flate2::write::GzEncoder::new(out, Compression::new(6));
            std::io::Write::write_all(&mut gzip, &html).unwrap();
            let gzip = gzip.finish().unwrap();
            assert_eq!(scale.gzip_bytes(&html), gzip.len() as u64);
        }
    }
}
