//! How many files and connections the system lets the process have.

/// Files that are open for other things than connections.
#[cfg(target_os = "linux")]
const OTHERS: u64 = 256;

/// Asks for as many as may be had, and says how many connections that is.
#[cfg(target_os = "linux")]
pub(crate) fn connections() -> usize {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    let limit = getrlimit(Resource::Nofile);
    let most = Rlimit {
        current: limit.maximum,
        maximum: limit.maximum,
    };
    let now = match setrlimit(Resource::Nofile, most) {
        Ok(()) => limit.maximum,
        Err(_) => limit.current,
    };
    let now = now.unwrap_or(u64::MAX).saturating_sub(OTHERS).max(16);
    usize::try_from(now).unwrap_or(usize::MAX)
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn connections() -> usize {
    usize::MAX
}
