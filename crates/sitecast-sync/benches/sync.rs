//! Benchmark of syncs over real sockets from another process: `cargo bench -p sitecast-sync`.
//!
//! Measures a first sync against verifying and against downloading the same file, a delta of one per cent, and
//! an unchanged site, each at two sizes; and a thousand HTML pages against only extracting them.
//!
//! `-- collections 250 2000` measures collections of these sizes in MB, `-- html` only the HTML.
#![allow(
    missing_docs,
    unreachable_pub,
    dead_code,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout
)]

#[path = "../../sitecast-index/benches/index/pages.rs"]
mod pages;

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use sitecast_extract::{Html, extract_page};
use sitecast_fetch::{Addresses, Client, Options as FetchOptions, Request};
use sitecast_index::FolderIndex;
use sitecast_scp::{Collection, ReaderOptions, Timestamp, WriterOptions};
use sitecast_sync::{Options, SiteReport, Syncer};
use sitecast_testserver::{Folder, Server};

/// The sizes of the collections, in MB of text.
const SIZES: [u64; 2] = [250, 1_000];
const HTML_PAGES: u32 = 1_000;
/// The number of first syncs for each size; the fastest counts.
const ROUNDS: usize = 3;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [first, folder] = &arguments[..]
        && first == "--serve"
    {
        return serve(Path::new(folder));
    }
    if let [first, here, base, now] = &arguments[..]
        && first == "--sync"
    {
        sync(Path::new(here), base, now);
        println!("{}", peak());
        return;
    }
    let wanted = |part: &str| {
        let named = |name: &String| name == "collections" || name == "html";
        !arguments.iter().any(named) || arguments.iter().any(|name| name == part)
    };
    let mut sizes: Vec<u64> = arguments
        .iter()
        .filter_map(|size| size.parse().ok())
        .collect();
    if sizes.is_empty() {
        sizes = SIZES.to_vec();
    }
    if wanted("collections") {
        let texts = pages::texts();
        println!("pages of {}", texts.source);
        for megabytes in sizes {
            let site = tempfile::tempdir().unwrap();
            let (mut child, base) = server(site.path());
            collections(site.path(), &base, &texts.paragraphs, megabytes * 1_000_000);
            child.kill().unwrap();
        }
    }
    if wanted("html") {
        let site = tempfile::tempdir().unwrap();
        let (mut child, base) = server(site.path());
        html(site.path(), &base);
        child.kill().unwrap();
    }
}

/// Runs the server, in a process of its own so that its cost is not measured.
fn serve(folder: &Path) {
    let folder = Folder::new(folder);
    let server = Server::start(move |request| folder.answer(request)).unwrap();
    println!("{}", server.url("/"));
    loop {
        std::thread::sleep(Duration::from_secs(60));
    }
}

fn server(folder: &Path) -> (Child, String) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .arg("--serve")
        .arg(folder)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut base = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut base)
        .unwrap();
    (child, base.trim().to_owned())
}

