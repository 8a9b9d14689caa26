//! Drives the XML parser, within limits, and passes its events to [`Elements`].

use std::borrow::Cow;
use std::io::Read;

use quick_xml::errors::SyntaxError;
use quick_xml::events::{BytesRef, Event as Xml};

use super::elements::Elements;
use super::source::TextSource;
use super::{Shared, Step, shortcut};
use crate::{Position, ReadError, ReadErrorKind, WarningKind};

pub(super) struct XmlDocument<R> {
    xml: quick_xml::Reader<TextSource<R>>,
    buffer: Vec<u8>,
    elements: Elements,
    form: FormCheck,
    /// True if the last event was a tag.
    after_tag: bool,
}

impl<R: Read> XmlDocument<R> {
    pub(super) fn new(source: TextSource<R>) -> Self {
        let mut xml = quick_xml::Reader::from_reader(source);
        // An unescaped `&`, as in `?a=1&b=2`, is the most common mistake in sitemaps.
        xml.config_mut().allow_dangling_amp = true;
        Self {
            xml,
            buffer: Vec::new(),
            elements: Elements::default(),
            form: FormCheck::default(),
            after_tag: false,
        }
    }

    pub(super) fn source(&self) -> &TextSource<R> {
        self.xml.get_ref()
    }

    /// Reads until an event is pending.
    pub(super) fn advance(&mut self, shared: &mut Shared) -> Result<Step, ReadError> {
        while shared.pending.is_empty() {
            if self.after_tag
                && let Some(place) = self.elements.between_plain_entries()
                && !self.xml.get_ref().saw_invalid()
            {
                // After a tag the parser has consumed nothing of the following text.
                let read = shortcut::entry(self.xml.get_mut(), place, shared);
                if read.map_err(|kind| self.error(kind))? {
                    self.elements.entry_read();
                    continue;
                }
            }
            self.buffer.clear();
            self.xml.get_mut().begin_token();
            let event = match self.xml.read_event_into(&mut self.buffer) {
                Ok(event) => event,
                Err(error) => return Err(self.failed(error)),
            };
            self.form
                .look(&event, &mut self.xml, &mut self.elements, shared);
            self.after_tag = matches!(event, Xml::Start(_) | Xml::End(_) | Xml::Empty(_));
            let result = match event {
                Xml::Start(tag) => self.elements.start(&tag, &mut self.xml, shared),
                Xml::Empty(tag) => self
                    .elements
                    .start(&tag, &mut self.xml, shared)
                    .and_then(|()| self.elements.end(&mut self.xml, shared)),
                Xml::End(_) => self.elements.end(&mut self.xml, shared),
                Xml::Text(text) => {
                    // The parser returns an unescaped `&` as the beginning of a text.
                    if text.starts_with('&') && self.elements.takes_text() {
                        let line = line_of(&mut self.xml);
                        self.elements
                            .warn_once(shared, line, WarningKind::Ampersand);
                    }
                    self.elements.text(&text, &mut self.xml, shared)
                }
                Xml::CData(text) => self.elements.text(&text, &mut self.xml, shared),
                Xml::GeneralRef(reference) => {
                    let (text, known) = resolve(&reference);
                    if !known && self.elements.takes_text() {
                        let line = line_of(&mut self.xml);
                        let name = super::excerpt(&reference);
                        let kind = WarningKind::UnknownEntity(name);
                        self.elements.warn_once(shared, line, kind);
                    }
                    self.elements.text(&text, &mut self.xml, shared)
                }
                Xml::DocType(text) => {
                    let html = text.trim_start().get(..4);
                    if html.is_some_and(|name| name.eq_ignore_ascii_case("html")) {
                        Err(ReadErrorKind::NotASitemap("it is an HTML page".to_owned()))
                    } else {
                        Err(ReadErrorKind::Doctype)
                    }
                }
                Xml::Decl(_) | Xml::PI(_) | Xml::Comment(_) => Ok(()),
                Xml::Eof => {
                    return match self.elements.unclosed() {
                        Some(name) => Err(self.error(ReadErrorKind::CutShort(name))),
                        None if shared.kind.is_none() => {
                            let what = "it has no elements".to_owned();
                            Err(self.error(ReadErrorKind::NotASitemap(what)))
                        }
                        None => Ok(Step::End),
                    };
                }
            };
            result.map_err(|kind| self.error(kind))?;
            if let Some(line) = self.xml.get_mut().take_invalid() {
                let kind = WarningKind::InvalidBytes(self.source().encoding().name());
                self.elements.warn_once(shared, line, kind);
            }
        }
        Ok(Step::Continue)
    }

