//! What is known about each segment, as numbers for the model.
//!
//! Nothing here is about particular sites or words of a language, but for a few short words that
//! buttons and labels are made of.

use std::collections::HashMap;

use super::facts::PageFacts;
use super::lexicon::Cue;
use super::phrases::{PHRASES, phrases_in};
use crate::dom::{Dom, Tag};
use crate::layout::{BoxInfo, Fnv, Layout, Segment, landmark};

/// No ancestor of that kind.
const FAR: f32 = 40.0;

/// Writes one row.
struct Row<'a> {
    values: &'a mut Vec<f32>,
    names: Option<&'a mut Vec<String>>,
}

impl Row<'_> {
    #[inline(always)]
    fn put(&mut self, name: &str, value: f32) {
        self.values.push(value);
        if self.names.is_some() {
            self.name(name.to_owned());
        }
    }

    #[inline(always)]
    fn put_of(&mut self, prefix: &str, name: &str, value: f32) {
        self.values.push(value);
        if self.names.is_some() {
            self.name(format!("{prefix}_{}", name.to_lowercase()));
        }
    }

    /// Apart, since only training asks for names.
    #[cold]
    #[inline(never)]
    fn name(&mut self, name: String) {
        if let Some(names) = &mut self.names {
            names.push(name);
        }
    }
}

/// Landmarks and structures whose presence around a segment matters.
const AROUND: [(&str, &[Tag]); 16] = [
    ("nav", &[Tag::Nav, Tag::Menu]),
    ("header", &[Tag::Header]),
    ("footer", &[Tag::Footer]),
    ("aside", &[Tag::Aside]),
    ("form", &[Tag::Form]),
    ("main", &[Tag::Main]),
    ("article", &[Tag::Article]),
    ("section", &[Tag::Section]),
    ("table", &[Tag::Table]),
    ("list", &[Tag::Ul, Tag::Ol, Tag::Dl]),
    ("figure", &[Tag::Figure]),
    ("dialog", &[Tag::Dialog]),
    ("details", &[Tag::Details]),
    ("quote", &[Tag::Blockquote]),
    ("button", &[Tag::Button]),
    ("noscript", &[Tag::Noscript]),
];

/// Sums over segments up to a place, for the sums over any range.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    segments: f32,
    words: f32,
    chars: f32,
    link_chars: f32,
    /// Words of segments that read like sentences.
    prose: f32,
    paragraphs: f32,
    headings: f32,
}

impl Sums {
    fn minus(self, other: Self) -> Self {
        Self {
            segments: self.segments - other.segments,
            words: self.words - other.words,
            chars: self.chars - other.chars,
            link_chars: self.link_chars - other.link_chars,
            prose: self.prose - other.prose,
            paragraphs: self.paragraphs - other.paragraphs,
            headings: self.headings - other.headings,
        }
    }

    fn link_density(self) -> f32 {
        self.link_chars / self.chars.max(1.0)
    }
}

/// What is inherited from the boxes around.
#[derive(Debug, Clone, Copy)]
struct Context {
    /// The depth of the nearest box with each cue; `NOWHERE` where there is none.
    cues: [u16; Cue::ALL.len()],
    around: [u16; AROUND.len()],
    /// The nearest box of each of [`LANDMARKS`].
    landmarks: [u32; LANDMARKS.len()],
}

const NOWHERE: u16 = u16::MAX;

type Test = fn(&BoxInfo) -> bool;

/// Boxes whose size matters to what is in them.
const LANDMARKS: [(&str, Test); 12] = [
    ("article", |b| b.tag == Tag::Article),
    ("main", |b| b.tag == Tag::Main),
    ("section", |b| b.tag == Tag::Section),
    ("content_cue", |b| b.cues.has(Cue::Content)),
    ("article_cue", |b| b.cues.has(Cue::Article)),
    ("body_cue", |b| b.cues.has(Cue::Body)),
    ("card_cue", |b| b.cues.has(Cue::Card)),
    ("related_cue", |b| b.cues.has(Cue::Related)),
    ("sidebar_cue", |b| b.cues.has(Cue::Sidebar)),
    ("header_cue", |b| b.cues.has(Cue::Header)),
    ("footer_cue", |b| b.cues.has(Cue::Footer)),
    ("comment_cue", |b| b.cues.has(Cue::Comment)),
];

