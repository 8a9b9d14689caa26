//! The lock of a bucket: a lease, an object that its holder renews.
//!
//! S3 has no locks that end with a connection. So the holder writes an object, and rewrites it regularly. A lease that
//! has not been renewed for some time belongs to a killed publisher, and another may take it. Every write is a conditional
//! put, of which the server lets one succeed. Ages are measured with the server's clock only.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use object_store::path::Path as Key;
use object_store::{
    Error, ObjectStore, ObjectStoreExt, PutMode, PutOptions, PutPayload, UpdateVersion,
};
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::explain;
use super::remote::Remote;
use crate::reserved::{LOCK, SCRATCH};
use crate::runtime::StoreRuntime;
use crate::{Lock, StoreError};

/// Attempts to write the lease before the store counts as locked.
const ATTEMPTS: usize = 4;

/// The time limit for dropping a lock.
const RELEASE_TIMEOUT: Duration = Duration::from_secs(10);

const WARNING: &str = "the bucket's server ignores conditions on puts (`If-None-Match`, `If-Match`), so the lock does not \
    stop two publications that start at the same moment; make sure that only one runs at a time";

/// The times after which a lease is renewed, and after which it expires.
#[derive(Debug, Clone, Copy)]
pub(super) struct LeaseTimes {
    pub(super) renew: Duration,
    pub(super) expire: Duration,
}

impl Default for LeaseTimes {
    fn default() -> Self {
        Self {
            renew: Duration::from_secs(20),
            expire: Duration::from_secs(60),
        }
    }
}

/// A lease that this process holds, or tries to get.
pub(super) struct Lease {
    remote: Arc<Remote>,
    key: Key,
    times: LeaseTimes,
    /// Identifies the holder.
    nonce: String,
    since: Instant,
    /// True if the server honours conditional puts.
    conditional: bool,
    e_tag: Option<String>,
    /// The last time at which the lease was known to be ours.
    confirmed: Instant,
}

/// A lease as the server has it.
struct StoredLease {
    nonce: String,
    /// The time that its holder had held it at its last renewal.
    held: Duration,
    e_tag: Option<String>,
    /// By the server's clock, in milliseconds.
    last_modified: i64,
}

pub(super) async fn acquire(remote: Arc<Remote>, times: LeaseTimes) -> Result<Lease, StoreError> {
    let key = remote.key("lock", LOCK)?;
    let now = Instant::now();
    let mut lease = Lease {
        remote,
        key,
        times,
        nonce: nonce(),
        since: now,
        conditional: true,
        e_tag: None,
        confirmed: now,
    };
    for _ in 0..ATTEMPTS {
        let mode = match lease.find().await? {
            None => PutMode::Create,
            Some(found) if found.nonce == lease.nonce => {
                // Our put succeeded, its response was lost, and the client library sent it a second time.
                lease.e_tag = found.e_tag;
                return lease.with_conditions_tested().await;
            }
            Some(found) => {
                let age = lease.age(&found).await?;
                if age <= times.expire {
                    return Err(lease.locked_error(found.held + age));
                }
                update(found.e_tag)
            }
        };
        match lease.write(mode).await {
            Ok(()) => return lease.with_conditions_tested().await,
            Err(error) if explain::is_conflict(&error) => {}
            Err(error) if explain::is_not_implemented(&error) => {
                lease.conditional = false;
                lease.overwrite().await?;
                return Ok(lease);
            }
            Err(error) => return Err(lease.failed(&error)),
        }
    }
    Err(lease.locked_error(Duration::ZERO))
}