    fn failed(&mut self, error: quick_xml::Error) -> ReadError {
        let kind = match self.xml.get_mut().failure() {
            Some(failure) => failure,
            None => {
                let cut_short = matches!(
                    error,
                    quick_xml::Error::Syntax(
                        SyntaxError::UnclosedPI
                            | SyntaxError::UnclosedXmlDecl
                            | SyntaxError::UnclosedComment
                            | SyntaxError::UnclosedDoctype
                            | SyntaxError::UnclosedCData
                            | SyntaxError::UnclosedTag
                            | SyntaxError::UnclosedSingleQuotedAttributeValue
                            | SyntaxError::UnclosedDoubleQuotedAttributeValue
                    ) | quick_xml::Error::IllFormed(
                        quick_xml::errors::IllFormedError::MissingEndTag(_)
                    )
                );
                match self.elements.unclosed().filter(|_| cut_short) {
                    Some(name) => ReadErrorKind::CutShort(name),
                    None => ReadErrorKind::Xml(reason(&error)),
                }
            }
        };
        self.error(kind)
    }

    fn error(&mut self, kind: ReadErrorKind) -> ReadError {
        let position = self.xml.get_mut().position();
        ReadError { position, kind }
    }
}

/// Checks for errors of well-formedness that the parser accepts.
#[derive(Default)]
struct FormCheck {
    /// True after the first event.
    begun: bool,
}

impl FormCheck {
    /// Warns about an error at which a strict parser would stop.
    fn look<R: Read>(
        &mut self,
        event: &Xml<'_>,
        xml: &mut quick_xml::Reader<TextSource<R>>,
        elements: &mut Elements,
        shared: &mut Shared,
    ) {
        let first = !std::mem::replace(&mut self.begun, true);
        let problem = match event {
            Xml::Decl(_) => {
                let again = elements.declare();
                let late = !first || xml.get_ref().skipped_spaces();
                match (again, late) {
                    (true, _) => Some("a second XML declaration"),
                    (_, true) => Some("content before the XML declaration"),
                    _ => None,
                }
            }
            Xml::Comment(text) if text.contains("--") => Some("`--` in a comment"),
            _ => None,
        };
        if let Some(problem) = problem {
            let line = line_of(xml);
            elements.warn_once(shared, line, WarningKind::IllFormed(problem));
        }
    }
}

/// The parser's message without its prefix for the kind of error, which our messages have already.
pub(crate) fn reason(error: &quick_xml::Error) -> String {
    let text = error.to_string();
    let kinds = ["syntax error: ", "ill-formed document: "];
    let reason = kinds.iter().find_map(|kind| text.strip_prefix(kind));
    reason.unwrap_or(&text).to_owned()
}

/// The number of the current line.
pub(super) fn line_of<R: Read>(xml: &mut quick_xml::Reader<TextSource<R>>) -> u64 {
    let Position { line, .. } = xml.get_mut().position();
    line
}

/// Resolves a reference. Returns true with the result if XML defines the reference, or the reference as written and
/// false.
fn resolve<'r>(reference: &BytesRef<'r>) -> (Cow<'r, str>, bool) {
    if let Some(text) = quick_xml::escape::resolve_predefined_entity(reference) {
        return (text.into(), true);
    }
    match reference.resolve_char_ref() {
        Ok(Some(c)) => (c.to_string().into(), true),
        _ => (format!("&{};", &**reference).into(), false),
    }
}

/// Resolves the references in a text, and leaves undefined ones unchanged.
pub(super) fn resolve_all(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let mut resolved = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        resolved.push_str(before);
        rest = after;
        match after.split_once(';') {
            Some((name, behind)) if !name.contains('&') => {
                let (value, known) = resolve(&BytesRef::new(name));
                if known {
                    resolved.push_str(&value);
                    rest = behind;
                    continue;
                }
            }
            _ => {}
        }
        resolved.push('&');
    }
    resolved.push_str(rest);
    Cow::Owned(resolved)
}
