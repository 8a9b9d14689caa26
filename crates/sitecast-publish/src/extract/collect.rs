//! Goes through all items of the source once, and collects the pages that are built of them.

use std::path::Path;

use super::page_builder::{BuiltItem, BuiltPage, MachineJson, Outcome, PageBuilder};
use super::spool::Spool;
use super::{ExtractedPages, Findings, Lines, MachinePages, Updates};
use crate::PublishError;
use crate::changes::Change;
use crate::collections::Draft;
use crate::ledger::Ledger;
use crate::ordered::ordered;
use crate::recall::cache::CachedItem;
use crate::recall::cache_writer::CacheWriter;
use crate::source::{Item, Items};
use crate::template::published::sampled;

/// The places to which pages are written.
pub(super) struct Destination<'a> {
    /// A folder for temporary files.
    pub(super) scratch: &'a Path,
    /// The snapshot of the first section, if it can be written already.
    pub(super) draft: Option<Draft>,
    /// True if lines are needed again after the extraction.
    pub(super) has_spool: bool,
    pub(super) cache: Option<&'a mut CacheWriter>,
}

/// Builds the pages of all items.
pub(super) fn collect(
    builder: &PageBuilder<'_>,
    sample: &[usize],
    destination: Destination<'_>,
) -> Result<ExtractedPages, PublishError> {
    let items = &builder.listing.items;
    let cache = builder.recalled.cache.as_ref();
    let pairs = Paired {
        items: items.iter(),
        cached: cache.and_then(|cache| Some(cache.items().ok()?.peekable())),
    };
    let mut collector = Collector::new(builder, sample, destination)?;
    let build = |(item, cached): (Item<'_>, Option<CachedItem>)| builder.build(item, cached);
    ordered(builder.run.options.threads, pairs, build, |built| {
        builder.run.progress.advance(1);
        collector.take(built?)
    })?;
    Ok(collector.pages)
}

struct Collector<'a> {
    pages: ExtractedPages,
    /// The numbers of the items of the sample, in order.
    sample: Vec<usize>,
    ledger: &'a Ledger,
    items: &'a Items,
    /// The item of each page by place, to name both if two items are the same page.
    origins: Vec<u32>,
    cache: Option<&'a mut CacheWriter>,
    scratch: &'a Path,
    has_spool: bool,
    /// The number of the next item.
    number: u32,
}

impl<'a> Collector<'a> {
    fn new(
        builder: &'a PageBuilder<'_>,
        sample: &[usize],
        destination: Destination<'a>,
    ) -> Result<Self, PublishError> {
        let (ledger, items) = (builder.ledger(), &builder.listing.items);
        let scratch = destination.scratch;
        let spool = || Spool::new(scratch).map_err(|error| PublishError::scratch(scratch, error));
        let mut sample = sample.to_vec();
        sample.sort_unstable();
        // On a first run everything is new; later on next to nothing.
        let new = if ledger.len() == 0 { items.len() } else { 0 };
        Ok(Self {
            pages: ExtractedPages {
                changes: vec![None; ledger.len()],
                updates: Updates {
                    new: Ledger::with_room(new),
                    known: Vec::new(),
                },
                lines: Lines {
                    spool: spool()?,
                    draft: destination.draft,
                },
                machine: MachinePages {
                    spool: spool()?,
                    too_large: Vec::new(),
                    taken: Default::default(),
                },
                findings: Findings::default(),
                to_link: Vec::new(),
                sample: Vec::new(),
                to_read_back: Vec::new(),
            },
            sample,
            ledger,
            items,
            origins: vec![0; ledger.len()],
            cache: destination.cache,
            scratch,
            has_spool: destination.has_spool,
            number: 0,
        })
    }

