//! The collections of a site: their order, their lifetimes, reading and writing them.

pub(crate) mod chain;
pub(crate) mod draft;
pub(crate) mod expiry;
pub(crate) mod lifetimes;
pub(crate) mod read;
pub(crate) mod schedule;
