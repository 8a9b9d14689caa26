//! The meaning of XML elements in sitemaps: the state from a document's first tag to its last.

use std::io::Read;

use quick_xml::events::BytesStart;

use super::entries::{Draft, EntryKind, Field};
use super::namespaces::{Form, Name, Namespace, Namespaces, prefix_of};
use super::source::TextSource;
use super::xml::line_of;
use super::{Attributes, Shared, SitemapKind, excerpt, scp};
use crate::{Event, ReadErrorKind, WarningKind};

type Xml<R> = quick_xml::Reader<TextSource<R>>;

/// A position at which an entry can begin.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'e> {
    pub(super) kind: SitemapKind,
    /// True if the prefix `xhtml` stands for the namespace of XHTML.
    pub(super) plain_xhtml: bool,
    namespaces: &'e Namespaces,
}

impl Place<'_> {
    /// Returns true if an element of this name is in a namespace that is ignored.
    pub(super) fn is_ignored(&self, name: &str) -> bool {
        self.namespaces.resolve(name).namespace == Namespace::Other
    }
}

/// The longest name of an element, in bytes.
const LONGEST_NAME: usize = 1 << 10;

/// The reader's position in the structure of a document.
#[derive(Debug, Default)]
pub(super) struct Elements {
    depth: usize,
    namespaces: Namespaces,
    /// The name of the root element, once it has been read.
    root: Option<String>,
    kind: Option<SitemapKind>,
    /// The current entry, and its depth.
    entry: Option<(Draft, usize)>,
    /// The current field, and its depth.
    field: Option<(Field, usize)>,
    /// The text of the current field.
    text: String,
    /// True after the first entry.
    entries_begun: bool,
    /// True after an XML declaration.
    declared: bool,
    /// The codes of the warnings that are issued once in a document.
    warned: Vec<&'static str>,
}

impl Elements {
    /// Issues a warning of a kind that is issued at most once in a document.
    pub(super) fn warn_once(&mut self, shared: &mut Shared, line: u64, kind: WarningKind) {
        let code = kind.code();
        if !self.warned.contains(&code) {
            self.warned.push(code);
            shared.warn(line, None, kind);
        }
    }

