use proptest::prelude::*;
use sitecast_scp::Block;

use super::{Everything, base, blocks, page, parse};
use crate::blocks::Selection;
use crate::dom::NodeId;

/// Elements that keep the order of their text: no spans, code, captions or citations.
const PLAIN: &[&str] = &[
    "p",
    "div",
    "section",
    "article",
    "span",
    "b",
    "em",
    "i",
    "h1",
    "h2",
    "h4",
    "ul",
    "ol",
    "li",
    "dl",
    "dt",
    "dd",
    "table",
    "tr",
    "td",
    "th",
    "blockquote",
    "figure",
    "details",
    "summary",
    "a",
    "center",
    "main",
    "label",
    "pre",
    "code",
    "address",
    "sub",
    "x-y",
];

const ANY: &[&str] = &[
    "caption",
    "thead",
    "tfoot",
    "tbody",
    "figcaption",
    "cite",
    "footer",
    "q",
    "ruby",
    "rt",
    "sup",
    "math",
    "mfrac",
    "msup",
    "annotation",
    "svg",
    "video",
    "source",
    "iframe",
    "object",
    "picture",
    "noscript",
    "template",
    "select",
    "br",
    "hr",
    "img",
    "input",
    "lite-youtube",
    "xmp",
];

const ATTRIBUTES: &[&str] = &[
    "",
    " href=/a",
    " href='#'",
    " colspan=7 rowspan=3",
    " colspan=1000 rowspan=0",
    " class=highlight",
    " class='line lineno'",
    " class=katex-html aria-hidden=true",
    " src=/i.png alt=alt",
    " role=heading",
    " role=presentation",
    " class=transcript",
    " srcset='/a 1w, /b 2x,'",
    " data-line-number=1",
    " class=CodeMirror-code",
    " class='emoji' alt=e",
    " start=-3 reversed",
    " hidden",
    " class=headerlink href='#x'",
    " src='https://www.youtube.com/embed/x'",
    " value=9223372036854775807",
];

fn any_tag() -> impl Strategy<Value = String> {
    let names: Vec<&str> = PLAIN.iter().chain(ANY).copied().collect();
    prop_oneof![
        4 => (prop::sample::select(names.clone()), prop::sample::select(ATTRIBUTES))
            .prop_map(|(name, attributes)| format!("<{name}{attributes}>")),
        2 => prop::sample::select(names).prop_map(|name| format!("</{name}>")),
        2 => "[a-z0-9:# \n\u{a0}\u{200b}—]{0,6}",
    ]
}

/// Elements whose text may move, but is written.
const MOVED: &[&str] = &[
    "caption",
    "thead",
    "tbody",
    "tfoot",
    "figcaption",
    "cite",
    "footer",
    "q",
    "del",
    "ins",
    "kbd",
    "small",
    "mark",
    "header",
    "aside",
];

fn moving_tag() -> impl Strategy<Value = String> {
    let names: Vec<&str> = PLAIN.iter().chain(MOVED).copied().collect();
    prop_oneof![
        3 => prop::sample::select(names.clone()).prop_map(|name| format!("<{name}>")),
        2 => prop::sample::select(names).prop_map(|name| format!("</{name}>")),
        1 => Just("<ol start=7>".to_owned()),
        1 => Just("<br>".to_owned()),
        3 => Just("@ ".to_owned()),
    ]
}

/// Returns the text of all blocks, with citations.
fn all_text(blocks: &[Block]) -> String {
    let mut text = String::new();
    for block in blocks {
        match block {
            Block::Text { text: t } | Block::Heading { text: t, .. } => text.push_str(t),
            Block::Code { code, .. } => text.push_str(code),
            Block::List { items, .. } => text.push_str(&items.join(" ")),
            Block::Table { rows } => {
                text.extend(rows.iter().flatten().flat_map(|cell| [cell.as_str(), " "]));
            }
            Block::Quote { text: t, citation } => {
                text.push_str(t);
                text.push(' ');
                text.push_str(citation.as_deref().unwrap_or_default());
            }
            _ => {}
        }
        text.push(' ');
    }
    text
}

/// Returns the numbers of the words `w1`, `w2` and so on, sorted.
fn numbered_words(text: &str) -> Vec<usize> {
    let mut found: Vec<usize> = text
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter_map(|word| word.strip_prefix('w')?.parse().ok())
        .collect();
    found.sort_unstable();
    found
}

fn plain_tag() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => prop::sample::select(PLAIN).prop_map(|name| format!("<{name}>")),
        2 => prop::sample::select(PLAIN).prop_map(|name| format!("</{name}>")),
        1 => Just("<br>".to_owned()),
        3 => "[a-z]{1,3} ?",
    ]
}

