//! The lock of a bucket: an object that has to be renewed.
//!
//! Nobody can hold a connection open to say that he is still there, so the holder writes an object
//! and writes it again every now and then. One that was not renewed for long is a killed
//! publisher's and is taken over. All of it by conditional puts, of which the server lets one through;
//! and by the server's clock, never by two machines'.

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
use crate::engine::Engine;
use crate::reserved::{LOCK, SCRATCH};
use crate::{Lock, StoreError};

/// How often somebody may be faster before that is the answer.
const ATTEMPTS: usize = 4;

/// How long dropping a lock may take.
const GOODBYE: Duration = Duration::from_secs(10);

const WARNING: &str = "the bucket's server disregards conditions on puts (`If-None-Match`, `If-Match`): two \
    publications that start in the same moment cannot be told apart here, so make sure that there is only one";

/// When a lease is renewed, and when it counts for nothing.
#[derive(Debug, Clone, Copy)]
pub(super) struct Times {
    pub(super) renew: Duration,
    pub(super) expire: Duration,
}

impl Default for Times {
    fn default() -> Self {
        Self {
            renew: Duration::from_secs(20),
            expire: Duration::from_secs(60),
        }
    }
}

/// A lease that was just got.
pub(super) struct Lease {
    remote: Arc<Remote>,
    key: Key,
    times: Times,
    /// Says whose it is.
    nonce: String,
    since: Instant,
    /// Whether the server keeps conditions.
    conditional: bool,
    e_tag: Option<String>,
    /// The last moment of which it is known that the lease was ours.
    confirmed: Instant,
}

/// A lease as somebody wrote it.
struct Found {
    nonce: String,
    /// How long its holder had it when he wrote this.
    held: Duration,
    e_tag: Option<String>,
    /// On the server's clock, in milliseconds.
    last_modified: i64,
}

pub(super) async fn acquire(remote: Arc<Remote>, times: Times) -> Result<Lease, StoreError> {
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
                // An answer was lost on its way, and the request came a second time.
                lease.e_tag = found.e_tag;
                return lease.proven().await;
            }
            Some(found) => {
                let age = lease.age(&found).await?;
                if age <= times.expire {
                    return Err(lease.refused(found.held + age));
                }
                update(found.e_tag)
            }
        };
        match lease.write(mode).await {
            Ok(()) => return lease.proven().await,
            Err(error) if explain::is_conflict(&error) => {}
            Err(error) if explain::is_not_implemented(&error) => {
                lease.conditional = false;
                lease.overwrite().await?;
                return Ok(lease);
            }
            Err(error) => return Err(lease.failed(&error)),
        }
    }
    Err(lease.refused(Duration::ZERO))
}

impl Lease {
    /// Tries the server: does it keep conditions, or answer that it did and lose what others wrote?
    async fn proven(mut self) -> Result<Self, StoreError> {
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

    async fn find(&self) -> Result<Option<Found>, StoreError> {
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
        Ok(Some(Found {
            nonce,
            held: Duration::from_secs(held.unwrap_or(0)),
            e_tag: meta.e_tag,
            last_modified: meta.last_modified.timestamp_millis(),
        }))
    }

    /// How old a lease is by the server's clock, which is asked by writing something.
    async fn age(&self, found: &Found) -> Result<Duration, StoreError> {
        let clock = format!("{SCRATCH}-clock-{}", self.nonce);
        let key = self.remote.key("lock", &clock)?;
        let put = self.remote.writing.put(&key, PutPayload::new()).await;
        put.map_err(|error| self.failed(&error))?;
        let now = self.remote.head("lock", &clock).await;
        self.remote.delete(&clock).await?;
        let now = match now? {
            Some(meta) => meta.last_modified.timestamp_millis(),
            // Not seen yet: then the lease is taken for a fresh one.
            None => found.last_modified,
        };
        let age = now.saturating_sub(found.last_modified);
        Ok(Duration::from_millis(age.try_into().unwrap_or(0)))
    }

    /// Writes the lease again. `false`: it is somebody else's now.
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

    /// Removes the lease if it is still ours. There is nobody to tell if that fails: it will expire.
    async fn release(&self) {
        if let Ok(Some(found)) = self.find().await
            && found.nonce == self.nonce
        {
            let _ = self.remote.delete(LOCK).await;
        }
    }

    fn refused(&self, running: Duration) -> StoreError {
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

    /// Renews the lease from now on.
    pub(super) fn keep(self, engine: &Arc<Engine>) -> Kept {
        let shared = Arc::new(Shared {
            state: Mutex::new(State::Ours(self.confirmed)),
            stop: Notify::new(),
        });
        Kept {
            name: self.remote.name.clone(),
            times: self.times,
            warning: (!self.conditional).then_some(WARNING),
            renewing: Some(engine.handle().spawn(renewing(self, Arc::clone(&shared)))),
            shared,
            engine: Arc::clone(engine),
        }
    }
}

async fn renewing(mut lease: Lease, shared: Arc<Shared>) -> Lease {
    loop {
        if timeout(lease.times.renew, shared.stop.notified())
            .await
            .is_ok()
        {
            return lease;
        }
        // One that takes longer than until the next is given up for that.
        let state = match timeout(lease.times.renew, lease.renew()).await {
            Ok(Ok(true)) => State::Ours(lease.confirmed),
            Ok(Ok(false)) => State::Lost,
            // Perhaps the next time; and if that does not come in time, the holder will know.
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
    /// At this moment.
    Ours(Instant),
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
pub(super) struct Kept {
    name: String,
    times: Times,
    warning: Option<&'static str>,
    shared: Arc<Shared>,
    renewing: Option<JoinHandle<Lease>>,
    engine: Arc<Engine>,
}

impl Lock for Kept {
    fn check(&self) -> Result<(), StoreError> {
        match self.shared.get() {
            State::Ours(confirmed) if confirmed.elapsed() < self.times.expire => Ok(()),
            State::Ours(confirmed) => Err(StoreError::Remote {
                action: "lock",
                place: self.name.clone(),
                message: format!(
                    "the lock could not be renewed for {} seconds, and others may take it",
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

impl Drop for Kept {
    fn drop(&mut self) {
        let ours = self.check().is_ok();
        self.shared.stop.notify_one();
        let Some(renewing) = self.renewing.take() else {
            return;
        };
        // A renewal that is under way comes first, or it would bring the lease back.
        let _ = self.engine.run(&self.name, async move {
            let release = async {
                if let (Ok(lease), true) = (renewing.await, ours) {
                    lease.release().await;
                }
            };
            let _ = timeout(GOODBYE, release).await;
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

/// Different for each, on all machines. The standard library draws the keys of its hash tables from
/// the system's randomness; that is enough for something that nobody wants to guess.
fn nonce() -> String {
    let draw = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}-{}", draw(), draw(), std::process::id())
}
