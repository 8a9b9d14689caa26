//! Images: the best of their files, and which images to leave out.

use sitecast_scp::{Block, HttpUrl};
use url::Url;

use super::class::{classes, has_class, is_true, previous_element, style, whole_number};
use super::link::resolve;
use super::math::without_style;
use super::prose::tidy;
use super::srcset::{Candidate, candidates};
use super::survey::Survey;
use crate::dom::{Dom, Element, NodeId, Tag};
use crate::layout::is_hidden;

/// Attributes from which scripts load an image lazily.
const LAZY: &[&str] = &[
    "data-src",
    "data-original",
    "data-lazy-src",
    "data-lazy",
    "data-actualsrc",
    "data-echo",
    "data-hi-res-src",
    "data-orig-file",
    "data-litespeed-src",
];
const LAZY_SETS: &[&str] = &["data-srcset", "data-lazy-srcset", "data-src-set"];

/// Parts of the file names of blank placeholder images.
const BLANK_NAMES: &[&str] = &[
    "blank.",
    "spacer",
    "1x1",
    "pixel.",
    "transparent.",
    "clear.gif",
    "dummy.",
    "grey.gif",
];
const PLACEHOLDER_NAMES: &[&str] = &[
    "placeholder",
    "loading.",
    "loader.",
    "lazyload",
    "lazy-load",
];

/// Images up to this size, in pixels, are bullets and arrows unless they have an `alt` text.
const ICON: i64 = 32;
const PIXEL: i64 = 3;

pub(super) fn is_image(element: Element<'_>) -> bool {
    matches!(element.tag, Tag::Img | Tag::Picture)
        || (element.tag == Tag::Other && element.name() == "amp-img")
}

/// An image as its reader sees it.
#[derive(Debug, PartialEq)]
pub(super) enum Image {
    /// Characters in a line: an emoji, a formula.
    Characters(String),
    Picture {
        url: HttpUrl,
        alt: String,
    },
}

impl Image {
    pub(super) fn into_block(self) -> Option<Block> {
        match self {
            Self::Characters(_) => None,
            Self::Picture { url, alt } => Some(Block::Image { url, alt }),
        }
    }
}

/// Reads the image that an `img` or a `picture` shows. Returns `None` if it shows nothing.
pub(super) fn read(dom: &Dom, survey: &Survey, id: NodeId, base: &Url) -> Option<Image> {
    let outer = dom.element(id)?;
    let inner = || {
        let mut inside = dom.elements(id).take(64);
        inside.find(|(_, element)| element.tag == Tag::Img)
    };
    let (img, sources) = match outer.tag {
        Tag::Picture => (inner()?.1, Some(id)),
        _ => (outer, None),
    };
    let alt = img.attribute("alt").and_then(tidy);
    // MediaWiki also has the formula as MathML. If that is kept, the walk has already written it.
    let is_written = previous_element(dom, id).is_some_and(|twin| survey.kept(twin) > 0);
    if let Some(characters) = characters(img, alt.as_deref(), is_written) {
        return characters.map(Image::Characters);
    }
    if is_hidden(img) || is_tiny(img, alt.as_deref()) {
        return None;
    }
    let url = best(dom, img, sources, base)?;
    let alt = alt
        .or_else(|| img.attribute("aria-label").and_then(tidy))
        .unwrap_or_default();
    Some(Image::Picture { url, alt })
}

/// Returns the text of an image that stands for characters. It is empty for a formula that has already been written.
fn characters(img: Element<'_>, alt: Option<&str>, is_written: bool) -> Option<Option<String>> {
    let is_emoji = classes(img).any(|word| {
        matches!(
            word,
            "emoji" | "emojione" | "twemoji" | "joypixels" | "wp-smiley" | "emoticon"
        )
    }) || img.attribute("src").is_some_and(|src| {
        src.contains("/emoji/") || src.contains("twemoji") || src.contains("/smilies/")
    });
    if is_emoji {
        return Some(alt.map(str::to_owned));
    }
    if classes(img).any(|word| word.starts_with("mwe-math-fallback-image")) {
        return Some(
            alt.filter(|_| !is_written)
                .map(|tex| without_style(tex).to_owned()),
        );
    }
    has_class(img, &["latex", "tex", "math", "mathjax"]).then(|| alt.map(str::to_owned))
}

fn is_tiny(img: Element<'_>, alt: Option<&str>) -> bool {
    let size = |name| {
        let attribute = img.attribute(name).filter(|value| !value.contains('%'));
        let from_style = || style(img, name).and_then(|value| value.strip_suffix("px"));
        attribute
            .and_then(whole_number)
            .or_else(|| from_style().and_then(whole_number))
    };
    let sizes = [size("width"), size("height")];
    if sizes
        .iter()
        .flatten()
        .any(|size| (0..=PIXEL).contains(size))
    {
        return true;
    }
    let is_icon = sizes
        .iter()
        .all(|size| size.is_some_and(|size| size <= ICON));
    alt.is_none()
        && (is_icon
            || is_true(img, "aria-hidden") && sizes.iter().flatten().any(|size| *size <= ICON))
}

/// Returns the largest file among all candidates.
fn best(dom: &Dom, img: Element<'_>, sources: Option<NodeId>, base: &Url) -> Option<HttpUrl> {
    let plain = |url| Candidate {
        url,
        width: 0,
        density: 1.0,
    };
    let sources = sources
        .into_iter()
        .flat_map(|picture| dom.children(picture))
        .filter_map(|id| dom.element(id))
        .filter(|element| element.tag == Tag::Source);
    let lazy = LAZY
        .iter()
        .filter_map(|name| img.attribute(name))
        .map(plain);
    let own = img.attribute("src").map(plain);

    let mut found: Option<(Rank, HttpUrl)> = None;
    let all = lazy
        .chain(own)
        .chain(sets(img))
        .chain(sources.flat_map(sets));
    for candidate in all {
        let rank = Rank {
            is_real: !names_one_of(candidate.url, PLACEHOLDER_NAMES),
            width: candidate.width,
            density: (candidate.density.clamp(0.0, 100.0) * 100.0) as u32,
        };
        let is_better = found.as_ref().is_none_or(|(best, _)| rank > *best);
        if is_better
            && !names_one_of(candidate.url, BLANK_NAMES)
            && let Some(url) = resolve(base, candidate.url)
        {
            found = Some((rank, url));
        }
    }
    found
        .filter(|(rank, url)| rank.is_real || !is_drawing(url.as_str()))
        .map(|(_, url)| url)
}

/// Returns true for the file types of animated loading indicators. Photographs may be called `loading.jpg`, too.
fn is_drawing(url: &str) -> bool {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let path = path.to_ascii_lowercase();
    path.ends_with(".svg") || path.ends_with(".gif")
}

fn sets(element: Element<'_>) -> impl Iterator<Item = Candidate<'_>> {
    LAZY_SETS
        .iter()
        .chain(&["srcset"])
        .filter_map(move |name| element.attribute(name))
        .flat_map(candidates)
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    is_real: bool,
    width: u32,
    density: u32,
}

/// Returns true if the file name in a URL contains one of these names.
fn names_one_of(url: &str, names: &[&str]) -> bool {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let file = path
        .rsplit('/')
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    names.iter().any(|name| file.contains(name))
}
