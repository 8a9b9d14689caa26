//! Merges of one process take turns.
//!
//! Another process may hang, so nobody waits for one for ever. The threads of a process know of each other: the
//! merge of a large collection takes minutes, and those who sync other sites meanwhile wait for its end.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, ThreadId};

use crate::IndexError;

/// Who merges, if anybody does.
#[derive(Debug, Default)]
pub(super) struct Turns {
    merging: Mutex<Option<ThreadId>>,
    ended: Condvar,
}

/// The right to merge. Lets go when it is dropped.
#[derive(Debug)]
pub(super) struct Turn(Arc<Turns>);

impl Turns {
    /// Waits until nobody else in this process merges.
    pub(super) fn take(turns: &Arc<Self>) -> Result<Turn, IndexError> {
        let own = thread::current().id();
        let mut merging = turns.merging.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(thread) = *merging {
            if thread == own {
                return Err(IndexError::Misuse("this thread has begun a merge before"));
            }
            merging = turns
                .ended
                .wait(merging)
                .unwrap_or_else(PoisonError::into_inner);
        }
        *merging = Some(own);
        Ok(Turn(Arc::clone(turns)))
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut merging = self
            .0
            .merging
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *merging = None;
        self.0.ended.notify_one();
    }
}
