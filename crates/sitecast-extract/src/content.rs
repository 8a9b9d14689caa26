//! The model that finds the content of a page: features, forests, and the selection of segments.

mod dependent;
mod facts;
mod features;
mod forest;
mod lexicon;
mod model;
mod phrases;
mod repeated_labels;
mod second;
mod select;
mod shared_scores;
mod words;

pub(crate) use facts::PageFacts;
pub(crate) use features::{describe_each, feature_names, is_prose};
pub(crate) use lexicon::{Cue, Cues, cues_of_name};
pub use model::Model;
pub(crate) use second::{describe_again, names as names_again};
pub(crate) use select::{Recall, select, weight};
