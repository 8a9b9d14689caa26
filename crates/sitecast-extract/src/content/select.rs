//! From probabilities to a choice.

use std::borrow::Cow;
use std::ops::Range;

use super::carried::{Carried, is_carried};
use super::echoes::echoes;
use super::lexicon::Cue;
use crate::Reason;
use crate::decided::Decided;
use crate::dom::Tag;
use crate::layout::{Layout, Segment};
use crate::reason::Trace;

/// How much a segment counts: its words, or its characters where the script has no spaces.
pub(crate) fn weight(words: u32, chars: u32) -> f32 {
    words.max(chars / 8).max(1) as f32
}

/// Which segments to keep, given how likely each is content.
///
/// Keeps as many of the likeliest as give the best F1 that can be expected: the text that is
/// worth having is large on some pages and small on others, so no fixed threshold is right. The
/// likeliest segment is always kept; a page with text never comes out empty.
///
/// `recall` is what text that is missing weighs, against text that is too much.
///
/// What was decided beforehand counts as certain, and stays as it was decided.
pub(crate) fn select(
    layout: &Layout,
    probabilities: &[f32],
    decided: &[Decided<'_>],
    recall: Recall,
    trace: &mut impl Trace,
) -> Vec<bool> {
    let probabilities = &with_decided(probabilities, decided);
    let weights = layout.segments.iter();
    let weights = weights.map(|segment| weight(segment.words, segment.chars));
    let threshold = best_f1(probabilities, weights, recall).threshold;
    let mut kept: Vec<bool> = probabilities
        .iter()
        .map(|probability| *probability >= threshold)
        .collect();
    trace.after(&kept, || Reason::Likely);
    let is_fine_print = |segment: &Segment| is_fine_print(layout.text_of(segment), segment.words);
    let says_more = |(segment, kept): (&Segment, &bool)| *kept && !is_fine_print(segment);
    if layout.segments.iter().zip(&kept).any(says_more) {
        for (segment, kept) in layout.segments.iter().zip(&mut kept) {
            *kept = *kept && !is_fine_print(segment);
        }
    }
    trace.after(&kept, || Reason::FinePrint);
    keep_to(decided.iter(), &mut kept);
    for (at, found) in layout.boxes.iter().enumerate() {
        let outer = layout.boxes.get(found.parent);
        let outermost = found.hidden && outer.is_none_or(|outer| !outer.hidden);
        if !outermost {
            continue;
        }
        let inside = found.segments.clone();
        let segments = layout.segments.get(inside.clone()).unwrap_or_default();
        let words: u32 = segments.iter().map(|segment| segment.words).sum();
        if words < HIDDEN_WORDS && !shows_when_asked(layout, at) {
            kept.get_mut(inside).unwrap_or_default().fill(false);
        }
    }
    trace.after(&kept, || Reason::Hidden);
    // Only the owner can show what the page hides.
    keep_to(decided.iter().filter(|it| it.is_the_owners()), &mut kept);
    let shown = kept.clone();
    mend(layout, probabilities, &mut kept, trace);
    for decided in decided {
        let before = shown.get(decided.segment).copied().unwrap_or(decided.keep);
        if let Some(slot) = kept.get_mut(decided.segment) {
            *slot = before;
        }
    }
    kept
}

fn with_decided<'p>(probabilities: &'p [f32], decided: &[Decided<'_>]) -> Cow<'p, [f32]> {
    let mut probabilities = Cow::Borrowed(probabilities);
    for decided in decided {
        if let Some(slot) = probabilities.to_mut().get_mut(decided.segment) {
            *slot = f32::from(u8::from(decided.keep));
        }
    }
    probabilities
}

fn keep_to<'d>(decided: impl Iterator<Item = &'d Decided<'d>>, kept: &mut [bool]) {
    for decided in decided {
        if let Some(slot) = kept.get_mut(decided.segment) {
            *slot = decided.keep;
        }
    }
}

/// What text that is missing weighs in the F1 of a choice, against text that is too much: the square of its beta.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Recall(f32);

impl Recall {
    /// Both weigh the same.
    pub(crate) const EVEN: Self = Self(1.0);
    /// Of what is around an article more looks like content than is learnt from marked pages: on each of five collections of
    /// news and blogs that the model has not seen, precision was lower than recall without this, by up to 0.17.
    pub(crate) const OF_ARTICLE: Self = Self(0.5);
}

/// The best F1 that can be expected of a choice among segments.
pub(super) struct BestF1 {
    /// How likely a segment has to be for it.
    pub(super) threshold: f32,
    pub(super) f1: f32,
}

pub(super) fn best_f1(
    probabilities: &[f32],
    weights: impl Iterator<Item = f32>,
    Recall(recall): Recall,
) -> BestF1 {
    // What is certain to be no content comes last, is not found and lowers the F1. A template says so of most of a page.
    let mut order: Vec<(f32, f32)> = probabilities
        .iter()
        .copied()
        .zip(weights)
        .filter(|(probability, _)| *probability != 0.0)
        .collect();
    if order.is_empty() {
        return BestF1 {
            threshold: 0.0,
            f1: 0.0,
        };
    }
    order.sort_by(|a, b| b.0.total_cmp(&a.0));
    let expected: f32 = order
        .iter()
        .map(|(probability, weight)| probability * weight)
        .sum();
    let (mut found, mut taken, mut best, mut threshold) = (0.0, 0.0, -1.0, 2.0);
    for (probability, weight) in order {
        found += probability * weight;
        taken += weight;
        let f1 = (1.0 + recall) * found / (taken + recall * expected).max(f32::MIN_POSITIVE);
        if f1 > best {
            best = f1;
            threshold = probability;
        }
    }
    BestF1 {
        threshold,
        f1: best,
    }
}

/// What is hidden and shorter than this is gone, unless something on the page shows it. Longer ones
/// are tabs, accordions and carousels, and are judged as if they were seen.
const HIDDEN_WORDS: u32 = 12;

/// Whether a hidden box is one of several of which one is shown.
fn shows_when_asked(layout: &Layout, hidden: usize) -> bool {
    layout.around(hidden).take(4).any(|(_, found)| {
        found.on_demand || found.cues.has(Cue::Question) || found.cues.has(Cue::Code)
    })
}

/// Whether a text is the line about rights that templates end with, whatever is around it.
fn is_fine_print(text: &str, words: u32) -> bool {
    let start = text.get(..9).unwrap_or(text);
    words <= 25
        && (text.starts_with(['©', '℗']) || start.eq_ignore_ascii_case("copyright"))
        && text.contains(|c: char| c.is_ascii_digit())
}

/// Puts back what belongs to the text around it but looks like no text: code, numbers in tables,
/// short items, quotations and headings. Tables, lists and the like are kept or left out whole.
fn mend(layout: &Layout, probabilities: &[f32], kept: &mut [bool], trace: &mut impl Trace) {
    let sums = Sums::of(layout, kept);
    let mut known_echoes = None;
    let mut known_carried = None;
    for (at, found) in layout.boxes.iter().enumerate() {
        let inside = &found.segments;
        let inner = sums.share(inside);
        if inside.is_empty() || found.hidden || inner == 1.0 {
            continue;
        }
        let around = wider(layout, at);
        let is_kept = |at: usize| around.contains(&at) && kept.get(at) == Some(&true);
        let follows = inside.start.checked_sub(1).is_some_and(is_kept);
        let precedes = is_kept(inside.end);
        let among_content = sums.share(&around) > MOSTLY;
        let beside = follows && (precedes || among_content);
        let likely = || {
            let best = probabilities.get(inside.clone()).unwrap_or_default().iter();
            best.copied().fold(0.0, f32::max) > NOT_UNLIKELY
        };
        let mut is_carried_along = || {
            is_carried(found)
                && known_carried
                    .get_or_insert_with(|| Carried::of(layout, kept))
                    .has(at)
        };
        let belongs = match found.tag {
            Tag::Table if is_page(layout, at) => false,
            Tag::Table => inner > 0.25 || beside,
            Tag::Pre => inner > 0.0 || among_content || beside || is_carried_along(),
            Tag::Figcaption | Tag::Aside => is_carried_along(),
            Tag::Dl | Tag::Blockquote => inner > 0.3 || beside,
            Tag::Ul | Tag::Ol => inner > 0.5 || (beside && likely() && !is_links(layout, inside)),
            Tag::Li | Tag::P | Tag::Dd | Tag::Dt => {
                inner > 0.5 || ((follows || precedes) && among_content && likely())
            }
            // A heading without its text says nothing; with it, it says what the text is about.
            tag if tag.heading_level().is_some_and(|level| level > 1) => precedes && among_content,
            _ => false,
        };
        // Cells and lines of code may all be alike; other texts that are have nothing to say.
        let whole =
            matches!(found.tag, Tag::Table | Tag::Pre) || found.tag.heading_level().is_some();
        if !belongs {
            continue;
        }
        let slots = kept.get_mut(inside.clone()).unwrap_or_default();
        if whole {
            slots.fill(true);
        } else {
            // On many pages nothing has to be put back, and nobody asks.
            let are_echoes = known_echoes.get_or_insert_with(|| echoes(layout));
            let are_echoes = are_echoes.get(inside.clone()).unwrap_or_default();
            for (slot, is_echo) in slots.iter_mut().zip(are_echoes) {
                *slot |= !is_echo;
            }
        }
        trace.after(kept, || Reason::BelongsToText {
            part: part(found.tag),
        });
    }
}

/// What a box is that was put back.
fn part(tag: Tag) -> &'static str {
    match tag {
        Tag::Table => "table",
        Tag::Pre => "code",
        Tag::Blockquote => "quotation",
        Tag::P => "paragraph",
        tag if tag.heading_level().is_some() => "heading",
        _ => "list",
    }
}

