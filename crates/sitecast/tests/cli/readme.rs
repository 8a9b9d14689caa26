//! The README is run: every command in it, in order, and what it prints is compared.
//!
//! After a deliberate change, `SITECAST_UPDATE_README=1 cargo test -p sitecast --test cli readme` writes
//! what is printed now into it; read the difference.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// The port that the README uses, and the tests do not have for themselves.
const PORT: &str = "8080";

/// Figures may differ by so much: times are in what is compressed, and machines are not alike.
const TOLERANCE: f64 = 0.1;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A command of the README, and what is shown under it.
struct Example {
    command: String,
    shown: Vec<String>,
}

/// A piece of the README.
enum Piece {
    Text(String),
    Example(Example),
}

fn parse(readme: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut in_console = false;
    for line in readme.lines() {
        match line.strip_prefix("$ ") {
            _ if line.starts_with("```") => {
                in_console = line == "```console";
                pieces.push(Piece::Text(line.to_owned()));
            }
            Some(command) if in_console => pieces.push(Piece::Example(Example {
                command: command.to_owned(),
                shown: Vec::new(),
            })),
            _ => match pieces.last_mut() {
                Some(Piece::Example(example)) if in_console => example.shown.push(line.to_owned()),
                _ => pieces.push(Piece::Text(line.to_owned())),
            },
        }
    }
    pieces
}

fn unparse(pieces: &[Piece]) -> String {
    let mut lines: Vec<String> = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Text(line) => lines.push(line.clone()),
            Piece::Example(example) => {
                lines.push(format!("$ {}", example.command));
                lines.extend(example.shown.iter().cloned());
            }
        }
    }
    lines.join("\n") + "\n"
}

/// A person's shell: a folder with the repository's examples, and nothing of this machine's.
struct Shell {
    folder: tempfile::TempDir,
    port: String,
    running: Vec<Child>,
}

