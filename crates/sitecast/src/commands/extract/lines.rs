//! Many pages: a line in, a line out.
//!
//! Lines are dealt out to threads in turn and collected in the same turn, so that they come out in
//! order. What is read and not yet written has a limit in bytes ([`Budget`]) and in lines, so that
//! memory does not grow with the input, nor with the number of threads.

mod budget;
mod opening;
mod record;
mod split;

use std::io::{self, BufReader, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::thread;

use self::budget::Budget;
use self::record::{Maker, no_page};
use self::split::{Line, Lines};
use super::now;
use crate::commands::{Source, open};
use crate::failure::{Exit, Failure};
use crate::output::Output;
use crate::output::human;
use crate::settings::Settings;

/// Lines that may wait for a thread, and pages that may wait to be written.
const WAITING: usize = 4;
/// Bytes of lines that are read and not yet written. A longer line is alone.
const IN_FLIGHT: usize = 64 << 20;
/// JSON may write every byte of a page as six.
const ESCAPED: usize = 6;

/// What a thread gives back for a line of so many bytes: a page, or why there is none.
struct Made {
    bytes: usize,
    answer: Result<String, String>,
}

pub(super) fn run(
    target: &Path,
    settings: &Settings,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let name = target.display().to_string();
    let source = open(target, output)?;
    let bar = source.bar();
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let maker = Maker {
        extractor: settings.extractor(),
        blocks: settings.page_blocks(),
        seen: now(),
    };
    let most = maker
        .extractor
        .limits
        .bytes
        .saturating_mul(ESCAPED)
        .saturating_add(100_000);
    let mut lines = Lines::new(BufReader::with_capacity(1 << 18, source), most);
    let first = lines.next().transpose();
    let first = first.map_err(|error| Failure::cannot_read(&name, &error))?;
    let Some(first) = first else {
        bar.clear();
        output.note(&format!("`{name}` has no lines"));
        return Ok(Exit::Done);
    };
    if let Ok(text) = &first.text
        && let Some(failure) = opening::refuse(&name, text)
    {
        bar.clear();
        return Err(failure);
    }

    let budget = Budget::new(IN_FLIGHT);
    let result = thread::scope(|scope| {
        let (inputs, outputs): (Vec<_>, Vec<_>) = (0..threads)
            .map(|_| {
                let (to, lines) = sync_channel::<io::Result<Line>>(WAITING);
                let (pages, from) = sync_channel::<io::Result<Made>>(WAITING);
                let maker = &maker;
                scope.spawn(move || work(&lines, &pages, maker));
                (to, from)
            })
            .unzip();
        let budget = &budget;
        scope.spawn(move || deal(first, lines, &inputs, budget));
        let result = collect(&outputs, budget, output);
        // Whoever waits for room need not wait any longer.
        budget.close();
        result
    });
    bar.clear();
    let (made, failed) = result.map_err(|stop| match stop {
        Stop::Read(error) => Failure::cannot_read(&name, &error),
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

/// Deals lines out in turn, until they or the threads are at an end.
fn deal(
    first: Line,
    rest: Lines<BufReader<Source>>,
    inputs: &[SyncSender<io::Result<Line>>],
    budget: &Budget,
) {
    let lines = std::iter::once(Ok(first)).chain(rest);
    for (line, input) in lines.zip(inputs.iter().cycle()) {
        let broken = line.is_err();
        if let Ok(line) = &line
            && !budget.take(line.bytes())
        {
            return;
        }
        if input.send(line).is_err() || broken {
            return;
        }
    }
}

fn work(
    lines: &Receiver<io::Result<Line>>,
    pages: &SyncSender<io::Result<Made>>,
    maker: &Maker<'_>,
) {
    for line in lines {
        let made = line.map(|line| Made {
            bytes: line.bytes(),
            answer: line
                .text
                .map_err(|error| no_page(None, line.number, &error))
                .and_then(|text| maker.make(line.number, text)),
        });
        if pages.send(made).is_err() {
            return;
        }
    }
}

/// Why nothing more is written.
enum Stop {
    Read(io::Error),
    Write(Failure),
}

/// Writes what the threads made, in turn; answers how many pages there are, and lines without.
fn collect(
    outputs: &[Receiver<io::Result<Made>>],
    budget: &Budget,
    output: &mut Output,
) -> Result<(u64, u64), Stop> {
    let (mut made, mut failed) = (0, 0);
    for from in outputs.iter().cycle() {
        let page = match from.try_recv() {
            // While nothing is ready, whoever reads gets all there is: the next line may be long
            // in coming.
            Err(TryRecvError::Empty) => {
                output.flush().map_err(Stop::Write)?;
                from.recv().ok()
            }
            page => page.ok(),
        };
        // A thread that has nothing for this turn has nothing for any.
        let Some(page) = page else {
            break;
        };
        let page = page.map_err(Stop::Read)?;
        budget.give(page.bytes);
        let line = match page.answer {
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
