//! Work on several threads whose results come out in the order of what went in.

use std::collections::BTreeMap;
use std::iter::Enumerate;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Condvar, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use crate::lock::lock;

/// The items for each thread by which the fastest may be ahead of the slowest; more if items are so quick that threads
/// take several at once.
const AHEAD: usize = 16;
/// Items that are done so quickly are taken several at once: each time something is handed over,
/// the thread that takes it has to be woken.
const QUICK: Duration = Duration::from_millis(1);
/// The most items that a thread takes at once.
const MOST_AT_ONCE: usize = 64;

/// Returns the number of threads that can run at once.
pub(crate) fn cores() -> usize {
    // To answer, the system is asked for half a dozen files.
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// The state that all threads share.
struct Shared<I: Iterator> {
    items: Mutex<Enumerate<I>>,
    /// The number of results that the calling thread has taken.
    taken: Mutex<usize>,
    changed: Condvar,
    stopped: AtomicBool,
    threads: usize,
}

impl<I: Iterator> Shared<I> {
    /// Takes items and works on them until there are none.
    fn work<R>(&self, work: impl Fn(I::Item) -> R, send: &SyncSender<(usize, Vec<R>)>) {
        let mut at_once = 1;
        loop {
            let batch: Vec<_> = lock(&self.items).by_ref().take(at_once).collect();
            let Some((number, _)) = batch.first() else {
                return;
            };
            let number = *number;
            self.wait_for_room(number, at_once);
            if self.stopped.load(Ordering::Relaxed) {
                return;
            }
            let begun = Instant::now();
            let results: Vec<R> = batch.into_iter().map(|(_, item)| work(item)).collect();
            at_once = match begun.elapsed() {
                quick if quick < QUICK => (at_once * 2).min(MOST_AT_ONCE),
                slow if slow > QUICK * 4 => 1,
                _ => (at_once / 2).max(1),
            };
            if send.send((number, results)).is_err() {
                return;
            }
        }
    }

    /// Waits while an item is too far ahead of the results that were taken.
    fn wait_for_room(&self, number: usize, at_once: usize) {
        let window = self.threads * AHEAD.max(at_once * 2);
        let mut taken = lock(&self.taken);
        while number >= *taken + window && !self.stopped.load(Ordering::Relaxed) {
            let waited = self.changed.wait(taken);
            taken = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Does `work` on each of `items`, on several threads, and hands the results to `take` on the calling thread, in
/// order. Ends at the first error of `take`. Memory holds a few results for each thread, however long the list.
pub(crate) fn ordered<T, R, E>(
    threads: usize,
    items: impl Iterator<Item = T> + Send,
    work: impl Fn(T) -> R + Sync,
    mut take: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E>
where
    T: Send,
    R: Send,
{
    let threads = threads.max(1);
    let shared = &Shared {
        items: Mutex::new(items.enumerate()),
        taken: Mutex::new(0),
        changed: Condvar::new(),
        stopped: AtomicBool::new(false),
        threads,
    };
    let work = &work;
    let (send, receive) = sync_channel(threads * AHEAD);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let send = send.clone();
            scope.spawn(move || shared.work(work, &send));
        }
        drop(send);
        let mut waiting = BTreeMap::new();
        let mut next = 0;
        let mut outcome = Ok(());
        'all: for (number, results) in &receive {
            waiting.insert(number, results);
            while let Some(results) = waiting.remove(&next) {
                for result in results {
                    next += 1;
                    if let Err(error) = take(result) {
                        outcome = Err(error);
                        break 'all;
                    }
                }
            }
            *lock(&shared.taken) = next;
            shared.changed.notify_all();
        }
        // Threads that wait for room or for the receiver end now.
        shared.stopped.store(true, Ordering::Relaxed);
        drop(receive);
        let guard = lock(&shared.taken);
        shared.changed.notify_all();
        drop(guard);
        outcome
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_whichever_is_done_first() {
        for threads in [1, 2, 7] {
            let mut seen = Vec::new();
            let work = |n: u64| {
                if n.is_multiple_of(13) {
                    std::thread::sleep(std::time::Duration::from_millis(2));
                }
                n * 2
            };
            ordered(threads, 0..500, work, |n| {
                seen.push(n);
                Ok::<(), ()>(())
            })
            .unwrap();
            assert_eq!(seen, (0..500).map(|n| n * 2).collect::<Vec<_>>());
        }
    }

    #[test]
    fn the_first_error_ends_it() {
        let mut seen = 0;
        let outcome = ordered(
            4,
            0..,
            |n: u32| n,
            |n| {
                seen += 1;
                if n == 100 { Err(n) } else { Ok(()) }
            },
        );
        assert_eq!((outcome, seen), (Err(100), 101));
    }
}
