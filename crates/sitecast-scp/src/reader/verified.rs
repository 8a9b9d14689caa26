use std::fmt;
use std::io::{self, Read, Seek, SeekFrom, Write};

use super::source::Source;
use super::tally::Known;
use super::{Event, Reader, ReaderOptions, Summary};
use crate::{Collection, ReadError, Warning};

/// Reads a collection that is already known to be whole and right.
///
/// The file is read twice: once to verify all of it, once to hand it out. Nothing is kept in
/// between but which line of each URL counts, so memory stays bounded whatever the size. Each URL
/// comes once, with its newest page.
///
/// ```no_run
/// use std::fs::File;
/// use sitecast_scp::{Event, ReaderOptions, Verified};
///
/// let file = File::open("blog-snapshot.scp.zst")?;
/// let mut pages = Verified::new(file, &ReaderOptions::default(), |warning| eprintln!("{warning}"))?;
/// while let Some(event) = pages.next_event()? {
///     if let Event::Page(page) = event {
///         println!("{}", page.url());
///     }
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Verified<S> {
    reader: Reader<io::Take<S>>,
    summary: Summary,
}

impl<S> fmt::Debug for Verified<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Verified")
            .field("summary", &self.summary)
            .finish_non_exhaustive()
    }
}

impl<S: Read + Seek> Verified<S> {
    /// Verifies `source` from where it stands to its end, then stands ready to hand it out. The
    /// warnings of the verification go to `on_warning`. They come again with the pages, except
    /// that of pages with the same URL it is always the ones left out that are warned about.
    pub fn new(
        mut source: S,
        options: &ReaderOptions,
        on_warning: impl FnMut(Warning),
    ) -> Result<Self, ReadError> {
        let start = source.stream_position().map_err(ReadError::Io)?;
        let reader = options.read(&mut source)?;
        let (summary, known) = verify(reader, on_warning)?;
        source.seek(SeekFrom::Start(start)).map_err(ReadError::Io)?;
        Self::hand_out(source, options, summary, known)
    }

    fn hand_out(
        source: S,
        options: &ReaderOptions,
        summary: Summary,
        known: Known,
    ) -> Result<Self, ReadError> {
        // What stands behind the verified bytes is none of them.
        let source = source.take(summary.counts.compressed_bytes);
        let mut reader = Reader::begin(Source::here(source, &options.limits), options, known)?;
        reader.digest_before = Some(summary.digest);
        Ok(Self { reader, summary })
    }

    /// What the first line says, unless it was missing and that was accepted.
    pub fn collection(&self) -> Option<&Collection> {
        self.reader.collection()
    }

    /// What the verification found.
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// The next page or warning, or `None` at the end.
    ///
    /// An error here means that the source itself fails, or was changed after it was verified:
    /// keep it where others cannot write.
    pub fn next_event(&mut self) -> Result<Option<Event<'_>>, ReadError> {
        self.reader.next_event()
    }
}

impl<S: Read + Write + Seek> Verified<S> {
    /// Verifies a stream that can be read only once, and keeps its bytes, as they come, in
    /// `spool` to hand them out from. The limits hold for the spool too.
    pub fn spooled(
        stream: impl Read,
        mut spool: S,
        options: &ReaderOptions,
        on_warning: impl FnMut(Warning),
    ) -> Result<Self, ReadError> {
        let start = spool.stream_position().map_err(ReadError::Io)?;
        let reader = options.read(Tee {
            stream,
            spool: &mut spool,
        })?;
        let (summary, known) = verify(reader, on_warning)?;
        spool.flush().map_err(ReadError::Io)?;
        spool.seek(SeekFrom::Start(start)).map_err(ReadError::Io)?;
        Self::hand_out(spool, options, summary, known)
    }
}

/// Reads to the end; answers what was found, and which lines count.
fn verify<R: Read>(
    mut reader: Reader<R>,
    mut on_warning: impl FnMut(Warning),
) -> Result<(Summary, Known), ReadError> {
    while let Some(event) = reader.next_event()? {
        if let Event::Warning(warning) = event {
            on_warning(warning);
        }
    }
    let summary = reader.summary().cloned().ok_or(ReadError::Changed)?;
    let known = match reader.tally.known {
        Known::SoFar(urls) | Known::All(urls) => Known::All(urls),
    };
    Ok((summary, known))
}

/// Writes down what it reads.
struct Tee<R, W> {
    stream: R,
    spool: W,
}

impl<R: Read, W: Write> Read for Tee<R, W> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.stream.read(buffer)?;
        self.spool
            .write_all(buffer.get(..count).unwrap_or_default())?;
        Ok(count)
    }
}
