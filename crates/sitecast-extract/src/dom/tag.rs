//! The elements that extraction treats by name.

use std::sync::LazyLock;

use html5ever::LocalName;

use crate::names::{InternedNameMap, NameMap};

static BY_BYTES: LazyLock<NameMap<Tag>> = LazyLock::new(|| NameMap::new(Tag::ALL.iter().copied()));

static INTERNED: LazyLock<Vec<LocalName>> = LazyLock::new(|| {
    Tag::ALL
        .iter()
        .map(|(name, _)| LocalName::from(*name))
        .collect()
});

static BY_NAME: LazyLock<InternedNameMap<Tag>> = LazyLock::new(|| {
    Tag::ALL
        .iter()
        .map(|(name, tag)| (LocalName::from(*name), *tag))
        .collect()
});

/// Declares [`Tag`] with the names in HTML.
macro_rules! tags {
    ($($variant:ident $name:literal),* $(,)?) => {
        /// The name of an element that the parser or extraction treats by name.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub(crate) enum Tag {
            $(#[doc = $name] $variant,)*
            /// Any other element, custom ones among them.
            Other,
        }

        impl Tag {
            /// The number of tags, [`Self::Other`] included.
            pub(crate) const COUNT: usize = [$($name),*].len() + 1;

            const ALL: [(&'static str, Self); Self::COUNT - 1] = [$(($name, Self::$variant)),*];
        }
    };
}

tags! {
    A "a", Abbr "abbr", Address "address", Applet "applet", Area "area", Article "article",
    Aside "aside", Audio "audio", B "b", Base "base", Bdi "bdi", Bdo "bdo", Big "big",
    Blockquote "blockquote", Body "body", Br "br", Button "button", Canvas "canvas",
    Caption "caption", Center "center", Cite "cite", Code "code", Col "col", Colgroup "colgroup",
    Data "data", Datalist "datalist", Dd "dd", Del "del", Details "details", Dfn "dfn",
    Dialog "dialog", Div "div", Dl "dl", Dt "dt", Em "em", Embed "embed", Fieldset "fieldset",
    Figcaption "figcaption", Figure "figure", Font "font", Footer "footer", Form "form",
    Frameset "frameset", H1 "h1", H2 "h2", H3 "h3", H4 "h4", H5 "h5", H6 "h6", Head "head",
    Header "header", Hgroup "hgroup", Hr "hr", Html "html", I "i", Iframe "iframe", Img "img",
    Input "input", Ins "ins", Kbd "kbd", Label "label", Legend "legend", Li "li", Link "link",
    Main "main", Map "map", Mark "mark", Math "math", Menu "menu", Meta "meta", Meter "meter",
    Nav "nav", Nobr "nobr", Noscript "noscript", Object "object", Ol "ol", Optgroup "optgroup",
    Option "option", Output "output", P "p", Param "param", Picture "picture", Pre "pre",
    Progress "progress", Q "q", Rp "rp", Rt "rt", Ruby "ruby", S "s", Samp "samp",
    Script "script", Search "search", Section "section", Select "select", Slot "slot",
    Small "small", Source "source", Span "span", Strike "strike", Strong "strong",
    Style "style", Sub "sub", Summary "summary", Sup "sup", Svg "svg", Table "table",
    Tbody "tbody", Td "td", Template "template", Textarea "textarea", Tfoot "tfoot", Th "th",
    Thead "thead", Time "time", Title "title", Tr "tr", Track "track", Tt "tt", U "u", Ul "ul",
    Var "var", Video "video", Wbr "wbr", Xmp "xmp",
}

impl Tag {
    pub(super) fn of(name: &LocalName) -> Self {
        BY_NAME.get(name).copied().unwrap_or(Self::Other)
    }

    /// Returns the tag of a name in any case.
    pub(super) fn read(name: &str) -> Self {
        let found = BY_BYTES.get(name.as_bytes()).copied();
        found.unwrap_or_else(|| {
            if !name.bytes().any(|byte| byte.is_ascii_uppercase()) {
                return Self::Other;
            }
            let lower = name.to_ascii_lowercase();
            let found = BY_BYTES.get(lower.as_bytes()).copied();
            found.unwrap_or(Self::Other)
        })
    }

    /// Returns the name; empty for [`Self::Other`].
    pub(super) fn name(self) -> &'static str {
        Self::ALL.get(self as usize).map_or("", |(name, _)| name)
    }

    /// Returns the name for html5ever, given the name in the source. HTML, "Tag name state".
    pub(super) fn interned(self, source: &str) -> LocalName {
        match INTERNED.get(self as usize) {
            Some(name) => name.clone(),
            None => LocalName::from(lower_name(source)),
        }
    }

    /// Returns true for elements that browsers show inline by default.
    pub(crate) fn is_inline(self) -> bool {
        matches!(
            self,
            Self::A
                | Self::Abbr
                | Self::B
                | Self::Bdi
                | Self::Bdo
                | Self::Big
                | Self::Br
                | Self::Cite
                | Self::Code
                | Self::Data
                | Self::Del
                | Self::Dfn
                | Self::Em
                | Self::Font
                | Self::I
                | Self::Img
                | Self::Ins
                | Self::Kbd
                | Self::Label
                | Self::Mark
                | Self::Math
                | Self::Nobr
                | Self::Picture
                | Self::Q
                | Self::Rp
                | Self::Rt
                | Self::Ruby
                | Self::S
                | Self::Samp
                | Self::Slot
                | Self::Small
                | Self::Span
                | Self::Strike
                | Self::Strong
                | Self::Sub
                | Self::Sup
                | Self::Svg
                | Self::Time
                | Self::Tt
                | Self::U
                | Self::Var
                | Self::Wbr
        )
    }

    /// Returns true for elements whose content is never text for readers, whatever their style.
    pub(crate) fn has_no_text(self) -> bool {
        matches!(
            self,
            Self::Applet
                | Self::Audio
                | Self::Canvas
                | Self::Datalist
                | Self::Embed
                | Self::Frameset
                | Self::Head
                | Self::Iframe
                | Self::Input
                | Self::Meter
                | Self::Object
                | Self::Progress
                | Self::Rp
                | Self::Script
                | Self::Select
                | Self::Style
                | Self::Svg
                | Self::Textarea
                | Self::Video
        )
    }

    /// Returns the level of a heading element.
    pub(crate) fn heading_level(self) -> Option<u8> {
        Some(match self {
            Self::H1 => 1,
            Self::H2 => 2,
            Self::H3 => 3,
            Self::H4 => 4,
            Self::H5 => 5,
            Self::H6 => 6,
            _ => return None,
        })
    }

    /// Returns true for formatting elements, which the parser reconstructs in the next block if they were not closed (HTML,
    /// "formatting").
    pub(crate) fn is_formatting(self) -> bool {
        matches!(
            self,
            Self::A
                | Self::B
                | Self::Big
                | Self::Code
                | Self::Em
                | Self::Font
                | Self::I
                | Self::Nobr
                | Self::S
                | Self::Small
                | Self::Strike
                | Self::Strong
                | Self::Tt
                | Self::U
        )
    }

    /// Returns true for void elements, which never have children.
    pub(crate) fn is_void(self) -> bool {
        matches!(
            self,
            Self::Area
                | Self::Base
                | Self::Br
                | Self::Col
                | Self::Embed
                | Self::Hr
                | Self::Img
                | Self::Input
                | Self::Link
                | Self::Meta
                | Self::Param
                | Self::Source
                | Self::Track
                | Self::Wbr
        )
    }
}

/// Returns the name of an element for the tree. HTML, "Tag name state".
pub(super) fn lower_name(source: &str) -> String {
    source.to_ascii_lowercase().replace('\0', "\u{fffd}")
}
