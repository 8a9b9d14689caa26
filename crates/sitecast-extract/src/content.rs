//! Which text of a page is its content.

mod carried;
mod echoes;
mod facts;
mod features;
mod forest;
mod lexicon;
mod model;
mod phrases;
mod pieces;
mod second;
mod select;
mod words;

pub(crate) use facts::PageFacts;
pub(crate) use features::{describe_each, feature_names, is_prose};
pub(crate) use lexicon::{Cue, Cues, cues_of_name};
pub use model::Model;
pub(crate) use second::{describe_again, names as names_again};
pub(crate) use select::{Recall, select, weight};
