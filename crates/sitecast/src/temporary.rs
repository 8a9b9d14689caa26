//! Folders that are gone when the command ends, also when Ctrl-C ends it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use tempfile::{Builder, TempDir};

/// What shells say of a command that Ctrl-C ended.
const INTERRUPTED: i32 = 130;

static ENDING: AtomicBool = AtomicBool::new(false);

/// Does not return while folders are being removed because of an interruption: what fails meanwhile
/// fails for want of them, and is not worth a word.
pub(crate) fn unless_interrupted() {
    while ENDING.load(Ordering::Acquire) {
        thread::sleep(Duration::from_millis(10));
    }
}

/// A new, empty folder.
pub(crate) fn folder() -> io::Result<TempDir> {
    let folder = Builder::new().prefix("sitecast-").tempdir()?;
    let path = folder.path().to_owned();
    // Without the thread all would go well but for an interruption; so it is not insisted upon.
    let _ = thread::Builder::new()
        .name("interruption".to_owned())
        .spawn(|| remove_when_interrupted(path));
    Ok(folder)
}

fn remove_when_interrupted(folder: PathBuf) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let Ok(runtime) = runtime else { return };
    if runtime.block_on(interruption()).is_ok() {
        ENDING.store(true, Ordering::Release);
        remove(&folder);
        std::process::exit(INTERRUPTED);
    }
}

/// Something may be being written into it at this moment; then there is more to remove the next time.
fn remove(folder: &Path) {
    for _ in 0..10 {
        if fs::remove_dir_all(folder).is_ok() || !folder.exists() {
            return;
        }
    }
}

#[cfg(unix)]
async fn interruption() -> io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};

    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        result = tokio::signal::ctrl_c() => result,
        _ = terminate.recv() => Ok(()),
    }
}

#[cfg(not(unix))]
async fn interruption() -> io::Result<()> {
    tokio::signal::ctrl_c().await
}
