//! Texts that the same piece of a template made: all names above posts, all prices of a list.

use foldhash::HashMap;

use crate::layout::Layout;

/// So many texts have a judgement in common.
const ENOUGH: f32 = 3.0;
/// How much of it counts for each of them.
const SHARED: f32 = 0.5;

/// Moves what is thought of each segment towards what is thought of all that the same piece of
/// the template made: one post is content as all are. What has a probability that is no number was not judged, nor was
/// anything else that its piece made.
pub(super) fn pool(layout: &Layout, probabilities: &mut [f32]) {
    let mut sums: HashMap<u64, (f32, f32)> = HashMap::default();
    let segments = layout.segments.iter();
    for (segment, probability) in segments.zip(probabilities.iter()) {
        if probability.is_nan() {
            continue;
        }
        let sum = sums.entry(segment.piece).or_default();
        sum.0 += 1.0;
        sum.1 += probability;
    }
    for (segment, probability) in layout.segments.iter().zip(probabilities) {
        if probability.is_nan() {
            continue;
        }
        if let Some((count, sum)) = sums.get(&segment.piece).filter(|sum| sum.0 >= ENOUGH) {
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
    fn texts_of_one_piece_are_judged_together() {
        let html = "<div><p class=a>one<p class=a>two<p class=a>three<p class=b>four</div>";
        let layout = lay_out(&parse(html, &Limits::default()));
        let mut probabilities = [0.9, 0.6, 0.0, 0.3];
        pool(&layout, &mut probabilities);
        assert_eq!(
            probabilities.map(|p| (p * 100.0).round()),
            [70.0, 55.0, 25.0, 30.0]
        );
    }
}
