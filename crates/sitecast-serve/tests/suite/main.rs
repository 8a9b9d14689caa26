//! Integration tests of the server over real sockets.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    clippy::string_slice
)]

mod browsers;
mod buckets;
mod client;
mod collections;
mod fast_path;
mod files;
mod fixture;
mod frames;
mod hosts;
mod limits;
mod machine_pages;
mod malformed;
mod operation;
mod patched_store;
mod protection;
mod publications;
#[cfg(unix)]
mod remote_store;
mod secure;
mod sitemaps;
#[allow(dead_code, reason = "the storage crate's own tests need more of it")]
#[path = "../../../sitecast-storage/tests/conformance/weed.rs"]
mod weed;
