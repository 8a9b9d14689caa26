//! Streaming writer of collections.

mod checked;

use std::fmt;
use std::io::{Seek, SeekFrom, Write};

use sha2::{Digest, Sha256};

use crate::compression::{Encoder, INPUT_CHUNK};
use crate::reader::Duplicates;
use crate::validate::check_metadata;
use crate::{
    Checksum, Collection, Compression, Limits, LineProblem, NoMetadata, Page, PageError, ReadError,
    Version, WarningKind, WriteError,
};
pub use checked::CheckedLine;
use checked::{CheckedPage, check, one_line};

/// Options of a writer: the compression, its level, and the limits of readers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WriterOptions {
    /// The compression of the file.
    pub compression: Compression,
    /// The compression level: 0 to 9 for gzip, 1 to 22 for zstd.
    pub level: i32,
    /// Threads that zstd may use besides the caller's. Each takes about 15 MB.
    pub workers: u32,
    /// The approximate size of the content in bytes, if known; zstd limits its tables and its window accordingly.
    /// Without a size, or with a wrong one, writing takes slightly longer or the file is slightly larger.
    pub expected_bytes: Option<u64>,
    /// The limits of the readers of the file.
    pub limits: Limits,
}

impl WriterOptions {
    /// Options with the recommended level of the compression, and two workers if there is more than one core.
    pub fn new(compression: Compression) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        // On one core a worker only adds context switches.
        let workers = if cores > 1 { 2 } else { 0 };
        Self {
            compression,
            level: compression.default_level(),
            workers,
            expected_bytes: None,
            limits: Limits::default(),
        }
    }

    /// Begins a file at the current position of `out`.
    pub fn create<W: Write + Seek>(
        &self,
        out: W,
        collection: &Collection,
    ) -> Result<Writer<W>, WriteError> {
        Writer::begin(out, collection, self)
    }
}

impl Default for WriterOptions {
    /// zstd, level 9.
    fn default() -> Self {
        Self::new(Compression::Zstd)
    }
}

/// Writes a collection, one page at a time. Its memory does not depend on the size of the collection.
///
/// It checks every line by the rules of [`Reader`](crate::Reader) first: it refuses a page that a
/// reader would reject, change or warn about, and the caller can continue with other pages.
///
/// Until [`Writer::finish`] returns, the file begins with zeros, which readers
/// refuse. So the file of a writer that was killed cannot be mistaken for a complete collection.
///
/// ```
/// use std::io::Cursor;
/// use sitecast_scp::{Block, Collection, Compression, Page, WriterOptions};
///
/// let generated = "2025-01-15T10:00:00Z".parse()?;
/// let collection = Collection::snapshot("all-1".parse()?, "all".parse()?, generated);
/// let mut writer = WriterOptions::new(Compression::Gzip).create(Cursor::new(Vec::new()), &collection)?;
/// writer.write_page(&Page {
///     url: "https://example.com/".parse()?,
///     title: "Home".to_owned(),
///     description: String::new(),
///     author: None,
///     published: None,
///     modified: "2025-01-15T09:00:00Z".parse()?,
///     language: "en".parse()?,
///     canonical: None,
///     schema: None,
///     content: vec![Block::Text { text: "Hello".to_owned() }],
///     robots: Vec::new(),
/// })?;
/// let (file, report) = writer.finish()?;
/// assert_eq!(report.pages, 1);
/// assert_eq!(report.compressed_bytes, file.into_inner().len() as u64);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Writer<W> {
    out: W,
    start: u64,
    encoder: Encoder,
    /// Line 1 up to the comma before its checksum.
    before_checksum: Vec<u8>,
    hash: Sha256,
    limits: Limits,
    urls: Duplicates,
    /// A buffer for the line of a page.
    scratch: Vec<u8>,
    /// A buffer for the warnings about a page.
    warnings: Vec<WarningKind>,
    report: Report,
    /// True after an error that may have left a partial line in the output.
    poisoned: bool,
}

impl<W> fmt::Debug for Writer<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer")
            .field("report", &self.report)
            .finish_non_exhaustive()
    }
}

/// Counts and checksum of a collection that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The number of pages.
    pub pages: u64,
    /// The number of blocks of all pages.
    pub blocks: u64,
    /// Bytes of the content before compression.
    pub uncompressed_bytes: u64,
    /// Bytes of the file.
    pub compressed_bytes: u64,
    /// The checksum in line 1.
    pub checksum: Checksum,
}