impl Lease {
    /// Tests with two puts whose conditions do not hold that the server honours conditions. Some answer 200 and overwrite.
    async fn with_conditions_tested(mut self) -> Result<Self, StoreError> {
        let wrong = UpdateVersion {
            e_tag: Some("\"00000000000000000000000000000000\"".to_owned()),
            version: None,
        };
        for mode in [PutMode::Create, PutMode::Update(wrong)] {
            match self.write(mode).await {
                Err(error) if explain::is_conflict(&error) => {}
                Ok(()) => self.conditional = false,
                Err(error) if explain::is_not_implemented(&error) => self.conditional = false,
                Err(error) => {
                    self.release().await;
                    return Err(self.failed(&error));
                }
            }
        }
        Ok(self)
    }

    async fn write(&mut self, mode: PutMode) -> Result<(), Error> {
        let asked = Instant::now();
        let text = format!("{}\n{}\n", self.nonce, self.since.elapsed().as_secs());
        let options = PutOptions::from(mode);
        let result = self
            .remote
            .writing
            .put_opts(&self.key, PutPayload::from(text), options)
            .await?;
        self.e_tag = result.e_tag;
        self.confirmed = asked;
        Ok(())
    }

    async fn overwrite(&mut self) -> Result<(), StoreError> {
        let written = self.write(PutMode::Overwrite).await;
        written.map_err(|error| self.failed(&error))
    }

    async fn find(&self) -> Result<Option<StoredLease>, StoreError> {
        let read = async {
            let result = self.remote.writing.get(&self.key).await?;
            let meta = result.meta.clone();
            Ok((meta, result.bytes().await?))
        };
        let (meta, text) = match read.await {
            Ok(read) => read,
            Err(error @ Error::NotFound { .. }) if !explain::lacks_bucket(&error) => {
                return Ok(None);
            }
            Err(error) => return Err(self.failed(&error)),
        };
        let text = String::from_utf8_lossy(&text);
        let mut lines = text.lines();
        let nonce = lines.next().unwrap_or_default().to_owned();
        let held = lines.next().and_then(|line| line.parse().ok());
        Ok(Some(StoredLease {
            nonce,
            held: Duration::from_secs(held.unwrap_or(0)),
            e_tag: meta.e_tag,
            last_modified: meta.last_modified.timestamp_millis(),
        }))
    }

    /// Returns the age of a lease by the server's clock, which is read by writing an object.
    async fn age(&self, found: &StoredLease) -> Result<Duration, StoreError> {
        let clock = format!("{SCRATCH}-clock-{}", self.nonce);
        let key = self.remote.key("lock", &clock)?;
        let put = self.remote.writing.put(&key, PutPayload::new()).await;
        put.map_err(|error| self.failed(&error))?;
        let now = self.remote.head("lock", &clock).await;
        self.remote.delete(&clock).await?;
        let now = match now? {
            Some(meta) => meta.last_modified.timestamp_millis(),
            // The object is not visible yet: treat the lease as fresh.
            None => found.last_modified,
        };
        let age = now.saturating_sub(found.last_modified);
        Ok(Duration::from_millis(age.try_into().unwrap_or(0)))
    }

