//! Tests of the index through its public API.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    clippy::print_stderr
)]

mod child;
mod merging;
mod model;
mod properties;
mod support;
mod survival;
mod verifying;
