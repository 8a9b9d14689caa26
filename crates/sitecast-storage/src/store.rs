//! The trait of all stores, and its types.

use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use crate::{HardLinks, Place, StoreError, StorePath};

/// A store for a publication.
///
/// All methods may be called from several threads at once.
pub trait Store: Send + Sync {
    /// Returns the name of the store, as shown to a person: a folder's path, `s3://bucket/prefix`.
    fn name(&self) -> String;

    /// Returns the local folder that this store is, if it is one, so that a server can watch it for changes.
    fn folder(&self) -> Option<&Path> {
        None
    }

    /// Opens an object to be read once; `None` if there is none.
    fn get(&self, path: &StorePath) -> Result<Option<Object>, StoreError>;

    /// Opens an object to be served: in ranges, in any order, from several threads at once; `None` if there is none. Later
    /// puts do not change the opened version; if a store cannot keep it, reading fails.
    fn open(&self, path: &StorePath) -> Result<Option<Opened>, StoreError>;

    /// Returns the location of an object that was opened as `path`, with links resolved. In a store without links this is
    /// `path`.
    fn place(&self, path: &StorePath, opened: &Opened) -> Result<Place, StoreError> {
        let _ = opened;
        Ok(Place {
            path: Some(path.clone()),
            hard_linked: None,
        })
    }

    /// Returns all files with more than one hard link. In a store without links there are none.
    fn hard_links(&self) -> Result<HardLinks, StoreError> {
        Ok(HardLinks::default())
    }

    /// Writes an object atomically: readers see the old version or the complete new one.
    fn put(&self, put: Put) -> Result<Tag, StoreError>;

    /// Writes many objects, in any order, concurrently if that is faster. After an error some may be written and others
    /// not.
    fn put_all(&self, puts: &mut (dyn Iterator<Item = Put> + Send)) -> Result<(), StoreError> {
        for put in puts {
            self.put(put)?;
        }
        Ok(())
    }

    /// Removes an object; succeeds if there is none.
    fn delete(&self, path: &StorePath) -> Result<(), StoreError>;

    /// Lists the objects below a folder at any depth (`None`: the whole store), sorted by path, without the temporary
    /// files of puts. A missing folder has no objects.
    fn list(&self, folder: Option<&StorePath>) -> Result<Vec<Listed>, StoreError>;

    /// Locks the store against other publishers until the lock is dropped or the process ends, also by a crash. Fails
    /// with [`StoreError::Locked`] if another publisher holds the lock.
    fn lock(&self) -> Result<Box<dyn Lock>, StoreError>;

    /// Returns a local folder to prepare files in for [`Body::File`], on the same disk as the store if possible, so that
    /// a put need not copy them. The next [`Store::lock`] removes files that a killed process left in it.
    fn scratch(&self) -> Result<PathBuf, StoreError>;

    /// Flushes all puts to disk, so that they survive a loss of power.
    fn sync(&self) -> Result<(), StoreError> {
        Ok(())
    }
}

/// A held lock. Dropping it releases it.
pub trait Lock: Send + Sync {
    /// Fails if the lock was lost, which can happen if it has to be renewed over a network.
    fn check(&self) -> Result<(), StoreError> {
        Ok(())
    }

    /// Returns a warning for the operator if this store cannot refuse a second publisher reliably.
    fn warning(&self) -> Option<&str> {
        None
    }
}

/// An opened object, to be read once from start to end.
pub struct Object {
    /// A reader of the object's bytes.
    pub reader: Box<dyn Read + Send>,
    /// The size in bytes.
    pub size: u64,
    /// The opened version.
    pub tag: Tag,
}

/// An opened version of an object, to be served.
#[derive(Debug, Clone)]
pub struct Opened {
    /// The size in bytes.
    pub size: u64,
    /// The opened version.
    pub tag: Tag,
    /// The time of the last write, if the store knows it.
    pub modified: Option<SystemTime>,
    /// Access to the bytes.
    pub content: Content,
}

/// The bytes of an [`Opened`] object.
#[derive(Debug, Clone)]
pub enum Content {
    /// A local file, which may have been renamed or removed since.
    File(Arc<File>),
    /// Bytes in memory.
    Memory(Arc<[u8]>),
    /// An object on another machine.
    Remote(Arc<dyn Ranged>),
}

/// A remote object that can be read in ranges.
pub trait Ranged: std::fmt::Debug + Send + Sync {
    /// Reads a range, which must be within the object's size. Fails if the object has been replaced since it was opened.
    fn read(&self, range: Range<u64>) -> Result<Box<dyn Read + Send>, StoreError>;
}

/// The name of one version of an object: its entity tag, or another string that differs between versions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag(pub String);

/// One object to be written.
#[derive(Debug)]
pub struct Put {
    /// The path of the object.
    pub path: StorePath,
    /// The bytes of the object.
    pub body: Body,
    /// HTTP headers to serve it with.
    pub attributes: Attributes,
    /// The condition for the write.
    pub condition: Condition,
}

/// The bytes of a [`Put`].
#[derive(Debug)]
pub enum Body {
    /// Bytes in memory.
    Bytes(Vec<u8>),
    /// A file in [`Store::scratch`]. The put moves or removes it, also if it fails.
    File(PathBuf),
}

/// HTTP headers that an object is served with. Buckets keep them, folders do not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Attributes {
    /// The header `Content-Type`.
    pub content_type: Option<String>,
    /// The header `Content-Encoding`.
    pub content_encoding: Option<String>,
    /// The header `Cache-Control`.
    pub cache_control: Option<String>,
}

/// The condition of a put. If it does not hold, the put fails with [`StoreError::Conflict`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    /// No condition.
    None,
    /// The object does not exist.
    Absent,
    /// The object has this version.
    Unchanged(Tag),
}

/// An object in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// The path of the object.
    pub path: StorePath,
    /// The size in bytes.
    pub size: u64,
}
