//! Fast path for entries in the usual form, without the XML parser.
//!
//! `<url><loc>…</loc><lastmod>…</lastmod></url>`, without attributes, comments or anything else, can
//! be recognised byte by byte several times as fast as by a parser. An entry in any other form is left to the
//! parser, which has not consumed a byte of it. A property test checks that the results are the same.

use std::borrow::Cow;
use std::io::{BufRead, Read};

use super::elements::Place;
use super::entries::{Draft, EntryKind, Field};
use super::source::TextSource;
use super::{Attributes, ReaderOptions, Shared, SitemapKind};
use crate::ReadErrorKind;

/// Reads one entry, if all of it is in the buffer and in the usual form. Returns true if it did.
pub(super) fn entry<R: Read>(
    source: &mut TextSource<R>,
    place: Place<'_>,
    shared: &mut Shared,
) -> Result<bool, ReadErrorKind> {
    let (kind, open, close) = match place.kind {
        SitemapKind::UrlSet => (EntryKind::Url, "<url>", "</url>"),
        SitemapKind::Index => (EntryKind::Sitemap, "<sitemap>", "</sitemap>"),
        _ => return Ok(false),
    };
    source.begin_token();
    let Ok(text) = source.fill_buf() else {
        return Ok(false);
    };
    let mut cursor = Cursor { rest: text };
    cursor.spaces();
    if !cursor.take(open) {
        return Ok(false);
    }
    let head = text.len() - cursor.rest.len();
    let mut draft = Draft::new(kind, "", 0);
    let Some(length) = cursor.fields(close, place, &shared.options, &mut draft) else {
        return Ok(false);
    };
    source.consume(head);
    draft.line = source.position().line;
    source.consume(length);
    draft.finish(shared)?;
    Ok(true)
}

struct Cursor<'t> {
    rest: &'t [u8],
}

impl<'t> Cursor<'t> {
    fn spaces(&mut self) {
        while let [b' ' | b'\n' | b'\t' | b'\r', rest @ ..] = self.rest {
            self.rest = rest;
        }
    }

    fn take(&mut self, text: &str) -> bool {
        match self.rest.strip_prefix(text.as_bytes()) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// Reads the fields up to the end of the entry. Returns their length in bytes.
    fn fields(
        mut self,
        close: &str,
        place: Place<'_>,
        options: &ReaderOptions,
        draft: &mut Draft,
    ) -> Option<usize> {
        const FIELDS: [(&str, &str, Field); 4] = [
            ("<loc>", "</loc>", Field::Location),
            ("<lastmod>", "</lastmod>", Field::LastModified),
            ("<changefreq>", "</changefreq>", Field::ChangeFrequency),
            ("<priority>", "</priority>", Field::Priority),
        ];
        let whole = self.rest.len();
        let mut fields = FIELDS.iter();
        loop {
            self.spaces();
            if self.take(close) {
                return Some(whole - self.rest.len());
            }
            if place.plain_xhtml && self.take("<xhtml:link") {
                self.alternate(options, draft)?;
                continue;
            }
            // Fields must be in the order of the schema, each at most once.
            let mut remaining = fields.clone();
            let Some((_, end, field)) = remaining.find(|(begin, _, _)| self.take(begin)) else {
                self.skip_ignored(place, options.limits.nesting.checked_sub(2)?)?;
                continue;
            };
            fields = remaining;
            if draft.kind == EntryKind::Sitemap
                && !matches!(field, Field::Location | Field::LastModified)
            {
                return None;
            }
            let text = self.text(end)?;
            // Leave an entry that needs a warning to the parser, which knows the line.
            if text.len() > options.limits.token_bytes || draft.take(*field, text.trim()).is_err() {
                return None;
            }
        }
    }

    /// Reads the attributes and the end of an `xhtml:link`, an empty element.
    fn alternate(&mut self, options: &ReaderOptions, draft: &mut Draft) -> Option<()> {
        let (tag, rest) = self
            .rest
            .split_at_checked(memchr::memchr(b'>', self.rest)?)?;
        self.rest = rest.get(1..)?;
        let raw = std::str::from_utf8(tag).ok()?.strip_suffix('/')?;
        let attributes = Attributes::parse(raw);
        if attributes.problem().is_some() || attributes.declarations().next().is_some() {
            return None;
        }
        draft.alternate(&attributes, options).ok()
    }

    /// Skips an element of another namespace, such as images, videos or news, if it contains only text and such
    /// elements, without attributes.
    fn skip_ignored(&mut self, place: Place<'_>, nesting: usize) -> Option<()> {
        const DEEPEST: usize = 4;
        let mut open: [&[u8]; DEEPEST] = [&[]; DEEPEST];
        let mut depth = 0;
        loop {
            let (text, rest) = self
                .rest
                .split_at_checked(memchr::memchr(b'<', self.rest)?)?;
            if depth == 0 && !text.is_empty() {
                return None;
            }
            let (tag, rest) = rest.split_at_checked(memchr::memchr(b'>', rest)?)?;
            self.rest = rest.get(1..)?;
            let name = tag.get(1..)?;
            if let Some(name) = name.strip_prefix(b"/") {
                depth = usize::checked_sub(depth, 1)?;
                if open.get(depth) != Some(&name) {
                    return None;
                }
                if depth == 0 {
                    return Some(());
                }
                continue;
            }
            let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b":_-".contains(byte);
            if !name.iter().all(plain) || !place.is_ignored(std::str::from_utf8(name).ok()?) {
                return None;
            }
            *open.get_mut(depth)? = name;
            depth += 1;
            if depth > nesting {
                return None;
            }
        }
    }

    /// Reads the text up to the end tag `end`, if there is no other markup in it.
    fn text(&mut self, end: &str) -> Option<Cow<'t, str>> {
        let (text, rest) = self
            .rest
            .split_at_checked(memchr::memchr(b'<', self.rest)?)?;
        self.rest = rest;
        let text = std::str::from_utf8(text).ok()?;
        if !self.take(end) {
            return None;
        }
        match memchr::memchr(b'&', text.as_bytes()) {
            None => Some(Cow::Borrowed(text)),
            Some(_) => resolve_ampersands(text).map(Cow::Owned),
        }
    }
}

/// Resolves `&amp;`. Returns `None` if there is any other reference.
fn resolve_ampersands(text: &str) -> Option<String> {
    let mut pieces = text.split('&');
    let mut resolved = String::with_capacity(text.len());
    resolved.push_str(pieces.next()?);
    for piece in pieces {
        resolved.push('&');
        resolved.push_str(piece.strip_prefix("amp;")?);
    }
    Some(resolved)
}
