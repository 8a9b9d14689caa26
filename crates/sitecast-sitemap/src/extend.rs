//! Insertion of `scp:` elements into an existing sitemap.

use std::io::{Read, Write};

use quick_xml::events::{BytesStart, Event as Xml};

use crate::read::source::TextSource;
use crate::read::{Attributes, Namespace, Namespaces, reason};
use crate::write::write_elements;
use crate::{Limits, MAX_BYTES, ReadError, ReadErrorKind, SCP_NAMESPACE, ScpBlock, WriteError};

/// Copies a sitemap, replacing its `scp:` elements with those of `scp`.
///
/// Everything else is copied byte for byte: entries, comments, other namespaces and their
/// elements. The new elements follow directly after `<urlset …>`, as the schema requires; old ones are
/// removed everywhere. A second run with the same `scp` changes nothing.
///
/// A sitemap in another encoding is written as UTF-8, and a compressed one without compression. An index cannot
/// be extended; extend its first sitemap instead. After an error, the output is unusable.
///
/// ```
/// use sitecast_sitemap::{Limits, ScpBlock, extend};
///
/// let old = r#"<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><!-- mine -->
/// <url><loc>https://example.com/</loc></url></urlset>"#;
/// let scp = ScpBlock { version: Some("0.1".to_owned()), ..ScpBlock::default() };
/// let mut new = Vec::new();
/// extend(old.as_bytes(), &mut new, &scp, &Limits::default())?;
/// assert_eq!(String::from_utf8(new)?, r#"<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:scp="https://scp-protocol.org/schemas/sitemap/1.0">
///   <scp:version>0.1</scp:version><!-- mine -->
/// <url><loc>https://example.com/</loc></url></urlset>"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn extend(
    source: impl Read,
    out: impl Write,
    scp: &ScpBlock,
    limits: &Limits,
) -> Result<(), WriteError> {
    let mut rewriter = Rewriter {
        xml: quick_xml::Reader::from_reader(TextSource::new(source, limits)),
        out,
        written: 0,
        namespaces: Namespaces::default(),
        depth: 0,
        root: None,
        inside_old: None,
        white_space: Vec::new(),
    };
    rewriter.xml.config_mut().allow_dangling_amp = true;
    rewriter.xml.get_mut().start_record();
    rewriter.run(scp, limits)
}

struct Rewriter<R: Read, W> {
    xml: quick_xml::Reader<TextSource<R>>,
    out: W,
    written: u64,
    namespaces: Namespaces,
    depth: usize,
    root: Option<String>,
    /// The depth of the old `scp:` element that is being removed.
    inside_old: Option<usize>,
    /// White space before the current token. It is removed if the token is.
    white_space: Vec<u8>,
}

impl<R: Read, W: Write> Rewriter<R, W> {
    fn run(&mut self, scp: &ScpBlock, limits: &Limits) -> Result<(), WriteError> {
        let mut buffer = Vec::new();
        if self.xml.get_ref().has_byte_order_mark() {
            self.put(b"\xef\xbb\xbf")?;
        }
        loop {
            buffer.clear();
            self.xml.get_mut().begin_token();
            let event = match self.xml.read_event_into(&mut buffer) {
                Ok(event) => event,
                Err(error) => return Err(self.failed(Some(error))),
            };
            let raw = self.xml.get_mut().take_record();
            if let Some(line) = self.xml.get_mut().take_invalid() {
                // The decoder has replaced the invalid bytes, so they cannot be copied unchanged.
                let kind = ReadErrorKind::InvalidBytes(self.xml.get_ref().encoding().name());
                let position = crate::Position { line, column: 1 };
                return Err(WriteError::Read(ReadError { position, kind }));
            }
            match event {
                Xml::Start(tag) => {
                    self.depth += 1;
                    if self.depth > limits.nesting {
                        return Err(self.error(ReadErrorKind::TooDeep(limits.nesting)));
                    }
                    self.start(&tag, raw, false, scp)?;
                }
                Xml::Empty(tag) => {
                    self.depth += 1;
                    self.start(&tag, raw, true, scp)?;
                    self.end();
                }
                Xml::End(_) => {
                    if self.inside_old.is_none() {
                        self.put(&raw)?;
                    }
                    self.end();
                }
                Xml::Text(text) if self.inside_old.is_none() && text.trim_ascii().is_empty() => {
                    self.put(&[])?;
                    self.white_space = raw;
                }
                Xml::Text(_) | Xml::CData(_) | Xml::GeneralRef(_) if self.root.is_none() => {
                    return Err(WriteError::NotExtensible(
                        "it does not begin with an element",
                    ));
                }
                Xml::DocType(_) => return Err(self.error(ReadErrorKind::Doctype)),
                Xml::Decl(_) => self.declaration(&raw)?,
                Xml::Eof => {
                    if self.depth > 0 || self.root.is_none() {
                        return Err(self.failed(None));
                    }
                    // The bytes that the parser leaves at the end, such as a last line feed.
                    self.put(&raw)?;
                    return Ok(self.out.flush()?);
                }
                _ if self.inside_old.is_some() => {}
                _ => self.put(&raw)?,
            }
        }
    }

