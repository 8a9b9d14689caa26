use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks, also after a thread has panicked with the lock: what is behind it here is whole at every moment.
pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