    /// Renews the lease. Returns false if another publisher has it now.
    async fn renew(&mut self) -> Result<bool, StoreError> {
        if self.conditional {
            match self.write(update(self.e_tag.clone())).await {
                Ok(()) => return Ok(true),
                Err(error) if explain::is_conflict(&error) => {}
                Err(error) => return Err(self.failed(&error)),
            }
        }
        let asked = Instant::now();
        match self.find().await? {
            Some(found) if found.nonce == self.nonce => {
                self.e_tag = found.e_tag;
                self.confirmed = asked;
                if !self.conditional {
                    self.overwrite().await?;
                }
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Removes the lease if it is still ours. Errors are ignored: it will expire.
    async fn release(&self) {
        if let Ok(Some(found)) = self.find().await
            && found.nonce == self.nonce
        {
            let _ = self.remote.delete(LOCK).await;
        }
    }

    fn locked_error(&self, running: Duration) -> StoreError {
        let since = match running.as_secs() {
            0 => String::new(),
            1 => " (for 1 second)".to_owned(),
            seconds => format!(" (for {seconds} seconds)"),
        };
        StoreError::Locked {
            place: self.remote.name.clone(),
            since,
        }
    }

    fn failed(&self, error: &Error) -> StoreError {
        self.remote.failed("lock", "", error)
    }

    /// Starts to renew the lease in the background.
    pub(super) fn keep_renewed(self, runtime: &Arc<StoreRuntime>) -> HeldLease {
        let shared = Arc::new(Shared {
            state: Mutex::new(State::Held(self.confirmed)),
            stop: Notify::new(),
        });
        HeldLease {
            name: self.remote.name.clone(),
            times: self.times,
            warning: (!self.conditional).then_some(WARNING),
            renewal: Some(
                runtime
                    .handle()
                    .spawn(renew_until_stopped(self, Arc::clone(&shared))),
            ),
            shared,
            runtime: Arc::clone(runtime),
        }
    }
}

async fn renew_until_stopped(mut lease: Lease, shared: Arc<Shared>) -> Lease {
    loop {
        if timeout(lease.times.renew, shared.stop.notified())
            .await
            .is_ok()
        {
            return lease;
        }
        // A renewal that takes longer than the interval is abandoned for the next one.
        let state = match timeout(lease.times.renew, lease.renew()).await {
            Ok(Ok(true)) => State::Held(lease.confirmed),
            Ok(Ok(false)) => State::Lost,
            // The next renewal may succeed. If none does in time, `check` reports it.
            Ok(Err(_)) | Err(_) => continue,
        };
        let lost = matches!(state, State::Lost);
        shared.set(state);
        if lost {
            shared.stop.notified().await;
            return lease;
        }
    }
}

struct Shared {
    state: Mutex<State>,
    stop: Notify,
}

#[derive(Clone, Copy)]
enum State {
    /// Held, as of this time.
    Held(Instant),
    Lost,
}

impl Shared {
    fn get(&self) -> State {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, state: State) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = state;
    }
}

/// A lease that renews itself until it is dropped.
pub(super) struct HeldLease {
    name: String,
    times: LeaseTimes,
    warning: Option<&'static str>,
    shared: Arc<Shared>,
    renewal: Option<JoinHandle<Lease>>,
    runtime: Arc<StoreRuntime>,
}

impl Lock for HeldLease {
    fn check(&self) -> Result<(), StoreError> {
        match self.shared.get() {
            State::Held(confirmed) if confirmed.elapsed() < self.times.expire => Ok(()),
            State::Held(confirmed) => Err(StoreError::Remote {
                action: "lock",
                place: self.name.clone(),
                message: format!(
                    "the lock could not be renewed for {} seconds, and another publisher may take it",
                    confirmed.elapsed().as_secs()
                ),
            }),
            State::Lost => Err(StoreError::Locked {
                place: self.name.clone(),
                since: String::new(),
            }),
        }
    }

    fn warning(&self) -> Option<&str> {
        self.warning
    }
}

impl Drop for HeldLease {
    fn drop(&mut self) {
        let ours = self.check().is_ok();
        self.shared.stop.notify_one();
        let Some(renewal) = self.renewal.take() else {
            return;
        };
        // Waits for a running renewal, which could otherwise write the lease after its removal.
        let _ = self.runtime.run(&self.name, async move {
            let release = async {
                if let (Ok(lease), true) = (renewal.await, ours) {
                    lease.release().await;
                }
            };
            let _ = timeout(RELEASE_TIMEOUT, release).await;
            Ok(())
        });
    }
}

fn update(e_tag: Option<String>) -> PutMode {
    PutMode::Update(UpdateVersion {
        e_tag,
        version: None,
    })
}

/// Returns a string that differs between all holders on all machines. The keys of the standard library's hash tables are
/// random; the nonce need not be secret.
fn nonce() -> String {
    let draw = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}-{}", draw(), draw(), std::process::id())
}
