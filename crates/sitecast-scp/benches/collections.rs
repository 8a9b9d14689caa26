//! Benchmark of reading and writing collections, compared in one run with zstd, gzip, zlib-ng and ISA-L.
//!
//! `cargo bench -p sitecast-scp` prints the table of docs/performance.md. Times are the minimum of
//! several runs, the one least disturbed by other programs. Text comes from
//! `SITECAST_BENCH_TEXT` (a folder of text, Markdown, HTML or JSON files), else from the corpora of
//! the development tree, else from the Markdown and Rust sources in cargo's registry.
//! `SITECAST_BENCH_CONTENT` is the size of the content in bytes, 250,000,000 by default.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr
)]

use std::fs::{self, File};
use std::hint::black_box;
use std::io::{BufWriter, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use sitecast_scp::{
    Block, Collection, Compression, Event, HeadingLevel, HttpUrl, Page, ReaderOptions,
    WriterOptions,
};

/// The default size of the content in bytes.
const CONTENT: u64 = 250_000_000;
const RUNS: usize = 7;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [task, path, ..] = arguments.as_slice()
        && task.starts_with("peak-")
    {
        return peak(task, Path::new(path));
    }
    // `cargo test --benches` only checks that the benchmark runs.
    let measured = arguments.iter().any(|argument| argument == "--bench");
    let asked = std::env::var("SITECAST_BENCH_CONTENT")
        .ok()
        .and_then(|bytes| bytes.parse().ok());
    let (content, runs) = if measured {
        (asked.unwrap_or(CONTENT), RUNS)
    } else {
        (2_000_000, 1)
    };
    let folder = tempdir();
    let texts = texts();
    println!(
        "text: {} paragraphs from {}",
        texts.paragraphs.len(),
        texts.source
    );
    let plain = folder.join("bench.scp");
    let pages = make_collection(&plain, &texts.paragraphs, content);
    drop(texts);
    let size = fs::metadata(&plain).unwrap().len();
    println!("collection: {pages} pages, {:.1} MB\n", size as f64 / 1e6);

    let bench = Bench {
        folder: folder.clone(),
        plain,
        size,
        runs,
    };
    // `cargo bench -p sitecast-scp -- memory` runs only that part.
    let asked: Vec<&str> = arguments
        .iter()
        .map(String::as_str)
        .filter(|argument| !argument.starts_with('-'))
        .collect();
    let wants = |part: &str| asked.is_empty() || asked.contains(&part);
    if wants("writing") {
        bench.writing();
    }
    if wants("reading") {
        bench.reading();
    }
    if wants("memory") {
        bench.memory();
    }
    fs::remove_dir_all(folder).unwrap();
}

/// Runs one task and prints the peak memory of this process. The benchmark starts a process for each task.
fn peak(task: &str, path: &Path) {
    match task {
        "peak-read" => check(path, true),
        "peak-write-zstd" => write(path, Compression::Zstd),
        "peak-write-gzip" => write(path, Compression::Gzip),
        other => panic!("unknown task {other}"),
    }
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .unwrap_or("unknown");
    println!("{}", peak.trim());
}

struct Bench {
    folder: PathBuf,
    plain: PathBuf,
    size: u64,
    runs: usize,
}

