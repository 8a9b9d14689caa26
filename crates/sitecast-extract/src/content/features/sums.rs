//! Prefix sums over segments.

use crate::layout::Segment;

/// Sums over all segments up to a place.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sums {
    pub(super) segments: f32,
    pub(super) words: f32,
    pub(super) chars: f32,
    pub(super) link_chars: f32,
    /// Words of segments that read like sentences.
    pub(super) prose: f32,
    pub(super) paragraphs: f32,
    pub(super) headings: f32,
}

impl Sums {
    pub(super) fn minus(self, other: Self) -> Self {
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

    pub(super) fn link_density(self) -> f32 {
        self.link_chars / self.chars.max(1.0)
    }
}

/// Returns the sum over a range from the prefix sums.
pub(super) fn within(sums: &[Sums], range: std::ops::Range<usize>) -> Sums {
    let at = |index: usize| sums.get(index).or(sums.last()).copied().unwrap_or_default();
    at(range.end).minus(at(range.start))
}

/// Returns true if a segment reads like sentences.
pub(crate) fn is_prose(segment: &Segment, text: &str) -> bool {
    segment.words >= 12
        && segment.link_chars * 3 < segment.chars
        && text.contains(['.', ',', '!', '?', ';', '。', '，', '、', '؟', '।'])
        || (segment.chars >= 40 && segment.words <= 4 && segment.link_chars * 3 < segment.chars)
}
