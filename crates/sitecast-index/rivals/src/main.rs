//! Benchmark of the index of Sitecast against other databases, and against SQLite in other layouts.
//!
//! `cargo run --release --manifest-path crates/sitecast-index/rivals/Cargo.toml [PAGES]`
//!
//! Each candidate stores the lines of one file, compressed with zstd at level 1: one line for each row
//! ("rows"), or many lines for each block of 64 KiB ("blocks"). Sitecast compresses on a second thread, so
//! the table has both time and CPU time. Each step runs in a process of its own.

mod engines;
mod layouts;
#[path = "../../benches/index/pages.rs"]
mod pages;

use std::fs::{self, File};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use layouts::{Layout, Store};
use pages::Random;
use sitecast_index::{FolderIndex, Index, NewPage, Origin, Precedence, SiteId};
use sitecast_scp::Timestamp;

const CANDIDATES: [&str; 7] = [
    "sitecast",
    "sqlite rows",
    "sqlite blocks",
    "fjall rows",
    "fjall blocks",
    "redb rows",
    "redb blocks",
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [task, candidate, folder, rest @ ..] = arguments.as_slice()
        && task.starts_with("step-")
    {
        return step(task, candidate, Path::new(folder), rest);
    }
    let count: usize = arguments.first().map_or(500_000, |n| n.parse().unwrap());
    let home = tempfile::tempdir().unwrap();
    let texts = pages::texts();
    let (first, second) = (home.path().join("first"), home.path().join("second"));
    let mut random = Random(42);
    let mut bytes = 0;
    let mut file = BufWriter::new(File::create(&first).unwrap());
    for n in 0..count {
        let line = pages::line(&texts.paragraphs, n, 0, time(0));
        bytes += line.len();
        writeln!(file, "{n} {line}").unwrap();
    }
    drop(file);
    let mut file = BufWriter::new(File::create(&second).unwrap());
    for _ in 0..count / 100 {
        let n = random.below(count);
        let line = pages::line(&texts.paragraphs, n, 1, time(1));
        writeln!(file, "{n} {line}").unwrap();
    }
    drop(file);
    println!(
        "{count} pages, {:.0} MB, of {}\n",
        bytes as f64 / 1e6,
        texts.source
    );
    println!(
        "| | load | CPU | memory | 1 % upsert | 10,000 look-ups | on disk | open | open after a kill |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for candidate in CANDIDATES {
        let folder = home.path().join("db");
        let folder = folder.to_str().unwrap();
        let file = |path: &Path| path.to_str().unwrap().to_owned();
        let load = run("step-put", candidate, folder, &[&file(&first), "0"]);
        let upsert = run("step-put", candidate, folder, &[&file(&second), "1"]);
        let find = run("step-find", candidate, folder, &[&count.to_string()]);
        let size = size_of(Path::new(folder));
        let open = run("step-open", candidate, folder, &[]);
        fs::remove_dir_all(folder).unwrap();
        let mut child = command("step-put", candidate, folder, &[&file(&first), "0"])
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(load.time / 2);
        child.kill().unwrap();
        child.wait().unwrap();
        let recovery = run("step-open", candidate, folder, &[]);
        fs::remove_dir_all(folder).unwrap();
        println!(
            "| {candidate} | {:.1} s | {:.1} s | {} MB | {:.2} s | {:.2} s | {:.0} MB | {:.0} ms | {:.0} ms |",
            load.time.as_secs_f64(),
            load.cpu.as_secs_f64(),
            load.peak_kib / 1024,
            upsert.time.as_secs_f64(),
            find.time.as_secs_f64(),
            size as f64 / 1e6,
            open.time.as_secs_f64() * 1e3,
            recovery.time.as_secs_f64() * 1e3,
        );
    }
}

struct Cost {
    time: Duration,
    cpu: Duration,
    peak_kib: u64,
}

fn command(task: &str, candidate: &str, folder: &str, rest: &[&str]) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([task, candidate, folder]).args(rest);
    if candidate.ends_with("rows") {
        command.env("RIVAL_ROWS", "1");
    }
    command
}

