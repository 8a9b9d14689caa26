//! The layout of a page: nested boxes, and segments of text in them.
//!
//! A *segment* is the longest run of text that no block element interrupts: a paragraph, an item of a list, a cell, a
//! label in a menu. The content of a page is selected by segments.

use foldhash::quality::FixedState;
use foldhash::{HashMap, HashSet};
use sitecast_scp::split_plain_words;
use std::hash::BuildHasher;
use std::ops::Range;

use crate::blocks::is_inline;
use crate::content::{Cue, Cues, cues_of_name};
use crate::dom::{Dom, Element, NodeId, Step, Tag};
use crate::owner::Directives;

/// A block element, or an inline element that needs a box of its own.
#[derive(Debug)]
pub(crate) struct BoxInfo {
    pub(crate) node: NodeId,
    /// Index of the enclosing box; the outermost is its own parent.
    pub(crate) parent: usize,
    pub(crate) tag: Tag,
    pub(crate) depth: u32,
    pub(crate) cues: Cues,
    /// The cues without those of the id.
    pub(crate) cues_without_id: Cues,
    /// Hash of tag and class: equal for elements of a page from the same part of a template.
    pub(crate) signature: u64,
    /// Hash of the tag and the first class name without digits: equal on all pages of a site.
    pub(crate) kind: u64,
    /// Like `kind`, but without ids from authors, who give them to sections and paragraphs to link to them.
    pub(crate) site_kind: u64,
    /// A class or an id of the template distinguishes it from other boxes with its tag.
    pub(crate) is_named: bool,
    pub(crate) segments: Range<usize>,
    /// Hidden by its own attributes or by a box around it.
    pub(crate) hidden: bool,
    /// A footnote, by its role.
    pub(crate) is_footnote: bool,
    /// Hidden until the reader opens it: a tab, the answer to a question.
    pub(crate) on_demand: bool,
}

/// A run of text.
#[derive(Debug, Default)]
pub(crate) struct Segment {
    /// Index of the innermost box around it.
    pub(crate) parent: usize,
    /// Its range in [`Layout::text`].
    pub(crate) text: Range<usize>,
    pub(crate) chars: u32,
    pub(crate) words: u32,
    pub(crate) link_chars: u32,
    pub(crate) links: u32,
    pub(crate) strong_chars: u32,
    pub(crate) breaks: u32,
    /// The cues of the inline elements in it.
    pub(crate) cues: Cues,
    /// Hash of the boxes around it, which identifies the part of the template that it comes from.
    pub(crate) template_part: u64,
}

/// Number of boxes around a segment that identify the part of the template.
pub(crate) const TEMPLATE_PART_LEVELS: usize = 3;

/// All boxes and segments of a page, in document order.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    pub(crate) boxes: Vec<BoxInfo>,
    pub(crate) segments: Vec<Segment>,
    /// The text of all segments, white space collapsed, each followed by a newline.
    pub(crate) text: String,
    /// The segment of each text node, or `u32::MAX`.
    owner: Vec<u32>,
}

impl BoxInfo {
    /// Returns true if the box is hidden inside a visible one, and nothing on the page shows it.
    pub(crate) fn hides_itself(&self, layout: &Layout) -> bool {
        let outer = layout.boxes.get(self.parent);
        let is_outermost = || outer.is_none_or(|outer| !outer.hidden || outer.node == self.node);
        self.hidden && !self.on_demand && is_outermost()
    }
}

impl Layout {
    /// Returns the box of an element.
    pub(crate) fn box_of(&self, element: NodeId) -> Option<&BoxInfo> {
        // Boxes and nodes are both in document order.
        let at = self
            .boxes
            .binary_search_by_key(&element, |found| found.node);
        self.boxes.get(at.ok()?)
    }

    pub(crate) fn segment_of(&self, text: NodeId) -> Option<usize> {
        let owner = *self.owner.get(text.index())?;
        (owner != u32::MAX).then_some(owner as usize)
    }

    pub(crate) fn text_of(&self, segment: &Segment) -> &str {
        self.text.get(segment.text.clone()).unwrap_or_default()
    }

