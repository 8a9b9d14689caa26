//! Many pages: a line in, a line out.
//!
//! Lines are dealt out to threads in turn and collected in the same turn, so that they come out in
//! order; each thread has room for a few lines, so that memory does not grow with the input.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use serde::{Deserialize, Serialize};
use sitecast_extract::{Extractor, Html, fold};
use sitecast_scp::Timestamp;

use super::{now, parse_url};
use crate::commands::{Source, open};
use crate::failure::{Exit, Failure};
use crate::output::Output;
use crate::output::human;
use crate::settings::Settings;

/// Lines that may wait for a thread, and pages that may wait to be written.
const WAITING: usize = 4;
/// JSON may write every byte of a page as six.
const ESCAPED: usize = 6;

#[derive(Debug, Deserialize)]
struct Input {
    url: Option<String>,
    html: Option<String>,
}

#[derive(Debug, Serialize)]
struct NoPage<'a> {
    url: Option<&'a str>,
    error: &'a str,
}

/// A line with its number, or why there is none.
type Numbered = (u64, Result<Vec<u8>, String>);
/// What a thread gets.
type Line = io::Result<Numbered>;
/// What a thread gives back.
type Made = io::Result<Result<String, String>>;

pub(super) fn run(
    target: &Path,
    settings: &Settings,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let source = open(target, output)?;
    let bar = source.bar();
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let extractor = settings.extractor();
    let blocks = settings.page_blocks();
    let seen = now();
    let most = extractor
        .limits
        .bytes
        .saturating_mul(ESCAPED)
        .saturating_add(100_000);

    let result = thread::scope(|scope| {
        let (inputs, outputs): (Vec<_>, Vec<_>) = (0..threads)
            .map(|_| {
                let (to, lines) = sync_channel::<Line>(WAITING);
                let (pages, from) = sync_channel::<Made>(WAITING);
                let extractor = &extractor;
                scope.spawn(move || work(&lines, &pages, extractor, blocks, seen));
                (to, from)
            })
            .unzip();
        scope.spawn(move || deal(source, &inputs, most));
        collect(&outputs, output)
    });
    bar.clear();
    let (made, failed) = result.map_err(|error| match error {
        Stop::Read(error) => Failure::cannot_read(&target.display().to_string(), &error),
        Stop::Write(failure) => failure,
    })?;
    if failed > 0 {
        let lines = human::counted(failed, "line");
        let pages = human::counted(made, "page");
        output.note(&format!(
            "{pages} made; {lines} with an `error` in place of a page"
        ));
        return Ok(Exit::Partial);
    }
    Ok(Exit::Done)
}

/// Reads lines and deals them out in turn, until they or the threads are at an end.
fn deal(source: Source, inputs: &[SyncSender<Line>], most: usize) {
    let mut reader = BufReader::with_capacity(1 << 18, source);
    let mut number = 0u64;
    for input in inputs.iter().cycle() {
        let Some(line) = next_line(&mut reader, most, &mut number).transpose() else {
            return;
        };
        let broken = line.is_err();
        if input.send(line).is_err() || broken {
            return;
        }
    }
}

/// The next line that is not empty; `None` at the end.
fn next_line(
    reader: &mut impl BufRead,
    most: usize,
    number: &mut u64,
) -> io::Result<Option<Numbered>> {
    loop {
        *number += 1;
        let mut line = Vec::new();
        let taken = (&mut *reader)
            .take(most as u64 + 1)
            .read_until(b'\n', &mut line)?;
        if taken == 0 {
            return Ok(None);
        }
        if line.last() != Some(&b'\n') && line.len() > most {
            reader.skip_until(b'\n')?;
            return Ok(Some((*number, Err(format!("longer than {most} bytes")))));
        }
        if !line.trim_ascii().is_empty() {
            return Ok(Some((*number, Ok(line))));
        }
    }
}

fn work(
    lines: &Receiver<Line>,
    pages: &SyncSender<Made>,
    extractor: &Extractor<'_>,
    blocks: usize,
    seen: Timestamp,
) {
    for line in lines {
        let made = line.map(|(number, line)| {
            line.map_err(|error| no_page(None, &format!("line {number}: {error}")))
                .and_then(|line| make(number, &line, extractor, blocks, seen))
        });
        if pages.send(made).is_err() {
            return;
        }
    }
}

/// The line of the page, or the line that says why there is none.
fn make(
    number: u64,
    line: &[u8],
    extractor: &Extractor<'_>,
    blocks: usize,
    seen: Timestamp,
) -> Result<String, String> {
    let fail = |url: Option<&str>, error: &str| no_page(url, &format!("line {number}: {error}"));
    let input: Input = serde_json::from_slice(line).map_err(|error| {
        fail(
            None,
            &format!("not a JSON object with `url` and `html` as text: {error}"),
        )
    })?;
    let url = input.url.as_deref();
    let text = url.ok_or_else(|| fail(None, "there is no `url`"))?;
    let parsed = parse_url(text).map_err(|error| fail(url, &format!("`url` {error}")))?;
    let html = input
        .html
        .as_deref()
        .ok_or_else(|| fail(url, "there is no `html`"))?;
    let mut extracted = extractor
        .extract_page(&Html::new(&parsed, html.as_bytes(), seen))
        .map_err(|error| fail(url, &error.to_string()))?;
    fold(&mut extracted.page, blocks);
    serde_json::to_string(&extracted.page).map_err(|error| fail(url, &error.to_string()))
}

fn no_page(url: Option<&str>, error: &str) -> String {
    serde_json::to_string(&NoPage { url, error }).unwrap_or_else(|_| "{}".to_owned())
}

/// Why nothing more is written.
enum Stop {
    Read(io::Error),
    Write(Failure),
}

/// Writes what the threads made, in turn; answers how many pages there are, and lines without.
fn collect(outputs: &[Receiver<Made>], output: &mut Output) -> Result<(u64, u64), Stop> {
    let (mut made, mut failed) = (0, 0);
    for from in outputs.iter().cycle() {
        // A thread that has nothing for this turn has nothing for any.
        let Ok(page) = from.recv() else {
            break;
        };
        let line = match page.map_err(Stop::Read)? {
            Ok(line) => {
                made += 1;
                line
            }
            Err(line) => {
                failed += 1;
                line
            }
        };
        writeln!(output.out(), "{line}").map_err(|error| Stop::Write(error.into()))?;
        if output.is_closed() {
            break;
        }
    }
    Ok((made, failed))
}
