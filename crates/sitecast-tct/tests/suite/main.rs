//! Tests of the public API, in one binary, which links once.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice
)]

mod pages;
mod parity;
mod sitemaps;
