//! Child processes that run this test binary, and can be killed.

use std::ffi::{OsStr, OsString};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};

/// The environment variable with the child's argument.
const ARGUMENT: &str = "SITECAST_TEST_CHILD";

/// A child process that is killed when dropped.
pub(crate) struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Returns the command that runs one ignored test.
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

/// In the child: returns its argument. `None` if all ignored tests are run.
pub(crate) fn argument() -> Option<String> {
    std::env::var(ARGUMENT).ok()
}

/// In the child: prints `word`, then waits until it is killed or its parent ends.
pub(crate) fn say_and_wait(word: &str) {
    println!("{word}");
    std::io::stdout().flush().unwrap();
    let _ = std::io::stdin().lines().next();
}