    /// Returns a box and those around it, innermost first.
    pub(crate) fn around(&self, inner: usize) -> impl Iterator<Item = (usize, &BoxInfo)> {
        let mut next = Some(inner);
        std::iter::from_fn(move || {
            let at = next?;
            let found = self.boxes.get(at)?;
            next = (found.parent != at).then_some(found.parent);
            Some((at, found))
        })
    }
}

/// Returns true if the element's own attributes hide it.
pub(crate) fn is_hidden(element: Element<'_>) -> bool {
    element
        .attribute("hidden")
        .is_some_and(|value| value != "until-found" && !is_streamed(element))
        || element.attribute("style").is_some_and(hides)
        || (element.tag == Tag::Dialog && element.attribute("open").is_none())
}

/// Returns true for content that React streams after the page, for a script to move into place:
/// `<div hidden id="S:1">`.
fn is_streamed(element: Element<'_>) -> bool {
    element
        .attribute("id")
        .and_then(|id| id.strip_prefix("S:"))
        .is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Marks the hidden boxes that a control on the page shows.
fn find_on_demand(dom: &Dom, boxes: &mut [BoxInfo]) {
    if !boxes.iter().any(|found| found.hidden) {
        return;
    }
    // Controls of menus and dialogs have `aria-haspopup`.
    let shown: HashSet<&str> = dom
        .elements(NodeId::ROOT)
        .filter(|(_, element)| element.attribute("aria-haspopup").is_none())
        .filter_map(|(_, element)| element.attribute("aria-controls"))
        .flat_map(str::split_ascii_whitespace)
        .collect();
    for at in 0..boxes.len() {
        let Some(found) = boxes.get(at).filter(|found| found.hidden) else {
            continue;
        };
        let by_outer = boxes.get(found.parent).is_some_and(|outer| outer.on_demand);
        let on_demand = by_outer
            || dom.attribute(found.node, "role") == Some("tabpanel")
            || dom
                .attribute(found.node, "id")
                .is_some_and(|id| shown.contains(id));
        if let Some(found) = boxes.get_mut(at) {
            found.on_demand = on_demand;
        }
    }
}

fn hides(style: &str) -> bool {
    style.split(';').any(|rule| {
        let Some((property, value)) = rule.split_once(':') else {
            return false;
        };
        let value = value.trim().trim_end_matches("!important").trim();
        let property = property.trim();
        (property.eq_ignore_ascii_case("display") && value.eq_ignore_ascii_case("none"))
            || (property.eq_ignore_ascii_case("visibility") && value.eq_ignore_ascii_case("hidden"))
    })
}

/// A `noscript` with this many bytes of text holds content.
const NOSCRIPT_TEXT: usize = 300;
/// Search at most this many nodes of a `noscript`, since they may be nested.
const NOSCRIPT_NODES: usize = 4_000;

/// Returns true if a `noscript` contains the page itself, as in some forums. Most only ask for scripts.
pub(crate) fn holds_page(dom: &Dom, noscript: NodeId) -> bool {
    let mut length = 0;
    dom.descendants(noscript)
        .take(NOSCRIPT_NODES)
        .filter_map(|id| dom.text(id))
        // Browsers that save a page write the unparsed markup as text.
        .filter(|text| !text.trim_start().starts_with('<'))
        .any(|text| {
            length += text.trim().len();
            length >= NOSCRIPT_TEXT
        })
}

/// Returns true if the element has nothing for a reader.
pub(crate) fn is_unrendered(dom: &Dom, id: NodeId, element: Element<'_>) -> bool {
    match element.tag {
        Tag::Noscript => !holds_page(dom, id),
        Tag::Template => element.attribute("shadowrootmode").is_none(),
        Tag::Meta | Tag::Link => true,
        tag => tag.has_no_text(),
    }
}

pub(crate) fn lay_out(dom: &Dom) -> Layout {
    lay_out_with(dom, &Directives::default())
}

/// Lays out a page. Elements with instructions of the owner get boxes of their own.
pub(crate) fn lay_out_with(dom: &Dom, directives: &Directives) -> Layout {
    let mut builder = Builder {
        directives,
        layout: Layout {
            boxes: Vec::new(),
            segments: Vec::new(),
            text: String::new(),
            owner: vec![u32::MAX; dom.len()],
        },
        names: HashMap::default(),
        current: None,
        pending_space: false,
        joint: Joint::Text,
        top: 0,
        link: 0,
        strong: 0,
        math: 0,
    };
    builder.open(dom, NodeId::ROOT, None);
    let mut next = Some(Step::Enter(NodeId::ROOT));
    while let Some(step) = next {
        let into = match step {
            Step::Enter(id) => builder.enter(dom, id),
            Step::Leave(id) => {
                builder.leave(dom, id);
                true
            }
        };
        next = dom.step(NodeId::ROOT, step, into);
    }
    builder.end_segment();
    if let Some(root) = builder.layout.boxes.first_mut() {
        root.segments = 0..builder.layout.segments.len();
    }
    find_on_demand(dom, &mut builder.layout.boxes);
    builder.layout
}

struct Builder<'a> {
    layout: Layout,
    directives: &'a Directives,
    /// Cues by attribute value: pages repeat them.
    names: HashMap<&'a str, Cues>,
    current: Option<Segment>,
    pending_space: bool,
    joint: Joint,
    top: usize,
    /// Number of open links, and of open bold elements below.
    link: u32,
    strong: u32,
    /// Depth inside a formula: all its elements are in one line.
    math: u32,
}

