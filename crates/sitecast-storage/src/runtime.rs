//! The asynchronous runtime behind a synchronous store.

use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

use tokio::runtime::{Builder, Handle, Runtime};

use crate::StoreError;

/// A small tokio runtime that belongs to one store. Any thread may wait for its tasks, also one of another runtime.
#[derive(Debug)]
pub(crate) struct StoreRuntime {
    handle: Handle,
    /// `None` only while the value is being dropped.
    runtime: Option<Runtime>,
}

impl StoreRuntime {
    pub(crate) fn start() -> io::Result<Self> {
        let runtime = Builder::new_multi_thread()
            // With one thread, hashing a large body to sign it would delay the renewal of the lock.
            .worker_threads(2)
            .thread_name("sitecast-storage")
            .enable_all()
            .build()?;
        Ok(Self {
            handle: runtime.handle().clone(),
            runtime: Some(runtime),
        })
    }

    pub(crate) fn handle(&self) -> &Handle {
        &self.handle
    }

    /// Runs `work` on the runtime and blocks the calling thread until it ends.
    pub(crate) fn run<T: Send + 'static>(
        &self,
        place: &str,
        work: impl Future<Output = Result<T, StoreError>> + Send + 'static,
    ) -> Result<T, StoreError> {
        match wait(self.handle.spawn(work)) {
            Ok(result) => result,
            Err(stopped) => Err(StoreError::Io {
                action: "use",
                place: place.to_owned(),
                source: io::Error::other(stopped),
            }),
        }
    }
}

impl Drop for StoreRuntime {
    fn drop(&mut self) {
        // Dropping the runtime would block, which is not allowed on threads of another runtime.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Blocks until a future is ready that another thread drives. Unlike tokio's `block_on` it does not panic on a thread of
/// a runtime.
pub(crate) fn wait<F: Future>(future: F) -> F::Output {
    struct Unpark(Thread);

    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }

    // Inside a task of another runtime, tokio's cooperative budget would run out and never be renewed.
    let mut future = pin!(tokio::task::unconstrained(future));
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut context = Context::from_waker(&waker);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}
