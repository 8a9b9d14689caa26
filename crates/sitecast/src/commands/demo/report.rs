//! What the demo says: each step when it is done, and at the end what crossed the wire.

use std::io::Write;

use serde::Serialize;

use crate::failure::{Exit, Failure};
use crate::output::human::{bytes, count};
use crate::output::{Output, Tone, Verbosity};

/// What crossed the wire.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub(super) struct Cost {
    /// Requests.
    pub(super) requests: u64,
    /// Bytes of the answers, headers included.
    pub(super) bytes: u64,
}

/// What a visit costs, by each way.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct Visit {
    /// What the visitor meets.
    pub(super) name: &'static str,
    /// By collections.
    pub(super) scp: Cost,
    /// By machine pages.
    pub(super) tct: Cost,
    /// By crawling.
    pub(super) html: Cost,
}

/// All that was measured.
#[derive(Debug, Default, Serialize)]
pub(super) struct Measured {
    pub(super) version: u32,
    pub(super) pages: u64,
    pub(super) html_files: u64,
    pub(super) html_bytes: u64,
    pub(super) snapshot_bytes: u64,
    pub(super) delta_bytes: u64,
    pub(super) visits: Vec<Visit>,
    pub(super) seconds: f64,
}

/// Tells what was done, unless only data is wanted.
pub(super) struct Teller<'o> {
    pub(super) output: &'o mut Output,
    steps: u32,
}

impl<'o> Teller<'o> {
    pub(super) fn new(output: &'o mut Output) -> Self {
        Self { output, steps: 0 }
    }

    fn is_silent(&self) -> bool {
        self.output.json || self.output.verbosity == Verbosity::Quiet
    }

    pub(super) fn line(&mut self, text: &str) -> Result<(), Failure> {
        if !self.is_silent() {
            writeln!(self.output.out(), "{text}")?;
            self.output.flush()?;
        }
        Ok(())
    }

    /// A step that is done: what a person would type for it, and what came of it.
    pub(super) fn step(&mut self, typed: &str, outcome: &str) -> Result<(), Failure> {
        self.steps += 1;
        let typed = self.output.paint(Tone::Strong, typed);
        let number = self.steps;
        self.line(&format!("{number}. {typed}\n   {outcome}"))
    }

    /// The figures: as a table, or as data.
    pub(super) fn measured(&mut self, measured: &Measured) -> Result<(), Failure> {
        if self.output.json {
            let text = serde_json::to_string(measured).map_err(|error| {
                Failure::new(Exit::Failed, format!("cannot write the report: {error}"))
            })?;
            writeln!(self.output.out(), "{text}")?;
            return Ok(());
        }
        let row = |name: &str, cells: [String; 3]| {
            let [scp, tct, html] = cells;
            format!("{name:<24}{scp:>18}{tct:>18}{html:>18}")
        };
        let heads = ["collections", "machine pages", "crawling"].map(str::to_owned);
        let kinds = ["(SCP)", "(TCT)", "the HTML"].map(str::to_owned);
        self.line(&format!("\n{}", row("What crossed the wire:", heads)))?;
        self.line(&row("", kinds))?;
        for visit in &measured.visits {
            let cells = [visit.scp, visit.tct, visit.html].map(cost);
            self.line(&row(&format!("  {}", visit.name), cells))?;
        }
        self.line("  Requests, and bytes with headers; HTML as if sent with gzip.\n")?;
        if let [first, .., changed] = measured.visits.as_slice() {
            self.line(&format!(
                "With collections a first visit costs {} % fewer bytes than crawling, an update {} %.",
                less(first),
                less(changed)
            ))?;
        }
        Ok(())
    }
}

fn cost(cost: Cost) -> String {
    format!("{:>3}  {:>9}", count(cost.requests), bytes(cost.bytes))
}

/// How many per cent fewer bytes collections take than crawling.
fn less(visit: &Visit) -> i64 {
    let share = visit.scp.bytes as f64 / visit.html.bytes.max(1) as f64;
    (100.0 - 100.0 * share).floor() as i64
}
