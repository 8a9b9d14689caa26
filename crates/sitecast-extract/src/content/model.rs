//! The model that scores segments.

use std::sync::OnceLock;

use super::facts::PageFacts;
use super::features::{Described, describe_each, feature_names};
use super::forest::{Forest, Scorer};
use super::second::{self, score_again};
use super::shared_scores::share_scores;
use crate::dom::{Dom, parse};
use crate::layout::{Layout, lay_out};
use crate::{Limits, ModelError};

/// A model of content, learnt from pages whose content people had marked.
///
/// The bundled model suits nearly everyone. `training/README.md` explains how to train another.
#[derive(Debug)]
pub struct Model {
    /// The forests of the bundled model are parsed at their first use.
    general: OnceLock<Forest>,
    article: OnceLock<Article>,
    /// A hash of the model's text.
    fingerprint: u64,
}

/// Forests for a page that may be an article and belongs to an unknown site.
#[derive(Debug, Default)]
struct Article {
    /// Scores segments by their own features and surroundings.
    first: Forest,
    /// Scores them again by the first scores of all segments.
    second: Forest,
}

impl Model {
    /// Parses a model in the format of `training/train.py`.
    pub fn parse(text: &str) -> Result<Self, ModelError> {
        let (general, article) = split(text);
        Ok(Self {
            general: OnceLock::from(forest(general, 0, feature_count())?),
            article: OnceLock::from(Article::parse(article, general.lines().count())?),
            fingerprint: fingerprint(text),
        })
    }

    /// Returns the model of this crate.
    pub fn bundled() -> &'static Self {
        static MODEL: OnceLock<Model> = OnceLock::new();
        MODEL.get_or_init(|| Self {
            general: OnceLock::new(),
            article: OnceLock::new(),
            fingerprint: fingerprint(BUNDLED),
        })
    }

    // A test proves that the bundled model can be parsed.
    fn general(&self) -> &Forest {
        let read = || forest(split(BUNDLED).0, 0, feature_count()).unwrap_or_default();
        self.general.get_or_init(read)
    }

    fn article(&self) -> &Article {
        let read = || Article::parse(split(BUNDLED).1, 0).unwrap_or_default();
        self.article.get_or_init(read)
    }

    /// Returns a hash that identifies the model. TemplateDecision learnt with one model do not suit another.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// Returns the probability of each wanted segment to be content, and NaN for the others. Segments from the same
    /// part of a template share their score, so either all of them are wanted or none.
    pub(crate) fn score(
        &self,
        dom: &Dom,
        layout: &Layout,
        facts: &PageFacts,
        wanted: impl Fn(usize) -> bool,
    ) -> Vec<f32> {
        let mut probabilities = score(self.general(), dom, layout, facts, wanted);
        share_scores(layout, &mut probabilities);
        probabilities
    }

    /// Returns the probability of each segment of a page from an unknown site.
    pub(crate) fn score_alone(&self, dom: &Dom, layout: &Layout, facts: &PageFacts) -> Vec<f32> {
        if !facts.may_be_article() {
            return self.score(dom, layout, facts, |_| true);
        }
        let Article { first, second } = self.article();
        let mut probabilities = score(first, dom, layout, facts, |_| true);
        score_again(second, layout, &mut probabilities);
        share_scores(layout, &mut probabilities);
        probabilities
    }
}

fn score(
    forest: &Forest,
    dom: &Dom,
    layout: &Layout,
    facts: &PageFacts,
    wanted: impl Fn(usize) -> bool,
) -> Vec<f32> {
    let mut probabilities = vec![f32::NAN; layout.segments.len()];
    let mut scorer = None;
    describe_each(dom, layout, facts, wanted, |described| {
        let Described {
            segments,
            columns,
            page,
        } = described;
        let scorer = scorer.get_or_insert_with(|| Scorer::new(forest, columns.len(), page));
        scorer.probabilities(columns, segments.len(), |row, score| {
            let index = segments.get(row);
            if let Some(probability) = index.and_then(|index| probabilities.get_mut(*index)) {
                *probability = score;
            }
        });
    });
    probabilities
}

