use std::sync::{Condvar, Mutex, PoisonError};

/// A number of bytes that may be held at a time, shared by threads.
pub(super) struct Budget {
    most: usize,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    taken: usize,
    closed: bool,
}

impl Budget {
    pub(super) fn new(most: usize) -> Self {
        Self {
            most,
            state: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    /// Waits until so many bytes fit, and takes them; more than all there are fit once nothing
    /// else is taken. Answers whether anyone still wants them.
    pub(super) fn take(&self, bytes: usize) -> bool {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let is_full = |state: &mut State| {
            !state.closed && state.taken > 0 && state.taken.saturating_add(bytes) > self.most
        };
        let mut state = self
            .changed
            .wait_while(state, is_full)
            .unwrap_or_else(PoisonError::into_inner);
        state.taken = state.taken.saturating_add(bytes);
        !state.closed
    }

    pub(super) fn give(&self, bytes: usize) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.taken = state.taken.saturating_sub(bytes);
        self.changed.notify_all();
    }

    /// Nobody wants anything any more.
    pub(super) fn close(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.closed = true;
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::thread;
    use std::time::Duration;

    use super::*;

    #[test]
    fn what_does_not_fit_waits_and_what_is_too_large_is_alone() {
        let budget = Budget::new(10);
        assert!(budget.take(6));
        assert!(budget.take(4));
        thread::scope(|scope| {
            let (done, taken) = channel();
            let budget = &budget;
            scope.spawn(move || {
                for bytes in [3, 100] {
                    budget.take(bytes);
                    done.send(bytes).unwrap();
                }
            });
            let soon = Duration::from_millis(30);
            assert!(taken.recv_timeout(soon).is_err());
            budget.give(4);
            assert_eq!(taken.recv(), Ok(3));
            budget.give(6);
            assert!(taken.recv_timeout(soon).is_err());
            budget.give(3);
            assert_eq!(taken.recv(), Ok(100));
        });
    }

    #[test]
    fn a_closed_budget_keeps_nobody_waiting() {
        let budget = Budget::new(1);
        assert!(budget.take(1));
        thread::scope(|scope| {
            let waiting = scope.spawn(|| budget.take(1));
            budget.close();
            assert!(!waiting.join().unwrap());
        });
    }
}
