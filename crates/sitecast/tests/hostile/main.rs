//! The command against hostile servers, in a process of its own; hostile clients are in the tests of `sitecast-serve`.
//!
//! Each test states a bound on time and memory, and fails when the process passes it. The bounds are
//! generous: without the defence under test, the process takes ten times as much or never ends.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice
)]

mod fetching;
mod frontier;
mod process;