impl<'a> Builder<'a> {
    fn cues(&mut self, element: Element<'a>) -> Cues {
        let (mut cues, by_id) = self.cues_and_id_cues(element);
        cues.add(by_id);
        cues
    }

    fn cues_and_id_cues(&mut self, element: Element<'a>) -> (Cues, Cues) {
        let (mut cues, mut by_id) = (Cues::default(), Cues::default());
        for (name, value) in element.attributes() {
            if matches!(
                name,
                "class"
                    | "id"
                    | "role"
                    | "itemprop"
                    | "aria-label"
                    | "data-testid"
                    | "data-component"
            ) && value.len() < 500
            {
                let found = self.names.entry(value);
                let found = *found.or_insert_with(|| cues_of_name(value));
                if name == "id" {
                    by_id.add(found);
                } else {
                    cues.add(found);
                }
            }
        }
        (cues, by_id)
    }

    fn open(&mut self, dom: &Dom, node: NodeId, element: Option<Element<'a>>) {
        let (cues_without_id, by_id) = element
            .map(|element| self.cues_and_id_cues(element))
            .unwrap_or_default();
        let mut cues = cues_without_id;
        cues.add(by_id);
        let at = self.layout.boxes.len();
        let kinds = element.map(Kinds::of).unwrap_or_default();
        let (depth, hidden) = self
            .layout
            .boxes
            .get(self.top)
            .map_or((0, false), |parent| (parent.depth + 1, parent.hidden));
        self.layout.boxes.push(BoxInfo {
            node,
            parent: self.top,
            tag: dom.tag(node),
            depth,
            cues,
            cues_without_id,
            signature: element.map_or(0, signature),
            kind: kinds.kind,
            site_kind: kinds.site_kind,
            is_named: kinds.is_named,
            segments: self.layout.segments.len()..self.layout.segments.len(),
            hidden: hidden || element.is_some_and(is_hidden),
            is_footnote: element.is_some_and(|element| element.has_word("role", "doc-footnote")),
            on_demand: false,
        });
        self.top = at;
    }