fn collections(site: &Path, base: &str, texts: &[String], bytes: u64) {
    let (monday, tuesday) = ("2026-01-05T10:00:00Z", "2026-01-06T10:00:00Z");
    let snapshot = write(site, base, texts, ("snapshot", monday, None), bytes);
    sitemap(site, &[element(base, "snapshot", monday, None, &snapshot)]);
    let text = snapshot.text as f64 / 1e6;
    println!(
        "\n{} pages, {text:.0} MB of text in {:.0} MB",
        snapshot.pages,
        snapshot.stored as f64 / 1e6
    );
    let mut first = Duration::MAX;
    let mut checked = Duration::MAX;
    let mut memory = 0;
    let mut used = Duration::MAX;
    let mut here = tempfile::tempdir().unwrap();
    for _ in 0..ROUNDS {
        here = tempfile::tempdir().unwrap();
        let before = cpu();
        let (report, took) = sync(here.path(), base, monday);
        assert_eq!(report.pages.new, snapshot.pages, "{report:?}");
        first = first.min(took);
        used = used.min(cpu() - before);
        memory = memory.max(memory_of_first(base, monday));
        checked = checked.min(check(&site.join("snapshot.scp.zst")));
    }
    let speed = |time: Duration| text / time.as_secs_f64();
    println!(
        "  first sync    {:.2} s, {:.0} MB/s; {:.2} s of CPU; {memory} MB of memory at most",
        first.as_secs_f64(),
        speed(first),
        used.as_secs_f64(),
    );
    println!(
        "  merely checking the file {:.2} s, {:.0} MB/s",
        checked.as_secs_f64(),
        speed(checked)
    );
    let delta = write(
        site,
        base,
        texts,
        ("delta", tuesday, Some(monday)),
        bytes / 100,
    );
    sitemap(
        site,
        &[
            element(base, "snapshot", monday, None, &snapshot),
            element(base, "delta", tuesday, Some(monday), &delta),
        ],
    );
    let (report, second) = sync(here.path(), base, tuesday);
    assert_eq!(report.pages.changed, delta.pages, "{report:?}");
    println!(
        "  delta of 1 %  {:.3} s, {:.1} % of the first",
        second.as_secs_f64(),
        100.0 * second.as_secs_f64() / first.as_secs_f64(),
    );
    // The kernel counts CPU time in hundredths of a second.
    const UNCHANGED: u32 = 50;
    let (start, cpu_before) = (Instant::now(), cpu());
    let mut last = None;
    for _ in 0..UNCHANGED {
        let (report, _) = sync(here.path(), base, tuesday);
        assert!(report.is_complete() && report.requests <= 3);
        last = Some((report.requests, report.bytes));
    }
    let (requests, bytes) = last.unwrap();
    println!(
        "  unchanged     {requests} requests, {bytes} bytes, {:.1} ms of CPU, {:.1} ms",
        (cpu() - cpu_before).as_secs_f64() * 1e3 / f64::from(UNCHANGED),
        start.elapsed().as_secs_f64() * 1e3 / f64::from(UNCHANGED),
    );
}

/// Returns the peak memory of a process that only runs a first sync.
fn memory_of_first(base: &str, now: &str) -> u64 {
    let here = tempfile::tempdir().unwrap();
    let output = Command::new(std::env::current_exe().unwrap())
        .arg("--sync")
        .arg(here.path())
        .args([base, now])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.trim().parse().unwrap()
}

/// Reads and verifies a collection as `sitecast check` does.
fn check(path: &Path) -> Duration {
    let start = Instant::now();
    let file = File::open(path).unwrap();
    let mut reader = ReaderOptions::default().read_ahead(file).unwrap();
    while let Some(event) = reader.next_event().unwrap() {
        std::hint::black_box(event);
    }
    start.elapsed()
}

fn html(site: &Path, base: &str) {
    let mut random = 1;
    let mut pages = Vec::new();
    let mut urls = String::new();
    for number in 0..HTML_PAGES {
        let paragraphs: String = (0..12)
            .map(|_| format!("<p>{}</p>", words(&mut random, 60)))
            .collect();
        let menu: String = (0..60)
            .map(|n| format!("<li class=\"menu-item\"><a href=\"/{n}/\">Section {n}</a></li>"))
            .collect();
        let html = format!(
            "<!DOCTYPE html><html lang=en><head><title>Page {number}</title></head><body><nav><ul>{menu}</ul></nav>\
             <main><h1>Page {number}</h1>{paragraphs}</main><footer>The end</footer></body></html>"
        );
        fs::create_dir_all(site.join(format!("{number}"))).unwrap();
        fs::write(site.join(format!("{number}/index.html")), &html).unwrap();
        urls.push_str(&format!("<url><loc>{base}{number}/</loc></url>"));
        pages.push((format!("{base}{number}/"), html));
    }
    fs::write(site.join("sitemap.xml"), format!("<urlset>{urls}</urlset>")).unwrap();
    let here = tempfile::tempdir().unwrap();
    let before = cpu();
    let (report, took) = sync(here.path(), base, "2026-01-05T10:00:00Z");
    let used = cpu() - before;
    assert_eq!(report.pages.new, u64::from(HTML_PAGES), "{report:?}");
    let before = cpu();
    let extracting = extract_all(&pages);
    let used_extracting = cpu() - before;
    let start = Instant::now();
    let client = client();
    for (url, _) in &pages {
        client
            .get(&Request::new(url.parse().unwrap(), 1_000_000))
            .unwrap();
    }
    println!(
        "\n{HTML_PAGES} pages of HTML, no delay between requests\n  \
         sync                                 {:.2} s, {:.2} s of CPU\n  \
         merely extracting them, on all cores {:.2} s, {:.2} s of CPU\n  \
         merely fetching them, one at a time  {:.2} s",
        took.as_secs_f64(),
        used.as_secs_f64(),
        extracting.as_secs_f64(),
        used_extracting.as_secs_f64(),
        start.elapsed().as_secs_f64(),
    );
}

