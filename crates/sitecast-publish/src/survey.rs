//! Going through all items of the source once: what is new, changed, unchanged, gone, left out.

use std::path::Path;

use sitecast_extract::Fold;
use sitecast_scp::HttpUrl;

use crate::cache::{CacheWriter, CachedItem};
use crate::collections::Draft;
use crate::ledger::Ledger;
use crate::loss::Loss;
use crate::making::{Change, Made, MadePage, Outcome, Workshop};
use crate::ordered::ordered;
use crate::progress::Progress;
use crate::source::{Item, Items};
use crate::spool::Spool;
use crate::template::published::sampled;
use crate::{PublishError, Reason};

/// What the source has, compared with what is published.
pub(crate) struct Survey {
    /// For every page of the ledger, then for every new one: what became of it.
    pub(crate) fates: Vec<Fate>,
    /// Pages that the ledger does not have, or has differently.
    pub(crate) pages: Pages,
    /// Lines of collections, by place; empty where nobody asks for them again.
    pub(crate) lines: Spool,
    /// A collection of all lines of the first section, if there is to be one.
    pub(crate) draft: Option<Draft>,
    /// Places of pages that have to be read from what is published.
    pub(crate) to_read_back: Vec<usize>,
    /// Machine pages, by place.
    pub(crate) machine: Spool,
    /// Pages without one, since it would be larger than agents read.
    pub(crate) too_large: Vec<HttpUrl>,
    pub(crate) excluded: Vec<(String, Reason)>,
    pub(crate) folded: Vec<(String, Fold)>,
    pub(crate) losses: Vec<Loss>,
    /// Items whose HTML has to be given a link, and the places of their pages.
    pub(crate) to_link: Vec<(u32, u32)>,
    /// The pages of the sample as they are: [`sampled`] of each.
    pub(crate) sample: Vec<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// Not met: it is gone.
    Gone,
    Is(Change),
}

/// New pages, and updates of known ones.
pub(crate) struct Pages {
    pub(crate) fresh: Ledger,
    pub(crate) updates: Vec<(usize, crate::ledger::Known)>,
}

struct Taker<'a> {
    survey: Survey,
    /// The numbers of the items of the sample, in order.
    sample: Vec<usize>,
    ledger: &'a Ledger,
    items: &'a Items,
    /// Which item each page came from, to name both if two are the same page.
    origins: Vec<u32>,
    cache: Option<&'a mut CacheWriter>,
    scratch: &'a Path,
    spools: bool,
    number: u32,
}

/// Where lines go.
pub(crate) struct Destination<'a> {
    /// A folder for temporary files.
    pub(crate) scratch: &'a Path,
    /// A collection of all lines of the first section.
    pub(crate) draft: Option<Draft>,
    /// Whether lines are needed once more afterwards.
    pub(crate) spools: bool,
}