    fn enter(&mut self, dom: &'a Dom, id: NodeId) -> bool {
        if let Some(text) = dom.text(id) {
            self.push_text(id, text);
            return false;
        }
        let Some(element) = dom.element(id) else {
            return true;
        };
        if is_unrendered(dom, id, element) {
            return false;
        }
        self.joint = self.joint.at_start(element.tag);
        self.math += u32::from(self.math > 0 || element.tag == Tag::Math);
        match element.tag {
            Tag::Br => {
                self.pending_space = true;
                if let Some(segment) = &mut self.current {
                    segment.breaks += 1;
                }
            }
            Tag::Wbr | Tag::Img => {}
            tag => {
                self.link += u32::from(tag == Tag::A);
                let is_strong = matches!(tag, Tag::B | Tag::Strong);
                self.strong += u32::from(is_strong);
                let inline = tag == Tag::A || is_strong || is_inline(dom, id, element);
                // A hidden inline element gets a box of its own, which records that it is hidden; so does one with an
                // instruction of the owner.
                if self.math == 0 && (!inline || is_hidden(element) || self.directives.has(id)) {
                    self.end_segment();
                    self.open(dom, id, Some(element));
                    return true;
                }
                if let Some(segment) = self.current.as_mut().filter(|_| tag == Tag::A) {
                    segment.links += 1;
                }
                if !is_strong {
                    self.inline(element);
                }
            }
        }
        true
    }

    fn inline(&mut self, element: Element<'a>) {
        if element.attribute("class").is_some() || element.attribute("itemprop").is_some() {
            let cues = self.cues(element);
            let top = self.top;
            self.current
                .get_or_insert_with(|| Segment {
                    parent: top,
                    ..Segment::default()
                })
                .cues
                .add(cues);
        }
    }

    fn leave(&mut self, dom: &Dom, id: NodeId) {
        let Some(element) = dom.element(id) else {
            return;
        };
        if is_unrendered(dom, id, element) {
            return;
        }
        self.joint = self.joint.at_end(element.tag);
        self.math = self.math.saturating_sub(1);
        match element.tag {
            Tag::A => self.link -= 1,
            Tag::B | Tag::Strong => self.strong -= 1,
            _ => {}
        }
        let end = self.layout.segments.len();
        if self
            .layout
            .boxes
            .get(self.top)
            .is_some_and(|top| top.node == id)
        {
            self.end_segment();
            let end = end.max(self.layout.segments.len());
            if let Some(closed) = self.layout.boxes.get_mut(self.top) {
                closed.segments.end = end;
                self.top = closed.parent;
            }
        }
    }

    fn push_text(&mut self, id: NodeId, text: &str) {
        if text.bytes().all(|byte| byte.is_ascii_whitespace()) {
            self.pending_space = true;
            return;
        }
        let (top, link, strong) = (self.top, self.link > 0, self.strong > 0);
        let at = self.layout.segments.len();
        let segment = self.current.get_or_insert_with(|| Segment {
            parent: top,
            ..Segment::default()
        });
        if segment.chars == 0 {
            segment.text.start = self.layout.text.len();
            self.pending_space = false;
        }
        if link && segment.links == 0 {
            segment.links = 1;
        }
        let out = &mut self.layout.text;
        if self.joint == Joint::Apart && would_run_together(out, text) {
            self.pending_space = true;
        }
        self.joint = Joint::Text;
        let before = segment.chars;
        let mut in_word = segment.chars > 0 && !self.pending_space;
        let mut rest = text;
        loop {
            let (plain, after) = split_plain_words(rest);
            let mut chars = after.chars();
            let mut other = None;
            if plain.is_empty() {
                other = chars.next();
                match other {
                    None => break,
                    Some(c) if c.is_whitespace() => {
                        self.pending_space = true;
                        in_word = false;
                    }
                    Some(_) => {}
                }
            }
            rest = chars.as_str();
            if other.is_some_and(|c| c.is_whitespace() || is_ignorable(c)) {
                continue;
            }
            if self.pending_space && segment.chars > 0 {
                out.push(' ');
            }
            self.pending_space = false;
            let spaces = plain.bytes().filter(|byte| *byte == b' ').count();
            segment.words += u32::from(!in_word) + spaces as u32;
            in_word = true;
            out.push_str(plain);
            out.extend(other);
            // Plain words are ASCII, and no page has more than 4 GiB.
            segment.chars += (plain.len() - spaces) as u32 + u32::from(other.is_some());
        }
        let added = segment.chars - before;
        if link {
            segment.link_chars += added;
        }
        if strong {
            segment.strong_chars += added;
        }
        if let Some(owner) = self.layout.owner.get_mut(id.index()) {
            *owner = u32::try_from(at).unwrap_or(u32::MAX);
        }
    }

