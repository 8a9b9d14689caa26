//! Tests of the public interface, in one program so that it is linked once.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::unreachable,
    clippy::indexing_slicing
)]

mod checksum;
mod conformance_doc;
mod conformance_vectors;
mod hostile;
mod markdown;
mod marked_markdown;
mod round_trip;
mod schema_agreement;
mod scp_format;
mod strategies;
mod support;
mod text;
mod verified;
mod writer;
