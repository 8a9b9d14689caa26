//! Two-pass reader that returns pages only after it has verified the whole file.

use std::fmt;
use std::io::{self, Read, Seek, SeekFrom, Write};

use super::source::Source;
use super::tally::Known;
use super::{Event, Reader, ReaderOptions, Summary};
use crate::{Collection, ReadError, Warning};

/// Reads a collection after verifying all of it.
///
/// It reads the file twice: once to verify it, once to return its pages. Between the passes it keeps
/// only the number of the newest line of each URL, so memory does not depend on the size of the file. It returns each
/// URL once, with its newest page.
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
    /// Verifies `source` from its current position to its end, and goes back to return its pages. The
    /// warnings of the verification go to `on_warning`. [`Self::next_event`] returns them again, with one difference:
    /// of several pages with the same URL, the warnings are always about the older ones.
    pub fn new(
        mut source: S,
        options: &ReaderOptions,
        on_warning: impl FnMut(Warning),
    ) -> Result<Self, ReadError> {
        let start = source.stream_position().map_err(ReadError::Io)?;
        let reader = options.read(&mut source)?;
        let (summary, known) = verify(reader, on_warning)?;
        source.seek(SeekFrom::Start(start)).map_err(ReadError::Io)?;
        Self::second_pass(source, options, summary, known)
    }

    fn second_pass(
        source: S,
        options: &ReaderOptions,
        summary: Summary,
        known: Known,
    ) -> Result<Self, ReadError> {
        // Bytes after the verified ones were not verified.
        let source = source.take(summary.counts.compressed_bytes);
        let mut reader = Reader::begin(Source::here(source, &options.limits), options, known)?;
        reader.digest_before = Some(summary.digest);
        Ok(Self { reader, summary })
    }

    /// The metadata, or `None` if it is missing and the options accept that.
    pub fn collection(&self) -> Option<&Collection> {
        self.reader.collection()
    }

    /// The result of the verification.
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// Returns the next page or warning, or `None` at the end.
    ///
    /// An error here means that the source cannot be read, or was changed after its verification:
    /// keep it where other processes cannot write to it.
    pub fn next_event(&mut self) -> Result<Option<Event<'_>>, ReadError> {
        self.reader.next_event()
    }
}

impl<S: Read + Write + Seek> Verified<S> {
    /// Verifies a stream that can be read only once. Copies its bytes to `spool` and
    /// returns the pages from there. The limits also bound the size of the spool.
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
        Self::second_pass(spool, options, summary, known)
    }
}

/// Reads to the end. Returns the summary, and the newest line of each URL.
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

/// A reader that copies everything it reads to `spool`.
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