struct Page<'a> {
    layout: &'a Layout,
    sums: Vec<Sums>,
    total: Sums,
    contexts: Vec<Context>,
    children: Vec<f32>,
    signatures: HashMap<u64, f32>,
    paths: Vec<u64>,
    path_counts: HashMap<u64, f32>,
    /// The text of each segment, as a hash, and how often each text comes.
    texts: Vec<u64>,
    text_counts: HashMap<u64, f32>,
    containers: [usize; 3],
    /// For each box the depth of the one in which it meets each container.
    meets: Vec<[u16; 3]>,
    first_h1: Option<usize>,
    first_prose: usize,
    last_prose: usize,
}

fn is_prose(segment: &Segment, text: &str) -> bool {
    segment.words >= 12
        && segment.link_chars * 3 < segment.chars
        && text.contains(['.', ',', '!', '?', ';', '。', '，', '、', '؟', '।'])
        || (segment.chars >= 40 && segment.words <= 4 && segment.link_chars * 3 < segment.chars)
}

/// Describes one segment after the other: all at once would be a hundred times the page.
pub(crate) fn describe_each(
    dom: &Dom,
    layout: &Layout,
    facts: &PageFacts,
    mut take: impl FnMut(&[f32]),
) {
    let page = Page::new(dom, layout);
    let mut values = Vec::new();
    for index in 0..layout.segments.len() {
        values.clear();
        let row = Row {
            values: &mut values,
            names: None,
        };
        page.describe(index, facts, row);
        take(&values);
    }
}

/// What each of the features is.
pub(crate) fn feature_names(dom: &Dom, layout: &Layout, facts: &PageFacts) -> Vec<String> {
    let (mut values, mut names) = (Vec::new(), Vec::new());
    let row = Row {
        values: &mut values,
        names: Some(&mut names),
    };
    Page::new(dom, layout).describe(0, facts, row);
    names
}

impl<'a> Page<'a> {
    fn new(dom: &Dom, layout: &'a Layout) -> Self {
        let mut sums = vec![Sums::default()];
        let mut sum = Sums::default();
        let mut texts = Vec::with_capacity(layout.segments.len());
        let mut text_counts: HashMap<u64, f32> = HashMap::new();
        let mut paths = Vec::new();
        let mut path_counts: HashMap<u64, f32> = HashMap::new();
        let mut first_h1 = None;
        let mut first_prose = None;
        let mut last_prose = 0;
        for (index, segment) in layout.segments.iter().enumerate() {
            let text = layout.text_of(segment);
            let tag = layout
                .boxes
                .get(segment.parent)
                .map_or(Tag::Other, |b| b.tag);
            sum.segments += 1.0;
            sum.words += segment.words as f32;
            sum.chars += segment.chars as f32;
            sum.link_chars += segment.link_chars as f32;
            if is_prose(segment, text) {
                sum.prose += segment.words.max(segment.chars / 8) as f32;
                first_prose.get_or_insert(index);
                last_prose = index;
            }
            if tag == Tag::P {
                sum.paragraphs += segment.words as f32;
            }
            if tag.heading_level().is_some() {
                sum.headings += 1.0;
            }
            if tag == Tag::H1 && first_h1.is_none() {
                first_h1 = Some(index);
            }
            sums.push(sum);
            let text = hash(text);
            texts.push(text);
            *text_counts.entry(text).or_default() += 1.0;
            let mut path = Fnv::default().0;
            for (_, around) in layout.around(segment.parent).take(4) {
                path = path.rotate_left(9) ^ around.signature;
            }
            paths.push(path);
            *path_counts.entry(path).or_default() += 1.0;
        }
        let mut signatures: HashMap<u64, f32> = HashMap::new();
        let mut children = vec![0.0; layout.boxes.len()];
        let mut contexts: Vec<Context> = Vec::with_capacity(layout.boxes.len());
        for (at, found) in layout.boxes.iter().enumerate() {
            *signatures.entry(found.signature).or_default() += 1.0;
            if found.parent != at
                && let Some(count) = children.get_mut(found.parent)
            {
                *count += 1.0;
            }
            contexts.push(Context::of(dom, contexts.get(found.parent), at, found));
        }
        let mut page = Self {
            layout,
            total: sum,
            sums,
            contexts,
            children,
            signatures,
            paths,
            path_counts,
            texts,
            text_counts,
            containers: [0; 3],
            meets: Vec::with_capacity(layout.boxes.len()),
            first_h1,
            first_prose: first_prose.unwrap_or(0),
            last_prose,
        };
        page.containers = [0.4, 0.6, 0.85].map(|share| page.container(share));
        for found in &layout.boxes {
            let mut meets = page.meets.get(found.parent).copied().unwrap_or_default();
            for (slot, container) in meets.iter_mut().zip(page.containers) {
                let inside = layout
                    .boxes
                    .get(container)
                    .map_or(0..0, |b| b.segments.clone());
                if found.segments.start <= inside.start && found.segments.end >= inside.end {
                    *slot = u16::try_from(found.depth).unwrap_or(u16::MAX);
                }
            }
            page.meets.push(meets);
        }
        page
    }

