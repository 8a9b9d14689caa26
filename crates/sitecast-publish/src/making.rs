//! From an item of the source to what is published of it.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::time::SystemTime;

use serde::Serialize;
use sitecast_extract::{Analyzed, Coverage, ExtractError, Fold, ShownHash, fold};
use sitecast_scp::{CheckedLine, HttpUrl, Page, Timestamp, WriteError};
use sitecast_sitemap::Robots;
use sitecast_storage::StorePath;
use sitecast_tct::sitemap::Listing;
use sitecast_tct::{ContentHash, MachinePage, fingerprint};
use twox_hash::XxHash3_128;

use crate::address::other_page;
use crate::admission::{Admission, without_text};
use crate::artefacts::{add_alternate, is_machine_page_of, machine_url, without_alternate};
use crate::cache::CachedItem;
use crate::gone::Gone;
use crate::head::{Head, scan_head};
use crate::keep_out::{self, OwnerRules};
use crate::ledger::{Fingerprint, Known, Ledger, SectionBits, half};
use crate::lock::lock;
use crate::loss::{Loss, words_of};
use crate::outputs::machine_pages::machine_path;
use crate::rules::Rules;
use crate::source::{Item, Loaded, Raw, Source, UNRELIABLE};
use crate::template::Site;
use crate::{Options, PublishError, Reason};

/// What everyone who makes pages has to know.
pub(crate) struct Workshop<'a> {
    pub(crate) source: &'a dyn Source,
    /// When the cache was written, if some of the items were changed since then.
    pub(crate) cached: Option<SystemTime>,
    pub(crate) site: &'a Site<'a>,
    /// The numbers of the items that the template is learnt from.
    pub(crate) sample: &'a [usize],
    pub(crate) options: &'a Options,
    pub(crate) rules: &'a Rules,
    pub(crate) robots: &'a Robots,
    /// What other files of the site say to keep pages out.
    pub(crate) owners: &'a OwnerRules,
    pub(crate) ledger: &'a Ledger,
    /// The moment of this publication.
    pub(crate) generated: Timestamp,
    /// When the last one was made.
    pub(crate) last: Option<Timestamp>,
    /// Pages that were published before and may come back.
    pub(crate) gone: Gone<'a>,
    /// Whether the lines of all pages are needed, those that did not change among them.
    pub(crate) all_lines: bool,
    /// Whether pages whose markup alone was edited stay as they are published.
    pub(crate) keeps: Keeps,
    /// Whether the machine pages of all pages are needed.
    pub(crate) all_machine_pages: bool,
    /// Whether the HTML is to name its machine pages.
    pub(crate) links: bool,
    /// Files of the owner's that stand where machine pages go, if those go into the source.
    pub(crate) in_place: Option<Mutex<BTreeSet<StorePath>>>,
}

/// What happens to a page that shows what it showed, and of which something else would be made now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keeps {
    /// It stays as it is published.
    AsPublished,
    /// It changes: what is published of it cannot be read.
    Nothing,
}

/// What became of an item.
pub(crate) struct Made {
    pub(crate) item: CachedItem,
    pub(crate) outcome: Outcome,
}

pub(crate) enum Outcome {
    /// As it was: the page stands in the ledger.
    AsBefore {
        at: usize,
        needs_link: bool,
        /// Whether its line or its machine page is needed, and has to be read from what is published.
        reads_back: bool,
    },
    /// Not to be published.
    Excluded(Reason),
    /// A page that was looked at.
    Page(Box<MadePage>),
}

pub(crate) struct MadePage {
    pub(crate) url: HttpUrl,
    pub(crate) known: Known,
    pub(crate) change: Change,
    /// The page as a line of a collection, where it is needed.
    pub(crate) line: Option<CheckedLine>,
    /// The machine page, where it is needed.
    pub(crate) machine: Option<String>,
    /// Whether it has none because that would be larger than agents read.
    pub(crate) is_too_large: bool,
    pub(crate) fold: Option<Fold>,
    pub(crate) loss: Option<Loss>,
    /// Whether the HTML has to be given a link to the machine page.
    pub(crate) needs_link: bool,
}

/// What happened to a page since the last publication.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Change {
    New,
    Changed,
    Unchanged,
}

