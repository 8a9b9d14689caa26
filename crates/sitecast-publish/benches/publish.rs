//! How fast a site is published, beside html5ever merely parsing the same files on all cores; how
//! much faster it is when nothing changed, or a hundredth; and what memory it takes.
//!
//! ```text
//! cargo bench -p sitecast-publish [-- FOLDER BASE_URL]
//! cargo bench -p sitecast-publish -- memory [PAGES]
//! ```
//!
//! FOLDER is a folder of HTML; without it, a site is made up. With `SITECAST_BENCH_STEPS` set, the steps
//! of publications are timed, too; with `SITECAST_BENCH_ZSTD_ONLY`, collections are not compressed with gzip.

#![allow(
    unreachable_pub,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout
)]

use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime};

use html5ever_of_rcdom::tendril::TendrilSink;
use html5ever_of_rcdom::{ParseOpts, parse_document};
use markup5ever_rcdom::RcDom;
use sitecast_publish::{FolderSource, Options, Progress, Step, publish};
use sitecast_scp::Timestamp;
use sitecast_storage::Folder;

#[path = "publish/made_up.rs"]
mod made_up;

const ROUNDS: usize = 5;

fn main() {
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with('-'))
        .collect();
    let pages = || -> Option<usize> { arguments.get(1)?.parse().ok() };
    match arguments.first().map(String::as_str) {
        Some("memory") => return memory(pages().unwrap_or(60_000)),
        Some("memory-of") => return memory_of(pages().unwrap_or_default()),
        // What is measured, in a process of its own: what another has left in memory is none of its business.
        Some("parse") => return timed(|| parse_all(&html_files(Path::new(&arguments[1])))),
        Some("publish") => {
            let [site, out, cache, base, hours] = &arguments[1..] else {
                panic!("not meant to be called by hand");
            };
            let mut options = Options::new(base.parse().unwrap());
            options.cache = Some(cache.into());
            if std::env::var_os("SITECAST_BENCH_ZSTD_ONLY").is_some() {
                options.compressions = vec![sitecast_scp::Compression::Zstd];
            }
            let (site, out) = (Path::new(site), Path::new(out));
            return timed(|| run(site, out, &options, hours.parse().unwrap()));
        }
        _ => {}
    }
    let scratch = tempfile::tempdir().unwrap();
    let site = scratch.path().join("site");
    let base = match arguments.as_slice() {
        [folder, base, ..] => {
            copy(Path::new(folder), &site);
            base.clone()
        }
        _ => {
            made_up::site(&site, 1_000);
            "https://example.com/".to_owned()
        }
    };
    let files = html_files(&site);
    let bytes: u64 = files
        .iter()
        .map(|file| fs::metadata(file).unwrap().len())
        .sum();
    println!(
        "{} files, {:.1} MB of HTML, least of {ROUNDS} rounds",
        files.len(),
        bytes as f64 / 1e6
    );
    let [mut parsing, mut first, mut again, mut changed] = [Measured::WORST; 4];
    for round in 0..ROUNDS {
        // A date is relied on only when it is older than the coarsest clock; some files are written anew in each round.
        std::thread::sleep(Duration::from_secs(3));
        // As people do: from the folder that the site is in.
        let measured = |arguments: &[&str]| measured(arguments, scratch.path());
        parsing = parsing.min(measured(&["parse", "site"]));
        let (out, cache) = (format!("out{round}"), format!("cache{round}"));
        let publish = |hours: &str| measured(&["publish", "site", &out, &cache, &base, hours]);
        first = first.min(publish("0"));
        again = again.min(publish("1"));
        for file in files.iter().step_by(100) {
            let mut html = fs::read(file).unwrap();
            html.extend_from_slice(format!("<!-- {round} -->").as_bytes());
            fs::write(file, html).unwrap();
        }
        changed = changed.min(publish("2"));
    }
    let (parsing_cpu, first_cpu) = (parsing.cpu, first.cpu);
    let [parsing, first, again, changed] = [parsing, first, again, changed].map(|one| one.time);
    let rate = |time: Duration| bytes as f64 / 1e6 / time.as_secs_f64();
    println!(
        "html5ever parsing, all cores   {parsing:>8.2?}  {:6.1} MB/s",
        rate(parsing)
    );
    println!(
        "first publication              {first:>8.2?}  {:6.1} MB/s  {:.0} % of parsing (asked: 40 %)",
        rate(first),
        100.0 * parsing.as_secs_f64() / first.as_secs_f64()
    );
    println!(
        "  by processor time              {:>8.2?} to {:.2?}, {:.0} %",
        first_cpu,
        parsing_cpu,
        100.0 * parsing_cpu.as_secs_f64() / first_cpu.as_secs_f64()
    );
    println!(
        "again, nothing changed         {again:>8.2?}  {:.1} x as fast (asked: 20 x)",
        first.as_secs_f64() / again.as_secs_f64()
    );
    println!(
        "again, 1 % written anew        {changed:>8.2?}  {:.1} x as fast",
        first.as_secs_f64() / changed.as_secs_f64()
    );
}