    fn sum(&self, range: std::ops::Range<usize>) -> Sums {
        let at = |index: usize| self.sums.get(index).copied().unwrap_or(self.total);
        at(range.end).minus(at(range.start))
    }

    /// The smallest box with that share of the page's prose.
    fn container(&self, share: f32) -> usize {
        let wanted = self.total.prose.max(1.0) * share;
        let mut best = 0;
        let mut least = f32::MAX;
        for (at, found) in self.layout.boxes.iter().enumerate() {
            let sum = self.sum(found.segments.clone());
            if sum.prose >= wanted && sum.chars <= least {
                least = sum.chars;
                best = at;
            }
        }
        best
    }

    fn describe(&self, index: usize, facts: &PageFacts, mut row: Row<'_>) {
        let Some(segment) = self.layout.segments.get(index) else {
            return;
        };
        let text = self.layout.text_of(segment);
        self.own(index, segment, text, facts, &mut row);
        self.place(index, segment, &mut row);
        self.surroundings(segment, &mut row);
        for (name, offset) in [
            ("prev1", -1),
            ("prev2", -2),
            ("next1", 1),
            ("next2", 2),
            ("next3", 3),
        ] {
            self.neighbour(index, segment, offset, name, &mut row);
        }
        self.page(facts, &mut row);
    }

