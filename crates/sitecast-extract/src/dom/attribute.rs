//! The attributes of elements that the tree keeps, and their lookup by name.
//!
//! Extraction does not read many attributes (`onclick`, `aria-expanded`, most of `data-`). The tokenizer drops them before they
//! cost anything. That also bounds the number of attributes of an element.

use std::sync::LazyLock;

use html5ever::LocalName;

use super::store::Span;
use crate::names::NameMap;

/// All attributes that extraction reads, and those that only the tree builder reads (the last six).
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

/// The name of a kept attribute, as an index into [`KEPT`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Name(u8);

static BY_NAME: LazyLock<NameMap<Name>> = LazyLock::new(|| {
    let names = KEPT.iter().zip(0..);
    NameMap::new(names.map(|(name, index)| (*name, Name(index))))
});

static INTERNED: LazyLock<Vec<LocalName>> =
    LazyLock::new(|| KEPT.iter().map(|name| LocalName::from(*name)).collect());

/// Looks up a name in lower case; `None` if the attribute is not kept.
pub(super) fn kept(name: &[u8]) -> Option<Name> {
    BY_NAME.get(name).copied()
}

/// Returns the static name of an attribute, if it is kept. For names that are not known at compile time.
pub(crate) fn kept_name(name: &str) -> Option<&'static str> {
    kept(name.as_bytes()).map(Name::as_str)
}

impl Name {
    /// The name of no attribute.
    pub(super) const NONE: Self = Self(u8::MAX);

    pub(super) fn as_str(self) -> &'static str {
        KEPT.get(usize::from(self.0)).copied().unwrap_or_default()
    }

    /// The name as html5ever's tree builder takes it.
    pub(super) fn interned(self) -> Option<&'static LocalName> {
        INTERNED.get(usize::from(self.0))
    }
}

/// A number that differs between any two kept names, so that one comparison finds an attribute. With a constant name the
/// compiler computes it.
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

/// A Bloom filter over the attribute names of a page: one bit for each name, and some names share a bit. Most pages have no
/// microdata, so that walks over the tree that look for it can be skipped.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct AttributeFilter(u128);

impl AttributeFilter {
    /// Makes the filter of these attributes.
    pub(super) fn of(attributes: &[Attribute]) -> Self {
        let bits = attributes.iter().map(|attribute| bit(attribute.key));
        Self(bits.fold(0, |all, bit| all | bit))
    }

    #[inline(always)]
    pub(super) fn may_have(self, name: &str) -> bool {
        self.0 & bit(key(name)) != 0
    }
}

/// The constant was chosen so that no two names that callers ask for share a bit.
#[inline(always)]
fn bit(key: u32) -> u128 {
    1 << (key.wrapping_mul(0x36e7_e1d1) >> 25)
}

/// An attribute. The attributes of one element are adjacent in the store.
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

/// Finds an attribute by name. The name must be one of [`KEPT`].
#[inline(always)]
pub(super) fn find<'a>(attributes: &'a [Attribute], name: &str) -> Option<&'a Attribute> {
    debug_assert!(
        kept(name.as_bytes()).is_some(),
        "`{name}` is read, so it must be in `KEPT`"
    );
    let key = key(name);
    attributes.iter().find(|attribute| attribute.key == key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_kept_names_differ() {
        let mut keys: Vec<u32> = KEPT.iter().map(|name| key(name)).collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), KEPT.len());
        // A `u8` counts the attributes of an element, and the filter has 128 bits.
        assert!(KEPT.len() <= 128);
    }
}