impl Bench {
    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn writing(&self) {
        println!("writing (lines of the collection above: checked, hashed, compressed, to a file)");
        let zstd = self.path("by-zstd.scp.zst");
        let gzip = self.path("by-gzip.scp.gz");
        let mut contest = Contest::new(self.size, self.runs.min(3));
        contest.add("zstd -9 -T2", || {
            run(Command::new("zstd")
                .args(["-9", "-T2", "-q", "-f"])
                .arg(&self.plain)
                .arg("-o")
                .arg(&zstd))
        });
        contest.add("write zstd level 9", || {
            timed(|| write(&self.plain, Compression::Zstd))
        });
        contest.add("gzip -6", || {
            run(Command::new("gzip")
                .args(["-6", "-c"])
                .arg(&self.plain)
                .stdout(File::create(&gzip).unwrap()))
        });
        contest.add("write gzip level 6", || {
            timed(|| write(&self.plain, Compression::Gzip))
        });
        contest.add("write uncompressed", || {
            timed(|| write(&self.plain, Compression::None))
        });
        let times = contest.run();
        ratio(
            "write zstd level 9",
            "zstd -9 -T2",
            times[1],
            times[0],
            "at most 1.15",
        );
        ratio(
            "gzip -6",
            "write gzip level 6",
            times[2],
            times[3],
            "at least 1.5",
        );
        for (ours, theirs) in [("ours.scp.zst", &zstd), ("ours.scp.gz", &gzip)] {
            let (ours, theirs) = (fs::metadata(self.path(ours)), fs::metadata(theirs));
            if let (Ok(ours), Ok(theirs)) = (ours, theirs) {
                println!(
                    "  size {:.2} MB, theirs {:.2} MB",
                    ours.len() as f64 / 1e6,
                    theirs.len() as f64 / 1e6
                );
            }
        }
        println!();
    }

    fn reading(&self) {
        for compression in [Compression::Zstd, Compression::Gzip] {
            if !self
                .path(&format!("ours{}", compression.extension()))
                .exists()
            {
                write(&self.plain, compression);
            }
        }
        println!("reading (decompressed, hashed, every page and block checked)");
        let (zstd, gzip) = (self.path("ours.scp.zst"), self.path("ours.scp.gz"));
        let mut contest = Contest::new(self.size, self.runs);
        contest.add("zstd -dc > /dev/null", || {
            run(Command::new("zstd")
                .args(["-dcq"])
                .arg(&zstd)
                .stdout(null()))
        });
        contest.add("check zstd, two threads", || timed(|| check(&zstd, true)));
        contest.add("check zstd, one thread", || timed(|| check(&zstd, false)));
        contest.add("inflate of zlib-rs alone", || timed(|| inflate(&gzip)));
        contest.add("inflate of zlib-ng alone", || {
            python_inflate("zlib_ng", "zlib_ng", &gzip)
        });
        contest.add("inflate of ISA-L alone", || {
            python_inflate("isal", "isal_zlib", &gzip)
        });
        contest.add("check gzip, two threads", || timed(|| check(&gzip, true)));
        contest.add("check gzip, one thread", || timed(|| check(&gzip, false)));
        contest.add("check uncompressed", || timed(|| check(&self.plain, false)));
        let times = contest.run();
        ratio(
            "check zstd, two threads",
            "zstd -dc",
            times[1],
            times[0],
            "at most 1.6",
        );
        ratio(
            "check gzip, two threads",
            "zlib-rs alone",
            times[6],
            times[3],
            "",
        );
        ratio(
            "check gzip, two threads",
            "zlib-ng alone",
            times[6],
            times[4],
            "at most 1.5",
        );
        ratio(
            "check gzip, two threads",
            "ISA-L alone",
            times[6],
            times[5],
            "at most 1.5",
        );
        if let Some(time) = times[2] {
            println!(
                "  one thread: {:.0} MB/s of content (at least 300)",
                self.size as f64 / 1e6 / time.as_secs_f64()
            );
        }
        println!();
    }

    /// Measures the peak memory of reading and writing, as counted by the kernel.
    fn memory(&self) {
        println!("peak memory (under 64 MB)");
        for (name, task, file) in [
            ("write zstd", "peak-write-zstd", "bench.scp"),
            ("write gzip", "peak-write-gzip", "bench.scp"),
            ("check zstd", "peak-read", "ours.scp.zst"),
            ("check gzip", "peak-read", "ours.scp.gz"),
        ] {
            let this = std::env::current_exe().unwrap();
            let output = Command::new(this)
                .arg(task)
                .arg(self.path(file))
                .output()
                .unwrap();
            println!(
                "  {name:<28} {}",
                String::from_utf8_lossy(&output.stdout).trim()
            );
        }
    }
}