    fn own(
        &self,
        index: usize,
        segment: &Segment,
        text: &str,
        facts: &PageFacts,
        row: &mut Row<'_>,
    ) {
        let chars = segment.chars.max(1) as f32;
        let words = segment.words.max(1) as f32;
        let shape = Shape::of(text);
        row.put("words", words);
        row.put("chars", chars);
        row.put("word_length", chars / words);
        row.put("link_density", segment.link_chars as f32 / chars);
        row.put("links", segment.links as f32);
        row.put("strong", segment.strong_chars as f32 / chars);
        row.put("breaks", segment.breaks as f32);
        row.put("stops", shape.stops);
        row.put("commas", shape.commas);
        row.put("stops_per_word", shape.stops / words);
        row.put("digits", shape.digits / chars);
        row.put("upper", shape.upper / chars);
        row.put("capitalized", shape.capitalized / words);
        row.put("ends_sentence", flag(shape.ends_sentence));
        row.put("ends_colon", flag(text.ends_with([':', '：'])));
        row.put("symbols", shape.symbols);
        row.put("currency", shape.currency);
        row.put("copyright", flag(text.contains('©')));
        row.put("non_ascii", shape.non_ascii / chars);
        row.put("title_overlap", facts.title_overlap(text));
        let same = self.texts.get(index);
        let same = same.and_then(|text| self.text_counts.get(text));
        row.put("same_text", same.copied().unwrap_or(1.0));
        let path = self.paths.get(index).copied().unwrap_or(0);
        row.put(
            "same_path",
            self.path_counts.get(&path).copied().unwrap_or(1.0),
        );
        let found = if segment.words <= 25 {
            phrases_in(text)
        } else {
            [0.0; PHRASES.len()]
        };
        for (name, count) in PHRASES.iter().map(|(name, _)| *name).zip(found) {
            row.put_of("says", name, count);
        }
        let tag = self.tag(segment);
        row.put("heading", f32::from(tag.heading_level().unwrap_or(0)));
        for (name, tags) in [
            ("p", &[Tag::P][..]),
            ("li", &[Tag::Li]),
            ("cell", &[Tag::Td, Tag::Th]),
            ("dl", &[Tag::Dt, Tag::Dd]),
            ("pre", &[Tag::Pre]),
            ("button", &[Tag::Button]),
            ("caption", &[Tag::Figcaption, Tag::Caption]),
            ("summary", &[Tag::Summary]),
            ("div", &[Tag::Div, Tag::Section, Tag::Article, Tag::Body]),
        ] {
            row.put_of("is", name, flag(tags.contains(&tag)));
        }
        for cue in [
            Cue::Date,
            Cue::Author,
            Cue::Tags,
            Cue::CallToAction,
            Cue::Hidden,
            Cue::Price,
            Cue::Meta,
            Cue::Edit,
            Cue::Title,
        ] {
            row.put_of("inline", cue.name(), flag(segment.cues.has(cue)));
        }
    }

    fn tag(&self, segment: &Segment) -> Tag {
        self.layout
            .boxes
            .get(segment.parent)
            .map_or(Tag::Other, |b| b.tag)
    }

    fn place(&self, index: usize, segment: &Segment, row: &mut Row<'_>) {
        let total = self.total;
        let before = self.sum(0..index);
        row.put("position", before.chars / total.chars.max(1.0));
        row.put("segments_before", index as f32);
        row.put("segments_after", total.segments - index as f32);
        row.put("prose_before", before.prose / total.prose.max(1.0));
        row.put(
            "after_h1",
            self.first_h1.map_or(-999.0, |h1| index as f32 - h1 as f32),
        );
        row.put("after_first_prose", index as f32 - self.first_prose as f32);
        row.put("after_last_prose", index as f32 - self.last_prose as f32);
        row.put(
            "depth",
            self.layout
                .boxes
                .get(segment.parent)
                .map_or(0.0, |b| b.depth as f32),
        );
        row.put(
            "hidden",
            flag(
                self.layout
                    .boxes
                    .get(segment.parent)
                    .is_some_and(|b| b.hidden),
            ),
        );
        let depth = self
            .layout
            .boxes
            .get(segment.parent)
            .map_or(0.0, |b| b.depth as f32);
        for (at, (name, container)) in ["c40", "c60", "c85"]
            .into_iter()
            .zip(self.containers)
            .enumerate()
        {
            let range = self
                .layout
                .boxes
                .get(container)
                .map_or(0..0, |b| b.segments.clone());
            row.put_of("in", name, flag(range.contains(&index)));
            row.put_of("from_start", name, index as f32 - range.start as f32);
            row.put_of("from_end", name, index as f32 - range.end as f32);
            // How far up the container and the segment meet.
            let shared = self
                .meets
                .get(segment.parent)
                .and_then(|meets| meets.get(at));
            row.put_of(
                "up_to",
                name,
                shared.map_or(FAR, |shared| depth - f32::from(*shared)),
            );
        }
        for window in [2usize, 6] {
            let sum = self.sum(
                index.saturating_sub(window)..(index + window + 1).min(self.layout.segments.len()),
            );
            row.put_of(
                "window_words",
                if window == 2 { "2" } else { "6" },
                sum.words / sum.segments.max(1.0),
            );
            row.put_of(
                "window_links",
                if window == 2 { "2" } else { "6" },
                sum.link_density(),
            );
            row.put_of(
                "window_prose",
                if window == 2 { "2" } else { "6" },
                sum.prose / sum.words.max(1.0),
            );
        }
    }