impl<W: Write + Seek> Writer<W> {
    fn begin(
        mut out: W,
        collection: &Collection,
        options: &WriterOptions,
    ) -> Result<Self, WriteError> {
        let first_line = FirstLine::new(collection)?;
        first_line.check(&options.limits)?;
        let encoder = Encoder::new(options)?;
        let start = out.stream_position()?;
        let head_text_len = first_line.head(UNKNOWN).len();
        let head_len = encoder.head_len(head_text_len);
        out.write_all(&vec![0; head_len])?;

        let mut hash = Sha256::new();
        hash.update(first_line.without_checksum());
        let mut writer = Self {
            out,
            start,
            encoder,
            before_checksum: first_line.before,
            hash,
            limits: options.limits.clone(),
            urls: Duplicates::new(options.limits.tracked_urls),
            scratch: Vec::new(),
            warnings: Vec::new(),
            report: Report {
                pages: 0,
                blocks: 0,
                uncompressed_bytes: head_text_len as u64,
                compressed_bytes: head_len as u64,
                checksum: UNKNOWN,
            },
            poisoned: false,
        };
        writer.encode(&first_line.after)?;
        Ok(writer)
    }

    /// Adds a page.
    pub fn write_page(&mut self, page: &Page) -> Result<(), WriteError> {
        let mut line = std::mem::take(&mut self.scratch);
        line.clear();
        let written = serde_json::to_writer(&mut line, page)
            .map_err(|error| WriteError::Io(error.into()))
            .and_then(|()| self.write_bytes(&line));
        self.scratch = line;
        written
    }

    /// Adds a page by its line, for example one from a reader. The line is written byte for byte, including members
    /// that this version does not know.
    pub fn write_line(&mut self, line: &str) -> Result<(), WriteError> {
        one_line(line)?;
        self.write_bytes(line.as_bytes())
    }

    /// Adds a page whose line has been checked. It is checked again only if it was checked with other limits.
    pub fn write_checked(&mut self, line: &CheckedLine) -> Result<(), WriteError> {
        match line.page(&self.limits) {
            Some(page) => self.write_page_line(line.as_str().as_bytes(), page),
            None => self.write_bytes(line.as_str().as_bytes()),
        }
    }

    fn write_bytes(&mut self, line: &[u8]) -> Result<(), WriteError> {
        self.check_space(line)?;
        let text = std::str::from_utf8(line).map_err(|error| {
            let at = error.valid_up_to() + 1;
            WriteError::Page {
                url: None,
                problem: LineProblem::NotUtf8 { at }.into(),
            }
        })?;
        let page = check(text, &self.limits, &mut self.warnings)?;
        self.write_page_line(line, &page)
    }

    /// Checks that the line fits within the limit on the size of the content.
    fn check_space(&self, line: &[u8]) -> Result<(), WriteError> {
        if self.poisoned {
            return Err(WriteError::Poisoned);
        }
        let limit = self.limits.uncompressed_bytes;
        if self.report.uncompressed_bytes + line.len() as u64 >= limit {
            return Err(WriteError::TooLarge { limit });
        }
        Ok(())
    }

    /// Writes a valid line, unless its URL is a duplicate.
    fn write_page_line(&mut self, line: &[u8], page: &CheckedPage) -> Result<(), WriteError> {
        self.check_space(line)?;
        if let Some(other_line) = self.urls.newest_line(&page.url) {
            let duplicate = WarningKind::DuplicateUrl {
                other_line,
                supersedes: false,
            };
            return Err(WriteError::Page {
                url: Some(page.url.as_ref().to_owned()),
                problem: PageError::Page(duplicate),
            });
        }
        self.urls
            .record(&page.url, page.modified, page.blocks, self.report.pages + 2);
        // From here on an error leaves a partial line in the output.
        self.poisoned = true;
        for part in [line, b"\n"] {
            self.hash.update(part);
            self.encode(part)?;
        }
        self.poisoned = false;
        self.report.pages += 1;
        self.report.blocks += page.blocks as u64;
        Ok(())
    }

    fn encode(&mut self, data: &[u8]) -> Result<(), WriteError> {
        for part in data.chunks(INPUT_CHUNK) {
            self.report.compressed_bytes += self.encoder.write(part, &mut self.out)?;
            self.report.uncompressed_bytes += part.len() as u64;
            self.check_size()?;
            self.check_ratio()?;
        }
        Ok(())
    }

    fn check_size(&self) -> Result<(), WriteError> {
        for (bytes, limit) in [
            (
                self.report.uncompressed_bytes,
                self.limits.uncompressed_bytes,
            ),
            (self.report.compressed_bytes, self.limits.compressed_bytes),
        ] {
            if bytes > limit {
                return Err(WriteError::TooLarge { limit });
            }
        }
        Ok(())
    }

    /// Ensures that a reader at this point would not refuse the file as a decompression bomb. Readers fetch
    /// whole chunks. The compressor is flushed only if the output so far looks like a bomb. If it still does, padding
    /// makes the file longer, so that one repetitive page does not keep the whole collection from being written.
    fn check_ratio(&mut self) -> Result<(), WriteError> {
        if self.looks_like_a_bomb() {
            self.report.compressed_bytes += self.encoder.flush(&mut self.out)?;
            if self.looks_like_a_bomb() {
                self.pad(self.report.uncompressed_bytes + INPUT_CHUNK as u64)?;
            }
        }
        Ok(())
    }