    fn end_segment(&mut self) {
        self.pending_space = false;
        if let Some(mut segment) = self.current.take()
            && segment.chars > 0
        {
            segment.text.end = self.layout.text.len();
            let around = self
                .layout
                .around(segment.parent)
                .take(TEMPLATE_PART_LEVELS);
            segment.template_part = around.fold(0, |template_part: u64, (_, found)| {
                template_part.rotate_left(9) ^ found.kind
            });
            // Separates segments in the text.
            self.layout.text.push('\n');
            self.layout.segments.push(segment);
        }
    }
}

/// The markup between two runs of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Joint {
    /// No element boundary that matters.
    Text,
    /// The end of an element that may have a gap around it.
    Closed,
    /// The end of one such element and the start of the next: `<span>4 stars</span><span>12 reviews</span>`. The style
    /// sheet puts a gap there, so the text needs a space.
    Apart,
}

impl Joint {
    pub(crate) fn at_start(self, tag: Tag) -> Self {
        match self {
            Self::Closed if may_have_gap(tag) => Self::Apart,
            _ => self,
        }
    }

    pub(crate) fn at_end(self, tag: Tag) -> Self {
        match self {
            Self::Text if may_have_gap(tag) => Self::Closed,
            _ => self,
        }
    }
}

/// Returns true if two adjacent texts would read as one word. A single letter is more often an enlarged initial than a
/// word, so it stays joined, unless it is in upper case after a word in lower case: `Hawk` `A framework`.
pub(crate) fn would_run_together(before: &str, after: &str) -> bool {
    let mut last = before.chars().rev();
    let mut first = after.chars();
    let (Some(left), Some(right)) = (last.next(), first.next()) else {
        return false;
    };
    let more = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    match (left.is_alphanumeric(), right.is_alphanumeric()) {
        (true, true) if left.is_numeric() || right.is_numeric() => true,
        (true, true) => {
            let begins_word = left.is_lowercase() && right.is_uppercase();
            more(last.next()) && (begins_word || more(first.next()))
        }
        // `Price` `$5`, `text.` `Next`
        (true, false) => matches!(right, '$' | '€' | '£' | '¥' | '#' | '(' | '•' | '|'),
        (false, true) => matches!(
            left,
            '.' | '!' | '?' | ':' | ';' | ',' | ')' | '%' | '•' | '|'
        ),
        (false, false) => false,
    }
}

/// Inline elements that serve the layout as often as a sentence.
fn may_have_gap(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::A
            | Tag::Span
            | Tag::Time
            | Tag::Label
            | Tag::Data
            | Tag::Small
            | Tag::Cite
            | Tag::Del
            | Tag::Ins
    )
}

/// Invisible characters without meaning: zero-width spaces, soft hyphens, byte order marks, private use (icon fonts).
/// Joiners stay, since some languages need them.
pub(crate) fn is_ignorable(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{200b}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{2064}'
            | '\u{feff}'
            | '\u{e000}'..='\u{f8ff}'
            | '\u{fff9}'..='\u{fffc}'
            | '\0'..='\u{8}'
            | '\u{e}'..='\u{1f}'
            | '\u{7f}'..='\u{9f}'
    )
}

fn signature(element: Element<'_>) -> u64 {
    let class = element.attribute("class").unwrap_or_default();
    FixedState::default().hash_one((element.name(), class))
}

/// Hashes that identify a box by its tag and its first class name or id.
#[derive(Debug, Default)]
struct Kinds {
    kind: u64,
    site_kind: u64,
    is_named: bool,
}

impl Kinds {
    fn of(element: Element<'_>) -> Self {
        let mut tag = Fnv::default();
        tag.write(element.name());
        let of_name = |name: &str| {
            let mut named = tag;
            named.write(".");
            for part in name.split(|c: char| c.is_ascii_digit()) {
                named.write(part);
            }
            named.0
        };
        // `post-123` and `page-id-7` belong to one page only.
        let is_plain = |name: &&str| !name.bytes().any(|byte| byte.is_ascii_digit());
        let classes = element.attribute("class").unwrap_or_default();
        let mut classes = classes.split_ascii_whitespace();
        let first = classes.clone().next();
        let class = classes.find(is_plain);
        let id = element.attribute("id").filter(is_plain);
        let is_heading = element.tag.heading_level().is_some();
        let name = class.or(id).filter(|_| !is_heading);
        // A class such as `refsect1` identifies the template better than the id beside it.
        let site_id = id.filter(|_| !may_be_linked_to(element.tag));
        let site_name = class.or(first).or(site_id).filter(|_| !is_heading);
        Self {
            kind: name.map_or(tag.0, of_name),
            site_kind: site_name.map_or(tag.0, of_name),
            is_named: class.or(site_id).is_some() && !is_heading,
        }
    }
}