    fn surroundings(&self, segment: &Segment, row: &mut Row<'_>) {
        let depth = self.layout.boxes.get(segment.parent).map_or(0, |b| b.depth);
        let context = self.contexts.get(segment.parent);
        let distance = |found: Option<&u16>| match found {
            Some(at) if *at != NOWHERE => depth as f32 - f32::from(*at),
            _ => FAR,
        };
        for (at, (name, _)) in AROUND.iter().enumerate() {
            row.put_of("up", name, distance(context.and_then(|c| c.around.get(at))));
        }
        for (at, cue) in Cue::ALL.iter().enumerate() {
            let near = distance(context.and_then(|c| c.cues.get(at)));
            row.put_of("cue", cue.name(), near);
        }
        // How large the landmarks are that it is in.
        for (at, (name, _)) in LANDMARKS.iter().enumerate() {
            let found = context.and_then(|c| c.landmarks.get(at));
            let found = found.and_then(|found| self.layout.boxes.get(*found as usize));
            let chars = found.map_or(0.0, |b| self.sum(b.segments.clone()).chars);
            row.put_of("share", name, chars / self.total.chars.max(1.0));
        }
        let mut boxes = self.layout.around(segment.parent);
        let mut last = None;
        for name in ["1", "2", "3", "4", "5", "6"] {
            let found = boxes.next().or(last);
            last = found;
            let Some((at, found)) = found else { continue };
            let sum = self.sum(found.segments.clone());
            row.put_of("level_share", name, sum.chars / self.total.chars.max(1.0));
            row.put_of("level_words", name, sum.words / sum.segments.max(1.0));
            row.put_of("level_links", name, sum.link_density());
            row.put_of("level_prose", name, sum.prose / sum.words.max(1.0));
            row.put_of("level_segments", name, sum.segments);
            row.put_of("level_headings", name, sum.headings);
            row.put_of(
                "level_children",
                name,
                self.children.get(at).copied().unwrap_or(0.0),
            );
            row.put_of(
                "level_like",
                name,
                self.signatures
                    .get(&found.signature)
                    .copied()
                    .unwrap_or(1.0),
            );
        }
    }

    fn neighbour(
        &self,
        index: usize,
        segment: &Segment,
        offset: isize,
        name: &str,
        row: &mut Row<'_>,
    ) {
        let other = index
            .checked_add_signed(offset)
            .and_then(|at| self.layout.segments.get(at));
        let chars = other.map_or(1.0, |s| s.chars.max(1) as f32);
        row.put_of(name, "words", other.map_or(-1.0, |s| s.words as f32));
        row.put_of(
            name,
            "links",
            other.map_or(-1.0, |s| s.link_chars as f32 / chars),
        );
        row.put_of(
            name,
            "heading",
            other.map_or(0.0, |s| f32::from(self.tag(s).heading_level().unwrap_or(0))),
        );
        row.put_of(
            name,
            "p",
            flag(other.is_some_and(|s| self.tag(s) == Tag::P)),
        );
        // How many boxes up the two meet.
        let up = other.map_or(FAR, |_| {
            let at = index.saturating_add_signed(offset);
            self.layout
                .around(segment.parent)
                .position(|(_, b)| b.segments.contains(&at))
                .map_or(FAR, |up| up as f32)
        });
        row.put_of(name, "up", up);
    }

    fn page(&self, facts: &PageFacts, row: &mut Row<'_>) {
        let total = self.total;
        row.put("page_words", total.words);
        row.put("page_segments", total.segments);
        row.put("page_links", total.link_density());
        row.put("page_prose", total.prose / total.words.max(1.0));
        row.put("page_prose_words", total.prose);
        row.put("page_paragraphs", total.paragraphs / total.words.max(1.0));
        row.put("page_headings", total.headings);
        row.put(
            "page_words_per_segment",
            total.words / total.segments.max(1.0),
        );
        for (name, container) in ["c40", "c60", "c85"].into_iter().zip(self.containers) {
            let sum = self
                .layout
                .boxes
                .get(container)
                .map_or(total, |b| self.sum(b.segments.clone()));
            row.put_of("page_share", name, sum.chars / total.chars.max(1.0));
        }
        facts.put(|name, value| row.put_of("page", name, value));
    }
}