    /// Returns the current position if an entry can begin there and elements without a prefix are in the namespace of
    /// the sitemap.
    #[inline]
    pub(super) fn between_plain_entries(&self) -> Option<Place<'_>> {
        let plain = self.depth == 1 && self.field.is_none() && self.namespaces.root_is_plain();
        let kind = self.kind.filter(|_| plain)?;
        Some(Place {
            kind,
            plain_xhtml: self.namespaces.has_plain_xhtml(),
            namespaces: &self.namespaces,
        })
    }

    /// Records that `shortcut` has read an entry.
    pub(super) fn entry_read(&mut self) {
        self.entries_begun = true;
    }

    /// Records an XML declaration. Returns true if there was one before.
    pub(super) fn declare(&mut self) -> bool {
        std::mem::replace(&mut self.declared, true)
    }

    /// The name of the open entry, or else of the open root element.
    pub(super) fn unclosed(&self) -> Option<String> {
        match (&self.entry, &self.root) {
            (Some((draft, _)), _) => Some(draft.kind.element().to_owned()),
            (None, Some(root)) => (self.depth > 0).then(|| root.clone()),
            (None, None) => Some("the first element".to_owned()).filter(|_| self.depth > 0),
        }
    }

    /// Returns true if text at this position belongs to a field.
    pub(super) fn takes_text(&self) -> bool {
        self.field.is_some_and(|(field, _)| field != Field::Ignored)
    }

    pub(super) fn text<R: Read>(
        &mut self,
        text: &str,
        xml: &mut Xml<R>,
        shared: &mut Shared,
    ) -> Result<(), ReadErrorKind> {
        if self.takes_text() {
            let limit = shared.options.limits.token_bytes;
            if self.text.len() + text.len() > limit {
                return Err(ReadErrorKind::TokenTooLong(limit));
            }
            self.text.push_str(text);
        } else if let Some((draft, depth)) = &mut self.entry
            && *depth == self.depth
        {
            draft.bare_text(text);
        } else if self.depth == 1
            && matches!(self.kind, Some(SitemapKind::UrlSet | SitemapKind::Index))
            && !text.trim().is_empty()
        {
            let line = line_of(xml);
            self.warn_once(shared, line, WarningKind::StrayText(excerpt(text.trim())));
        } else if self.depth == 0 && !text.trim().is_empty() {
            if self.root.is_none() {
                return Err(ReadErrorKind::NotASitemap(format!(
                    "text before the first element: `{}`",
                    excerpt(text.trim())
                )));
            }
            let line = line_of(xml);
            self.warn_once(shared, line, WarningKind::TrailingContent);
        }
        Ok(())
    }

    pub(super) fn start<R: Read>(
        &mut self,
        tag: &BytesStart<'_>,
        xml: &mut Xml<R>,
        shared: &mut Shared,
    ) -> Result<(), ReadErrorKind> {
        self.depth += 1;
        if self.depth > shared.options.limits.nesting {
            return Err(ReadErrorKind::TooDeep(shared.options.limits.nesting));
        }
        let attributes = Attributes::parse(tag.attributes_raw());
        if let Some(problem) = attributes.problem() {
            let line = line_of(xml);
            self.warn_once(shared, line, WarningKind::IllFormed(problem));
        }
        self.namespaces.enter(&attributes, self.depth);
        let name = tag.name();
        let name: &str = name.as_ref();
        if name.len() > LONGEST_NAME {
            // The names of all open elements are kept in memory.
            return Err(ReadErrorKind::TokenTooLong(LONGEST_NAME));
        }
        if self.depth == 1 {
            return self.begin_document(name, xml, shared);
        }
        if let Some((field, _)) = self.field {
            if field != Field::Ignored {
                let line = line_of(xml);
                self.warn_once(shared, line, WarningKind::UnknownElement(excerpt(name)));
            }
            return Ok(());
        }
        let resolved = self.namespaces.resolve(name);
        if resolved.namespace == Namespace::Scp {
            return self.begin_scp(resolved, &attributes, xml, shared);
        }
        match &mut self.entry {
            None => self.begin_entry(name, resolved, xml, shared),
            Some((draft, depth)) if self.depth == *depth + 1 => {
                let field = match draft.field(name, resolved, &attributes, &shared.options) {
                    Ok(field) => field,
                    Err(warning) => {
                        shared.warn(line_of(xml), Some(&draft.loc), warning);
                        None
                    }
                };
                self.begin_field(field);
            }
            Some(_) => {}
        }
        Ok(())
    }

    pub(super) fn end<R: Read>(
        &mut self,
        xml: &mut Xml<R>,
        shared: &mut Shared,
    ) -> Result<(), ReadErrorKind> {
        let depth = self.depth;
        let result = match (&self.field, &self.entry) {
            (Some((field, at)), _) if *at == depth => {
                let field = *field;
                self.field = None;
                self.end_field(field, xml, shared)
            }
            (_, Some((_, at))) if *at == depth => match self.entry.take() {
                Some((draft, _)) => draft.finish(shared),
                None => Ok(()),
            },
            _ => Ok(()),
        };
        self.namespaces.leave(depth);
        self.depth = depth.saturating_sub(1);
        result
    }

    fn begin_document<R: Read>(
        &mut self,
        name: &str,
        xml: &mut Xml<R>,
        shared: &mut Shared,
    ) -> Result<(), ReadErrorKind> {
        if self.root.is_some() {
            let line = line_of(xml);
            self.warn_once(shared, line, WarningKind::TrailingContent);
            // Ignore everything in a second document.
            self.field = Some((Field::Ignored, 1));
            return Ok(());
        }
        self.namespaces.set_root(name);
        let local = name.rsplit(':').next().unwrap_or(name);
        let kind = match local {
            "urlset" => SitemapKind::UrlSet,
            "sitemapindex" => SitemapKind::Index,
            "rss" | "RDF" => SitemapKind::Rss,
            "feed" => SitemapKind::Atom,
            _ if local.eq_ignore_ascii_case("html") => {
                return Err(ReadErrorKind::NotASitemap("it is an HTML page".to_owned()));
            }
            _ => {
                let name = excerpt(name);
                return Err(ReadErrorKind::NotASitemap(format!(
                    "the first element is `<{name}>`, not `<urlset>` or `<sitemapindex>`"
                )));
            }
        };
        if !self.declared {
            shared.warn(1, None, WarningKind::NoDeclaration);
        }
        let namespace = self.namespaces.root_namespace();
        let own = matches!(kind, SitemapKind::UrlSet | SitemapKind::Index);
        if own && namespace != Some(crate::SITEMAP_NAMESPACE) {
            let namespace = namespace.map(excerpt);
            let element = local.to_owned();
            let line = line_of(xml);
            self.warn_once(shared, line, WarningKind::Namespace { element, namespace });
        }
        self.root = Some(name.to_owned());
        self.kind = Some(kind);
        shared.kind = Some(kind);
        Ok(())
    }

    fn begin_entry<R: Read>(
        &mut self,
        name: &str,
        resolved: Name<'_>,
        xml: &mut Xml<R>,
        shared: &mut Shared,
    ) {
        let kind = match (self.kind, resolved.local) {
            (Some(SitemapKind::Rss), "item") => EntryKind::Item,
            (Some(SitemapKind::Atom), "entry") => EntryKind::FeedEntry,
            (Some(SitemapKind::Rss | SitemapKind::Atom), _) => return,
            (_, "url") if resolved.namespace == Namespace::Core => EntryKind::Url,
            (_, "sitemap") if resolved.namespace == Namespace::Core => EntryKind::Sitemap,
            _ => {
                if resolved.namespace == Namespace::Core && self.depth == 2 {
                    let line = line_of(xml);
                    self.warn_once(shared, line, WarningKind::UnknownElement(excerpt(name)));
                }
                return;
            }
        };
        let root = self.root.as_deref().unwrap_or_default();
        let misplaced = match (self.kind, kind) {
            (Some(SitemapKind::UrlSet), EntryKind::Sitemap)
            | (Some(SitemapKind::Index), EntryKind::Url) => Some(excerpt(root)),
            _ => None,
        };
        if let Some(root) = misplaced {
            let line = line_of(xml);
            self.warn_once(shared, line, WarningKind::Misplaced(kind.element(), root));
        }
        self.entries_begun = true;
        let draft = Draft::new(kind, prefix_of(name), line_of(xml));
        self.entry = Some((draft, self.depth));
    }

    fn begin_field(&mut self, field: Option<Field>) {
        if let Some(field) = field {
            self.field = Some((field, self.depth));
            self.text.clear();
        }
    }

    fn begin_scp<R: Read>(
        &mut self,
        name: Name<'_>,
        attributes: &Attributes<'_>,
        xml: &mut Xml<R>,
        shared: &mut Shared,
    ) -> Result<(), ReadErrorKind> {
        let line = line_of(xml);
        match name.form {
            Form::Undeclared => self.warn_once(shared, line, WarningKind::UndeclaredScp),
            Form::Variant => self.warn_once(shared, line, WarningKind::ScpNamespace),
            Form::Exact => {}
        }
        if self.entries_begun {
            self.warn_once(shared, line, WarningKind::ScpAfterEntries);
        }
        match name.local {
            "version" => self.begin_field(Some(Field::ScpVersion)),
            "compression" => self.begin_field(Some(Field::ScpCompression)),
            _ => {
                let mut warnings = Vec::new();
                let entry = scp::element(name.local, attributes, &shared.options, &mut warnings);
                for kind in warnings {
                    shared.warn(line, None, kind);
                }
                if let Some(entry) = entry {
                    shared.found(Event::Scp(entry))?;
                }
            }
        }
        Ok(())
    }

    fn end_field<R: Read>(
        &mut self,
        field: Field,
        xml: &mut Xml<R>,
        shared: &mut Shared,
    ) -> Result<(), ReadErrorKind> {
        let text = std::mem::take(&mut self.text);
        let result = match (field, &mut self.entry) {
            (Field::ScpVersion | Field::ScpCompression, _) => {
                let mut warnings = Vec::new();
                let entry = match field {
                    Field::ScpVersion => scp::version(&text, &mut warnings),
                    _ => scp::compression(&text, &mut warnings),
                };
                let line = line_of(xml);
                for kind in warnings {
                    shared.warn(line, None, kind);
                }
                match entry {
                    Some(entry) => shared.found(Event::Scp(entry)),
                    None => Ok(()),
                }
            }
            (Field::Location, Some((draft, _))) if draft.repeats_location() => {
                // Treat this as two entries: the fields that follow belong to the second.
                let line = line_of(xml);
                shared.warn(line, Some(&draft.loc), WarningKind::Repeated("loc"));
                let next = draft.next(line, text.trim());
                std::mem::replace(draft, next).finish(shared)
            }
            (_, Some((draft, _))) => {
                if let Err(warning) = draft.take(field, text.trim()) {
                    shared.warn(line_of(xml), Some(&draft.loc), warning);
                }
                Ok(())
            }
            _ => Ok(()),
        };
        // Reuse the buffer for the next field.
        self.text = text;
        self.text.clear();
        result
    }
}
