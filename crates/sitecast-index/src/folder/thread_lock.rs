//! The lock that makes merges of one process exclusive.
//!
//! Waiting for another process is limited in time, because that process may hang. Waiting for a thread of the
//! same process is not: the merge of a large collection takes minutes, and the threads that sync other sites
//! must not fail meanwhile.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, ThreadId};

use crate::IndexError;

/// The thread that is merging, if any.
#[derive(Debug, Default)]
pub(super) struct ThreadLock {
    merging: Mutex<Option<ThreadId>>,
    ended: Condvar,
}

/// The held lock, released when it is dropped.
#[derive(Debug)]
pub(super) struct ThreadGuard(Arc<ThreadLock>);

impl ThreadLock {
    /// Waits until no other thread of this process merges.
    pub(super) fn acquire(lock: &Arc<Self>) -> Result<ThreadGuard, IndexError> {
        let own = thread::current().id();
        let mut merging = lock.merging.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(thread) = *merging {
            if thread == own {
                return Err(IndexError::Misuse("this thread already has an open merge"));
            }
            merging = lock
                .ended
                .wait(merging)
                .unwrap_or_else(PoisonError::into_inner);
        }
        *merging = Some(own);
        Ok(ThreadGuard(Arc::clone(lock)))
    }
}

impl Drop for ThreadGuard {
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
