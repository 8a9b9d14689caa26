//! A store in memory, for tests and experiments.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Cursor};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use tempfile::TempDir;

use crate::reserved;
use crate::{
    Attributes, Body, Condition, Content, Listed, Lock, Object, Opened, Put, Store, StoreError,
    StorePath, Tag,
};

/// A [`Store`] in memory. Clones share objects and lock, as two processes share a folder.
#[derive(Debug, Clone, Default)]
pub struct Memory(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    locked: AtomicBool,
}

#[derive(Debug, Default)]
struct State {
    objects: BTreeMap<StorePath, Stored>,
    /// Number of puts so far, from which tags are made.
    puts: u64,
    /// The folder for prepared files, which are on disk even for a store in memory.
    scratch: Option<TempDir>,
}

#[derive(Debug)]
struct Stored {
    bytes: Arc<[u8]>,
    tag: Tag,
    modified: SystemTime,
    attributes: Attributes,
}

impl Memory {
    /// Creates an empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the attributes that an object was put with.
    pub fn attributes(&self, path: &StorePath) -> Option<Attributes> {
        let state = self.0.state();
        state
            .objects
            .get(path)
            .map(|stored| stored.attributes.clone())
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for Memory {
    fn name(&self) -> String {
        "memory".to_owned()
    }

    fn get(&self, path: &StorePath) -> Result<Option<Object>, StoreError> {
        let state = self.0.state();
        Ok(state.objects.get(path).map(|stored| Object {
            reader: Box::new(Cursor::new(Arc::clone(&stored.bytes))),
            size: stored.bytes.len() as u64,
            tag: stored.tag.clone(),
        }))
    }

    fn open(&self, path: &StorePath) -> Result<Option<Opened>, StoreError> {
        let state = self.0.state();
        Ok(state.objects.get(path).map(|stored| Opened {
            size: stored.bytes.len() as u64,
            tag: stored.tag.clone(),
            modified: Some(stored.modified),
            content: Content::Memory(Arc::clone(&stored.bytes)),
        }))
    }

    fn put(&self, put: Put) -> Result<Tag, StoreError> {
        let bytes: Arc<[u8]> = match put.body {
            Body::Bytes(bytes) => bytes.into(),
            Body::File(path) => {
                let bytes = fs::read(&path).map_err(failed("read", &path))?;
                fs::remove_file(&path).map_err(failed("delete", &path))?;
                bytes.into()
            }
        };
        if reserved::is_reserved(&put.path) {
            let refusal = io::Error::new(io::ErrorKind::InvalidInput, reserved::REFUSAL);
            return Err(failed("write", Path::new(put.path.as_str()))(refusal));
        }
        let mut state = self.0.state();
        let here = state.objects.get(&put.path).map(|stored| &stored.tag);
        let holds = match &put.condition {
            Condition::None => true,
            Condition::Absent => here.is_none(),
            Condition::Unchanged(tag) => here == Some(tag),
        };
        if !holds {
            return Err(StoreError::Conflict(put.path));
        }
        state.puts += 1;
        let tag = Tag(state.puts.to_string());
        let stored = Stored {
            bytes,
            tag: tag.clone(),
            modified: SystemTime::now(),
            attributes: put.attributes,
        };
        state.objects.insert(put.path, stored);
        Ok(tag)
    }

    fn delete(&self, path: &StorePath) -> Result<(), StoreError> {
        self.0.state().objects.remove(path);
        Ok(())
    }

    fn list(&self, folder: Option<&StorePath>) -> Result<Vec<Listed>, StoreError> {
        let prefix = folder.map_or_else(String::new, |folder| format!("{folder}/"));
        let state = self.0.state();
        let objects = state.objects.iter();
        Ok(objects
            .filter(|(path, _)| path.as_str().starts_with(&prefix))
            .map(|(path, stored)| Listed {
                path: path.clone(),
                size: stored.bytes.len() as u64,
            })
            .collect())
    }

    fn lock(&self) -> Result<Box<dyn Lock>, StoreError> {
        if self.0.locked.swap(true, Ordering::AcqRel) {
            return Err(StoreError::Locked {
                place: self.name(),
                since: String::new(),
            });
        }
        Ok(Box::new(MemoryLock(Arc::clone(&self.0))))
    }

    fn scratch(&self) -> Result<PathBuf, StoreError> {
        let mut state = self.0.state();
        let scratch = match state.scratch.take() {
            Some(scratch) => scratch,
            None => tempfile::tempdir().map_err(failed("write", &std::env::temp_dir()))?,
        };
        let path = scratch.path().to_owned();
        state.scratch = Some(scratch);
        Ok(path)
    }
}

struct MemoryLock(Arc<Shared>);

impl Lock for MemoryLock {}

impl Drop for MemoryLock {
    fn drop(&mut self) {
        self.0.locked.store(false, Ordering::Release);
    }
}

fn failed(action: &'static str, place: &Path) -> impl FnOnce(io::Error) -> StoreError {
    let place = place.display().to_string();
    move |source| StoreError::Io {
        action,
        place,
        source,
    }
}
