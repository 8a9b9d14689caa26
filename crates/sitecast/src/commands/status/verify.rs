//! `status --verify`: every page read against its hash.

use std::io::Write;

use serde_json::{Value, json};
use sitecast_index::FolderIndex;
use sitecast_sync::repair;

use crate::commands::index_failure;
use crate::failure::{Exit, Failure};
use crate::output::plain::Plain;
use crate::output::{Output, Tone, human};
use crate::progress::Watch;

/// Damaged pages that are named one by one.
const NAMED: usize = 1_000;
/// Pages between two steps of the progress bar.
const STEP: u64 = 1_000;

/// The result of a verification.
pub(super) struct Verified {
    pages: u64,
    damaged: u64,
    named: Vec<Damaged>,
}

struct Damaged {
    site: String,
    url: String,
    problem: String,
}

pub(super) fn run(index: &FolderIndex, output: &Output) -> Result<Verified, Failure> {
    let watch = Watch::new(output.shows_progress());
    let mut named = Vec::new();
    let result = repair(
        index,
        &mut |site, url, problem| {
            if named.len() < NAMED {
                named.push(Damaged {
                    site: site.to_string(),
                    url: url.to_owned(),
                    problem: problem.to_owned(),
                });
            }
        },
        &|pages| {
            if pages.is_multiple_of(STEP) {
                watch.counting("verified", pages);
            }
        },
    );
    watch.clear();
    let repaired = result.map_err(|error| index_failure(&error))?;
    Ok(Verified {
        pages: repaired.pages,
        damaged: repaired.removed,
        named,
    })
}

impl Verified {
    pub(super) fn exit(&self) -> Exit {
        match self.damaged {
            0 => Exit::Done,
            _ => Exit::Integrity,
        }
    }

    pub(super) fn to_json(&self) -> Value {
        let named = self.named.iter();
        let named =
            named.map(|page| json!({"site": page.site, "url": page.url, "problem": page.problem}));
        json!({
            "pages": self.pages,
            "damaged": self.damaged,
            "damaged_pages": named.collect::<Vec<Value>>(),
        })
    }

    pub(super) fn write(&self, output: &mut Output) -> Result<(), Failure> {
        let pages = human::counted(self.pages, "page");
        if self.damaged == 0 {
            writeln!(output.out(), "\n{pages} verified, none damaged")?;
            return Ok(());
        }
        let damaged = human::count(self.damaged);
        writeln!(
            output.out(),
            "\n{pages} verified, {damaged} damaged and removed:"
        )?;
        for page in &self.named {
            let url = output.paint(Tone::Strong, &Plain::line(&page.url).to_string());
            writeln!(output.out(), "  {url}: {}", Plain::line(&page.problem))?;
        }
        let unnamed = self.damaged.saturating_sub(self.named.len() as u64);
        if unnamed > 0 {
            writeln!(output.out(), "  and {} more", human::count(unnamed))?;
        }
        let mut sites: Vec<&str> = self.named.iter().map(|page| &*page.site).collect();
        sites.dedup();
        let sites = Plain::line(&sites.join(" ")).to_string();
        writeln!(
            output.out(),
            "The next sync fetches them again: sitecast sync {sites}"
        )?;
        Ok(())
    }
}
