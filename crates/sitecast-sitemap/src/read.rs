//! Reading sitemaps: one pull reader for all forms that sites serve.

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

/// How to read.
#[derive(Debug, Clone, Default)]
pub struct ReaderOptions {
    /// Where reading ends.
    pub limits: Limits,
    /// The sitemap's own URL, against which relative ones are resolved. Without it they are left
    /// out, and in plain text they always are.
    pub base: Option<Url>,
}

impl ReaderOptions {
    /// Reads what `source` has. Nothing is read before the first event is asked for.
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

/// What kind of sitemap it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SitemapKind {
    /// `<urlset>`: pages.
    UrlSet,
    /// `<sitemapindex>`: other sitemaps.
    Index,
    /// One URL on a line.
    Text,
    /// RSS.
    Rss,
    /// Atom.
    Atom,
}

/// How much was read so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Pages.
    pub urls: u64,
    /// Other sitemaps.
    pub sitemaps: u64,
    /// Pages in other languages.
    pub alternates: u64,
    /// Sections of the `scp:` extension.
    pub sections: u64,
    /// Snapshots and deltas of the `scp:` extension.
    pub collections: u64,
    /// Entries that were left out.
    pub left_out: u64,
    /// Warnings.
    pub warnings: u64,
    /// Bytes as stored.
    pub stored_bytes: u64,
    /// Bytes once decompressed.
    pub bytes: u64,
    /// Whether they were compressed with gzip.
    pub gzip: bool,
}

/// Reads a sitemap of any form, event by event.
///
/// The form is told by the content, never by a name: an XML sitemap or index, plain text with one
/// URL on a line, RSS or Atom; plain or gzip. Never more than one entry is held.
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
/// A broken document yields what was good before the break, then the error with its place, and
/// after it nothing more.
pub struct SitemapReader<R> {
    body: Body<R>,
    shared: Shared,
    /// What comes after the pending events.
    failure: Option<ReadError>,
}

enum Body<R> {
    Closed(R),
    Xml(Box<XmlDocument<R>>),
    Text(Box<TextLines<R>>),
    Ended,
}

/// What all forms have in common.
struct Shared {
    options: ReaderOptions,
    kind: Option<SitemapKind>,
    pending: VecDeque<Event>,
    counts: Counts,
}

impl<R: Read> SitemapReader<R> {
    /// Reads what `source` has, with the default limits.
    pub fn new(source: R) -> Self {
        ReaderOptions::default().read(source)
    }

    /// The kind of sitemap, once the first event has been read.
    pub fn kind(&self) -> Option<SitemapKind> {
        self.shared.kind
    }

    /// How much was read so far.
    pub fn counts(&self) -> Counts {
        let counts = self.shared.counts;
        match &self.body {
            Body::Xml(document) => document.source().measure(counts),
            Body::Text(lines) => lines.source().measure(counts),
            _ => counts,
        }
    }

    /// What comes next, or `None` at the end.
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
                Ok(Step::Further) => {}
                Ok(Step::End) => self.end(),
                Err(error) => {
                    self.shared.counts = self.counts();
                    self.body = Body::Ended;
                    self.failure = Some(error);
                }
            }
        }
    }

    /// Tells XML from text.
    fn open(&mut self) -> Result<Step, ReadError> {
        let Body::Closed(source) = std::mem::replace(&mut self.body, Body::Ended) else {
            return Ok(Step::Further);
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
        match source.first_mark() {
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
        Ok(Step::Further)
    }

    /// Looks at the whole once it has been read.
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

/// Whether there is more.
enum Step {
    Further,
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

    /// Counts an event that is no warning, and hands it out.
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

/// As much of a foreign text as fits a message.
fn excerpt(text: &str) -> String {
    const LONGEST: usize = 200;
    match text.char_indices().nth(LONGEST) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
    }
}

impl<R: Read> TextSource<R> {
    /// The first byte that is not white space, without taking it.
    fn first_mark(&mut self) -> Option<u8> {
        loop {
            let text = self.fill_buf().ok()?;
            if let Some(at) = text.iter().position(|byte| !byte.is_ascii_whitespace()) {
                let mark = text.get(at).copied();
                self.consume(at);
                if at > 0 {
                    self.note_skipped_spaces();
                }
                return mark;
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
