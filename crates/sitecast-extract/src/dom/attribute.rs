//! The attributes of elements: which are kept, and how they are found again.
//!
//! Many attributes are read by nobody here (`onclick`, `aria-expanded`, most of `data-`). They are
//! dropped by the tokenizer, before they cost anything. That also bounds how many an element has.

use std::sync::LazyLock;

use html5ever::tendril::StrTendril;
use html5ever::{Attribute, LocalName};

use crate::names::Names;

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
    "data-orig-file",
    "data-original",
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

static BY_NAME: LazyLock<Names<LocalName>> =
    LazyLock::new(|| Names::new(KEPT.iter().map(|name| (*name, LocalName::from(*name)))));

/// The name of an attribute that is kept, which is given in lower case; `None` if it is not kept.
pub(super) fn kept(name: &[u8]) -> Option<&'static LocalName> {
    BY_NAME.get(name)
}

/// What tells most names apart in one comparison. A name that the compiler knows becomes a number
/// at compile time.
#[inline(always)]
fn key(name: &str) -> u32 {
    let bytes = name.as_bytes();
    let at = |index: usize| bytes.get(index).copied().unwrap_or_default();
    u32::from_le_bytes([
        bytes.len() as u8,
        at(0),
        at(bytes.len() / 2),
        at(bytes.len().saturating_sub(1)),
    ])
}

/// Which attributes a page has at all, or may have: a bit for each name, and some names share one.
/// Few pages have microdata or the like, and none need be looked for where there can be none.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Seen(u128);

impl Seen {
    pub(super) fn with(self, attributes: &Attributes) -> Self {
        let all = attributes.0.iter();
        Self(all.fold(self.0, |bits, attribute| bits | bit(attribute.key)))
    }

    #[inline(always)]
    pub(super) fn may_have(self, name: &str) -> bool {
        self.0 & bit(key(name)) != 0
    }
}

#[inline(always)]
fn bit(key: u32) -> u128 {
    1 << (key.wrapping_mul(0x9e37_79b1) >> 25)
}

/// The attributes of one element, in the order of the source.
#[derive(Debug, Default)]
pub(super) struct Attributes(Vec<Kept>);

#[derive(Debug)]
struct Kept {
    key: u32,
    name: LocalName,
    value: StrTendril,
}

impl Attributes {
    pub(super) fn new(attributes: Vec<Attribute>) -> Self {
        Self(attributes.into_iter().map(Kept::new).collect())
    }

    #[inline(always)]
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        debug_assert!(
            kept(name.as_bytes()).is_some(),
            "`{name}` is read and has to be among the attributes that are kept"
        );
        let key = key(name);
        self.0
            .iter()
            .find(|attribute| attribute.key == key && &*attribute.name == name)
            .map(|attribute| &*attribute.value)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0
            .iter()
            .map(|attribute| (&*attribute.name, &*attribute.value))
    }

    /// Adds one unless there is one of that name.
    pub(super) fn add(&mut self, attribute: Attribute) {
        if self
            .0
            .iter()
            .all(|other| other.name != attribute.name.local)
        {
            self.0.push(Kept::new(attribute));
        }
    }
}

impl Kept {
    fn new(attribute: Attribute) -> Self {
        Self {
            key: key(&attribute.name.local),
            name: attribute.name.local,
            value: attribute.value,
        }
    }
}
