//! Output of a file, compressed or not.

use std::io::{self, Write};

use flate2::write::GzEncoder;
use flate2::{Compression, GzBuilder};

pub(super) enum Output<W: Write> {
    Plain(W),
    Gzip(Box<GzEncoder<W>>),
}

impl<W: Write> Output<W> {
    pub(super) fn new(out: W, gzip: bool) -> Self {
        if gzip {
            // Without a modification time in the header, the same content produces the same bytes.
            let encoder = GzBuilder::new().mtime(0).write(out, Compression::default());
            Self::Gzip(Box::new(encoder))
        } else {
            Self::Plain(out)
        }
    }

    pub(super) fn write(&mut self, text: &str) -> io::Result<()> {
        match self {
            Self::Plain(out) => out.write_all(text.as_bytes()),
            Self::Gzip(encoder) => encoder.write_all(text.as_bytes()),
        }
    }

    pub(super) fn finish(self) -> io::Result<W> {
        let mut out = match self {
            Self::Plain(out) => out,
            Self::Gzip(encoder) => encoder.finish()?,
        };
        out.flush()?;
        Ok(out)
    }
}