/// Writes the pages of an uncompressed file with compression. The time includes reading them.
fn write(plain: &Path, compression: Compression) {
    let mut reader = ReaderOptions::default()
        .read(File::open(plain).unwrap())
        .unwrap();
    let collection = reader.collection().unwrap().clone();
    let ours = plain.with_file_name(format!("ours{}", compression.extension()));
    let mut writer = WriterOptions::new(compression)
        .create(File::create(ours).unwrap(), &collection)
        .unwrap();
    while let Some(event) = reader.next_event().unwrap() {
        if let Event::Page(page) = event {
            writer.write_line(page.line()).unwrap();
        }
    }
    writer.finish().unwrap();
}

/// Runs a candidate once. Returns the time, or `None` if it could not run.
type Run<'a> = Box<dyn Fn() -> Option<Duration> + 'a>;

/// Candidates that run in turn, so that a slow minute of the machine affects all of them.
struct Contest<'a> {
    size: u64,
    runs: usize,
    entries: Vec<(&'a str, Run<'a>)>,
}

impl<'a> Contest<'a> {
    fn new(size: u64, runs: usize) -> Self {
        Self {
            size,
            runs,
            entries: Vec::new(),
        }
    }

    fn add(&mut self, name: &'a str, run: impl Fn() -> Option<Duration> + 'a) {
        self.entries.push((name, Box::new(run)));
    }

    /// Runs all candidates. Returns the minimum time of each, or `None` if it could not run.
    fn run(self) -> Vec<Option<Duration>> {
        let mut least: Vec<Option<Duration>> = vec![None; self.entries.len()];
        for _ in 0..self.runs {
            for ((_, run), least) in self.entries.iter().zip(&mut least) {
                if let Some(time) = run() {
                    *least = Some(least.map_or(time, |least| least.min(time)));
                }
            }
        }
        for ((name, _), least) in self.entries.iter().zip(&least) {
            match least {
                None => println!("  {name:<28} not installed"),
                Some(time) => {
                    let rate = self.size as f64 / 1e6 / time.as_secs_f64();
                    println!(
                        "  {name:<28} {:>8.0} ms {rate:>8.0} MB/s",
                        time.as_secs_f64() * 1e3
                    );
                }
            }
        }
        least
    }
}

fn ratio(
    one: &str,
    other: &str,
    time: Option<Duration>,
    other_time: Option<Duration>,
    target: &str,
) {
    if let (Some(time), Some(other_time)) = (time, other_time) {
        let target = if target.is_empty() {
            String::new()
        } else {
            format!(" ({target})")
        };
        println!(
            "  {one} / {other}: {:.2}{target}",
            time.as_secs_f64() / other_time.as_secs_f64()
        );
    }
}

fn null() -> Stdio {
    Stdio::null()
}

fn timed(work: impl FnOnce()) -> Option<Duration> {
    let started = Instant::now();
    work();
    Some(started.elapsed())
}

fn run(command: &mut Command) -> Option<Duration> {
    let started = Instant::now();
    let status = command.stderr(null()).status().ok()?;
    status.success().then(|| started.elapsed())
}

fn check(path: &Path, ahead: bool) {
    let options = ReaderOptions::default();
    let file = File::open(path).unwrap();
    let mut reader = if ahead {
        options.read_ahead(file)
    } else {
        options.read(file)
    }
    .unwrap();
    while reader.next_event().unwrap().is_some() {}
    black_box(reader.summary().unwrap());
}

fn inflate(path: &Path) {
    let file = std::io::BufReader::with_capacity(256 << 10, File::open(path).unwrap());
    let mut decoder = flate2::bufread::GzDecoder::new(file);
    let mut buffer = vec![0; 512 << 10];
    while decoder.read(&mut buffer).unwrap() > 0 {
        black_box(&buffer);
    }
}

/// Runs a streaming inflate written in C, from a Python package. It measures the time itself, so that
/// the start of Python is not included.
fn python_inflate(package: &str, module: &str, path: &Path) -> Option<Duration> {
    let program = format!(
        "\
import sys, time
from {package} import {module}
started = time.perf_counter()
inflate = {module}.decompressobj(31)
with open(sys.argv[1], 'rb') as file:
    while chunk := file.read(65536):
        inflate.decompress(chunk)
print(time.perf_counter() - started)
"
    );
    let output = Command::new("python3")
        .args(["-c", &program])
        .arg(path)
        .output()
        .ok()?;
    let seconds = String::from_utf8(output.stdout).ok()?.trim().parse().ok()?;
    Some(Duration::from_secs_f64(seconds))
}

