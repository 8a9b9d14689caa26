//! Work on several threads that leads to more of it: going through folders.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread::ScopedJoinHandle;

use crate::lock::lock;

/// Tasks that any thread may take. Each thread has others for itself, and shares them only with who
/// has none: to wake a thread costs as much as to look through a small folder.
struct Shared<T> {
    tasks: Mutex<Tasks<T>>,
    changed: Condvar,
    /// Threads that wait for a task.
    hungry: AtomicUsize,
    /// After an error no thread begins another task.
    stopped: AtomicBool,
}

struct Tasks<T> {
    waiting: Vec<T>,
    /// Threads that work, which may lead to more.
    busy: usize,
}

impl<T> Shared<T> {
    /// A task for a thread that has none left; `None` if there will be none.
    fn take(&self) -> Option<T> {
        let mut tasks = lock(&self.tasks);
        tasks.busy -= 1;
        self.hungry.fetch_add(1, Ordering::Relaxed);
        loop {
            let is_over = self.stopped.load(Ordering::Relaxed);
            if let Some(task) = tasks.waiting.pop().filter(|_| !is_over) {
                tasks.busy += 1;
                self.hungry.fetch_sub(1, Ordering::Relaxed);
                return Some(task);
            }
            if tasks.busy == 0 || is_over {
                self.changed.notify_all();
                return None;
            }
            let waited = self.changed.wait(tasks);
            tasks = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Gives half of a thread's tasks to those who have none.
    fn share(&self, own: &mut Vec<T>) {
        if own.len() > 1 && self.hungry.load(Ordering::Relaxed) > 0 {
            let half = own.drain(..own.len() / 2);
            lock(&self.tasks).waiting.extend(half);
            self.changed.notify_all();
        }
    }

    fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
        let tasks = lock(&self.tasks);
        self.changed.notify_all();
        drop(tasks);
    }
}

/// Tells the others when a thread panics: they would wait for it.
struct StopsOnPanic<'s, T>(&'s Shared<T>);

impl<T> Drop for StopsOnPanic<'_, T> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.stop();
        }
    }
}

/// Does `work` on a task and on all those that it leads to, on several threads. Each thread gathers
/// what it finds by itself. Ends at the first error.
pub(super) fn explore<T: Send, R: Default + Send, E: Send>(
    threads: usize,
    first: T,
    work: impl Fn(T, &mut R) -> Result<Vec<T>, E> + Sync,
) -> Result<Vec<R>, E> {
    let shared = Shared {
        tasks: Mutex::new(Tasks {
            waiting: vec![first],
            busy: threads.max(1),
        }),
        changed: Condvar::new(),
        hungry: AtomicUsize::new(0),
        stopped: AtomicBool::new(false),
    };
    let explorer = || {
        let _stops = StopsOnPanic(&shared);
        let mut found = R::default();
        let mut own = Vec::new();
        while let Some(task) = own.pop().or_else(|| shared.take()) {
            match work(task, &mut found) {
                Ok(tasks) => own.extend(tasks),
                Err(error) => {
                    shared.stop();
                    return Err(error);
                }
            }
            if shared.stopped.load(Ordering::Relaxed) {
                break;
            }
            shared.share(&mut own);
        }
        Ok(found)
    };
    if threads <= 1 {
        return Ok(vec![explorer()?]);
    }
    // This thread only waits: what it starts may have to wait for the processor that it is on.
    std::thread::scope(|scope| {
        let explorers: Vec<_> = (0..threads).map(|_| scope.spawn(explorer)).collect();
        let found = explorers.into_iter().map(ScopedJoinHandle::join);
        found
            .map(|found| found.unwrap_or_else(|panic| resume_unwind(panic)))
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_that_is_led_to_is_done_once() {
        for threads in [1, 2, 7] {
            let found = explore(threads, 1_u32, |n, seen: &mut Vec<u32>| {
                seen.push(n);
                Ok::<_, ()>(
                    [n * 2, n * 2 + 1]
                        .into_iter()
                        .filter(|n| *n < 1_000)
                        .collect(),
                )
            });
            let mut found: Vec<u32> = found.unwrap().into_iter().flatten().collect();
            found.sort_unstable();
            assert_eq!(found, (1..1_000).collect::<Vec<_>>());
        }
    }

    #[test]
    #[should_panic(expected = "seven")]
    fn a_panic_ends_it() {
        let _ = explore(4, 1_u32, |n, (): &mut ()| match n {
            7 => panic!("seven"),
            _ => Ok::<_, ()>(vec![n + 1]),
        });
    }

    #[test]
    fn an_error_ends_it() {
        for threads in [1, 2, 7] {
            let outcome = explore(threads, 1_u32, |n, (): &mut ()| match n {
                100 => Err("a hundred"),
                _ => Ok(vec![n + 1]),
            });
            assert_eq!(outcome, Err("a hundred"));
        }
    }
}