fn extract_all(pages: &[(String, String)]) -> Duration {
    let start = Instant::now();
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some((url, html)) = pages.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let url = url.parse().unwrap();
                    let html = Html::new(&url, html.as_bytes(), time("2026-01-05T10:00:00Z"));
                    std::hint::black_box(extract_page(&html).unwrap());
                }
            });
        }
    });
    start.elapsed()
}

fn client() -> Client {
    Client::new(FetchOptions {
        addresses: Addresses::All,
        delay: Duration::ZERO,
        ..FetchOptions::new("sitecast-bench/1.0")
    })
    .unwrap()
}

fn sync(here: &Path, base: &str, now: &str) -> (SiteReport, Duration) {
    let start = Instant::now();
    let index = FolderIndex::open(here.join("index")).unwrap();
    let client = client();
    let report = Syncer {
        client: &client,
        index: &index,
        scratch: &here.join("scratch"),
        options: &Options::default(),
        now: time(now),
        progress: &(),
    }
    .sync(&base.parse().unwrap());
    drop((client, index));
    (report, start.elapsed())
}

/// A collection on the server.
struct Written {
    pages: u64,
    stored: u64,
    text: u64,
}

/// Writes a collection of about `bytes` bytes.
fn write(
    site: &Path,
    base: &str,
    texts: &[String],
    (kind, generated, since): (&str, &str, Option<&str>),
    bytes: u64,
) -> Written {
    let (id, section) = (kind.parse().unwrap(), "all".parse().unwrap());
    let collection = match since {
        None => Collection::snapshot(id, section, time(generated)),
        Some(since) => Collection::delta(id, section, time(generated), time(since)),
    };
    let path = site.join(format!("{kind}.scp.zst"));
    let file = File::create(&path).unwrap();
    let mut writer = WriterOptions::default().create(file, &collection).unwrap();
    let version = u64::from(since.is_some());
    let (mut pages, mut written) = (0, 0);
    while written < bytes {
        let line = pages::line(texts, pages as usize, version, time(generated));
        let line = line.replace("https://www.example.com/", base);
        written += line.len() as u64 + 1;
        writer.write_line(&line).unwrap();
        pages += 1;
    }
    let (_, report) = writer.finish().unwrap();
    Written {
        pages,
        stored: fs::metadata(path).unwrap().len(),
        text: report.uncompressed_bytes,
    }
}

fn element(
    base: &str,
    kind: &str,
    generated: &str,
    since: Option<&str>,
    written: &Written,
) -> String {
    let common = format!(
        "section=\"all\" url=\"{base}{kind}.scp.zst\" generated=\"{generated}\" expires=\"2027-01-01T00:00:00Z\" \
         pages=\"{}\" size=\"{}\"",
        written.pages, written.stored
    );
    match since {
        None => format!("<scp:collection type=\"snapshot\" {common}/>"),
        Some(since) => format!("<scp:delta period=\"day\" since=\"{since}\" {common}/>"),
    }
}

fn sitemap(site: &Path, elements: &[String]) {
    let elements = elements.join("\n");
    let xml = format!(
        "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" \
         xmlns:scp=\"https://scp-protocol.org/schemas/sitemap/1.0\">\n<scp:version>0.1</scp:version>\n{elements}\n</urlset>"
    );
    fs::write(site.join("sitemap.xml"), xml).unwrap();
}

/// Returns words that compress about as well as text.
fn words(state: &mut u64, count: usize) -> String {
    let mut text = String::new();
    for _ in 0..count {
        *state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let rank = ((*state >> 40) as f64 / f64::from(1 << 24)).powi(3) * 9_000.0;
        let mut rest = rank as u64 + 20;
        while rest > 0 {
            text.push(char::from(b"etaoinshrdlucmfwypvbg"[(rest % 21) as usize]));
            rest /= 21;
        }
        text.push(' ');
    }
    text
}

fn time(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// Returns the CPU time of this process.
fn cpu() -> Duration {
    let stat = fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit(") ").next().unwrap().split(' ').collect();
    let ticks: u64 = fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap();
    Duration::from_millis(ticks * 10)
}

/// Returns the peak memory of this process, in MB.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.unwrap().trim().trim_end_matches(" kB");
    kilobytes.parse::<u64>().unwrap() / 1000
}