struct Texts {
    source: String,
    paragraphs: Vec<String>,
}

/// Real text, from the first source that has any.
fn texts() -> Texts {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = Vec::new();
    folders.extend(std::env::var_os("SITECAST_BENCH_TEXT").map(PathBuf::from));
    folders.push(manifest.join("../../../shared/corpora/wcxb/ground-truth"));
    let cargo = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = std::env::var_os("HOME").map(|home| Path::new(&home).join(".cargo"));
    folders.extend(cargo.or(home).map(|cargo| cargo.join("registry/src")));
    for folder in folders {
        let mut paragraphs = Vec::new();
        collect(&folder, &mut paragraphs, &mut 60_000_000);
        if !paragraphs.is_empty() {
            let source = folder
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            return Texts { source, paragraphs };
        }
    }
    panic!("no text found: set SITECAST_BENCH_TEXT to a folder with text files");
}

fn collect(folder: &Path, paragraphs: &mut Vec<String>, budget: &mut usize) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if *budget == 0 {
            return;
        }
        if path.is_dir() {
            collect(&path, paragraphs, budget);
            continue;
        }
        let extension = path
            .extension()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let Ok(text) = fs::read_to_string(&path) else {
            continue;
        };
        let text = match extension.as_str() {
            "json" => serde_json::from_str::<serde_json::Value>(&text)
                .ok()
                .and_then(|value| {
                    Some(
                        value
                            .get("ground_truth")?
                            .get("main_content")?
                            .as_str()?
                            .to_owned(),
                    )
                })
                .unwrap_or_default(),
            "txt" | "md" | "html" | "rs" => text,
            _ => continue,
        };
        *budget = budget.saturating_sub(text.len());
        paragraphs.extend(
            text.split('\n')
                .map(str::trim)
                .filter(|line| !line.is_empty())
                .map(str::to_owned),
        );
    }
}

/// Writes pages of about sixty blocks from the paragraphs in turn, until they have `content` bytes. The text repeats
/// only after more bytes than the windows of zstd level 9 and gzip.
fn make_collection(path: &Path, paragraphs: &[String], content: u64) -> usize {
    let generated = "2025-01-15T10:00:00Z".parse().unwrap();
    let collection =
        Collection::snapshot("bench".parse().unwrap(), "all".parse().unwrap(), generated);
    let out = BufWriter::with_capacity(1 << 20, File::create(path).unwrap());
    let mut writer = WriterOptions::new(Compression::None)
        .create(out, &collection)
        .unwrap();
    let mut next = paragraphs.iter().cycle();
    let mut text = || next.next().unwrap().clone();
    let mut written = 0;
    let mut pages = 0;
    while written < content {
        let url: HttpUrl = format!("https://example.com/articles/{pages}")
            .parse()
            .unwrap();
        let mut blocks = vec![Block::Heading {
            level: HeadingLevel::clamped(1),
            text: text(),
        }];
        for index in 0..60 {
            blocks.push(match index % 12 {
                3 => Block::Heading {
                    level: HeadingLevel::clamped(2),
                    text: text(),
                },
                5 => Block::Link {
                    url: url.clone(),
                    text: text(),
                    rel: vec![],
                },
                7 => Block::List {
                    ordered: false,
                    items: vec![text(), text(), text()],
                },
                9 => Block::Image {
                    url: url.clone(),
                    alt: text(),
                },
                _ => Block::Text { text: text() },
            });
        }
        let page = Page {
            url,
            title: text(),
            description: text(),
            author: None,
            published: None,
            modified: generated,
            language: "en".parse().unwrap(),
            canonical: None,
            schema: None,
            content: blocks,
            robots: vec![],
        };
        written += serde_json::to_string(&page).unwrap().len() as u64;
        writer.write_page(&page).unwrap();
        pages += 1;
    }
    writer.finish().unwrap();
    pages
}

fn tempdir() -> PathBuf {
    let folder = std::env::temp_dir().join(format!("sitecast-bench-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    folder
}
