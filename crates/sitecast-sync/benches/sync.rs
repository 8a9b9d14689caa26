//! How fast a sync is, over real sockets from another process: `cargo bench -p sitecast-sync`.
//!
//! A first sync, a delta of one per cent, an unchanged site, and a thousand pages of HTML next to merely
//! extracting them.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout
)]

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use sitecast_extract::{Html, extract_page};
use sitecast_fetch::{Addresses, Client, Options as FetchOptions};
use sitecast_index::FolderIndex;
use sitecast_scp::{Block, Collection, Page, Timestamp, WriterOptions};
use sitecast_sync::{Options, SiteReport, Syncer};
use sitecast_testserver::{Folder, Server};

const PAGES: u32 = 60_000;
const HTML_PAGES: u32 = 1_000;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if arguments.get(1).is_some_and(|first| first == "--serve") {
        return serve(Path::new(&arguments[2]));
    }
    let site = tempfile::tempdir().unwrap();
    let (mut child, base) = server(site.path());
    collections(site.path(), &base);
    html(site.path(), &base);
    child.kill().unwrap();
}

/// The server is another process, so that what it needs is not counted.
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

fn collections(site: &Path, base: &str) {
    let here = tempfile::tempdir().unwrap();
    let (monday, tuesday) = ("2026-01-05T10:00:00Z", "2026-01-06T10:00:00Z");
    let (snapshot, text) = write(site, base, "snapshot", monday, None, 0..PAGES);
    sitemap(site, &[element(base, "snapshot", monday, None, snapshot)]);
    reset_peak();
    let (report, first) = sync(here.path(), base, monday);
    assert_eq!(report.pages.new, u64::from(PAGES), "{report:?}");
    let memory = peak();
    println!(
        "first sync: {PAGES} pages, {:.0} MB of text in {:.0} MB, {:.2} s: {:.0} MB/s; {memory} MB of memory at most",
        text as f64 / 1e6,
        snapshot as f64 / 1e6,
        first.as_secs_f64(),
        text as f64 / 1e6 / first.as_secs_f64(),
    );
    let (delta, _) = write(site, base, "delta", tuesday, Some(monday), 0..PAGES / 100);
    sitemap(
        site,
        &[
            element(base, "snapshot", monday, None, snapshot),
            element(base, "delta", tuesday, Some(monday), delta),
        ],
    );
    let (report, second) = sync(here.path(), base, tuesday);
    assert_eq!(report.pages.changed, u64::from(PAGES / 100), "{report:?}");
    println!(
        "delta of 1 %: {:.3} s: {:.1} % of the first",
        second.as_secs_f64(),
        100.0 * second.as_secs_f64() / first.as_secs_f64(),
    );
    // The kernel counts CPU in hundredths of a second.
    const ROUNDS: u32 = 50;
    let (start, cpu_before) = (Instant::now(), cpu());
    let mut last = None;
    for _ in 0..ROUNDS {
        let (report, _) = sync(here.path(), base, tuesday);
        assert!(report.is_complete() && report.requests <= 3);
        last = Some((report.requests, report.bytes));
    }
    let (requests, bytes) = last.unwrap();
    println!(
        "unchanged: {requests} requests, {bytes} bytes, {:.1} ms of CPU, {:.1} ms",
        (cpu() - cpu_before).as_secs_f64() * 1e3 / f64::from(ROUNDS),
        start.elapsed().as_secs_f64() * 1e3 / f64::from(ROUNDS),
    );
    fs::remove_file(site.join("sitemap.xml")).unwrap();
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
    let (report, took) = sync(here.path(), base, "2026-01-05T10:00:00Z");
    assert_eq!(report.pages.new, u64::from(HTML_PAGES), "{report:?}");
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
    let alone = start.elapsed();
    println!(
        "HTML: {HTML_PAGES} pages in {:.2} s; merely extracting them on all cores takes {:.2} s",
        took.as_secs_f64(),
        alone.as_secs_f64(),
    );
}

fn sync(here: &Path, base: &str, now: &str) -> (SiteReport, Duration) {
    let start = Instant::now();
    let index = FolderIndex::open(here.join("index")).unwrap();
    let client = Client::new(FetchOptions {
        addresses: Addresses::All,
        delay: Duration::ZERO,
        ..FetchOptions::new("sitecast-bench/1.0")
    })
    .unwrap();
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

/// Writes a collection; answers its size, and that of its text.
fn write(
    site: &Path,
    base: &str,
    kind: &str,
    generated: &str,
    since: Option<&str>,
    pages: std::ops::Range<u32>,
) -> (u64, u64) {
    let (id, section) = (kind.parse().unwrap(), "all".parse().unwrap());
    let collection = match since {
        None => Collection::snapshot(id, section, time(generated)),
        Some(since) => Collection::delta(id, section, time(generated), time(since)),
    };
    let path = site.join(format!("{kind}.scp.zst"));
    let file = File::create(&path).unwrap();
    let mut writer = WriterOptions::default().create(file, &collection).unwrap();
    let mut random = if since.is_some() { 7 } else { 3 };
    for number in pages {
        let url = format!("{base}section-{}/page-{number}/", number % 100);
        let mut page = Page::new(
            url.parse().unwrap(),
            format!("Page {number}"),
            time(generated),
            "en".parse().unwrap(),
        );
        page.description = words(&mut random, 20);
        page.content = (0..10)
            .map(|_| Block::Text {
                text: words(&mut random, 70),
            })
            .collect();
        writer.write_page(&page).unwrap();
    }
    let (_, report) = writer.finish().unwrap();
    (fs::metadata(path).unwrap().len(), report.uncompressed_bytes)
}

fn element(base: &str, kind: &str, generated: &str, since: Option<&str>, size: u64) -> String {
    let common = format!(
        "section=\"all\" url=\"{base}{kind}.scp.zst\" generated=\"{generated}\" expires=\"2027-01-01T00:00:00Z\" \
         pages=\"{PAGES}\" size=\"{size}\""
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

/// Words that compress about as text does.
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

/// The CPU time of this process.
fn cpu() -> Duration {
    let stat = fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit(") ").next().unwrap().split(' ').collect();
    let ticks: u64 = fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap();
    Duration::from_millis(ticks * 10)
}

/// Forgets how much memory was needed to prepare.
fn reset_peak() {
    let _ = fs::write("/proc/self/clear_refs", "5");
}

/// The most memory this process had since, in MB.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.unwrap().trim().trim_end_matches(" kB");
    kilobytes.parse::<u64>().unwrap() / 1000
}
