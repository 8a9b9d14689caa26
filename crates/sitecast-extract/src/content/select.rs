//! Selection of segments, given their probabilities.

use std::borrow::Cow;
use std::ops::Range;

use super::dependent::{DependentContent, is_dependent};
use super::lexicon::Cue;
use super::repeated_labels::repeated_labels;
use crate::Reason;
use crate::decided::Decided;
use crate::dom::Tag;
use crate::layout::{Layout, Segment};
use crate::reason::Trace;

/// Returns the weight of a segment: its words, or characters where the script has no spaces.
pub(crate) fn weight(words: u32, chars: u32) -> f32 {
    words.max(chars / 8).max(1) as f32
}

/// Selects the segments to keep, given the probability of each.
///
/// Keeps as many of the most likely segments as maximise the expected F1: some pages have much content and others
/// little, so no fixed threshold is right. Always keeps the most likely segment, so that no page with text is
/// extracted empty.
///
/// `recall` is the weight of missing text, relative to superfluous text. The segments in `decided` count as certain
/// and keep their decision.
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
    apply_decisions(decided.iter(), &mut kept);
    for (at, found) in layout.boxes.iter().enumerate() {
        let outer = layout.boxes.get(found.parent);
        let outermost = found.hidden && outer.is_none_or(|outer| !outer.hidden);
        if !outermost {
            continue;
        }
        let inside = found.segments.clone();
        let segments = layout.segments.get(inside.clone()).unwrap_or_default();
        let words: u32 = segments.iter().map(|segment| segment.words).sum();
        if words < HIDDEN_WORDS && !may_be_shown(layout, at) {
            kept.get_mut(inside).unwrap_or_default().fill(false);
        }
    }
    trace.after(&kept, || Reason::Hidden);
    // Only the owner can override what the page hides.
    apply_decisions(decided.iter().filter(|it| it.is_by_owner()), &mut kept);
    let shown = kept.clone();
    restore_context(layout, probabilities, &mut kept, trace);
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

fn apply_decisions<'d>(decided: impl Iterator<Item = &'d Decided<'d>>, kept: &mut [bool]) {
    for decided in decided {
        if let Some(slot) = kept.get_mut(decided.segment) {
            *slot = decided.keep;
        }
    }
}

/// The weight of missing text in the F1, relative to superfluous text: the square of beta.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Recall(f32);

impl Recall {
    /// Equal weights.
    pub(crate) const EVEN: Self = Self(1.0);
    /// More text around an article looks like content than the marked pages teach. Without this, precision was lower
    /// than recall by up to 0.17, on each of five collections of news and blogs that the model has not seen.
    pub(crate) const OF_ARTICLE: Self = Self(0.5);
}

/// The best expected F1 of any selection of segments.
pub(super) struct BestF1 {
    /// The least probability of a kept segment.
    pub(super) threshold: f32,
    pub(super) f1: f32,
}

pub(super) fn best_f1(
    probabilities: &[f32],
    weights: impl Iterator<Item = f32>,
    Recall(recall): Recall,
) -> BestF1 {
    // A segment with probability 0 would come last and only lower the F1. TemplateDecision exclude most of a page like that.
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

/// Leave out hidden text with fewer words, unless the page can show it. Longer texts are tabs, accordions and
/// carousels, and are scored as if they were shown.
const HIDDEN_WORDS: u32 = 12;

/// Returns true if a hidden box is one of several that the page shows in turn.
fn may_be_shown(layout: &Layout, hidden: usize) -> bool {
    layout.around(hidden).take(4).any(|(_, found)| {
        found.on_demand || found.cues.has(Cue::Question) || found.cues.has(Cue::Code)
    })
}

/// Returns true for the copyright line at the end of a template.
fn is_fine_print(text: &str, words: u32) -> bool {
    let start = text.get(..9).unwrap_or(text);
    words <= 25
        && (text.starts_with(['©', '℗']) || start.eq_ignore_ascii_case("copyright"))
        && text.contains(|c: char| c.is_ascii_digit())
}

/// Restores segments that belong to the content around them but do not look like content: code, numbers in tables,
/// short items, quotations and headings. Keeps or leaves out tables and code as a whole.
fn restore_context(
    layout: &Layout,
    probabilities: &[f32],
    kept: &mut [bool],
    trace: &mut impl Trace,
) {
    let sums = Sums::of(layout, kept);
    let mut known_labels = None;
    let mut known_dependent = None;
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
        let mut is_kept_with_text = || {
            is_dependent(found)
                && known_dependent
                    .get_or_insert_with(|| DependentContent::of(layout, kept))
                    .has(at)
        };
        let belongs = match found.tag {
            Tag::Table if is_page(layout, at) => false,
            Tag::Table => inner > 0.25 || beside,
            Tag::Pre => inner > 0.0 || among_content || beside || is_kept_with_text(),
            Tag::Figcaption | Tag::Aside => is_kept_with_text(),
            Tag::Dl | Tag::Blockquote => inner > 0.3 || beside,
            Tag::Ul | Tag::Ol => inner > 0.5 || (beside && likely() && !is_links(layout, inside)),
            Tag::Li | Tag::P | Tag::Dd | Tag::Dt => {
                inner > 0.5 || ((follows || precedes) && among_content && likely())
            }
            // A heading is only kept with the text below it.
            tag if tag.heading_level().is_some_and(|level| level > 1) => precedes && among_content,
            _ => false,
        };
        // Cells and lines of code may repeat; other repeated texts are labels.
        let whole =
            matches!(found.tag, Tag::Table | Tag::Pre) || found.tag.heading_level().is_some();
        if !belongs {
            continue;
        }
        let slots = kept.get_mut(inside.clone()).unwrap_or_default();
        if whole {
            slots.fill(true);
        } else {
            // On many pages nothing is restored, so the labels are computed on demand.
            let are_labels = known_labels.get_or_insert_with(|| repeated_labels(layout));
            let are_labels = are_labels.get(inside.clone()).unwrap_or_default();
            for (slot, is_label) in slots.iter_mut().zip(are_labels) {
                *slot |= !is_label;
            }
        }
        trace.after(kept, || Reason::BelongsToText {
            part: part(found.tag),
        });
    }
}