    /// Pads the file to the length that the ratio requires for `uncompressed` bytes of content.
    fn pad(&mut self, uncompressed: u64) -> Result<(), WriteError> {
        let wanted = uncompressed.div_ceil(self.limits.ratio.max(1));
        let missing = wanted.saturating_sub(self.report.compressed_bytes);
        self.report.compressed_bytes += self.encoder.pad(missing, &mut self.out)?;
        self.check_size()
    }

    fn looks_like_a_bomb(&self) -> bool {
        let chunk = INPUT_CHUNK as u64;
        let chunks_fetched = self.report.compressed_bytes.div_ceil(chunk).max(1);
        // A reader checks the ratio after each chunk that it fetches, which can be anywhere within the next
        // part to be written, so that part is included.
        self.limits.exceeds_ratio(
            self.report.uncompressed_bytes + chunk,
            chunks_fetched * chunk,
        )
    }

    fn exceeds_ratio(&self) -> bool {
        let Report {
            uncompressed_bytes,
            compressed_bytes,
            ..
        } = self.report;
        self.limits
            .exceeds_ratio(uncompressed_bytes, compressed_bytes)
    }

    /// Ends the file and writes its beginning. Returns `out` positioned at the end of the file.
    pub fn finish(mut self) -> Result<(W, Report), WriteError> {
        if self.poisoned {
            return Err(WriteError::Poisoned);
        }
        self.report.checksum = Checksum::from_bytes(self.hash.finalize_reset().into());
        let text = head_text(&self.before_checksum, self.report.checksum);
        let uncompressed = self.report.uncompressed_bytes;
        // A flush adds bytes, and would change the bytes of ordinary collections, so flush only if necessary.
        if self.exceeds_ratio() {
            self.report.compressed_bytes += self.encoder.flush(&mut self.out)?;
            if self.exceeds_ratio() {
                self.pad(uncompressed)?;
            }
        }
        self.report.compressed_bytes += self.encoder.finish(&text, uncompressed, &mut self.out)?;
        self.check_size()?;
        let head = self.encoder.head(&text, uncompressed)?;
        let end = self.out.stream_position()?;
        self.out.flush()?;
        self.out.seek(SeekFrom::Start(self.start))?;
        self.out.write_all(&head)?;
        self.out.flush()?;
        self.out.seek(SeekFrom::Start(end))?;
        Ok((self.out, self.report))
    }
}

/// A placeholder for the checksum, with the same length.
const UNKNOWN: Checksum = Checksum::from_bytes([0; 32]);

/// The part of line 1 that is stored without compression: up to the end of the checksum.
fn head_text(before_checksum: &[u8], checksum: Checksum) -> Vec<u8> {
    [
        before_checksum,
        b",\"checksum\":\"",
        checksum.to_string().as_bytes(),
        b"\"",
    ]
    .concat()
}

/// Line 1 in two parts, between which the checksum is inserted.
struct FirstLine {
    before: Vec<u8>,
    /// Ends with the line feed.
    after: Vec<u8>,
}

impl FirstLine {
    fn new(collection: &Collection) -> Result<Self, WriteError> {
        let mut before = Vec::new();
        let mut after = Vec::new();
        write!(
            before,
            r#"{{"collection":{{"id":"{}","section":"{}","type":"{}","generated":"{}""#,
            collection.id,
            collection.section,
            collection.kind.name(),
            collection.generated,
        )?;
        if let Some(since) = collection.kind.since() {
            write!(before, r#","since":"{since}""#)?;
        }
        write!(after, r#","version":"{}""#, Version::CURRENT)?;
        if !collection.deleted.is_empty() {
            after.extend_from_slice(b",\"deleted\":");
            serde_json::to_writer(&mut after, &collection.deleted)
                .map_err(|error| WriteError::Io(error.into()))?;
        }
        after.extend_from_slice(b"}}\n");
        Ok(Self { before, after })
    }

    fn head(&self, checksum: Checksum) -> Vec<u8> {
        head_text(&self.before, checksum)
    }

    fn without_checksum(&self) -> Vec<u8> {
        [self.before.as_slice(), self.after.as_slice()].concat()
    }

    /// Checks that readers would accept the line without a warning.
    fn check(&self, limits: &Limits) -> Result<(), WriteError> {
        let line = [self.head(UNKNOWN), self.after.clone()].concat();
        let line = line.strip_suffix(b"\n").unwrap_or(&line);
        if line.len() > limits.metadata_bytes {
            let too_long = NoMetadata::TooLong {
                limit: limits.metadata_bytes,
            };
            return Err(WriteError::Metadata(Box::new(ReadError::NoMetadata(
                too_long,
            ))));
        }
        let mut warnings = Vec::new();
        let text = String::from_utf8_lossy(line);
        check_metadata(&text, limits, &mut warnings)
            .map_err(|error| WriteError::Metadata(Box::new(error)))?;
        match warnings.pop() {
            None => Ok(()),
            Some(warning) => Err(WriteError::MetadataWarning(warning)),
        }
    }
}