    /// Writes the pending white space and `bytes`.
    fn put(&mut self, bytes: &[u8]) -> Result<(), WriteError> {
        let white_space = std::mem::take(&mut self.white_space);
        self.written += (white_space.len() + bytes.len()) as u64;
        if self.written > MAX_BYTES {
            return Err(WriteError::Full {
                entries: crate::MAX_ENTRIES,
                bytes: MAX_BYTES,
            });
        }
        self.out.write_all(&white_space)?;
        self.out.write_all(bytes)?;
        Ok(())
    }

    /// Writes the XML declaration, with the encoding of the output, which is UTF-8.
    fn declaration(&mut self, raw: &[u8]) -> Result<(), WriteError> {
        if self.xml.get_ref().encoding() == encoding_rs::UTF_8 {
            return self.put(raw);
        }
        self.put(b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>")
    }

    fn start(
        &mut self,
        tag: &BytesStart<'_>,
        raw: Vec<u8>,
        empty: bool,
        scp: &ScpBlock,
    ) -> Result<(), WriteError> {
        let attributes = Attributes::parse(tag.attributes_raw());
        self.namespaces.enter(&attributes, self.depth);
        if self.inside_old.is_some() {
            return Ok(());
        }
        let name = tag.name();
        let name: &str = name.as_ref();
        if self.root.is_none() {
            if attributes.problem().is_some() {
                // Parsers would disagree on a namespace declaration in such a tag.
                return Err(WriteError::NotExtensible(
                    "its first tag is not well-formed",
                ));
            }
            return self.root(name, raw, empty, scp);
        }
        let resolved = self.namespaces.resolve(name);
        // This includes elements with an undeclared prefix `scp`, which the new declaration would make valid.
        if resolved.namespace == Namespace::Scp {
            // Remove the white space before the element with it.
            self.white_space.clear();
            self.inside_old = Some(self.depth);
            return Ok(());
        }
        self.put(&raw)
    }

    fn end(&mut self) {
        if self.inside_old == Some(self.depth) {
            self.inside_old = None;
        }
        self.namespaces.leave(self.depth);
        self.depth = self.depth.saturating_sub(1);
    }

    /// Writes the root's start tag with the namespace of SCP, and the new elements.
    fn root(
        &mut self,
        name: &str,
        mut raw: Vec<u8>,
        empty: bool,
        scp: &ScpBlock,
    ) -> Result<(), WriteError> {
        match name.rsplit(':').next() {
            Some("urlset") => {}
            Some("sitemapindex") => {
                return Err(WriteError::NotExtensible(
                    "it is a sitemap index; extend the first sitemap that it names",
                ));
            }
            _ => return Err(WriteError::NotExtensible("it is not an XML sitemap")),
        }
        self.namespaces.set_root(name);
        self.root = Some(name.to_owned());
        if scp.is_empty() {
            return self.put(&raw);
        }
        let prefix = self.namespaces.free_prefix();
        let close: &[u8] = if empty { b"/>" } else { b">" };
        raw.truncate(raw.len().saturating_sub(close.len()));
        let mut text = String::new();
        if !self.namespaces.is_scp(&prefix) {
            while raw.last().is_some_and(u8::is_ascii_whitespace) {
                raw.pop();
            }
            text.push_str(&format!(" xmlns:{prefix}=\"{SCP_NAMESPACE}\""));
        }
        text.push('>');
        write_elements(scp, &prefix, &mut text)?;
        if empty {
            text.push_str(&format!("\n</{name}>"));
        }
        raw.extend_from_slice(text.as_bytes());
        self.put(&raw)
    }

    fn failed(&mut self, error: Option<quick_xml::Error>) -> WriteError {
        let kind = match (self.xml.get_mut().failure(), error, &self.root) {
            (Some(failure), _, _) => failure,
            (None, Some(error), _) => ReadErrorKind::Xml(reason(&error)),
            (None, None, Some(root)) => ReadErrorKind::CutShort(root.clone()),
            (None, None, None) => ReadErrorKind::NotASitemap("it has no elements".to_owned()),
        };
        self.error(kind)
    }

    fn error(&mut self, kind: ReadErrorKind) -> WriteError {
        let position = self.xml.get_mut().position();
        WriteError::Read(ReadError { position, kind })
    }
}
