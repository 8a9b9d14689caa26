//! This test binary once more, as a process that can be killed.

use std::ffi::{OsStr, OsString};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};

/// What the child is given.
const ARGUMENT: &str = "SITECAST_TEST_CHILD";

/// Killed when it is dropped.
pub(crate) struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The command that runs one test, which is otherwise ignored.
pub(crate) fn command(test: &str) -> Vec<OsString> {
    let binary = std::env::current_exe().unwrap().into_os_string();
    let arguments = ["--exact", test, "--ignored", "--nocapture"];
    [binary]
        .into_iter()
        .chain(arguments.map(OsString::from))
        .collect()
}

pub(crate) fn start(test: &str, argument: impl AsRef<OsStr>) -> Killed {
    let command = command(test);
    let child = with_argument(&mut Command::new(&command[0]), argument)
        .args(&command[1..])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    Killed(child.unwrap())
}

pub(crate) fn with_argument(command: &mut Command, argument: impl AsRef<OsStr>) -> &mut Command {
    command.env(ARGUMENT, argument)
}

pub(crate) fn wait_for(child: &mut Killed, word: &str) {
    let output = BufReader::new(child.0.stdout.take().unwrap());
    let said = output.lines().any(|line| line.unwrap().contains(word));
    assert!(said, "the child ended without `{word}`");
}

/// In the child: what it was given. `None` if somebody runs all ignored tests.
pub(crate) fn argument() -> Option<String> {
    std::env::var(ARGUMENT).ok()
}

/// In the child: until it is killed, or the parent is gone.
pub(crate) fn say_and_wait(word: &str) {
    println!("{word}");
    std::io::stdout().flush().unwrap();
    let _ = std::io::stdin().lines().next();
}
