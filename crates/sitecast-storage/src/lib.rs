//! Where publications live: a folder, an S3-compatible bucket, or memory.
//!
//! One narrow trait, [`Store`], with what a publisher and a server need: read, put, delete, list,
//! and a lock against a second publisher. Every put is atomic: whoever reads sees the old object or
//! the new one, never half of either. The trait is synchronous; what a bucket needs of asynchronous
//! machinery stays inside.

mod error;
mod path;
mod store;

pub use error::StoreError;
pub use path::{InvalidPath, StorePath};
pub use store::{Attributes, Body, Condition, Listed, Lock, Object, Put, Store, Tag};