fn run(task: &str, candidate: &str, folder: &str, rest: &[&str]) -> Cost {
    let output = command(task, candidate, folder, rest).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{candidate} {task}: {errors}");
    let said = String::from_utf8(output.stdout).unwrap();
    let numbers: Vec<u64> = said
        .split_whitespace()
        .map(|n| n.parse().unwrap())
        .collect();
    Cost {
        time: Duration::from_micros(numbers[0]),
        cpu: Duration::from_micros(numbers[1]),
        peak_kib: numbers[2],
    }
}

fn time(hours: i64) -> Timestamp {
    Timestamp::from_unix_seconds(pages::first_time().unix_seconds() + 3_600 * hours).unwrap()
}

fn site() -> SiteId {
    SiteId::new(&"https://www.example.com".parse().unwrap())
}

fn store(candidate: &str, folder: &Path, first_block: u64) -> Store {
    let (engine, layout) = candidate.split_once(' ').unwrap();
    let layout = if layout == "rows" {
        Layout::Rows
    } else {
        Layout::Blocks
    };
    Store::new(engines::open(engine, folder), layout, first_block)
}

fn step(task: &str, candidate: &str, folder: &Path, rest: &[String]) {
    let started = Instant::now();
    let ours = candidate == "sitecast";
    match task {
        "step-put" if ours => put_ours(folder, &rest[0], rest[1].parse().unwrap()),
        "step-put" => {
            let round: u64 = rest[1].parse().unwrap();
            let mut store = store(candidate, folder, round << 40);
            each_line(&rest[0], |url, line| store.upsert(url, line, round + 1));
            store.commit();
        }
        "step-find" if ours => {
            let index = FolderIndex::open_existing(folder).unwrap();
            each_random(&rest[0], |url| {
                index.page(&site(), url).unwrap().map(|page| page.line)
            });
        }
        "step-find" => {
            let mut store = store(candidate, folder, 2 << 40);
            each_random(&rest[0], |url| store.find(url));
        }
        "step-open" if ours => {
            let index = FolderIndex::open(folder).unwrap();
            index.page(&site(), &pages::url(1)).unwrap();
        }
        "step-open" => {
            let mut store = store(candidate, folder, 2 << 40);
            store.find(&pages::url(1));
            let time = started.elapsed();
            println!("{} 0 0", time.as_micros());
            // Skips closing the database, which is not part of the measurement.
            std::process::exit(0);
        }
        other => panic!("no step {other}"),
    }
    let time = started.elapsed();
    println!("{} {} {}", time.as_micros(), cpu_micros(), peak_kib());
}

fn each_line(file: &str, mut visit: impl FnMut(&str, &str)) {
    let mut reader = BufReader::with_capacity(1 << 20, File::open(file).unwrap());
    let mut text = String::new();
    while reader.read_line(&mut text).unwrap() > 0 {
        let (n, line) = text.trim_end_matches('\n').split_once(' ').unwrap();
        visit(&pages::url(n.parse().unwrap()), line);
        text.clear();
    }
}

fn each_random(count: &str, mut find: impl FnMut(&str) -> Option<String>) {
    let count: usize = count.parse().unwrap();
    let mut random = Random(3);
    for _ in 0..10_000 {
        let url = pages::url(random.below(count));
        assert!(find(&url).unwrap().contains(&url));
    }
}

fn put_ours(folder: &Path, file: &str, round: i64) {
    let index = FolderIndex::open(folder).unwrap();
    let mut merge = index.begin(&site()).unwrap();
    merge.origin(Origin::Tct).unwrap();
    each_line(file, |url, line| {
        merge
            .put(&NewPage {
                url,
                line,
                modified: time(round),
                language: "en",
                fingerprint: None,
                etag: None,
                fetched: time(round),
                precedence: Precedence::NotOlder,
            })
            .unwrap();
    });
    merge.commit().unwrap();
}

fn size_of(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let size = |entry: fs::DirEntry| match entry.metadata() {
        Ok(found) if found.is_dir() => size_of(&entry.path()),
        Ok(found) => found.len(),
        Err(_) => 0,
    };
    entries.map(size).sum()
}

fn cpu_micros() -> u64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat
        .rsplit(')')
        .next()
        .unwrap_or("")
        .split_whitespace()
        .collect();
    let ticks = |at: usize| {
        fields
            .get(at)
            .and_then(|n| n.parse::<u64>().ok())
            .unwrap_or(0)
    };
    (ticks(11) + ticks(12)) * 10_000
}

fn peak_kib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok())
        .unwrap_or(0)
}
