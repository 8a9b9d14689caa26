//! Tests of complete syncs over real sockets: publish, serve, sync, compare.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stderr
)]

mod again;
mod bounds;
mod corpora;
mod deletions;
mod faults;
mod html;
mod machine_pages;
mod peers;
mod poison;
mod repairing;
mod rotation;
mod world;