/// Goes through the items.
pub(crate) fn survey(
    workshop: &Workshop<'_>,
    items: &Items,
    cached: Option<Box<dyn Iterator<Item = CachedItem> + Send>>,
    cache: Option<&mut CacheWriter>,
    destination: Destination<'_>,
    progress: &dyn Progress,
) -> Result<Survey, PublishError> {
    let Destination {
        scratch,
        draft,
        spools,
    } = destination;
    let spool = || {
        Spool::new(scratch).map_err(|source| PublishError::Scratch {
            folder: scratch.display().to_string(),
            source,
        })
    };
    let known = workshop.ledger.len();
    let mut sample = workshop.sample.to_vec();
    sample.sort_unstable();
    let mut taker = Taker {
        sample,
        survey: Survey {
            fates: vec![Fate::Gone; known],
            pages: Pages {
                // On a first run everything is new; later on next to nothing.
                fresh: Ledger::with_room(if known == 0 { items.len() } else { 0 }),
                updates: Vec::new(),
            },
            lines: spool()?,
            draft,
            to_read_back: Vec::new(),
            machine: spool()?,
            too_large: Vec::new(),
            excluded: Vec::new(),
            folded: Vec::new(),
            losses: Vec::new(),
            to_link: Vec::new(),
            sample: Vec::new(),
        },
        ledger: workshop.ledger,
        items,
        origins: vec![0; known],
        cache,
        scratch,
        spools,
        number: 0,
    };
    let pairs = Paired {
        items: items.iter(),
        cached: cached.map(Iterator::peekable),
    };
    let work = |(item, cached): (Item<'_>, Option<CachedItem>)| workshop.make(item, cached);
    ordered(workshop.options.threads, pairs, work, |made| {
        progress.advance(1);
        taker.take(made?)
    })?;
    Ok(taker.survey)
}

impl Taker<'_> {
    fn take(&mut self, made: Made) -> Result<(), PublishError> {
        let number = self.number;
        self.number += 1;
        let is_html = made.item.hash != [0; 16];
        if is_html && self.sample.binary_search(&(number as usize)).is_ok() {
            let sampled = sampled(&made.item.key, &made.item.hash);
            self.survey.sample.push(sampled);
        }
        if let Some(cache) = &mut self.cache
            && cache.item(&made.item).is_err()
        {
            // A cache that cannot be written is one that is not there.
            self.cache = None;
        }
        match made.outcome {
            Outcome::Excluded(reason) => {
                self.survey.excluded.push((made.item.key, reason));
                Ok(())
            }
            Outcome::AsBefore {
                at,
                needs_link,
                reads_back,
            } => {
                self.claim(at, number, Change::Unchanged)?;
                if reads_back {
                    self.survey.to_read_back.push(at);
                }
                if needs_link {
                    self.survey.to_link.push((number, at as u32));
                }
                Ok(())
            }
            Outcome::Page(page) => self.page(*page, number),
        }
    }

    fn page(&mut self, page: MadePage, number: u32) -> Result<(), PublishError> {
        let url = page.url.as_str();
        let place = match self.ledger.find(url) {
            Some(at) => {
                self.claim(at, number, page.change)?;
                self.survey.pages.updates.push((at, page.known));
                at
            }
            None => {
                let fresh = &mut self.survey.pages.fresh;
                if let Some(at) = fresh.find(url) {
                    return Err(self.collision(self.ledger.len() + at, url, number));
                }
                let at = self.ledger.len() + fresh.put(url, page.known);
                self.survey.fates.push(Fate::Is(page.change));
                self.origins.push(number);
                at
            }
        };
        let scratch = self.scratch;
        let failed = |source| PublishError::Scratch {
            folder: scratch.display().to_string(),
            source,
        };
        if let Some(line) = page.line {
            if self.spools {
                let lines = &mut self.survey.lines;
                lines.add(place, line.as_str().as_bytes()).map_err(failed)?;
            }
            if let Some(draft) = &mut self.survey.draft
                && page.known.sections & 1 != 0
            {
                draft.add_checked(line);
            }
        }
        if let Some(json) = page.machine {
            let machine = &mut self.survey.machine;
            machine.add(place, json.as_bytes()).map_err(failed)?;
        }
        if page.is_too_large {
            self.survey.too_large.push(page.url.clone());
        }
        if page.needs_link {
            self.survey.to_link.push((number, place as u32));
        }
        if let Some(fold) = page.fold {
            self.survey.folded.push((url.to_owned(), fold));
        }
        self.survey.losses.extend(page.loss);
        Ok(())
    }

    fn claim(&mut self, at: usize, number: u32, change: Change) -> Result<(), PublishError> {
        if self.survey.fates.get(at) != Some(&Fate::Gone) {
            return Err(self.collision(at, self.ledger.url(at), number));
        }
        if let Some(fate) = self.survey.fates.get_mut(at) {
            *fate = Fate::Is(change);
        }
        if let Some(origin) = self.origins.get_mut(at) {
            *origin = number;
        }
        Ok(())
    }

    fn collision(&self, at: usize, url: &str, number: u32) -> PublishError {
        let key = |number: u32| {
            let item = self.items.get(number as usize);
            item.map_or_else(String::new, |item| item.key.to_string())
        };
        PublishError::Collision {
            url: url.to_owned(),
            first: self
                .origins
                .get(at)
                .map_or_else(String::new, |number| key(*number)),
            second: key(number),
        }
    }
}

/// Items, each with what the last run knew of it. Both come by key.
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
