//! The attributes of elements: which are kept, and how they are found again.
//!
//! Many attributes are read by nobody here (`onclick`, `aria-expanded`, most of `data-`). They are
//! dropped by the tokenizer, before they cost anything. That also bounds how many an element has.

use std::sync::LazyLock;

use html5ever::LocalName;

use super::store::Span;
use crate::names::NameMap;

/// All attributes that anything reads: extraction, or the tree builder (the last six).
const KEPT: &[&str] = &[
    "about",
    "alt",
    "aria-controls",
    "aria-haspopup",
    "aria-hidden",
    "aria-label",
    "aria-level",
    "author",
    "checked",
    "cite",
    "class",
    "colspan",
    "content",
    "data",
    "data-actualsrc",
    "data-author",
    "data-author-name",
    "data-author-username",
    "data-clipboard-target",
    "data-clipboard-text",
    "data-cmp-src",
    "data-code-language",
    "data-component",
    "data-cookieblock-src",
    "data-duration",
    "data-echo",
    "data-enlighter-language",
    "data-hi-res-src",
    "data-id",
    "data-lang",
    "data-language",
    "data-lazy",
    "data-lazy-src",
    "data-lazy-srcset",
    "data-line",
    "data-line-number",
    "data-litespeed-src",
    "data-nosnippet",
    "data-orig-file",
    "data-original",
    "data-sitecast",
    "data-src",
    "data-src-set",
    "data-srcset",
    "data-testid",
    "data-title",
    "data-url",
    "data-video-id",
    "data-videoid",
    "data-youtube-id",
    "datetime",
    "disabled",
    "height",
    "hidden",
    "href",
    "http-equiv",
    "id",
    "itemid",
    "itemprop",
    "itemref",
    "itemscope",
    "itemtype",
    "kind",
    "label",
    "lang",
    "media-id",
    "name",
    "open",
    "playlabel",
    "poster",
    "property",
    "rel",
    "resource",
    "rev",
    "reversed",
    "role",
    "rowspan",
    "src",
    "srclang",
    "srcset",
    "start",
    "style",
    "title",
    "type",
    "typeof",
    "value",
    "video-id",
    "videoid",
    "vocab",
    "width",
    "xlink:href",
    "xml:lang",
    "color",
    "encoding",
    "face",
    "form",
    "shadowrootmode",
    "size",
];

/// The name of an attribute that is kept: where it is among all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Name(u8);

static BY_NAME: LazyLock<NameMap<Name>> = LazyLock::new(|| {
    let names = KEPT.iter().zip(0..);
    NameMap::new(names.map(|(name, index)| (*name, Name(index))))
});

static INTERNED: LazyLock<Vec<LocalName>> =
    LazyLock::new(|| KEPT.iter().map(|name| LocalName::from(*name)).collect());

/// The name of an attribute that is kept, which is given in lower case; `None` if it is not kept.
pub(super) fn kept(name: &[u8]) -> Option<Name> {
    BY_NAME.get(name).copied()
}

/// The name of an attribute, if it is kept. For those who do not know it when they are compiled.
pub(crate) fn kept_name(name: &str) -> Option<&'static str> {
    kept(name.as_bytes()).map(Name::as_str)
}

impl Name {
    /// Of no attribute.
    pub(super) const NONE: Self = Self(u8::MAX);

    pub(super) fn as_str(self) -> &'static str {
        KEPT.get(usize::from(self.0)).copied().unwrap_or_default()
    }

    /// As the parser wants it.
    pub(super) fn interned(self) -> Option<&'static LocalName> {
        INTERNED.get(usize::from(self.0))
    }
}

/// What tells all names that are kept apart in one comparison. A name that the compiler knows
/// becomes a number at compile time.
#[inline(always)]
fn key(name: &str) -> u32 {
    let bytes = name.as_bytes();
    let at = |index: usize| bytes.get(index).copied().unwrap_or_default();
    u32::from_le_bytes([
        bytes.len() as u8,
        at(0),
        at(bytes.len() * 2 / 3),
        at(bytes.len().saturating_sub(1)),
    ])
}

/// Which attributes a page has at all, or may have: a bit for each name, and some names share one.
/// Few pages have microdata or the like, and none need be looked for where there can be none.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Seen(u128);

impl Seen {
    /// What these attributes are seen as.
    pub(super) fn of(attributes: &[Attribute]) -> Self {
        let bits = attributes.iter().map(|attribute| bit(attribute.key));
        Self(bits.fold(0, |all, bit| all | bit))
    }

    #[inline(always)]
    pub(super) fn may_have(self, name: &str) -> bool {
        self.0 & bit(key(name)) != 0
    }
}

/// The constant is one for which none of the names that are asked for shares its bit.
#[inline(always)]
fn bit(key: u32) -> u128 {
    1 << (key.wrapping_mul(0x36e7_e1d1) >> 25)
}

/// An attribute of an element. Those of one element are one after the other in the store.
#[derive(Debug, Clone, Copy)]
pub(super) struct Attribute {
    key: u32,
    name: Name,
    pub(super) value: Span,
}

impl Attribute {
    pub(super) fn new(name: Name, value: Span) -> Self {
        Self {
            key: key(name.as_str()),
            name,
            value,
        }
    }

    pub(super) fn name(&self) -> Name {
        self.name
    }
}

/// The attribute of a name, which has to be among those that are kept.
#[inline(always)]
pub(super) fn find<'a>(attributes: &'a [Attribute], name: &str) -> Option<&'a Attribute> {
    debug_assert!(
        kept(name.as_bytes()).is_some(),
        "`{name}` is read and has to be among the attributes that are kept"
    );
    let key = key(name);
    attributes.iter().find(|attribute| attribute.key == key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_tell_all_names_apart() {
        let mut keys: Vec<u32> = KEPT.iter().map(|name| key(name)).collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), KEPT.len());
        // As many as an element can count.
        assert!(KEPT.len() <= 128);
    }
}