/// Returns the kind of a restored box.
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

/// A box with more than this share of its text kept counts as content.
const MOSTLY: f32 = 0.6;
/// The least probability of a list or a paragraph to be restored among content.
const NOT_UNLIKELY: f32 = 0.2;

/// Returns true if most of a text is links: a menu, or share buttons.
fn is_links(layout: &Layout, range: &Range<usize>) -> bool {
    let segments = layout.segments.get(range.clone()).unwrap_or_default();
    let chars: u32 = segments.iter().map(|segment| segment.chars).sum();
    let links: u32 = segments.iter().map(|segment| segment.link_chars).sum();
    links * 2 > chars
}

/// Returns the segments of the nearest enclosing box with more segments.
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

/// Prefix sums: the weight of all segments, and of kept ones.
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

    /// Returns the share of the weight in a range that is kept.
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

/// Returns true for a layout table: it contains tables, headings, lists, quotations or articles.
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

    /// Reference implementation, which includes segments with probability 0.
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
        fn zero_probabilities_change_no_threshold(
            segments in prop::collection::vec((prop_oneof![Just(0.0f32), Just(0.8f32), 0.0f32..1.0], 1u16..300), 1..60),
        ) {
            let (probabilities, weights): (Vec<f32>, Vec<f32>) =
                segments.into_iter().map(|(p, weight)| (p, f32::from(weight))).unzip();
            let plainly = threshold_of_all(&probabilities, &weights);
            prop_assert_eq!(best_f1(&probabilities, weights.into_iter(), Recall::EVEN).threshold, plainly);
        }
    }

    #[test]
    fn keeps_hidden_text_that_the_page_can_show() {
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
    fn does_not_restore_repeated_labels() {
        let post = "<dl><dt>Offline</dt><dd>Some words of a post</dd></dl>";
        let layout = lay_out(&parse(&post.repeat(3), &Limits::default()));
        let kept = kept_of(&layout, &[0.1, 0.9, 0.1, 0.9, 0.1, 0.9]);
        assert_eq!(kept, [false, true, false, true, false, true]);
    }

    #[test]
    fn keeps_less_with_a_lower_recall_weight() {
        let kept =
            |recall: Recall| best_f1(&[0.9, 0.4, 0.1], [1.0; 3].into_iter(), recall).threshold;
        assert_eq!(kept(Recall::EVEN), 0.4);
        assert_eq!(kept(Recall::OF_ARTICLE), 0.9);
    }

    #[test]
    fn always_keeps_the_most_likely_segment() {
        let layout = lay_out(&parse("<p>one<p>two<p>three", &Limits::default()));
        assert_eq!(kept_of(&layout, &[0.01, 0.02, 0.001]), [false, true, false]);
        assert_eq!(kept_of(&layout, &[0.9, 0.95, 0.1]), [true, true, false]);
        assert_eq!(kept_of(&layout, &[0.0, 0.0, 0.0]).len(), 3);
        assert!(kept_of(&layout, &[]).is_empty());
    }
}