impl Shell {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["examples", "conformance", "crates"] {
            std::os::unix::fs::symlink(root().join(name), folder.path().join(name)).unwrap();
        }
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port().to_string();
        Self {
            folder,
            port,
            running: Vec::new(),
        }
    }

    fn command(&self, text: &str) -> Command {
        let program = assert_cmd::cargo::cargo_bin("sitecast");
        let path = std::env::var("PATH").unwrap();
        let path = format!("{}:{path}", program.parent().unwrap().display());
        let mut command = Command::new("bash");
        command
            .current_dir(self.folder.path())
            .args(["-c", &text.replace(PORT, &self.port)])
            .env("PATH", path)
            .env("HOME", self.folder.path())
            .stdin(Stdio::null());
        for name in [
            "SITECAST_CONFIG",
            "SITECAST_INDEX",
            "SITECAST_CACHE",
            "XDG_DATA_HOME",
            "XDG_CACHE_HOME",
        ] {
            command.env_remove(name);
        }
        command
    }

    fn run(&mut self, example: &Example) -> Vec<String> {
        let text = match example.command.strip_suffix(" &") {
            Some(command) => self.begin(command),
            None => {
                // As a terminal shows them, one stream after the other.
                // A line of its own for the brace: the command may end with a comment.
                let command = format!("{{ {}\n}} 2>&1", example.command);
                let output = self.command(&command).output().unwrap();
                // What the shell itself cannot read is told here and nowhere else.
                let problem = String::from_utf8(output.stderr).unwrap();
                assert_eq!(problem, "", "`{}`", example.command);
                String::from_utf8(output.stdout).unwrap()
            }
        };
        text.replace(&self.port, PORT)
            .lines()
            .map(|line| line.trim_end().to_owned())
            .collect()
    }

    /// Something that goes on: what it says first.
    fn begin(&mut self, command: &str) -> String {
        let mut child = self
            .command(&format!("exec {command}"))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        self.running.push(child);
        line
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        for child in &mut self.running {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Whether two lines say the same, but for the time of day and small differences in size.
fn say_the_same(one: &str, other: &str) -> bool {
    let words =
        |line: &str| -> Vec<String> { line.split_whitespace().map(str::to_owned).collect() };
    let (one, other) = (words(one), words(other));
    one.len() == other.len()
        && one.iter().zip(&other).enumerate().all(|(at, (a, b))| {
            let unit = one
                .get(at + 1)
                .map_or("", |unit| unit.trim_end_matches([',', '.', ':', ';', ')']));
            a == b || mask(a) == mask(b) || near(a, b, unit)
        })
}

fn say_the_same_lines(some: &[String], others: &[String]) -> bool {
    let words = |lines: &[String]| -> Vec<String> {
        let filled = lines.iter().filter(|line| !line.is_empty());
        filled.cloned().collect()
    };
    let (some, others) = (words(some), words(others));
    let mut pairs = some.iter().zip(&others);
    some.len() == others.len() && pairs.all(|(one, other)| say_the_same(one, other))
}

/// A word without the parts that differ from run to run: times, hashes and free ports.
fn mask(word: &str) -> String {
    if let Some(port) = word.strip_prefix("127.0.0.1:") {
        return port.trim_matches(|c: char| c.is_ascii_digit()).to_owned();
    }
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | ':');
    let mut masked = String::new();
    let mut rest = word;
    while let Some(start) = rest.find("20") {
        let end = rest[start..]
            .find(|c| !is_part(c))
            .map_or(rest.len(), |end| start + end);
        // `20261117T020837Z` within a name ends at its Z.
        let end = rest[start..end].find('Z').map_or(end, |z| start + z + 1);
        let digits = rest[start..end]
            .chars()
            .filter(char::is_ascii_digit)
            .count();
        masked.push_str(&rest[..start]);
        masked.push_str(if digits >= 8 {
            "TIME"
        } else {
            &rest[start..end]
        });
        rest = &rest[end..];
    }
    masked.push_str(rest);
    match masked.find("sha256:") {
        Some(at) => masked[..at + 7].to_owned(),
        None => masked,
    }
}

fn near(a: &str, b: &str, unit: &str) -> bool {
    let number = |word: &str| {
        word.trim_matches(['(', ')', ',', '.', ':'])
            .replace(',', "")
            .parse::<f64>()
    };
    let (Ok(a), Ok(b)) = (number(a), number(b)) else {
        return false;
    };
    match unit {
        // Seconds on this machine are nobody's business.
        "s" => true,
        "bytes" | "kB" | "MB" => (a - b).abs() <= a.max(b) * TOLERANCE,
        "%" => (a - b).abs() <= 100.0 * TOLERANCE,
        _ => false,
    }
}

#[test]
fn readme_shows_what_its_commands_print() {
    let path = root().join("README.md");
    let readme = fs::read_to_string(&path).unwrap();
    let mut pieces = parse(&readme);
    let mut shell = Shell::new();
    let update = std::env::var_os("SITECAST_UPDATE_README").is_some();
    let mut commands = 0;
    for piece in &mut pieces {
        let Piece::Example(example) = piece else {
            continue;
        };
        commands += 1;
        let printed = shell.run(example);
        let same = say_the_same_lines(&example.shown, &printed);
        if update && !same {
            let is_space = |line: &&String| line.is_empty();
            let spacing = example.shown.iter().rev().take_while(is_space).count();
            example.shown = printed;
            example
                .shown
                .extend(std::iter::repeat_n(String::new(), spacing));
            continue;
        }
        assert!(
            same,
            "`{}` prints\n{printed:#?}\nand README.md shows\n{:#?}",
            example.command, example.shown
        );
    }
    assert!(
        commands > 8,
        "README.md has {commands} commands that are run"
    );
    if update {
        fs::write(&path, unparse(&pieces)).unwrap();
    }
}

#[test]
fn comparing_forgives_times_and_small_differences_and_nothing_else() {
    for (one, other, same) in [
        ("4 pages", "4 pages", true),
        ("4 pages", "5 pages", false),
        (
            "scp/all-snapshot-20261117T020837Z.scp.zst",
            "scp/all-snapshot-20270101T000000Z.scp.zst",
            true,
        ),
        (
            "scp/all-snapshot-20261117T020837Z.scp.zst",
            "scp/all-delta-20261117T020837Z.scp.zst",
            false,
        ),
        (
            "made 2026-11-17T02:08:37Z,",
            "made 2027-01-01T00:00:00Z,",
            true,
        ),
        ("1.10 kB  x", "1.12 kB  x", true),
        ("1.10 kB  x", "2.12 kB  x", false),
        ("checksum sha256:ab", "checksum sha256:cd", true),
        ("in 0.3 s.", "in 1.9 s.", true),
        ("38 % less", "39 % less", true),
        ("38 % less", "68 % less", false),
    ] {
        assert_eq!(say_the_same(one, other), same, "{one} / {other}");
    }
}
