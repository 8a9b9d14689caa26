//! Behaviour of the crate as its users see it, in one program: it links once.
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