/// What something took.
#[derive(Clone, Copy)]
struct Measured {
    time: Duration,
    cpu: Duration,
}

impl Measured {
    const WORST: Self = Self {
        time: Duration::MAX,
        cpu: Duration::MAX,
    };

    fn min(self, other: Self) -> Self {
        Self {
            time: self.time.min(other.time),
            cpu: self.cpu.min(other.cpu),
        }
    }
}

/// Runs a part of this program as a process of its own, in this folder.
fn measured(arguments: &[&str], folder: &Path) -> Measured {
    let this = std::env::current_exe().unwrap();
    let mut run = std::process::Command::new(this);
    let output = run.args(arguments).current_dir(folder).output();
    let output = String::from_utf8(output.unwrap().stdout).unwrap();
    let mut lines: Vec<&str> = output.lines().collect();
    let last = lines.pop().unwrap();
    for line in lines {
        println!("{line}");
    }
    let (time, cpu) = last.split_once(' ').unwrap();
    let nanoseconds = |text: &str| Duration::from_nanos(text.parse().unwrap());
    Measured {
        time: nanoseconds(time),
        cpu: nanoseconds(cpu),
    }
}

/// Prints how long something takes, and how much processor time, in nanoseconds.
fn timed(work: impl FnOnce()) {
    let (start, cpu) = (Instant::now(), cpu_time());
    work();
    let time = start.elapsed();
    println!("{} {}", time.as_nanos(), (cpu_time() - cpu).as_nanos());
}

fn run(site: &Path, out: &Path, options: &Options, hours: u64) {
    let source = FolderSource::open(site).unwrap();
    let store = Folder::new(out).unwrap();
    let now = Timestamp::from(SystemTime::now() + Duration::from_secs(hours * 3_600));
    let steps = Steps::default();
    black_box(publish(&source, &store, None, options, now, &steps).unwrap());
    if hours < 2 && std::env::var_os("SITECAST_BENCH_STEPS").is_some() {
        println!("{}", if hours == 0 { "first" } else { "again" });
        steps.print();
    }
}

/// When each step began, and how much processor time was used by then.
#[derive(Default)]
struct Steps(std::sync::Mutex<Vec<(Step, Instant, Duration)>>);

impl Progress for Steps {
    fn begin(&self, step: Step, _total: Option<u64>) {
        self.0
            .lock()
            .unwrap()
            .push((step, Instant::now(), cpu_time()));
    }
}

impl Steps {
    fn print(&self) {
        let steps = self.0.lock().unwrap();
        let ends = steps.iter().skip(1).map(|(_, begin, cpu)| (*begin, *cpu));
        let ends = ends.chain([(Instant::now(), cpu_time())]);
        for ((step, begin, cpu), (end, cpu_then)) in steps.iter().zip(ends) {
            println!("  {step:?} {:.1?} {:.1?}", end - *begin, cpu_then - *cpu);
        }
    }
}

fn parse_all(files: &[PathBuf]) {
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().unwrap().get();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let html = fs::read(file).unwrap();
                    let dom = parse_document(RcDom::default(), ParseOpts::default())
                        .from_utf8()
                        .one(html.as_slice());
                    black_box(dom.document.children.borrow().len());
                }
            });
        }
    });
}

fn html_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                waiting.push(path);
            } else if path
                .extension()
                .is_some_and(|extension| extension == "html")
            {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).unwrap();
        }
    }
}

/// What a page more costs: the peak of a run with twice the pages, less that of a run with once. Each is
/// a process of its own: what one has freed the next would use.
fn memory(pages: usize) {
    let mut peaks = Vec::new();
    for count in [pages, pages * 2] {
        let this = std::env::current_exe().unwrap();
        let mut run = std::process::Command::new(this);
        let output = run.args(["memory-of", &count.to_string()]).output();
        let output = String::from_utf8(output.unwrap().stdout).unwrap();
        let (peak, url_bytes) = output.trim().split_once(' ').unwrap();
        let (peak, url_bytes): (u64, usize) = (peak.parse().unwrap(), url_bytes.parse().unwrap());
        println!("{count} pages: peak {:.1} MB", peak as f64 / 1e6);
        peaks.push((peak, url_bytes / count));
    }
    let per_page = (peaks[1].0 - peaks[0].0) as f64 / pages as f64;
    println!(
        "a page more costs {per_page:.0} bytes; its URL has {} (asked: 200 and the URL)",
        peaks[1].1
    );
}

/// Publishes so many pages; prints the most memory that it took, and the bytes of all URLs.
fn memory_of(pages: usize) {
    let scratch = tempfile::tempdir().unwrap();
    let site = scratch.path().join("site");
    let url_bytes = made_up::short_site(&site, pages);
    let options = Options::new("https://example.com/".parse().unwrap());
    run(&site, &scratch.path().join("out"), &options, 0);
    println!("{} {url_bytes}", peak());
}

/// The processor time that this process has used so far, all its threads together.
fn cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// The most memory that this process has held so far.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}
