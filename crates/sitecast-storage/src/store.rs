use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use crate::{HardLinks, Place, StoreError, StorePath};

/// A place for a publication.
///
/// All methods may be called from several threads at once.
pub trait Store: Send + Sync {
    /// The store as a person would name it: a folder's path, `s3://bucket/prefix`.
    fn name(&self) -> String;

    /// The folder of this machine that the store is, if it is one: whoever serves it may watch it for changes.
    fn folder(&self) -> Option<&Path> {
        None
    }

    /// Opens an object; `None` where there is none.
    fn get(&self, path: &StorePath) -> Result<Option<Object>, StoreError>;

    /// Opens an object to be served: any part of it, in any order, from several threads at once;
    /// `None` where there is none. What was opened stays the version it is, whatever is put
    /// afterwards; where a store cannot keep it, reading fails.
    fn open(&self, path: &StorePath) -> Result<Option<Opened>, StoreError>;

    /// Where an object lies that was opened as `path`, with links followed. In a store without links it lies there.
    fn place(&self, path: &StorePath, opened: &Opened) -> Result<Place, StoreError> {
        let _ = opened;
        Ok(Place {
            path: Some(path.clone()),
            hard_linked: None,
        })
    }

    /// The paths of all files that have several names, each with its file. In a store without links there are none.
    fn hard_links(&self) -> Result<HardLinks, StoreError> {
        Ok(HardLinks::default())
    }

    /// Writes an object, atomically: readers see the old one or the whole new one.
    fn put(&self, put: Put) -> Result<Tag, StoreError>;

    /// Writes many, in any order, several at once where that is faster. After an error some may
    /// be written and others not.
    fn put_all(&self, puts: &mut (dyn Iterator<Item = Put> + Send)) -> Result<(), StoreError> {
        for put in puts {
            self.put(put)?;
        }
        Ok(())
    }

    /// Removes an object; it is fine if there is none.
    fn delete(&self, path: &StorePath) -> Result<(), StoreError>;

    /// The objects directly or deeper under a folder (`None`: all of the store), by path. Temporary
    /// files of puts are not among them. A folder that is not there has none.
    fn list(&self, folder: Option<&StorePath>) -> Result<Vec<Listed>, StoreError>;

    /// Makes sure that nobody else publishes here until the lock is dropped, or this process
    /// ends in whatever way. [`StoreError::Locked`] if somebody does.
    fn lock(&self) -> Result<Box<dyn Lock>, StoreError>;

    /// A local folder in which files can be prepared that are then [`Body::File`]; on the same disk
    /// as the store if it has one, so that a put need not copy. What a killed process left in it is
    /// removed by the next [`Store::lock`].
    fn scratch(&self) -> Result<PathBuf, StoreError>;

    /// Makes sure that what was put survives the loss of power.
    fn sync(&self) -> Result<(), StoreError> {
        Ok(())
    }
}

/// Held by the one who publishes; dropping it lets go.
pub trait Lock: Send + Sync {
    /// Fails if the lock was lost, as can happen where it has to be renewed over a network.
    fn check(&self) -> Result<(), StoreError> {
        Ok(())
    }

    /// What an operator should know: that this store cannot refuse a second publisher.
    fn warning(&self) -> Option<&str> {
        None
    }
}

/// An object that was opened.
pub struct Object {
    /// Its bytes.
    pub reader: Box<dyn Read + Send>,
    /// How many.
    pub size: u64,
    /// This version of it.
    pub tag: Tag,
}

/// One version of an object, to be served from.
#[derive(Debug, Clone)]
pub struct Opened {
    /// How many bytes it has.
    pub size: u64,
    /// This version of it.
    pub tag: Tag,
    /// When it was written.
    pub modified: Option<SystemTime>,
    /// Its bytes.
    pub content: Content,
}

/// Where the bytes of an [`Opened`] object are.
#[derive(Debug, Clone)]
pub enum Content {
    /// In a file of this machine, which may have no name any more.
    File(Arc<File>),
    /// In memory.
    Memory(Arc<[u8]>),
    /// Elsewhere.
    Remote(Arc<dyn Ranged>),
}

/// An object elsewhere of which parts can be had.
pub trait Ranged: std::fmt::Debug + Send + Sync {
    /// Reads the bytes of a range, which is within the object's size. Fails if there is another
    /// version of the object by now.
    fn read(&self, range: Range<u64>) -> Result<Box<dyn Read + Send>, StoreError>;
}

/// Names one version of an object: its entity tag, or a hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag(pub String);

/// What is to be written.
#[derive(Debug)]
pub struct Put {
    /// Where.
    pub path: StorePath,
    /// What.
    pub body: Body,
    /// How it is to be served.
    pub attributes: Attributes,
    /// When it may be written.
    pub condition: Condition,
}

/// Bytes to be written.
#[derive(Debug)]
pub enum Body {
    /// In memory.
    Bytes(Vec<u8>),
    /// In a file of [`Store::scratch`], which is gone afterwards.
    File(PathBuf),
}

/// How an object is to be served, for stores that keep such things; a folder does not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Attributes {
    /// The header `Content-Type`.
    pub content_type: Option<String>,
    /// The header `Content-Encoding`.
    pub content_encoding: Option<String>,
    /// The header `Cache-Control`.
    pub cache_control: Option<String>,
}

/// When an object may be written; [`StoreError::Conflict`] otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    /// Always.
    None,
    /// Where there is nothing.
    Absent,
    /// Where there is this version.
    Unchanged(Tag),
}

/// An object in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Its path.
    pub path: StorePath,
    /// Its size in bytes.
    pub size: u64,
}