/// A box with more kept text than this is a box of content.
const MOSTLY: f32 = 0.6;
/// What is likelier than this may be content, among content.
const NOT_UNLIKELY: f32 = 0.2;

/// Whether most of a text is links: a menu, or buttons to share.
fn is_links(layout: &Layout, range: &Range<usize>) -> bool {
    let segments = layout.segments.get(range.clone()).unwrap_or_default();
    let chars: u32 = segments.iter().map(|segment| segment.chars).sum();
    let links: u32 = segments.iter().map(|segment| segment.link_chars).sum();
    links * 2 > chars
}

/// The segments of the nearest box that has more in it than this one.
fn wider(layout: &Layout, inner: usize) -> Range<usize> {
    let mut boxes = layout.around(inner).map(|(_, found)| &found.segments);
    let Some(inside) = boxes.next() else {
        return 0..0;
    };
    boxes
        .find(|range| range.len() > inside.len())
        .unwrap_or(inside)
        .clone()
}

/// All words and kept words up to each segment.
struct Sums(Vec<(f32, f32)>);

impl Sums {
    fn of(layout: &Layout, kept: &[bool]) -> Self {
        let mut sum = (0.0, 0.0);
        let mut sums = Vec::with_capacity(kept.len() + 1);
        sums.push(sum);
        for (segment, kept) in layout.segments.iter().zip(kept) {
            let weight = weight(segment.words, segment.chars);
            sum.0 += weight;
            sum.1 += if *kept { weight } else { 0.0 };
            sums.push(sum);
        }
        Self(sums)
    }