/// Returns the letters of all blocks in order.
fn letters(blocks: &[Block]) -> String {
    let mut text = String::new();
    for block in blocks {
        match block {
            Block::Text { text: t } | Block::Heading { text: t, .. } => text.push_str(t),
            Block::Code { code, .. } => text.push_str(code),
            Block::List { items, .. } => text.extend(items.iter().map(String::as_str)),
            Block::Table { rows } => text.extend(rows.iter().flatten().map(String::as_str)),
            Block::Quote { text: t, .. } => text.push_str(t),
            _ => {}
        }
    }
    text.retain(|c| c.is_ascii_lowercase());
    text
}

struct Every(usize);

impl Selection for Every {
    fn keeps_text(&self, id: NodeId) -> bool {
        id.index().is_multiple_of(self.0)
    }

    fn keeps_media(&self, id: NodeId) -> bool {
        id.index().is_multiple_of(self.0)
    }
}

fn is_empty(block: &Block) -> bool {
    match block {
        Block::Text { text }
        | Block::Heading { text, .. }
        | Block::Link { text, .. }
        | Block::Quote { text, .. } => text.trim() != text || text.is_empty(),
        Block::Code { code, .. } => code.trim().is_empty(),
        Block::List { items, .. } => {
            items.is_empty() || items.iter().any(|item| item.trim().is_empty())
        }
        Block::Table { rows } => rows.is_empty() || rows.iter().flatten().all(String::is_empty),
        _ => false,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn writes_every_character_once_in_order(tags in prop::collection::vec(plain_tag(), 0..40)) {
        let html = tags.concat();
        let dom = parse(&html);
        let mut text: String = dom.descendants(NodeId::ROOT).filter_map(|id| dom.text(id)).collect();
        text.retain(|c| c.is_ascii_lowercase());
        prop_assert_eq!(letters(&blocks(&dom, &Everything, &base())), text, "{}", html);
    }

    #[test]
    fn writes_every_word_once(tags in prop::collection::vec(moving_tag(), 0..40)) {
        let mut number = 0;
        let html: String = tags
            .iter()
            .map(|tag| {
                number += 1;
                tag.replace('@', &format!("w{number}"))
            })
            .collect();
        let dom = parse(&html);
        let seen: String = dom.descendants(NodeId::ROOT).filter_map(|id| dom.text(id)).collect();
        let said = all_text(&blocks(&dom, &Everything, &base()));
        prop_assert_eq!(numbered_words(&said), numbered_words(&seen), "{} of {}", said, html);
    }

    #[test]
    fn never_panics_or_writes_an_empty_block(tags in prop::collection::vec(any_tag(), 0..60), every in 1usize..4) {
        let html = tags.concat();
        let dom = parse(&html);
        for block in blocks(&dom, &Every(every), &base()) {
            prop_assert!(!is_empty(&block), "{:?} of {}", block, html);
        }
    }
}

#[test]
fn reads_deep_nesting_of_every_element() {
    for tag in [
        "div",
        "ul><li",
        "ol><li",
        "blockquote",
        "table><tr><td",
        "b",
        "a href=/x",
        "dl><dd",
        "pre",
        "q",
        "figure",
        "noscript",
        "math><msup",
        "details",
        "code class=hljs",
    ] {
        let html = format!("<{tag}>text ").repeat(2_000);
        let size: usize = page(&html).iter().map(String::len).sum();
        assert!(size > 5_000 && size < 400_000, "{tag}: {size}");
    }
}

#[test]
fn bounds_output_by_the_size_of_the_page() {
    for piece in [
        "<ul><li>a<ul><li>b</ul></ul>",
        "<table><tr><td rowspan=9>a</td><td>b</td></tr></table>",
        "<tr><td rowspan=9>a</td><td colspan=7>b</td></tr>",
        "<td>a",
        "<a href=/x>a</a> ",
        "<blockquote>a",
        "<li>a",
        "<dt>a<dd>b",
        "<figure><figcaption>c</figcaption>",
        "<pre>a```",
        "<video src=/a.mp4></video><li>0:00 a",
    ] {
        for prefix in [
            "",
            "<ul>",
            "<ul><li>",
            "<table>",
            "<table><tr>",
            "<blockquote>",
            "<pre>",
            "<h2>",
            "<dl>",
            "<figure>",
        ] {
            let html = format!("{prefix}{}", piece.repeat(2_000));
            let size: usize = page(&html).iter().map(String::len).sum();
            assert!(size < html.len() * 8, "{prefix}{piece}: {size}");
        }
    }
}
