//! A folder whose objects are opened in a way of the test's own.

use std::path::{Path, PathBuf};

use sitecast_storage::{
    Folder, Listed, Lock, Object, Opened, Put, Store, StoreError, StorePath, Tag,
};

/// What becomes of an object that was opened, by its path.
type Opening = dyn Fn(&StorePath, Opened) -> Opened + Send + Sync;

pub(crate) struct OpenedOtherwise {
    folder: Folder,
    opening: Box<Opening>,
}

impl OpenedOtherwise {
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

impl Store for OpenedOtherwise {
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
