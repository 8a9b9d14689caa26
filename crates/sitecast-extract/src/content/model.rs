//! The judge of segments.

use std::sync::OnceLock;

use super::facts::PageFacts;
use super::features::describe_each;
use super::forest::Forest;
use crate::dom::Dom;
use crate::layout::{Fnv, Layout};

/// What was learnt about content and the rest, from pages whose content people had marked.
///
/// The one that comes with the crate is right for nearly everyone. Another can be trained:
/// `training/README.md` says how.
#[derive(Debug)]
pub struct Model {
    forest: Forest,
    /// Tells models apart.
    fingerprint: u64,
}

impl Model {
    /// Reads a model as `training/train.py` writes it; `None` where it is not one.
    pub fn parse(text: &str) -> Option<Self> {
        let mut fingerprint = Fnv::default();
        fingerprint.write(text);
        Some(Self {
            forest: Forest::parse(text)?,
            fingerprint: fingerprint.0,
        })
    }

    /// The model that comes with the crate.
    pub fn bundled() -> &'static Self {
        static MODEL: OnceLock<Model> = OnceLock::new();
        MODEL.get_or_init(|| {
            // A test sees to it that it can be read.
            Self::parse(include_str!("content.model")).unwrap_or(Self {
                forest: Forest::default(),
                fingerprint: 0,
            })
        })
    }

    /// Another model has another; what was learnt with one is not for the other.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// How likely each segment is content.
    pub(crate) fn judge(&self, dom: &Dom, layout: &Layout, facts: &PageFacts) -> Vec<f32> {
        let mut probabilities = Vec::with_capacity(layout.segments.len());
        describe_each(dom, layout, facts, |row| {
            probabilities.push(self.forest.probability(row));
        });
        probabilities
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::feature_names;

    #[test]
    fn the_bundled_model_can_be_read() {
        assert!(Model::parse(include_str!("content.model")).is_some());
    }

    /// After a change of the features the model has to be trained anew.
    #[test]
    fn the_bundled_model_is_for_these_features() {
        let dom = crate::dom::parse("<p>text", &crate::Limits::default());
        let layout = crate::layout::lay_out(&dom);
        let names = feature_names(&dom, &layout, &PageFacts::of(&dom, "https://example.com/"));
        let head = include_str!("content.model").lines().next().unwrap();
        assert!(
            head.contains(&format!(" over {} features", names.len())),
            "{head}: {}",
            names.len()
        );
    }
}
