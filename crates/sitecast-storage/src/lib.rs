//! Stores for publications: a folder, an S3-compatible bucket, or memory.
//!
//! One narrow trait, [`Store`], has the operations that a publisher and a server need: read, put, delete, list,
//! and a lock against a second publisher. Every put is atomic: a reader sees the old object or the new one, never a
//! mixture. The trait is synchronous; a bucket runs its asynchronous client on threads of its own.
//!
//! ```
//! use std::io::Read;
//! use sitecast_storage::{Attributes, Body, Condition, Folder, Put, Store};
//!
//! # let temp = tempfile::tempdir()?;
//! # let public = temp.path();
//! let store = Folder::new(public)?;
//! // No other publisher can lock the store until this is dropped.
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
//! | [`Folder`] | `public`, `file:///srv/public` | a file lock, which the kernel releases when the process ends |
//! | `Bucket`, with the feature `s3` | `s3://bucket/prefix` | a lease, renewed by its holder; expires after a minute |
//! | [`Memory`] | none: for tests | a flag |
//!
//! A writer should hold the lock: putting and deleting are safe without it, but [`Store::lock`] removes temporary
//! files, which it takes for those of a killed publisher. `tests/conformance/suite.rs` tests the guarantees on every
//! store.
//!
//! [`Base`] maps the URLs of a publication to the paths in its store.
//!
//! Two kinds of names are reserved and cannot be put: `.sitecast-lock`, and names that begin with `.sitecast-tmp`.

mod base;
#[cfg(feature = "s3")]
mod bucket;
mod confined;
mod error;
mod folder;
mod memory;
mod open;
mod options;
mod path;
mod place;
mod reserved;
#[cfg(feature = "s3")]
mod runtime;
#[cfg(feature = "s3")]
mod scratch;
mod store;
#[cfg(feature = "s3")]
mod stream;
mod url_path;

pub use base::Base;
#[cfg(feature = "s3")]
pub use bucket::Bucket;
pub use confined::{ConfinedFolder, Refusal, RegularFile};
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
pub use url_path::{BadPath, decode_url_path};
