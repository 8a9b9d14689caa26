//! The judge of segments.

use std::sync::OnceLock;

use super::facts::PageFacts;
use super::features::{Described, describe_each, feature_names};
use super::forest::{Asking, Forest};
use super::pieces::pool;
use super::second::{self, judge_again};
use crate::dom::{Dom, parse};
use crate::layout::{Layout, lay_out};
use crate::{Limits, ModelError};

/// What was learnt about content and the rest, from pages whose content people had marked.
///
/// The one that comes with the crate is right for nearly everyone. Another can be trained:
/// `training/README.md` says how.
#[derive(Debug)]
pub struct Model {
    /// Those of the bundled model are read when they are first asked.
    general: OnceLock<Forest>,
    article: OnceLock<Article>,
    /// Tells models apart.
    fingerprint: u64,
}

/// What judges a page that may be an article, and of whose site nothing is known.
#[derive(Debug, Default)]
struct Article {
    /// Judges what segments and their surroundings look like.
    first: Forest,
    /// Judges them once more, by what the first thought of all of them.
    second: Forest,
}

impl Model {
    /// Reads a model as `training/train.py` writes it.
    pub fn parse(text: &str) -> Result<Self, ModelError> {
        let (general, article) = split(text);
        Ok(Self {
            general: OnceLock::from(forest(general, 0, feature_count())?),
            article: OnceLock::from(Article::parse(article, general.lines().count())?),
            fingerprint: fingerprint(text),
        })
    }

    /// The model that comes with the crate.
    pub fn bundled() -> &'static Self {
        static MODEL: OnceLock<Model> = OnceLock::new();
        MODEL.get_or_init(|| Self {
            general: OnceLock::new(),
            article: OnceLock::new(),
            fingerprint: fingerprint(BUNDLED),
        })
    }

    // A test sees to it that the bundled model can be read.
    fn general(&self) -> &Forest {
        let read = || forest(split(BUNDLED).0, 0, feature_count()).unwrap_or_default();
        self.general.get_or_init(read)
    }

    fn article(&self) -> &Article {
        let read = || Article::parse(split(BUNDLED).1, 0).unwrap_or_default();
        self.article.get_or_init(read)
    }

    /// Another model has another; what was learnt with one is not for the other.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// How likely each segment is content, of those that are wanted; of the others it is no number. Segments that one piece of a
    /// template made share a judgement, so all of them are wanted or none.
    pub(crate) fn judge(
        &self,
        dom: &Dom,
        layout: &Layout,
        facts: &PageFacts,
        wanted: impl Fn(usize) -> bool,
    ) -> Vec<f32> {
        let mut probabilities = judge(self.general(), dom, layout, facts, wanted);
        pool(layout, &mut probabilities);
        probabilities
    }

    /// How likely each segment of a page is content of which nothing else is known.
    pub(crate) fn judge_alone(&self, dom: &Dom, layout: &Layout, facts: &PageFacts) -> Vec<f32> {
        if !facts.may_be_article() {
            return self.judge(dom, layout, facts, |_| true);
        }
        let Article { first, second } = self.article();
        let mut probabilities = judge(first, dom, layout, facts, |_| true);
        judge_again(second, layout, &mut probabilities);
        pool(layout, &mut probabilities);
        probabilities
    }
}

fn judge(
    forest: &Forest,
    dom: &Dom,
    layout: &Layout,
    facts: &PageFacts,
    wanted: impl Fn(usize) -> bool,
) -> Vec<f32> {
    let mut probabilities = vec![f32::NAN; layout.segments.len()];
    let mut asking = None;
    describe_each(dom, layout, facts, wanted, |described| {
        let Described {
            segments,
            columns,
            page,
        } = described;
        let asking = asking.get_or_insert_with(|| Asking::new(forest, columns.len(), page));
        asking.probabilities(columns, segments.len(), |row, judged| {
            let index = segments.get(row);
            if let Some(probability) = index.and_then(|index| probabilities.get_mut(*index)) {
                *probability = judged;
            }
        });
    });
    probabilities
}

impl Article {
    /// Reads what comes after so many lines.
    fn parse(text: &str, lines: usize) -> Result<Self, ModelError> {
        let (first, second) = split(text);
        let lines_of_first = lines + first.lines().count();
        Ok(Self {
            first: forest(first, lines, feature_count())?,
            second: forest(second, lines_of_first, second::names().len())?,
        })
    }
}

/// The first forest of a model, and the rest: each begins with a line that says how many trees it has.
fn split(text: &str) -> (&str, &str) {
    let end = text.find("\n# ").map_or(text.len(), |at| at + 1);
    text.split_at_checked(end).unwrap_or_default()
}

/// Reads a forest that comes after so many lines, for so many features.
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

/// Much like FNV-1a, but of eight bytes at a time: every process does this, and a model is long.
fn fingerprint(text: &str) -> u64 {
    // A product carries upwards only. Turned, the upper bits of one word count for the lower ones of the next.
    let with = |hash: u64, word: u64| (hash.rotate_left(32) ^ word).wrapping_mul(0x0100_0000_01b3);
    let (words, rest) = text.as_bytes().as_chunks();
    let words = words.iter().map(|word| u64::from_le_bytes(*word));
    let rest = rest.iter().map(|byte| u64::from(*byte));
    words.chain(rest).fold(text.len() as u64, with)
}

/// How many numbers describe a segment.
fn feature_count() -> usize {
    let dom = parse("<p>text", &Limits::default());
    let layout = lay_out(&dom);
    feature_names(&dom, &layout).len()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// After a change of the features the model has to be trained anew.
    #[test]
    fn the_bundled_model_is_for_these_features() {
        assert_eq!(Model::parse(BUNDLED).err(), None);
    }

    #[test]
    fn models_that_differ_anywhere_are_told_apart() {
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
    fn what_is_no_model_is_refused() {
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
