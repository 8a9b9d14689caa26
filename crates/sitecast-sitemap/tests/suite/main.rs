//! Tests of the public interface, in one program so that it is linked once.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stderr
)]

mod extending;
mod hostile;
mod reading;
mod schema;
mod scp;
mod support;
mod writing;