    fn take(&mut self, built: BuiltItem) -> Result<(), PublishError> {
        let number = self.number;
        self.number += 1;
        if let Some(hash) = &built.item.hash
            && self.sample.binary_search(&(number as usize)).is_ok()
        {
            self.pages.sample.push(sampled(&built.item.key, hash));
        }
        if let Some(cache) = &mut self.cache
            && cache.item(&built.item).is_err()
        {
            // An incomplete cache is none.
            self.cache = None;
        }
        match built.outcome {
            Outcome::Excluded(reason) => {
                let excluded = &mut self.pages.findings.excluded;
                excluded.push((built.item.key, reason));
                Ok(())
            }
            Outcome::AsBefore {
                at,
                needs_link,
                reads_back,
            } => {
                self.claim(at, number, Change::Unchanged)?;
                if reads_back {
                    self.pages.to_read_back.push(at);
                }
                if needs_link {
                    self.pages.to_link.push((number, at as u32));
                }
                Ok(())
            }
            Outcome::Page(page) => self.page(*page, number),
        }
    }

    fn page(&mut self, page: BuiltPage, number: u32) -> Result<(), PublishError> {
        let at = self.place(&page, number)?;
        let failed = |error| PublishError::scratch(self.scratch, error);
        if let Some(line) = page.line {
            let lines = &mut self.pages.lines;
            if self.has_spool {
                let added = lines.spool.add(at, line.as_str().as_bytes());
                added.map_err(failed)?;
            }
            let draft = lines.draft.as_mut();
            if let Some(draft) = draft.filter(|_| page.known.sections & 1 != 0) {
                draft.add_checked(line);
            }
        }
        let machine = &mut self.pages.machine;
        match page.machine {
            MachineJson::NotNeeded => {}
            MachineJson::TooLarge => machine.too_large.push(page.url.clone()),
            MachineJson::New(json) => machine.spool.add(at, json.as_bytes()).map_err(failed)?,
        }
        if page.needs_link {
            self.pages.to_link.push((number, at as u32));
        }
        let findings = &mut self.pages.findings;
        let url = page.url.as_str();
        findings
            .folded
            .extend(page.fold.map(|fold| (url.to_owned(), fold)));
        findings.losses.extend(page.loss);
        Ok(())
    }

    /// Gives a page its place: that of the ledger, or the next one.
    fn place(&mut self, page: &BuiltPage, number: u32) -> Result<usize, PublishError> {
        let url = page.url.as_str();
        if let Some(at) = self.ledger.find(url) {
            self.claim(at, number, page.change)?;
            self.pages.updates.known.push((at, page.known));
            return Ok(at);
        }
        let new = &mut self.pages.updates.new;
        if let Some(at) = new.find(url) {
            return Err(self.collision(self.ledger.len() + at, url, number));
        }
        let at = self.ledger.len() + new.put(url, page.known);
        self.pages.changes.push(Some(page.change));
        self.origins.push(number);
        Ok(at)
    }

    /// Marks a page of the ledger as found.
    fn claim(&mut self, at: usize, number: u32, change: Change) -> Result<(), PublishError> {
        match self.pages.changes.get_mut(at) {
            Some(found @ None) => *found = Some(change),
            _ => return Err(self.collision(at, self.ledger.url(at), number)),
        }
        if let Some(origin) = self.origins.get_mut(at) {
            *origin = number;
        }
        Ok(())
    }

    fn collision(&self, at: usize, url: &str, number: u32) -> PublishError {
        let key = |number: u32| {
            let item = self.items.get(number as usize);
            item.map_or_else(String::new, |item| item.key.to_owned())
        };
        let first = self.origins.get(at);
        PublishError::Collision {
            url: url.to_owned(),
            first: first.map_or_else(String::new, |number| key(*number)),
            second: key(number),
        }
    }
}

/// Items, each with what the last run knew about it. Both are sorted by key.
struct Paired<I, C: Iterator<Item = CachedItem>> {
    items: I,
    cached: Option<std::iter::Peekable<C>>,
}

impl<'a, I: Iterator<Item = Item<'a>>, C: Iterator<Item = CachedItem>> Iterator for Paired<I, C> {
    type Item = (Item<'a>, Option<CachedItem>);

    fn next(&mut self) -> Option<Self::Item> {
        let item = self.items.next()?;
        let cached = self.cached.as_mut().and_then(|cached| {
            while cached
                .next_if(|cached| cached.key.as_str() < item.key)
                .is_some()
            {}
            cached.next_if(|cached| cached.key.as_str() == item.key)
        });
        Some((item, cached))
    }
}
