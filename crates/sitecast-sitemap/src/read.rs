//! Pull reader for sitemaps in all formats that sites serve.

mod attributes;
mod elements;
mod entries;
mod input;
mod namespaces;
mod scp;
mod shortcut;
pub(crate) mod source;
mod text;
mod xml;

use std::collections::VecDeque;
use std::io::{BufRead, Read};

use encoding_rs::UTF_8;
use url::Url;

use crate::{
    Event, Limits, MAX_BYTES, MAX_ENTRIES, ReadError, ReadErrorKind, Warning, WarningKind,
};
use source::TextSource;
use text::TextLines;
use xml::XmlDocument;

pub(crate) use attributes::Attributes;
pub(crate) use entries::LONGEST_LOCATION;
pub(crate) use namespaces::{Namespace, Namespaces};
pub(crate) use xml::reason;

/// Options of a reader.
#[derive(Debug, Clone, Default)]
pub struct ReaderOptions {
    /// The limits beyond which reading ends.
    pub limits: Limits,
    /// The sitemap's own URL, to resolve relative URLs. Without it, and in plain text, relative URLs are dropped.
    pub base: Option<Url>,
}

impl ReaderOptions {
    /// Creates a reader of `source`. It reads nothing before the first call of [`SitemapReader::next_event`].
    pub fn read<R: Read>(&self, source: R) -> SitemapReader<R> {
        SitemapReader {
            body: Body::Closed(source),
            shared: Shared {
                options: self.clone(),
                kind: None,
                pending: VecDeque::new(),
                counts: Counts::default(),
            },
            failure: None,
        }
    }
}

/// The kind of a sitemap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SitemapKind {
    /// `<urlset>`: pages.
    UrlSet,
    /// `<sitemapindex>`: other sitemaps.
    Index,
    /// Plain text with one URL per line.
    Text,
    /// RSS.
    Rss,
    /// Atom.
    Atom,
}

/// Counts of the part of a sitemap that has been read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Pages returned.
    pub urls: u64,
    /// Sitemaps that an index lists.
    pub sitemaps: u64,
    /// Alternates of the pages in other languages.
    pub alternates: u64,
    /// Sections of the `scp:` extension.
    pub sections: u64,
    /// Snapshots and deltas of the `scp:` extension.
    pub collections: u64,
    /// Entries dropped because of a missing or invalid URL.
    pub left_out: u64,
    /// Warnings issued.
    pub warnings: u64,
    /// Bytes read from the source.
    pub stored_bytes: u64,
    /// Bytes after decompression.
    pub bytes: u64,
    /// True if the sitemap is compressed with gzip.
    pub gzip: bool,
}

/// Reads a sitemap of any format, event by event.
///
/// The content determines the format, never a file name: an XML sitemap or index, plain text with one
/// URL per line, RSS or Atom; each with or without gzip. The reader keeps at most one entry in memory.
///
/// ```
/// use sitecast_sitemap::{Event, SitemapReader};
///
/// let xml = r#"<?xml version="1.0" encoding="UTF-8"?>
/// <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
///   <url><loc>https://example.com/?a=1&amp;b=2</loc><lastmod>2025-11-14</lastmod></url>
/// </urlset>"#;
/// let mut reader = SitemapReader::new(xml.as_bytes());
/// while let Some(event) = reader.next_event()? {
///     match event {
///         Event::Url(page) => assert_eq!(page.loc, "https://example.com/?a=1&b=2"),
///         Event::Sitemap(child) => println!("and more in {}", child.loc),
///         Event::Warning(warning) => eprintln!("{warning}"),
///         _ => {}
///     }
/// }
/// # Ok::<(), sitecast_sitemap::ReadError>(())
/// ```
///
/// A malformed document yields the entries before the error, then the error with its position, and
/// then `None`.
pub struct SitemapReader<R> {
    body: Body<R>,
    shared: Shared,
    /// The error to return after the pending events.
    failure: Option<ReadError>,
}

enum Body<R> {
    Closed(R),
    Xml(Box<XmlDocument<R>>),
    Text(Box<TextLines<R>>),
    Ended,
}

/// The state shared by the readers of all formats.
struct Shared {
    options: ReaderOptions,
    kind: Option<SitemapKind>,
    pending: VecDeque<Event>,
    counts: Counts,
}

impl<R: Read> SitemapReader<R> {
    /// Creates a reader of `source` with the default limits.
    pub fn new(source: R) -> Self {
        ReaderOptions::default().read(source)
    }

    /// The kind of sitemap, once the first event has been read.
    pub fn kind(&self) -> Option<SitemapKind> {
        self.shared.kind
    }

    /// The counts so far.
    pub fn counts(&self) -> Counts {
        let counts = self.shared.counts;
        match &self.body {
            Body::Xml(document) => document.source().measure(counts),
            Body::Text(lines) => lines.source().measure(counts),
            _ => counts,
        }
    }

