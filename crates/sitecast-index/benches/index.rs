//! Benchmark of loading, updating and reading an index: the figures of docs/performance.md.
//!
//! Run with `cargo bench -p sitecast-index [-- PAGES]`; the default is 500,000 pages. Each step runs in a
//! process of its own, so that its peak memory can be measured. `crates/sitecast-index/rivals` runs the same
//! load on other databases.
#![allow(
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr
)]

#[path = "index/pages.rs"]
mod pages;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use pages::Random;
use sitecast_index::{
    CollectionRef, Filter, FolderIndex, Index, NewPage, Origin, Precedence, SiteId, Sweep,
};
use sitecast_scp::{
    Collection, CollectionKind, Compression, Event, ReaderOptions, Timestamp, WriterOptions,
};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [task, folder, rest @ ..] = arguments.as_slice()
        && task.starts_with("step-")
    {
        return step(task, Path::new(folder), rest);
    }
    // `cargo test --benches` only checks that the benchmark runs.
    let measured = arguments.iter().any(|argument| argument == "--bench");
    let asked = arguments.iter().find_map(|argument| argument.parse().ok());
    let count = asked.unwrap_or(if measured { 500_000 } else { 500 });

    let home = tempfile::tempdir().unwrap();
    let files = Files::make(home.path(), count);
    println!(
        "{count} pages, {:.0} MB, of {}\n",
        files.bytes as f64 / 1e6,
        files.source
    );
    println!(
        "{:<44} {:>9} {:>9} {:>9} {:>9}",
        "", "time", "CPU", "MB/s", "memory"
    );
    let index = home.path().join("index");
    let folder = index.to_str().unwrap();
    let load = |name: &str, file: &Path, bytes: u64| {
        row(
            name,
            bytes,
            run("step-merge", folder, &[file.to_str().unwrap()]),
        )
    };
    let first = load(
        "first snapshot, read and merged",
        &files.snapshot,
        files.bytes,
    );
    println!(
        "{:<44} {:>9.0} MB",
        "  on disk",
        size_of(&index) as f64 / 1e6
    );
    let file = files.snapshot.to_str().unwrap();
    row(
        "  the same only read",
        files.bytes,
        run("step-read", folder, &[file]),
    );
    let delta = load("delta of 1 %", &files.delta, files.delta_bytes);
    println!(
        "{:<44} {:>8.2} %",
        "  of the first snapshot",
        100.0 * delta.time.as_secs_f64() / first.time.as_secs_f64()
    );
    load(
        "the next snapshot, nothing changed",
        &files.again,
        files.bytes,
    );
    row(
        "nothing to do: opened, looked at, noted",
        0,
        run("step-nothing", folder, &[]),
    );
    row("opened", 0, run("step-open", folder, &[]));
    row(
        "10,000 pages by URL",
        0,
        run("step-find", folder, &[&count.to_string()]),
    );
    row(
        "all pages in order",
        files.bytes,
        run("step-all", folder, &[]),
    );
    fs::remove_dir_all(&index).unwrap();
    load("first snapshot, in no order", &files.shuffled, files.bytes);
    println!(
        "{:<44} {:>9.0} MB",
        "  on disk",
        size_of(&index) as f64 / 1e6
    );
    row(
        "all pages in order",
        files.bytes,
        run("step-all", folder, &[]),
    );
    fs::remove_dir_all(&index).unwrap();
    killed(&files, folder, first.time);
}

/// Kills a load halfway, and measures opening the index afterwards.
fn killed(files: &Files, folder: &str, whole: Duration) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["step-merge", folder, files.snapshot.to_str().unwrap()])
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(whole / 2);
    child.kill().unwrap();
    child.wait().unwrap();
    let left = size_of(Path::new(folder)) as f64 / 1e6;
    row(
        "opened after a load was killed halfway",
        0,
        run("step-open", folder, &[]),
    );
    println!(
        "{:<44} {:>9.0} MB before, {:.0} MB after",
        "  on disk",
        left,
        size_of(Path::new(folder)) as f64 / 1e6
    );
}

/// The collections that the steps merge.
struct Files {
    source: String,
    bytes: u64,
    delta_bytes: u64,
    snapshot: PathBuf,
    again: PathBuf,
    shuffled: PathBuf,
    delta: PathBuf,
}

impl Files {
    fn make(home: &Path, count: usize) -> Self {
        let texts = pages::texts();
        let first = pages::first_time();
        let hour = |n: i64| Timestamp::from_unix_seconds(first.unix_seconds() + 3_600 * n).unwrap();
        let in_order: Vec<usize> = (0..count).collect();
        let mut shuffled = in_order.clone();
        let mut random = Random(42);
        for at in (1..count).rev() {
            shuffled.swap(at, random.below(at + 1));
        }
        let changed: Vec<usize> = shuffled.iter().copied().take(count.div_ceil(100)).collect();
        let write = |name: &str, kind, generated, numbers: &[usize], version: u64| {
            let path = home.join(name);
            let collection = Collection {
                kind,
                ..Collection::snapshot(name.parse().unwrap(), "all".parse().unwrap(), generated)
            };
            let options = WriterOptions {
                level: 3,
                ..WriterOptions::new(Compression::Zstd)
            };
            let mut writer = options
                .create(File::create(&path).unwrap(), &collection)
                .unwrap();
            let modified = hour(version as i64);
            for n in numbers {
                let line = pages::line(&texts.paragraphs, *n, version, modified);
                writer.write_line(&line).unwrap();
            }
            (path, writer.finish().unwrap().1.uncompressed_bytes)
        };
        let snapshot = CollectionKind::Snapshot;
        let delta = CollectionKind::Delta { since: hour(10) };
        let (snapshot_file, bytes) = write("first", snapshot, hour(10), &in_order, 0);
        let (delta, delta_bytes) = write("delta", delta, hour(11), &changed, 5);
        let (again, _) = write("again", snapshot, hour(12), &in_order, 0);
        let (shuffled, _) = write("shuffled", snapshot, hour(10), &shuffled, 0);
        Self {
            source: texts.source,
            bytes,
            delta_bytes,
            snapshot: snapshot_file,
            again,
            shuffled,
            delta,
        }
    }
}

