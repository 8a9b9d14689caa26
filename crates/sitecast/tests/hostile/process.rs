//! Runs the command and measures its time and its peak memory.

use std::fs;
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Time between two looks at the process. The kernel keeps the peak, so a look may come late.
const INTERVAL: Duration = Duration::from_millis(5);

/// One run of the command that has ended.
#[derive(Debug)]
pub(crate) struct Run {
    /// Exit code; `None` if a signal ended the process.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) elapsed: Duration,
    /// Highest resident memory in bytes. Zero where the system does not tell.
    pub(crate) peak_memory: u64,
}

/// Runs the command to its end.
///
/// # Panics
///
/// Panics if the process is still running after `limit`, once it is killed.
pub(crate) fn run_within(limit: Duration, arguments: &[&str]) -> Run {
    watch(limit, command(arguments), arguments)
}

/// The same with so many file descriptors.
#[cfg(target_os = "linux")]
pub(crate) fn run_with_descriptors(most: u32, limit: Duration, arguments: &[&str]) -> Run {
    let mut shell = Command::new("sh");
    let script = format!("ulimit -n {most}; exec \"$0\" \"$@\"");
    shell.args(["-c", &script, env!("CARGO_BIN_EXE_sitecast")]);
    shell.args(arguments);
    watch(limit, shell, arguments)
}

fn watch(limit: Duration, mut command: Command, arguments: &[&str]) -> Run {
    let started = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let stdout = collect(child.stdout.take().unwrap());
    let stderr = collect(child.stderr.take().unwrap());
    let mut peak = 0;
    let status = loop {
        peak = peak.max(peak_memory(&child));
        if let Some(status) = child.try_wait().unwrap() {
            break Some(status);
        }
        if started.elapsed() > limit {
            child.kill().unwrap();
            child.wait().unwrap();
            break None;
        }
        thread::sleep(INTERVAL);
    };
    let run = Run {
        code: status.and_then(|status| status.code()),
        stdout: stdout.join().unwrap(),
        stderr: stderr.join().unwrap(),
        elapsed: started.elapsed(),
        peak_memory: peak,
    };
    assert!(
        status.is_some(),
        "`sitecast {}` was still running after {limit:?}: {run:?}",
        arguments.join(" ")
    );
    run
}

/// The command, away from the user's settings.
pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sitecast"));
    command.args(arguments);
    for name in ["SITECAST_CONFIG", "SITECAST_COLOR", "NO_COLOR"] {
        command.env_remove(name);
    }
    command
}

/// Highest resident memory of a running process so far, in bytes.
pub(crate) fn peak_memory(child: &Child) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = peak.and_then(|peak| peak.trim().strip_suffix(" kB")?.trim().parse().ok());
    kilobytes.unwrap_or(0u64) * 1024
}

/// Reads a pipe on a thread of its own, so that the process never waits for us.
fn collect(mut pipe: impl Read + Send + 'static) -> JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).unwrap();
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

#[test]
fn measures_the_process_that_it_runs() {
    // Something that takes a while: memory is looked at every few milliseconds.
    let folder = tempfile::tempdir().unwrap();
    let site = folder.path().join("site");
    let arguments = ["demo", "--site", site.to_str().unwrap()];
    let run = run_within(Duration::from_secs(60), &arguments);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{run:?}");
    assert!(run.stdout.starts_with("Wrote "), "{run:?}");
    assert!(run.elapsed > Duration::ZERO, "{run:?}");
    if cfg!(target_os = "linux") {
        assert!(run.peak_memory > 0, "{run:?}");
    }
}

#[test]
#[should_panic(expected = "was still running")]
fn kills_a_process_that_does_not_end() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().to_str().unwrap();
    run_within(
        Duration::from_millis(300),
        &["serve", folder, "--listen", "127.0.0.1:0"],
    );
}