impl Workshop<'_> {
    /// Makes what there is to make of an item.
    pub(crate) fn make(
        &self,
        item: Item<'_>,
        cached: Option<CachedItem>,
    ) -> Result<Made, PublishError> {
        let cached = match cached {
            Some(cached) if is_same(self.source, item, &cached, self.cached)? => {
                match self.as_before(&cached) {
                    Some(outcome) => {
                        return Ok(Made {
                            item: cached,
                            outcome,
                        });
                    }
                    None => Some(cached),
                }
            }
            cached => cached,
        };
        let mut made = match self.site.take_sampled(item.key) {
            Some(page) => self.html(item, page.raw, Some((page.head, page.analyzed)), cached)?,
            None => match self.source.load(item)? {
                Loaded::Excluded(reason) => self.excluded(item, [0; 16], reason),
                Loaded::Page(page) => self.given_page(item, *page),
                Loaded::Html(raw) => self.html(item, raw, None, cached)?,
            },
        };
        if let Outcome::Page(page) = &made.outcome {
            made.item.text = page.known.fingerprint;
        }
        Ok(made)
    }

    /// What the last run found out about an item holds as long as its bytes do. Whether it may be
    /// published is asked again: robots.txt and settings change by themselves.
    fn as_before(&self, cached: &CachedItem) -> Option<Outcome> {
        if let Some(reason) = &cached.excluded {
            return Some(Outcome::Excluded(reason.clone()));
        }
        let url = cached.url.as_ref()?;
        if let Some(reason) = self.admission().forbidden(&cached.key, url) {
            return Some(Outcome::Excluded(reason));
        }
        let at = self.ledger.find(url)?;
        // Another machine may have published another text since, or a killed run this one.
        let known = self
            .ledger
            .get(at)
            .filter(|known| known.fingerprint == cached.text)?;
        let is_there = known.machine.is_some() && !self.all_machine_pages;
        let is_whole = is_there || !self.has_machine_page(url);
        let is_linked = !self.links || cached.linked || !self.has_machine_page(url);
        (!self.all_lines && is_whole && is_linked).then_some(Outcome::AsBefore {
            at,
            needs_link: false,
            reads_back: false,
        })
    }

    /// Where a page stands that shows what it showed when what is published was made of it.
    fn stays(
        &self,
        before: Option<&CachedItem>,
        url: &HttpUrl,
        shown: Option<ShownHash>,
    ) -> Option<usize> {
        if self.keeps == Keeps::Nothing {
            return None;
        }
        let before = before.filter(|before| shown.is_some() && before.shown == shown)?;
        let at = self.ledger.find(before.url.as_deref()?)?;
        let is_the_one = self.ledger.url(at) == url.as_str();
        // Another machine may have published another text since.
        let is_published = self.ledger.get(at)?.fingerprint == before.text;
        (is_the_one && is_published).then_some(at)
    }

    /// Why a page is not published that was not when it showed the same.
    fn stays_out(&self, before: Option<&CachedItem>, shown: Option<ShownHash>) -> Option<Reason> {
        let before = before.filter(|before| shown.is_some() && before.shown == shown)?;
        before.excluded.clone()
    }

    fn excluded(&self, item: Item<'_>, hash: Fingerprint, reason: Reason) -> Made {
        let mut stamp = item.stamp;
        if reason.may_pass() {
            stamp.mark = UNRELIABLE;
        }
        Made {
            item: CachedItem {
                key: item.key.to_string(),
                stamp,
                hash,
                url: None,
                text: [0; 16],
                excluded: Some(reason.clone()),
                shown: None,
                linked: false,
                has_date_to_come: false,
            },
            outcome: Outcome::Excluded(reason),
        }
    }

    /// What decides which pages may be published.
    fn admission(&self) -> Admission<'_> {
        Admission {
            options: self.options,
            rules: self.rules,
            robots: self.robots,
            owners: self.owners,
            style: self.site.style,
            generated: self.generated,
        }
    }

    fn has_machine_page(&self, url: &str) -> bool {
        self.options.artefacts.tct
            && Listing::of(url).is_none()
            && url
                .parse()
                .is_ok_and(|url: HttpUrl| machine_url(&url).is_ok() && !self.is_taken(&url))
    }

    /// Whether a file of the owner's is where the machine page would be. One that the last publication speaks of
    /// is ours, and so is every machine page of this very page.
    fn is_taken(&self, page: &HttpUrl) -> bool {
        let Some(taken) = &self.in_place else {
            return false;
        };
        let known = self.ledger.by_url(page.as_str());
        if known.is_some_and(|known| known.machine.is_some()) {
            return false;
        }
        let Some(path) = machine_path(self.options.base.as_url(), page) else {
            return false;
        };
        // What cannot be read is not ours.
        let is_taken = match self.source.site_file(path.as_str()) {
            Ok(there) => there.is_some_and(|there| !is_machine_page_of(&there, page)),
            Err(_) => true,
        };
        if is_taken {
            lock(taken).insert(path);
        }
        is_taken
    }

    fn given_page(&self, item: Item<'_>, page: Page) -> Made {
        let mut cached = CachedItem {
            key: item.key.to_string(),
            stamp: item.stamp,
            hash: [0; 16],
            url: Some(page.url.as_str().to_owned()),
            text: [0; 16],
            excluded: None,
            shown: None,
            linked: false,
            has_date_to_come: false,
        };
        if let Some(reason) = self.admission().forbidden(item.key, page.url.as_str()) {
            return Made {
                item: cached,
                outcome: Outcome::Excluded(reason),
            };
        }
        let canonical = page.canonical.as_ref().map(HttpUrl::as_str);
        if let Some(other) = canonical.and_then(|canonical| other_page(&page.url, canonical)) {
            return self.excluded(item, [0; 16], Reason::Canonical(other.into()));
        }
        let judgement = keep_out::of_page(&page, self.options.keep_out, self.generated);
        if let Some(reason) = judgement.reason {
            cached.url = None;
            cached.excluded = Some(reason.clone());
            return Made {
                item: cached,
                outcome: Outcome::Excluded(reason),
            };
        }
        if judgement.has_date_to_come {
            cached.has_date_to_come = true;
            cached.stamp.mark = UNRELIABLE;
        }
        let stated = Some(page.modified);
        match self.page(item, Composed::of(page, self.options), stated, None) {
            Ok(page) => Made {
                item: cached,
                outcome: Outcome::Page(Box::new(page)),
            },
            Err(reason) => self.excluded(item, [0; 16], reason),
        }
    }

    /// Makes a page of HTML, from the beginning or from what is known of it since the template was learnt.
    fn html(
        &self,
        item: Item<'_>,
        raw: Raw,
        known: Option<(Head, Option<(HttpUrl, Analyzed)>)>,
        cached: Option<CachedItem>,
    ) -> Result<Made, PublishError> {
        let hash = hash_of(&raw);
        let before = cached;
        if let Some(cached) = &before
            && cached.hash == hash
            // It may be past by now.
            && !cached.has_date_to_come
        {
            let mut cached = cached.clone();
            // Written anew with the same bytes, perhaps without our link.
            cached.stamp = item.stamp;
            let added = self.link(&raw, cached.url.as_deref());
            cached.linked = self.links;
            if let Some(mut outcome) = self.as_before(&cached) {
                if let (Outcome::AsBefore { needs_link, .. }, Some(added)) = (&mut outcome, added) {
                    cached.stamp.size = added;
                    *needs_link = true;
                }
                return Ok(Made {
                    item: cached,
                    outcome,
                });
            }
        }
        let admission = self.admission();
        let (head, analyzed) = known.unwrap_or_else(|| (scan_head(&raw.bytes), None));
        let url = admission.url_of_html(item.key, raw.url.as_ref(), &raw.bytes, &head);
        let url = match url {
            Ok(url) => url,
            Err(reason) => return Ok(self.excluded(item, hash, reason)),
        };
        let mut cached = CachedItem {
            key: item.key.to_string(),
            stamp: item.stamp,
            hash,
            url: Some(url.as_str().to_owned()),
            text: [0; 16],
            excluded: None,
            shown: None,
            linked: false,
            has_date_to_come: false,
        };
        if let Some(reason) = admission.forbidden(item.key, url.as_str()) {
            return Ok(Made {
                item: cached,
                outcome: Outcome::Excluded(reason),
            });
        }
        let html = raw.html(&url, self.generated);
        let template = &self.site.template;
        let extracted = match &analyzed {
            Some((known, analyzed)) if *known == url => {
                Ok(template.extract_analyzed(&html, analyzed))
            }
            _ => template.extract_page(&html),
        };
        let extracted = match extracted {
            Ok(extracted) => extracted,
            Err(ExtractError::NoSnippet) => {
                return Ok(self.excluded(item, hash, Reason::NoSnippet));
            }
            Err(error) => {
                return Ok(self.excluded(item, hash, Reason::Unusable(error.to_string())));
            }
        };
        let stays = self.stays(before.as_ref(), &url, extracted.shown);
        if let Some(reason) = without_text(&extracted.page)
            && stays.is_none()
        {
            let mut made = self.excluded(item, hash, reason);
            made.item.shown = extracted.shown;
            return Ok(made);
        }
        let judgement = admission.of_owner(&head, &raw, &extracted.page);
        if let Some(reason) = judgement.reason {
            return Ok(self.excluded(item, hash, reason));
        }
        let stated = extracted.states_modified.then_some(extracted.page.modified);
        if judgement.has_date_to_come {
            cached.has_date_to_come = true;
            cached.stamp.mark = UNRELIABLE;
        }
        cached.shown = extracted.shown;
        if let Some(reason) = self.stays_out(before.as_ref(), extracted.shown) {
            cached.url = None;
            cached.excluded = Some(reason.clone());
            return Ok(Made {
                item: cached,
                outcome: Outcome::Excluded(reason),
            });
        }
        let composed = Composed::of(extracted.page, self.options);
        if let Some(at) = stays
            && let Some(known) = self.ledger.get(at)
            && known.fingerprint != composed.print
        {
            let wants_machine = self.wants_machine_page(url.as_str(), Some(known));
            let has_machine = known.machine.is_some() || wants_machine;
            let added = self.link(&raw, Some(url.as_str()).filter(|_| has_machine));
            cached.text = known.fingerprint;
            cached.linked = self.links;
            cached.stamp.size = added.unwrap_or(cached.stamp.size);
            return Ok(Made {
                item: cached,
                outcome: Outcome::AsBefore {
                    at,
                    needs_link: added.is_some(),
                    reads_back: self.all_lines || wants_machine,
                },
            });
        }
        match self.page(item, composed, stated, extracted.coverage) {
            Ok(mut page) => {
                let machine = page.known.machine.as_ref();
                let added = machine.and_then(|_| self.link(&raw, Some(url.as_str())));
                cached.linked = self.links;
                // The file will be longer by the link, and keeps its date.
                cached.stamp.size = added.unwrap_or(cached.stamp.size);
                page.needs_link = added.is_some();
                Ok(Made {
                    item: cached,
                    outcome: Outcome::Page(Box::new(page)),
                })
            }
            Err(reason) => Ok(self.excluded(item, hash, reason)),
        }
    }

    /// How long the HTML will be with the link to its machine page; `None` where it stays as it is.
    fn link(&self, raw: &Raw, url: Option<&str>) -> Option<u64> {
        let url = url.filter(|url| self.links && self.has_machine_page(url))?;
        let linked = add_alternate(&raw.bytes, &machine_url(&url.parse().ok()?).ok()?)?;
        Some(linked.len() as u64)
    }

    pub(crate) fn sections_of(&self, url: &str) -> SectionBits {
        let path = self.options.base.path_of_page(url);
        self.rules.sections(&path.unwrap_or_default())
    }

    /// Whether the machine page of a page that did not change is needed all the same.
    pub(crate) fn wants_machine_page(&self, url: &str, old: Option<&Known>) -> bool {
        let lacks_machine_page =
            self.all_machine_pages || old.is_none_or(|old| old.machine.is_none());
        (lacks_machine_page || self.options.full) && self.has_machine_page(url)
    }

    /// Decides whether a page changed and since when, and writes down what is needed of it.
    fn page(
        &self,
        item: Item<'_>,
        composed: Composed,
        stated: Option<Timestamp>,
        coverage: Option<Coverage>,
    ) -> Result<MadePage, Reason> {
        let Composed {
            mut page,
            folded,
            mut machine_page,
            print,
        } = composed;
        let old = self.ledger.by_url(page.url.as_str());
        let change = match old {
            None => Change::New,
            Some(old) if old.fingerprint == print => Change::Unchanged,
            Some(_) => Change::Changed,
        };
        let modified = self.modified(&page, stated, change, old);
        set_times(&mut page, modified);
        let sections = self.sections_of(page.url.as_str());
        let is_needed = self.all_lines || change != Change::Unchanged;
        let wants_machine = match change {
            Change::Unchanged => self.wants_machine_page(page.url.as_str(), old),
            Change::New | Change::Changed => self.has_machine_page(page.url.as_str()),
        };
        machine_page.modified = Some(page.modified);
        machine_page.published = page.published;
        let payload = wants_machine.then(|| machine_page.payload());
        let most = sitecast_tct::Limits::default().page_bytes;
        let is_too_large = payload.as_ref().is_some_and(|made| made.json.len() > most);
        let payload = payload.filter(|_| !is_too_large);
        let machine: Option<ContentHash> = match &payload {
            Some(payload) => Some(payload.hash),
            None if is_too_large => None,
            None => old.and_then(|old| old.machine),
        };
        let line = is_needed.then(|| self.line(&page)).transpose()?;
        let words = words_of(&machine_page.content);
        let before = old
            .filter(|_| change == Change::Changed)
            .map(|old| old.words);
        let loss = Loss::of(page.url.as_str(), item.key, coverage, before, words);
        Ok(MadePage {
            loss,
            line,
            machine: payload.map(|payload| payload.json),
            is_too_large,
            url: page.url,
            known: Known {
                fingerprint: print,
                modified: page.modified,
                machine,
                sections,
                words,
                gone: false,
            },
            change,
            fold: folded,
            needs_link: false,
        })
    }

    /// The page as a line. One that a reader would not take as it is cannot be published.
    fn line(&self, page: &Page) -> Result<CheckedLine, Reason> {
        let line =
            serde_json::to_string(page).map_err(|error| Reason::Unusable(error.to_string()))?;
        CheckedLine::new(line, &self.options.limits).map_err(|error| {
            Reason::Unusable(match error {
                WriteError::Page { problem, .. } => problem.to_string(),
                other => other.to_string(),
            })
        })
    }

    /// A page's time moves when, and only when, its content does. What the page itself says
    /// counts if it can be true: a change is not older than the last publication, which did not
    /// have it, and nothing is from the future.
    fn modified(
        &self,
        page: &Page,
        stated: Option<Timestamp>,
        change: Change,
        old: Option<&Known>,
    ) -> Timestamp {
        match (change, old) {
            (Change::Unchanged, Some(old)) => old.modified,
            (Change::Changed, Some(old)) => {
                let earliest = self
                    .last
                    .map_or(old.modified, |last| last.max(old.modified));
                stated
                    .map(whole_seconds)
                    .filter(|stated| *stated > earliest && *stated <= self.generated)
                    .unwrap_or_else(|| {
                        let next = crate::schedule::later(old.modified, 1);
                        self.generated.max(next)
                    })
            }
            // Who has it from before it was gone has a time of before that.
            _ => {
                let gone = self.gone.since(page.url.as_str());
                let own = whole_seconds(page.modified).min(self.generated);
                gone.map_or(own, |gone| own.max(gone))
            }
        }
    }
}

