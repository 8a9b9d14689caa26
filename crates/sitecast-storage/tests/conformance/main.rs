//! One suite that every store passes, and tests of each store.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr
)]

#[cfg(feature = "s3")]
mod bucket;
mod child;
mod folder;
mod memory;
mod paths;
mod suite;
#[cfg(feature = "s3")]
mod weed;
