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
mod corpora;
mod failures;
mod first;
mod sections;
mod site;
