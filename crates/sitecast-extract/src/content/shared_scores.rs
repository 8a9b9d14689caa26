//! Shared scores of segments from the same part of a template: all names above posts, all prices of a list.

use foldhash::HashMap;

use crate::layout::Layout;

/// Segments share a score if there are at least this many.
const ENOUGH: f32 = 3.0;
/// The share of the common score in each segment's score.
const SHARED: f32 = 0.5;

/// Moves the probability of each segment towards the mean of all segments from the same part of the template. NaN
/// marks segments without a score; then no segment of that part has one.
pub(super) fn share_scores(layout: &Layout, probabilities: &mut [f32]) {
    let mut sums: HashMap<u64, (f32, f32)> = HashMap::default();
    let segments = layout.segments.iter();
    for (segment, probability) in segments.zip(probabilities.iter()) {
        if probability.is_nan() {
            continue;
        }
        let sum = sums.entry(segment.template_part).or_default();
        sum.0 += 1.0;
        sum.1 += probability;
    }
    for (segment, probability) in layout.segments.iter().zip(probabilities) {
        if probability.is_nan() {
            continue;
        }
        if let Some((count, sum)) = sums
            .get(&segment.template_part)
            .filter(|sum| sum.0 >= ENOUGH)
        {
            *probability += SHARED * (sum / count - *probability);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use crate::dom::parse;
    use crate::layout::lay_out;

    #[test]
    fn averages_segments_of_one_template_part() {
        let html = "<div><p class=a>one<p class=a>two<p class=a>three<p class=b>four</div>";
        let layout = lay_out(&parse(html, &Limits::default()));
        let mut probabilities = [0.9, 0.6, 0.0, 0.3];
        share_scores(&layout, &mut probabilities);
        assert_eq!(
            probabilities.map(|p| (p * 100.0).round()),
            [70.0, 55.0, 25.0, 30.0]
        );
    }
}