/// The cost of one step.
struct Cost {
    time: Duration,
    cpu: Duration,
    peak_kib: u64,
}

fn run(task: &str, folder: &str, rest: &[&str]) -> Cost {
    let output = Command::new(std::env::current_exe().unwrap())
        .args([task, folder])
        .args(rest)
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{task}: {errors}");
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

fn row(name: &str, bytes: u64, cost: Cost) -> Cost {
    let ms = |time: Duration| format!("{:.1} ms", time.as_secs_f64() * 1e3);
    let speed = if bytes == 0 {
        String::new()
    } else {
        format!("{:.0}", bytes as f64 / 1e6 / cost.time.as_secs_f64())
    };
    println!(
        "{name:<44} {:>9} {:>9} {speed:>9} {:>6} MB",
        ms(cost.time),
        ms(cost.cpu),
        cost.peak_kib / 1024
    );
    cost
}

fn site() -> SiteId {
    SiteId::new(&"https://www.example.com".parse().unwrap())
}

/// Runs one step, and prints its time and CPU time in microseconds and its peak memory in KiB.
fn step(task: &str, folder: &Path, rest: &[String]) {
    let started = Instant::now();
    match task {
        "step-merge" => merge(folder, Path::new(&rest[0])),
        "step-read" => read(Path::new(&rest[0])),
        "step-nothing" => nothing(folder),
        "step-open" => {
            let index = FolderIndex::open_existing(folder).unwrap();
            index.state(&site()).unwrap();
        }
        "step-find" => find(folder, rest[0].parse().unwrap()),
        "step-all" => all(folder),
        other => panic!("no step {other}"),
    }
    let time = started.elapsed();
    println!("{} {} {}", time.as_micros(), cpu_micros(), peak_kib());
}

/// Reads a collection and merges it while reading, as a sync does.
fn merge(folder: &Path, file: &Path) {
    let index = FolderIndex::open(folder).unwrap();
    let mut reader = ReaderOptions::default()
        .read_ahead(File::open(file).unwrap())
        .unwrap();
    let collection = reader.collection().unwrap().clone();
    let generated = collection.generated;
    let mut merge = index.begin(&site()).unwrap();
    merge
        .origin(Origin::Scp(CollectionRef {
            url: "https://www.example.com/scp/all.scp.zst".to_owned(),
            section: collection.section.clone(),
            kind: collection.kind,
            generated,
        }))
        .unwrap();
    while let Some(event) = reader.next_event().unwrap() {
        if let Event::Page(page) = event {
            merge
                .put(&NewPage {
                    url: page.url(),
                    line: page.line(),
                    modified: page.modified(),
                    language: page.language(),
                    fingerprint: None,
                    etag: None,
                    fetched: generated,
                    precedence: Precedence::NotOlder,
                })
                .unwrap();
        }
    }
    if collection.kind == CollectionKind::Snapshot {
        let sweep = Sweep::section(collection.section, generated);
        merge.delete_unnamed(&sweep).unwrap();
    }
    merge.commit().unwrap();
}

/// Reads a collection without merging it.
fn read(file: &Path) {
    let mut reader = ReaderOptions::default()
        .read_ahead(File::open(file).unwrap())
        .unwrap();
    while reader.next_event().unwrap().is_some() {}
}

/// Does the index's part of a sync that finds nothing new: reads the state, and records the success.
fn nothing(folder: &Path) {
    let index = FolderIndex::open(folder).unwrap();
    index.state(&site()).unwrap().unwrap();
    let mut merge = index.begin(&site()).unwrap();
    merge.state_mut().last_success = Some(pages::first_time());
    merge.commit().unwrap();
}

fn find(folder: &Path, count: usize) {
    let index = FolderIndex::open_existing(folder).unwrap();
    let mut random = Random(3);
    for _ in 0..10_000 {
        let url = pages::url(random.below(count));
        let page = index.page(&site(), &url).unwrap().unwrap();
        assert!(page.line.contains(&url));
    }
}

fn all(folder: &Path) {
    let index = FolderIndex::open_existing(folder).unwrap();
    let mut pages = index.pages(&Filter::default()).unwrap();
    let mut bytes = 0;
    while let Some(page) = pages.next_page().unwrap() {
        bytes += page.line.len();
    }
    assert!(bytes > 0);
}

fn size_of(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.metadata().map_or(0, |m| m.len()))
        .sum()
}

/// Returns the user and system time of this process. Linux counts it in hundredths of a second.
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