/// Sets the time of a page. It cannot have been published later than that.
pub(crate) fn set_times(page: &mut Page, modified: Timestamp) {
    page.modified = modified;
    let published = page.published.map(whole_seconds);
    page.published = published.filter(|published| *published <= modified);
}

/// A page with its text as it is compared.
struct Composed {
    page: Page,
    folded: Option<Fold>,
    machine_page: MachinePage,
    print: Fingerprint,
}

impl Composed {
    fn of(mut page: Page, options: &Options) -> Self {
        let folded = fold(&mut page, options.limits.page_blocks);
        let machine_page = MachinePage::extended(&page);
        let print = half(&fingerprint(&machine_page.content));
        Self {
            page,
            folded,
            machine_page,
            print,
        }
    }
}

/// A time without its fraction: the dates of files have nanoseconds, and everything else that is published has none.
pub(crate) fn whole_seconds(time: Timestamp) -> Timestamp {
    crate::schedule::later(time, 0)
}

/// Hashes a page's bytes as they were before we added anything, and the header that says who may have it. The hash only
/// tells whether they changed; nobody else relies on it.
fn hash_of(raw: &Raw) -> Fingerprint {
    let mut hash = XxHash3_128::new();
    hash.write(&without_alternate(&raw.bytes));
    if let Some(robots) = &raw.robots {
        hash.write(robots.as_bytes());
    }
    hash.finish_128().to_le_bytes()
}

/// Whether an item is known to have the bytes that it had when it was last looked at, without a look at them. `written`
/// is when that was written down, if some of the items were changed since then.
pub(crate) fn is_same(
    source: &dyn Source,
    item: Item<'_>,
    cached: &CachedItem,
    written: Option<SystemTime>,
) -> Result<bool, PublishError> {
    if cached.stamp != item.stamp || !item.stamp.is_reliable() {
        return Ok(false);
    }
    let Some(written) = written else {
        return Ok(true);
    };
    let changed = source.changed(item)?;
    Ok(changed.is_none_or(|changed| changed <= written))
}

/// What tells whether an item has the bytes that it had; `None` for one that is not HTML.
pub(crate) fn hash_of_item(
    source: &dyn Source,
    item: Item<'_>,
) -> Result<Option<Fingerprint>, PublishError> {
    Ok(match source.load(item)? {
        Loaded::Html(raw) => Some(hash_of(&raw)),
        Loaded::Page(_) | Loaded::Excluded(_) => None,
    })
}