/// Elements to which authors and generators give ids for links on each page. Ids of other elements belong to the
/// template.
fn may_be_linked_to(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::Section
            | Tag::P
            | Tag::Li
            | Tag::Dl
            | Tag::Dt
            | Tag::Dd
            | Tag::Table
            | Tag::Tr
            | Tag::Td
            | Tag::Th
            | Tag::Figure
            | Tag::Figcaption
            | Tag::Pre
            | Tag::Blockquote
            | Tag::Details
            | Tag::Summary
    )
}

/// FNV-1a, which is stable across platforms and versions, unlike the standard library's hasher.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fnv(pub(crate) u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    /// Hashes many texts, each from its own start. Each byte depends on the one before it in the same text only, so
    /// that the processor can work on several texts in parallel.
    pub(crate) fn write_each<'t>(texts: impl IntoIterator<Item = (Self, &'t str)>) -> Vec<Self> {
        const LANES: usize = 4;
        let mut hashes = Vec::new();
        let mut texts = texts.into_iter().enumerate();
        let mut lanes: [(usize, &[u8], Self); LANES] = [(usize::MAX, &[], Self(0)); LANES];
        loop {
            for lane in &mut lanes {
                while lane.1.is_empty() {
                    if let Some(slot) = hashes.get_mut(lane.0) {
                        *slot = lane.2;
                    }
                    let Some((number, (start, text))) = texts.next() else {
                        break;
                    };
                    hashes.push(start);
                    *lane = (number, text.as_bytes(), start);
                }
            }
            let [a, b, c, d] = &mut lanes;
            let together = a.1.len().min(b.1.len()).min(c.1.len()).min(d.1.len());
            if together == 0 {
                break;
            }
            let bytes = a.1.iter().zip(b.1).zip(c.1).zip(d.1);
            for (((one, two), three), four) in bytes.take(together) {
                a.2.write_byte(*one);
                b.2.write_byte(*two);
                c.2.write_byte(*three);
                d.2.write_byte(*four);
            }
            for lane in &mut lanes {
                lane.1 = lane.1.get(together..).unwrap_or_default();
            }
        }
        // Finish the remaining lanes one by one.
        for (number, rest, mut hash) in lanes {
            for byte in rest {
                hash.write_byte(*byte);
            }
            if let Some(slot) = hashes.get_mut(number) {
                *slot = hash;
            }
        }
        hashes
    }

    pub(crate) fn write(&mut self, text: &str) {
        for byte in text.bytes() {
            self.write_byte(byte);
        }
    }

    pub(crate) fn write_byte(&mut self, byte: u8) {
        self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
}

/// Returns the cue of a landmark element, which needs no class name to state it.
pub(crate) fn landmark(tag: Tag) -> Option<Cue> {
    Some(match tag {
        Tag::Nav => Cue::Navigation,
        Tag::Footer => Cue::Footer,
        Tag::Aside => Cue::Sidebar,
        Tag::Header => Cue::Header,
        Tag::Form => Cue::Form,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn hashes_in_parallel_equal_single_hashes(texts in proptest::collection::vec((any::<u64>(), ".{0,30}"), 0..12)) {
            let together = Fnv::write_each(texts.iter().map(|(start, text)| (Fnv(*start), text.as_str())));
            prop_assert_eq!(together.len(), texts.len());
            for ((start, text), found) in texts.iter().zip(together) {
                let mut hash = Fnv(*start);
                hash.write(text);
                prop_assert_eq!(hash.0, found.0);
            }
        }
    }
}
