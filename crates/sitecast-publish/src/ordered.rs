//! Work on several threads whose results come out in the order of what went in.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Condvar, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use crate::lock::lock;

/// How far the fastest thread may be ahead of the slowest, for each thread; further where items are
/// so quick that several are taken at once.
const AHEAD: usize = 16;
/// Items that are done so quickly are taken several at once: each time something is handed over,
/// the thread that takes it has to be woken.
const QUICK: Duration = Duration::from_millis(1);
/// How many at once, at most.
const MOST_AT_ONCE: usize = 64;

/// Returns the number of threads that can run at once.
pub(crate) fn cores() -> usize {
    // To answer, the system is asked for half a dozen files.
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// Does `work` on each of `items`, on so many threads, and hands the results to `take` on the
/// calling thread, in order. Ends at the first error of `take`. In memory at any time are a few
/// results for each thread, however long the list.
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
    let window = threads * AHEAD;
    let items = Mutex::new(items.enumerate());
    let taken = (Mutex::new(0_usize), Condvar::new());
    let stopped = AtomicBool::new(false);
    let (send, receive) = sync_channel(window);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let send = send.clone();
            let (items, work, taken, stopped) = (&items, &work, &taken, &stopped);
            scope.spawn(move || {
                let mut at_once = 1;
                loop {
                    let batch: Vec<_> = lock(items).by_ref().take(at_once).collect();
                    let Some((number, _)) = batch.first() else {
                        return;
                    };
                    let number = *number;
                    // Not further ahead than there is room for.
                    let mut done = lock(&taken.0);
                    let window = window.max(threads * at_once * 2);
                    while number >= *done + window && !stopped.load(Ordering::Relaxed) {
                        done = taken.1.wait(done).unwrap_or_else(PoisonError::into_inner);
                    }
                    drop(done);
                    if stopped.load(Ordering::Relaxed) {
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
            });
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
            *lock(&taken.0) = next;
            taken.1.notify_all();
        }
        // Whoever waits, or wants to hand over more, is told that it is over.
        stopped.store(true, Ordering::Relaxed);
        drop(receive);
        let guard = lock(&taken.0);
        taken.1.notify_all();
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
