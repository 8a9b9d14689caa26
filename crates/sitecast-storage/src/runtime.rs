//! The asynchronous machinery behind synchronous stores.

use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

use tokio::runtime::{Builder, Handle, Runtime};

use crate::StoreError;

/// A small runtime of a store's own. What waits for it may be any thread, also one of another
/// runtime.
#[derive(Debug)]
pub(crate) struct Engine {
    handle: Handle,
    /// Taken when it is dropped.
    runtime: Option<Runtime>,
}

impl Engine {
    pub(crate) fn start() -> io::Result<Self> {
        let runtime = Builder::new_multi_thread()
            // One alone would not renew a lock while it hashes what another put signs.
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

    /// Runs it to its end, there, while the calling thread waits.
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

impl Drop for Engine {
    fn drop(&mut self) {
        // An ordinary drop would wait, which another runtime's threads must not.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Waits for something that another thread works on. Unlike tokio's own `block_on` it does not
/// panic on a thread of a runtime.
pub(crate) fn wait<F: Future>(future: F) -> F::Output {
    struct Unpark(Thread);

    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }

    // A task of another runtime has a budget of polls, and here is nobody to renew it.
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