impl Context {
    fn of(dom: &Dom, parent: Option<&Self>, at: usize, found: &BoxInfo) -> Self {
        let mut context = parent.copied().unwrap_or(Self {
            cues: [NOWHERE; Cue::ALL.len()],
            around: [NOWHERE; AROUND.len()],
            landmarks: [u32::MAX; LANDMARKS.len()],
        });
        for (slot, (_, is)) in context.landmarks.iter_mut().zip(LANDMARKS) {
            if is(found) {
                *slot = u32::try_from(at).unwrap_or(u32::MAX);
            }
        }
        let depth = u16::try_from(found.depth).unwrap_or(NOWHERE);
        let role = dom.attribute(found.node, "role").and_then(|role| {
            Some(match role {
                "navigation" | "menubar" | "menu" => Tag::Nav,
                "banner" => Tag::Header,
                "contentinfo" => Tag::Footer,
                "complementary" => Tag::Aside,
                "main" => Tag::Main,
                "article" => Tag::Article,
                "dialog" | "alertdialog" => Tag::Dialog,
                "search" | "form" => Tag::Form,
                "button" => Tag::Button,
                _ => return None,
            })
        });
        let tags = [Some(found.tag), role];
        for tag in tags.into_iter().flatten() {
            for (slot, (_, wanted)) in context.around.iter_mut().zip(AROUND) {
                if wanted.contains(&tag) {
                    *slot = depth;
                }
            }
        }
        let mut cues = found.cues;
        if let Some(cue) = landmark(found.tag) {
            cues.add(super::lexicon::Cues(1 << cue as u32));
        }
        for (slot, cue) in context.cues.iter_mut().zip(Cue::ALL) {
            if cues.has(cue) {
                *slot = depth;
            }
        }
        context
    }
}

fn flag(value: bool) -> f32 {
    f32::from(u8::from(value))
}

fn hash(text: &str) -> u64 {
    let mut hash = Fnv::default();
    hash.write(text);
    hash.0
}

/// What a text looks like.
#[derive(Debug, Default)]
struct Shape {
    stops: f32,
    commas: f32,
    digits: f32,
    upper: f32,
    capitalized: f32,
    symbols: f32,
    currency: f32,
    non_ascii: f32,
    ends_sentence: bool,
}

impl Shape {
    fn of(text: &str) -> Self {
        let mut shape = Self::default();
        let mut start = true;
        for c in text.chars() {
            // Most are these, and none of those below.
            if c.is_ascii_lowercase() || c == ' ' {
                start = c == ' ';
                continue;
            }
            match c {
                '.' | '!' | '?' | '。' | '！' | '？' | '…' | '؟' | '।' => {
                    shape.stops += 1.0
                }
                ',' | ';' | '，' | '、' | '；' => shape.commas += 1.0,
                '0'..='9' => shape.digits += 1.0,
                '|' | '•' | '·' | '/' | '»' | '›' | '→' | '>' | '#' | '@' | '+' => {
                    shape.symbols += 1.0
                }
                '$' | '€' | '£' | '¥' | '₹' => shape.currency += 1.0,
                _ if c.is_uppercase() => {
                    shape.upper += 1.0;
                    if start {
                        shape.capitalized += 1.0;
                    }
                }
                _ => {}
            }
            if !c.is_ascii() {
                shape.non_ascii += 1.0;
            }
            start = c == ' ';
        }
        shape.ends_sentence = text
            .trim_end_matches(['"', '\'', ')', '”', '’', '»'])
            .ends_with(['.', '!', '?', '。', '！', '？', '…', '؟', '।']);
        shape
    }
}
