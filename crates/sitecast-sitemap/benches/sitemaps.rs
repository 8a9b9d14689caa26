//! Benchmark of reading and writing a sitemap of 50,000 URLs, compared in one run with quick-xml, the underlying
//! parser, and with lxml: `cargo bench -p sitecast-sitemap`.
//!
//! Times are the minimum of several runs, the one least disturbed by other programs; the candidates run in turn.
//! lxml is measured if Python has it (`pip install lxml`).
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr
)]

use std::fs;
use std::hint::black_box;
use std::io::BufReader;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use quick_xml::events::Event as Xml;
use sitecast_sitemap::{Event, ScpBlock, SitemapReader, SitemapSet, WriterOptions};

const RUNS: usize = 15;
/// The Python program: the usual loop of crawlers, with its time.
const LXML: &str = r"
import sys, time
from lxml import etree
begin = time.perf_counter()
count = 0
for _, url in etree.iterparse(sys.argv[1], tag='{*}url'):
    loc, lastmod = url.findtext('{*}loc'), url.findtext('{*}lastmod')
    count += 1
    url.clear()
    while url.getprevious() is not None:
        del url.getparent()[0]
assert count == int(sys.argv[2])
print(time.perf_counter() - begin)
";

fn main() {
    // `cargo test --benches` only checks that the benchmark runs.
    let measured = std::env::args().any(|argument| argument == "--bench");
    let (entries, runs) = if measured { (50_000, RUNS) } else { (100, 1) };
    let plain = write(entries);
    measure("plain entries", &plain, entries, runs);
    let with_images = String::from_utf8(plain.clone())
        .unwrap()
        .replace(
            "<urlset ",
            "<urlset xmlns:image=\"http://www.google.com/schemas/sitemap-image/1.1\" ",
        )
        .replace("  </url>", IMAGE);
    measure(
        "entries with an image",
        with_images.as_bytes(),
        entries,
        runs,
    );
    let with_alternates = String::from_utf8(plain)
        .unwrap()
        .replace(
            "<urlset ",
            "<urlset xmlns:xhtml=\"http://www.w3.org/1999/xhtml\" ",
        )
        .replace("  </url>", ALTERNATES);
    measure(
        "entries with alternates",
        with_alternates.as_bytes(),
        entries,
        runs,
    );
}

const IMAGE: &str = r#"    <image:image>
      <image:loc>https://www.example.com/images/picture.jpg</image:loc>
    </image:image>
  </url>"#;
const ALTERNATES: &str = r#"    <xhtml:link rel="alternate" hreflang="de" href="https://www.example.com/de/"/>
    <xhtml:link rel="alternate" hreflang="fr" href="https://www.example.com/fr/"/>
  </url>"#;

fn measure(what: &str, xml: &[u8], entries: u64, runs: usize) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sitemap.xml");
    fs::write(&file, xml).unwrap();
    println!("{what}: {entries} URLs, {} bytes", xml.len());

    let mut ours = Times::default();
    let mut slice = Times::default();
    let mut buffered = Times::default();
    let mut writing = Times::default();
    let mut lxml = Times::default();
    for run in 0..runs {
        ours.take(|| assert_eq!(read(xml), entries));
        slice.take(|| events_of_slice(xml));
        buffered.take(|| events_of_reader(xml));
        writing.take(|| drop(write(entries)));
        if run < 3
            && let Some(time) = lxml_time(&file, entries)
        {
            lxml.0.push(time);
        }
    }
    println!("{:<44}{:>9}  sitecast takes", "", "ms");
    let least = ours.least().unwrap();
    let rows = [
        ("read: sitecast-sitemap", &ours),
        ("quick-xml's bare event loop, from a reader", &buffered),
        ("quick-xml's bare event loop, from memory", &slice),
        ("lxml's iterparse", &lxml),
    ];
    for (name, times) in rows {
        match times.least() {
            Some(time) => {
                let ratio = least.as_secs_f64() / time.as_secs_f64();
                println!(
                    "{name:<44}{:>9.2}  {ratio:.2} of it",
                    time.as_secs_f64() * 1e3
                );
            }
            None => println!("{name:<44}{:>9}", "absent"),
        }
    }
    let time = writing.least().unwrap().as_secs_f64();
    println!("{:<44}{:>9.2}", "write: sitecast-sitemap", time * 1e3);
}

#[derive(Default)]
struct Times(Vec<Duration>);

impl Times {
    fn take(&mut self, task: impl FnOnce()) {
        let begin = Instant::now();
        task();
        self.0.push(begin.elapsed());
    }

    fn least(&self) -> Option<Duration> {
        self.0.iter().min().copied()
    }
}

fn write(entries: u64) -> Vec<u8> {
    let mut set = SitemapSet::new(WriterOptions::default(), ScpBlock::default(), |_| {
        Ok(Vec::new())
    });
    for number in 0..entries {
        let url = format!(
            "https://www.example.com/section-{}/article-{number}?id={number}&lang=en",
            number % 37
        );
        let modified = sitecast_sitemap::Date::from_unix(1_700_000_000 + number as i64 * 977, 0);
        set.add(&url, modified.unwrap()).unwrap();
    }
    let mut written = set.finish().unwrap();
    written.parts.remove(0).out
}

fn read(xml: &[u8]) -> u64 {
    let mut reader = SitemapReader::new(xml);
    let mut count = 0;
    while let Some(event) = reader.next_event().unwrap() {
        if let Event::Url(page) = black_box(event) {
            assert!(page.lastmod.is_some());
            count += 1;
        }
    }
    count
}

fn events_of_slice(xml: &[u8]) {
    let mut reader = quick_xml::Reader::from_reader(xml);
    while !matches!(black_box(reader.read_event().unwrap()), Xml::Eof) {}
}

fn events_of_reader(xml: &[u8]) {
    let mut reader = quick_xml::Reader::from_reader(BufReader::with_capacity(64 << 10, xml));
    let mut buffer = Vec::new();
    loop {
        buffer.clear();
        if let Xml::Eof = black_box(reader.read_event_into(&mut buffer).unwrap()) {
            break;
        }
    }
}

fn lxml_time(file: &Path, entries: u64) -> Option<Duration> {
    let output = Command::new("python3")
        .args(["-c", LXML])
        .arg(file)
        .arg(entries.to_string())
        .output()
        .ok()?;
    let seconds = String::from_utf8(output.stdout).ok()?.trim().parse().ok()?;
    Some(Duration::from_secs_f64(seconds))
}
