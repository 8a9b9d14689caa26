//! The collections of a site: their order, their lifetimes, reading and writing them.

mod chain;
mod draft;
mod expiry;
mod lifetimes;
mod read;
mod schedule;

pub(crate) use chain::{
    Chain, CollectionFile, Link, LinkKind, chains_of, compression_of, date, join, named, parse_name,
};
pub(crate) use draft::{Draft, DraftPlan, Prepared, attributes};
pub(crate) use expiry::expire;
pub(crate) use lifetimes::Lifetimes;
pub(crate) use read::{carry, collections_folder, each_page, leave_damaged, open, reading};
pub(crate) use schedule::Situation;
