//! Publishing as a site owner meets it: folders in, folders out.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr
)]

mod again;
mod artefacts;
mod buckets;
mod clock;
mod corpora;
#[path = "../edits/mod.rs"]
mod edits;
mod elsewhere;
mod failures;
mod first;
mod hostile_source;
mod interrupted;
mod kept_out;
mod markup;
mod owners_files;
mod sections;
mod site;
mod sitemaps;
#[allow(dead_code, reason = "the storage crate's own tests need more of it")]
#[path = "../../../sitecast-storage/tests/conformance/weed.rs"]
mod weed;
