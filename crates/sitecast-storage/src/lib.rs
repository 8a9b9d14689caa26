//! Where publications live: a folder, an S3-compatible bucket, or memory.
//!
//! One narrow trait, [`Store`], with what a publisher and a server need: read, put, delete, list,
//! and a lock against a second publisher. Every put is atomic: whoever reads sees the old object or
//! the new one, never half of either. The trait is synchronous; what a bucket needs of asynchronous
//! machinery stays inside.
//!
//! ```
//! use std::io::Read;
//! use sitecast_storage::{Attributes, Body, Condition, Folder, Put, Store};
//!
//! # let temp = tempfile::tempdir()?;
//! # let public = temp.path();
//! let store = Folder::new(public)?;
//! // Nobody else publishes here until this is dropped.
//! let lock = store.lock()?;
//! store.put(Put {
//!     path: "scp/all.scp".parse()?,
//!     body: Body::Bytes(b"...".to_vec()),
//!     attributes: Attributes {
//!         content_type: Some("application/scp".to_owned()),
//!         ..Attributes::default()
//!     },
//!     condition: Condition::None,
//! })?;
//! store.sync()?;
//! drop(lock);
//!
//! let mut object = store.get(&"scp/all.scp".parse()?)?.ok_or("it was just put")?;
//! let mut text = String::new();
//! object.reader.read_to_string(&mut text)?;
//! assert_eq!(text, "...");
//! assert_eq!(object.size, 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | store | location for [`open`] | lock |
//! |---|---|---|
//! | [`Folder`] | `public`, `file:///srv/public` | the kernel's, gone with the process |
//! | `Bucket`, with the feature `s3` | `s3://bucket/prefix` | an object that is renewed; a killed holder's counts for a minute |
//! | [`Memory`] | none: for tests | a flag |
//!
//! Who writes should hold the lock: putting and deleting are safe without it, but [`Store::lock`]
//! removes what it takes for a killed publisher's leftovers. `tests/conformance/suite.rs` says, and tries
//! on every store, what can be relied on.
//!
//! Two kinds of names are the stores' own and cannot be put: `.sitecast-lock`, and everything that
//! begins with `.sitecast-tmp`.

mod beneath;
#[cfg(feature = "s3")]
mod bucket;
#[cfg(feature = "s3")]
mod engine;
mod error;
mod folder;
mod memory;
mod open;
mod options;
mod path;
mod place;
mod reserved;
#[cfg(feature = "s3")]
mod scratch;
mod store;
#[cfg(feature = "s3")]
mod stream;

pub use beneath::{Beneath, Refusal, RegularFile};
#[cfg(feature = "s3")]
pub use bucket::Bucket;
pub use error::StoreError;
pub use folder::Folder;
pub use memory::Memory;
pub use open::open;
pub use options::BucketOptions;
pub use path::{InvalidPath, StorePath};
pub use place::{FileId, HardLinked, HardLinks, Place};
pub use store::{
    Attributes, Body, Condition, Content, Listed, Lock, Object, Opened, Put, Ranged, Store, Tag,
};
