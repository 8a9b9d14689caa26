//! Work on several threads that leads to more of it: going through folders.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

struct Waiting<T> {
    tasks: Vec<T>,
    /// Threads that work on a task, which may lead to more.
    busy: usize,
}

/// Does `work` on a task and on all those that it leads to, on so many threads. Each thread gathers
/// what it finds by itself. Ends at the first error.
pub(super) fn explore<T: Send, R: Default + Send, E: Send>(
    threads: usize,
    first: T,
    work: impl Fn(T, &mut R) -> Result<Vec<T>, E> + Sync,
) -> Result<Vec<R>, E> {
    let waiting = Mutex::new(Waiting {
        tasks: vec![first],
        busy: 0,
    });
    let changed = Condvar::new();
    let explorer = || {
        let mut found = R::default();
        let mut state = lock(&waiting);
        loop {
            let Some(task) = state.tasks.pop() else {
                if state.busy == 0 {
                    return Ok(found);
                }
                state = changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            state.busy += 1;
            drop(state);
            let led_to = work(task, &mut found);
            state = lock(&waiting);
            state.busy -= 1;
            match led_to {
                Ok(tasks) => state.tasks.extend(tasks),
                Err(error) => {
                    // Nobody begins anything more.
                    state.tasks.clear();
                    changed.notify_all();
                    return Err(error);
                }
            }
            changed.notify_all();
        }
    };
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(explorer)).collect();
        let mut found = vec![explorer()];
        found.extend(others.into_iter().filter_map(|thread| thread.join().ok()));
        found.into_iter().collect()
    })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
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
