//! Features of a segment's own text and markup.

use super::Page;
use super::row::{Row, flag};
use super::shape::Shape;
use crate::content::phrases::PHRASES;
use crate::content::{Cue, PageFacts};
use crate::dom::Tag;
use crate::layout::Segment;

impl Page<'_> {
    pub(super) fn own(
        &self,
        index: usize,
        segment: &Segment,
        text: &str,
        facts: &PageFacts,
        row: &mut impl Row,
    ) {
        let chars = segment.chars.max(1) as f32;
        let words = segment.words.max(1) as f32;
        let shape = Shape::of(text);
        let (overlap, phrases) = facts.words(text, segment.words);
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
        row.put("title_overlap", overlap);
        row.put("same_text", self.texts.of(index).unwrap_or(1.0));
        row.put("same_path", self.paths.of(index).unwrap_or(1.0));
        for (name, count) in PHRASES.iter().map(|(name, _)| *name).zip(phrases) {
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
}
