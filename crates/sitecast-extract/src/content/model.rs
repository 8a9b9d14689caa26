//! The judge of segments.

use std::sync::OnceLock;

use super::features::{describe_each, feature_names};
use super::forest::Forest;
use super::pieces::pool;
use crate::dom::{Dom, parse};
use crate::layout::{Fnv, Layout, lay_out};
use crate::{Limits, ModelError};

/// What was learnt about content and the rest, from pages whose content people had marked.
///
/// The one that comes with the crate is right for nearly everyone. Another can be trained:
/// `training/README.md` says how.
#[derive(Debug)]
pub struct Model {
    /// That of the bundled model is read when it is first asked.
    forest: OnceLock<Forest>,
    /// Tells models apart.
    fingerprint: u64,
}

impl Model {
    /// Reads a model as `training/train.py` writes it.
    pub fn parse(text: &str) -> Result<Self, ModelError> {
        let found = text
            .lines()
            .next()
            .and_then(|head| head.split_once(" over ")?.1.split(' ').next()?.parse().ok())
            .ok_or(ModelError::Head)?;
        let wanted = feature_count();
        if found != wanted {
            return Err(ModelError::Features { found, wanted });
        }
        let forest = Forest::parse(text).map_err(|line| ModelError::Tree { line })?;
        Ok(Self {
            forest: OnceLock::from(forest),
            fingerprint: fingerprint(text),
        })
    }

    /// The model that comes with the crate.
    pub fn bundled() -> &'static Self {
        static MODEL: OnceLock<Model> = OnceLock::new();
        MODEL.get_or_init(|| Self {
            forest: OnceLock::new(),
            fingerprint: fingerprint(BUNDLED),
        })
    }

    fn forest(&self) -> &Forest {
        // A test sees to it that it can be read.
        let read = || Forest::parse(BUNDLED).unwrap_or_default();
        self.forest.get_or_init(read)
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
        url: &str,
        wanted: impl Fn(usize) -> bool,
    ) -> Vec<f32> {
        let mut probabilities = vec![f32::NAN; layout.segments.len()];
        let forest = self.forest();
        let mut rows = Rows::default();
        let mut judge = |rows: &mut Rows| {
            forest.probabilities(&rows.values, rows.width, |row, judged| {
                let index = rows.segments.get(row);
                if let Some(probability) = index.and_then(|index| probabilities.get_mut(*index)) {
                    *probability = judged;
                }
            });
            rows.values.clear();
            rows.segments.clear();
        };
        describe_each(dom, layout, url, wanted, |index, row| {
            rows.values.extend_from_slice(row);
            rows.segments.push(index);
            rows.width = row.len();
            if rows.segments.len() == ROWS_AT_ONCE {
                judge(&mut rows);
            }
        });
        judge(&mut rows);
        pool(layout, &mut probabilities);
        probabilities
    }
}

/// Segments that are judged together. All of a page would be a hundred times the page.
const ROWS_AT_ONCE: usize = 32;

/// Descriptions of segments, one after the other.
#[derive(Default)]
struct Rows {
    values: Vec<f32>,
    width: usize,
    segments: Vec<usize>,
}

const BUNDLED: &str = include_str!("content.model");

fn fingerprint(text: &str) -> u64 {
    let mut hash = Fnv::default();
    hash.write(text);
    hash.0
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
        assert_eq!(of(&format!("{head}\n0,1,-1,-2|1 2")), None);
    }
}