    /// Returns the next event, or `None` at the end.
    pub fn next_event(&mut self) -> Result<Option<Event>, ReadError> {
        loop {
            if let Some(event) = self.shared.pending.pop_front() {
                return Ok(Some(event));
            }
            if let Some(error) = self.failure.take() {
                return Err(error);
            }
            let step = match &mut self.body {
                Body::Closed(_) => self.open(),
                Body::Xml(document) => document.advance(&mut self.shared),
                Body::Text(lines) => lines.advance(&mut self.shared),
                Body::Ended => return Ok(None),
            };
            match step {
                Ok(Step::Continue) => {}
                Ok(Step::End) => self.end(),
                Err(error) => {
                    self.shared.counts = self.counts();
                    self.body = Body::Ended;
                    self.failure = Some(error);
                }
            }
        }
    }

    /// Detects the format: XML or plain text.
    fn open(&mut self) -> Result<Step, ReadError> {
        let Body::Closed(source) = std::mem::replace(&mut self.body, Body::Ended) else {
            return Ok(Step::Continue);
        };
        let mut source = TextSource::new(source, &self.shared.options.limits);
        if source.encoding() != UTF_8 {
            let kind = WarningKind::Encoding(source.encoding().name());
            self.shared.warn(1, None, kind);
        }
        if let Some(label) = source.unknown_label() {
            let kind = WarningKind::UnknownEncoding(label.to_owned());
            self.shared.warn(1, None, kind);
        }
        match source.peek_first_byte() {
            Some(b'<') => self.body = Body::Xml(Box::new(XmlDocument::new(source))),
            Some(_) => {
                self.shared.kind = Some(SitemapKind::Text);
                self.body = Body::Text(Box::new(TextLines::new(source)));
            }
            None => {
                self.shared.counts = source.measure(self.shared.counts);
                let kind = source
                    .failure()
                    .unwrap_or_else(|| ReadErrorKind::NotASitemap("it is empty".to_owned()));
                let position = source.position();
                return Err(ReadError { position, kind });
            }
        }
        Ok(Step::Continue)
    }

    /// Adds the warnings about the whole document after it has been read.
    fn end(&mut self) {
        self.shared.counts = self.counts();
        let trailing = match &self.body {
            Body::Xml(document) => document.source().has_trailing_bytes(),
            Body::Text(lines) => lines.source().has_trailing_bytes(),
            _ => false,
        };
        self.body = Body::Ended;
        let counts = self.shared.counts;
        let entries = counts.urls + counts.sitemaps + counts.left_out;
        let mut warn = |kind| self.shared.warn(1, None, kind);
        if trailing {
            warn(WarningKind::TrailingContent);
        }
        if entries == 0 {
            warn(WarningKind::NoEntries);
        }
        if entries > MAX_ENTRIES {
            warn(WarningKind::TooManyEntries(entries));
        }
        if counts.bytes > MAX_BYTES {
            warn(WarningKind::TooLarge(counts.bytes));
        }
    }
}

/// The result of one reading step.
enum Step {
    Continue,
    End,
}

impl Shared {
    fn warn(&mut self, line: u64, url: Option<&str>, kind: WarningKind) {
        self.counts.warnings += 1;
        self.counts.left_out += u64::from(kind.leaves_out());
        self.pending.push_back(Event::Warning(Warning {
            line,
            url: url.map(excerpt),
            kind,
        }));
    }

    /// Counts and queues an event other than a warning.
    fn found(&mut self, event: Event) -> Result<(), ReadErrorKind> {
        let counts = &mut self.counts;
        let found = counts.urls + counts.sitemaps + counts.sections + counts.collections;
        if found + counts.left_out >= self.options.limits.entries {
            return Err(ReadErrorKind::TooManyEntries(self.options.limits.entries));
        }
        match &event {
            Event::Url(entry) => {
                counts.urls += 1;
                counts.alternates += entry.alternates.len() as u64;
            }
            Event::Sitemap(_) => counts.sitemaps += 1,
            Event::Scp(crate::ScpEntry::Section(_)) => counts.sections += 1,
            Event::Scp(crate::ScpEntry::Collection(_)) => counts.collections += 1,
            _ => {}
        }
        self.pending.push_back(event);
        Ok(())
    }
}

/// The beginning of an untrusted text, for a message.
fn excerpt(text: &str) -> String {
    const LONGEST: usize = 200;
    match text.char_indices().nth(LONGEST) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
    }
}

impl<R: Read> TextSource<R> {
    /// Skips white space. Returns the byte after it, without consuming that.
    fn peek_first_byte(&mut self) -> Option<u8> {
        loop {
            let text = self.fill_buf().ok()?;
            if let Some(at) = text.iter().position(|byte| !byte.is_ascii_whitespace()) {
                let byte = text.get(at).copied();
                self.consume(at);
                if at > 0 {
                    self.note_skipped_spaces();
                }
                return byte;
            }
            let count = text.len();
            if count == 0 {
                return None;
            }
            self.consume(count);
            self.note_skipped_spaces();
            self.begin_token();
        }
    }

    fn measure(&self, counts: Counts) -> Counts {
        Counts {
            stored_bytes: self.stored_bytes(),
            bytes: self.bytes(),
            gzip: self.is_gzip(),
            ..counts
        }
    }
}