    /// The share of the words in a range that are kept.
    fn share(&self, range: &Range<usize>) -> f32 {
        let at = |index: usize| {
            self.0
                .get(index)
                .or(self.0.last())
                .copied()
                .unwrap_or_default()
        };
        let (end, start) = (at(range.end), at(range.start));
        let all = end.0 - start.0;
        if all > 0.0 {
            (end.1 - start.1) / all
        } else {
            0.0
        }
    }
}

/// Whether a table is there for the layout: it has tables, headings or lists in it.
fn is_page(layout: &Layout, table: usize) -> bool {
    let Some(outer) = layout.boxes.get(table) else {
        return false;
    };
    layout
        .boxes
        .iter()
        .skip(table + 1)
        .take_while(|inner| inner.depth > outer.depth)
        .any(|inner| {
            inner.tag.heading_level().is_some()
                || matches!(
                    inner.tag,
                    Tag::Table | Tag::Ul | Tag::Ol | Tag::Blockquote | Tag::Article
                )
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use crate::dom::parse;
    use crate::layout::lay_out;
    use proptest::prelude::*;

    fn kept_of(layout: &Layout, probabilities: &[f32]) -> Vec<bool> {
        select(layout, probabilities, &[], Recall::EVEN, &mut ())
    }

    /// The threshold, with what is certain to be no content tried as well.
    fn threshold_of_all(probabilities: &[f32], weights: &[f32]) -> f32 {
        let pairs = probabilities.iter().copied().zip(weights.iter().copied());
        let mut order: Vec<(f32, f32)> = pairs.collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0));
        let expected: f32 = order.iter().map(|(p, weight)| p * weight).sum();
        let (mut found, mut taken, mut best, mut threshold) = (0.0, 0.0, -1.0, 2.0);
        for (probability, weight) in order {
            found += probability * weight;
            taken += weight;
            let f1 = 2.0 * found / (taken + expected).max(f32::MIN_POSITIVE);
            if f1 > best {
                (best, threshold) = (f1, probability);
            }
        }
        threshold
    }

    proptest! {
        #[test]
        fn what_is_certain_to_be_no_content_changes_no_threshold(
            segments in prop::collection::vec((prop_oneof![Just(0.0f32), Just(0.8f32), 0.0f32..1.0], 1u16..300), 1..60),
        ) {
            let (probabilities, weights): (Vec<f32>, Vec<f32>) =
                segments.into_iter().map(|(p, weight)| (p, f32::from(weight))).unzip();
            let plainly = threshold_of_all(&probabilities, &weights);
            prop_assert_eq!(best_f1(&probabilities, weights.into_iter(), Recall::EVEN).threshold, plainly);
        }
    }

    #[test]
    fn hidden_text_is_kept_where_something_shows_it() {
        let html = "<p>Shown<p hidden>Gone<b style='display:none'>Too</b>\
            <div role=tabpanel hidden><p>npm i soup</div><a aria-controls=a>?</a><div id=a hidden>Yes.</div>\
            <a aria-controls=m aria-haspopup=menu>Menu</a><div id=m hidden>Home</div>\
            <div hidden id=S:1f>Late</div><div hidden id=S:x>Never</div>\
            <div hidden>Twelve words and more are a carousel or a tab, most often, and <p>stay</div>";
        let layout = lay_out(&parse(html, &Limits::default()));
        let kept = kept_of(&layout, &vec![0.9; layout.segments.len()]);
        let gone: Vec<_> = layout
            .segments
            .iter()
            .zip(kept)
            .filter(|(_, kept)| !kept)
            .map(|(segment, _)| layout.text_of(segment))
            .collect();
        assert_eq!(gone, ["Gone", "Too", "Home", "Never"]);
    }

    #[test]
    fn what_a_template_says_beside_every_post_is_not_put_back() {
        let post = "<dl><dt>Offline</dt><dd>Some words of a post</dd></dl>";
        let layout = lay_out(&parse(&post.repeat(3), &Limits::default()));
        let kept = kept_of(&layout, &[0.1, 0.9, 0.1, 0.9, 0.1, 0.9]);
        assert_eq!(kept, [false, true, false, true, false, true]);
    }

    #[test]
    fn less_is_kept_where_recall_weighs_less() {
        let kept =
            |recall: Recall| best_f1(&[0.9, 0.4, 0.1], [1.0; 3].into_iter(), recall).threshold;
        assert_eq!(kept(Recall::EVEN), 0.4);
        assert_eq!(kept(Recall::OF_ARTICLE), 0.9);
    }

    #[test]
    fn the_likeliest_text_is_kept_however_unlikely() {
        let layout = lay_out(&parse("<p>one<p>two<p>three", &Limits::default()));
        assert_eq!(kept_of(&layout, &[0.01, 0.02, 0.001]), [false, true, false]);
        assert_eq!(kept_of(&layout, &[0.9, 0.95, 0.1]), [true, true, false]);
        assert_eq!(kept_of(&layout, &[0.0, 0.0, 0.0]).len(), 3);
        assert!(kept_of(&layout, &[]).is_empty());
    }
}
