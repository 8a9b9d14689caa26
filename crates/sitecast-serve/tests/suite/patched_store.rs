//! A folder whose opened objects a test can replace.

use std::path::{Path, PathBuf};

use sitecast_storage::{
    Folder, Listed, Lock, Object, Opened, Put, Store, StoreError, StorePath, Tag,
};

/// Replaces an opened object, by its path.
type Opening = dyn Fn(&StorePath, Opened) -> Opened + Send + Sync;

pub(crate) struct PatchedStore {
    folder: Folder,
    opening: Box<Opening>,
}

impl PatchedStore {
    pub(crate) fn new(
        folder: &Path,
        opening: impl Fn(&StorePath, Opened) -> Opened + Send + Sync + 'static,
    ) -> Self {
        Self {
            folder: Folder::new(folder).unwrap(),
            opening: Box::new(opening),
        }
    }
}

impl Store for PatchedStore {
    fn name(&self) -> String {
        self.folder.name()
    }

    fn get(&self, path: &StorePath) -> Result<Option<Object>, StoreError> {
        self.folder.get(path)
    }

    fn open(&self, path: &StorePath) -> Result<Option<Opened>, StoreError> {
        let opened = self.folder.open(path)?;
        Ok(opened.map(|opened| (self.opening)(path, opened)))
    }

    fn put(&self, put: Put) -> Result<Tag, StoreError> {
        self.folder.put(put)
    }

    fn delete(&self, path: &StorePath) -> Result<(), StoreError> {
        self.folder.delete(path)
    }

    fn list(&self, folder: Option<&StorePath>) -> Result<Vec<Listed>, StoreError> {
        self.folder.list(folder)
    }

    fn lock(&self) -> Result<Box<dyn Lock>, StoreError> {
        self.folder.lock()
    }

    fn scratch(&self) -> Result<PathBuf, StoreError> {
        self.folder.scratch()
    }
}