impl Article {
    /// Parses the forests after the first `lines` lines of a model.
    fn parse(text: &str, lines: usize) -> Result<Self, ModelError> {
        let (first, second) = split(text);
        let lines_of_first = lines + first.lines().count();
        Ok(Self {
            first: forest(first, lines, feature_count())?,
            second: forest(second, lines_of_first, second::names().len())?,
        })
    }
}

/// Splits a model into its first forest and the rest. Each forest begins with a line that states its number of trees.
fn split(text: &str) -> (&str, &str) {
    let end = text.find("\n# ").map_or(text.len(), |at| at + 1);
    text.split_at_checked(end).unwrap_or_default()
}

/// Parses a forest for `wanted` features. `lines` is the number of lines before it, for errors.
fn forest(text: &str, lines: usize, wanted: usize) -> Result<Forest, ModelError> {
    let found = text
        .lines()
        .next()
        .and_then(|head| head.split_once(" over ")?.1.split(' ').next()?.parse().ok())
        .ok_or(ModelError::Head)?;
    if found != wanted {
        return Err(ModelError::Features { found, wanted });
    }
    Forest::parse(text).map_err(|line| ModelError::Tree { line: lines + line })
}

const BUNDLED: &str = include_str!("content.model");

/// A variant of FNV-1a over eight bytes at a time: every process hashes the model, which is long.
fn fingerprint(text: &str) -> u64 {
    // A product carries upwards only. The rotation lets the upper bits of one word affect the lower bits of the next.
    let with = |hash: u64, word: u64| (hash.rotate_left(32) ^ word).wrapping_mul(0x0100_0000_01b3);
    let (words, rest) = text.as_bytes().as_chunks();
    let words = words.iter().map(|word| u64::from_le_bytes(*word));
    let rest = rest.iter().map(|byte| u64::from(*byte));
    words.chain(rest).fold(text.len() as u64, with)
}

/// Returns the number of features of a segment.
fn feature_count() -> usize {
    let dom = parse("<p>text", &Limits::default());
    let layout = lay_out(&dom);
    feature_names(&dom, &layout).len()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A change of the features requires a newly trained model.
    #[test]
    fn bundled_model_matches_the_features() {
        assert_eq!(Model::parse(BUNDLED).err(), None);
    }

    #[test]
    fn fingerprints_differ_after_any_change() {
        let text = "# 1 trees over 3 features; x\n0,1,-1,-2|1 2";
        let mut found = vec![fingerprint(text), fingerprint(text.trim_start_matches('#'))];
        for at in 0..text.len() {
            let mut other = text.to_owned();
            other.replace_range(at..=at, "~");
            found.push(fingerprint(&other));
        }
        let count = found.len();
        found.sort_unstable();
        found.dedup();
        assert_eq!(found.len(), count);
    }

    #[test]
    fn rejects_malformed_models() {
        let wanted = feature_count();
        let of = |text: &str| Model::parse(text).err();
        assert_eq!(of(""), Some(ModelError::Head));
        assert_eq!(
            of("# 1 trees over 3 features; x"),
            Some(ModelError::Features { found: 3, wanted })
        );
        let head = format!("# 1 trees over {wanted} features; x");
        assert_eq!(
            of(&format!("{head}\nx")),
            Some(ModelError::Tree { line: 2 })
        );
        let one = format!("{head}\n0,1,-1,-2|1 2\n");
        assert_eq!(of(&one), Some(ModelError::Head));
        assert_eq!(of(&one.repeat(2)), Some(ModelError::Head));
        let again = second::names().len();
        let two = one.repeat(2);
        let three = format!("{two}# 1 trees over {again} features; x\n");
        assert_eq!(of(&format!("{three}x")), Some(ModelError::Tree { line: 6 }));
        assert_eq!(of(&format!("{three}0,1,-1,-2|1 2")), None);
    }
}
