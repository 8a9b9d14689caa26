//! One publication, from the source to the last file.

mod last;
pub(crate) mod preview;
pub(crate) mod seal;
mod take_over;
mod template;
mod unchanged;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use sitecast_extract::Model;
use sitecast_scp::{HttpUrl, Page, Timestamp};
use sitecast_sitemap::Robots;
use sitecast_storage::{Lock, Store};

use crate::address::{OtherHost, Style};
use crate::cache::{Cache, CacheHead, CacheWriter};
use crate::carrier::{Carrier, own_path, read_all};
use crate::chain::{Chain, LinkKind};
use crate::collections::Prepared;
use crate::gone::Gone;
use crate::keep_out::OwnerRules;
use crate::ledger::{Deleted, Ledger, SectionBits};
use crate::making::{Change, Keeps, Workshop};
use crate::outputs::obstacles::refuse_obstacles;
use crate::outputs::{Outputs, Published};
use crate::previous::{JSON_SITEMAP, is_our_json_sitemap};
use crate::progress::{Progress, Step};
use crate::report::{Excluded, NamedCrawlers, PageCounts, Report, Savings};
use crate::rules::Rules;
use crate::schedule::SnapshotReason;
use crate::sections::{Writing, early_draft};
use crate::source::Source;
use crate::survey::{Destination, Fate, Survey, survey};
use crate::template::published::PublishedTemplate;
use crate::template::{HtmlSizes, sample};
use crate::under_way::UnderWay;
use crate::{BaseUrl, Options, PublishError, Reason};
use last::publication;
use seal::Seal;

/// A site of more pages than this does not lose half of them by intention.
const SMALL_SITE: u64 = 20;

/// Publishes what a source has: finds out what changed since the last time, and writes it into the
/// store, the sitemap last. On an error the sitemap and what it names are as they were: see [`PublishError`].
///
/// `previous` is where the last publication is, if not in the store itself; its collections are
/// taken over. `now` is the time that everything is dated with.
pub fn publish(
    source: &dyn Source,
    store: &dyn Store,
    previous: Option<&dyn Store>,
    options: &Options,
    now: Timestamp,
    progress: &dyn Progress,
) -> Result<Report, PublishError> {
    let rules = Rules::new(options)?;
    if options.compressions.is_empty() {
        let problem = "collections have to be stored in some form: name a compression";
        return Err(PublishError::Settings(problem.to_owned()));
    }
    let lock = (!options.dry_run).then(|| store.lock()).transpose()?;
    refuse_obstacles(store, options)?;
    // Two makers of machine pages would undo each other's work.
    let has_other_maker = options.artefacts.tct
        && is_our_json_sitemap(store, &own_path(JSON_SITEMAP), options)? == Some(false);
    let mut own_options = options.clone();
    own_options.artefacts.tct &= !has_other_maker;
    let options = &own_options;
    let run = Run {
        source,
        store,
        previous,
        options,
        rules,
        now,
        progress,
        lock,
    };
    // Pages whose lines are nowhere to be found have to be made again.
    let mut report = match run.go(options.full, Keeps::AsPublished)? {
        Some(report) => report,
        None => run.go(true, Keeps::Nothing)?.ok_or_else(|| {
            PublishError::Settings("some pages have no lines, although all were made".to_owned())
        })?,
    };
    if has_other_maker {
        report.notes.push(format!(
            "`{JSON_SITEMAP}` is not of Sitecast's making and stays as it is: no machine pages are made; \
             remove it, or switch `tct` off"
        ));
    }
    Ok(report)
}

pub(crate) struct Run<'a> {
    source: &'a dyn Source,
    pub(crate) store: &'a dyn Store,
    previous: Option<&'a dyn Store>,
    pub(crate) options: &'a Options,
    rules: Rules,
    now: Timestamp,
    progress: &'a dyn Progress,
    lock: Option<Box<dyn Lock>>,
}

impl Run<'_> {
    /// Where the last publication is read from.
    pub(crate) fn origin(&self) -> &dyn Store {
        self.previous.unwrap_or(self.store)
    }

    /// `None` if lines of unchanged pages are missing.
    fn go(&self, all_lines: bool, keeps: Keeps) -> Result<Option<Report>, PublishError> {
        let mut report = Report {
            dry_run: self.options.dry_run,
            ..Report::default()
        };
        if let Some(warning) = self.lock.as_ref().and_then(|lock| lock.warning()) {
            report.notes.push(warning.to_owned());
        }
        self.progress.begin(Step::List, None);
        let mut items = self.source.items()?;
        // Also where nothing else asks for it: what is kept out has to be known.
        let robots = self.robots()?;
        let owners = OwnerRules::read(
            self.source,
            self.store,
            &items,
            self.options.keep_out,
            self.now,
        )?;
        report.notes.extend(owners.notes.iter().cloned());

        self.progress.begin(Step::Previous, None);
        let carrier = Carrier::find(self.source, self.store, self.options)?;
        items.excluded.extend(self.source.refused());
        let settings = self.settings();
        let cache = self
            .options
            .cache
            .as_deref()
            .and_then(|folder| Cache::open(folder, &settings));
        let inputs = self.inputs(&carrier, &owners)?;
        let under_way = UnderWay::find(self.store)?;
        let mut last = self.last(&carrier, &under_way, &mut report)?;
        let generated = self.generated(&last)?;
        // Those of another place, or of a run that was killed, are not known to be here.
        let may_differ = under_way.is_left() || self.previous.is_some();
        if let Some(cache) = cache.as_ref().filter(|_| !may_differ)
            && self.is_done(&mut items, &inputs, cache, &last, generated, &mut report)?
        {
            return Ok(Some(report));
        }
        self.add_state(&mut last, cache.as_ref(), &mut report)?;
        if self.options.full {
            last.start_again(self.latest(), generated, &mut report);
        }
        let scratch = self.scratch()?;

        let has_machine_pages = self.has_json_sitemap()?;
        let sample = sample(&items);
        let site = self.site(&items, &sample, &carrier, cache.as_ref())?;
        if let Some(other) = site.other_host.as_ref().filter(|_| last.head.is_none()) {
            report.notes.push(other_host(other, &self.options.base));
        }
        self.progress.begin(Step::Extract, Some(items.len() as u64));
        let all_lines = all_lines
            || last.state.ledger.len() == 0
            || (self.options.artefacts.markdown && (cache.is_none() || may_differ));
        let workshop = Workshop {
            source: self.source,
            cached: cache.as_ref().and_then(|cache| cache.is_older_than(&items)),
            site: &site,
            sample: &sample,
            options: self.options,
            rules: &self.rules,
            robots: &robots,
            owners: &owners,
            ledger: &last.state.ledger,
            generated,
            last: last.head,
            gone: Gone {
                store: self.origin(),
                chains: &last.chains,
                options: self.options,
                said: OnceLock::new(),
            },
            all_lines,
            keeps,
            all_machine_pages: !has_machine_pages || may_differ,
            links: self.links(),
            in_place: self.is_in_place().then(Mutex::default),
        };
        let mut new_cache = self.new_cache(&mut report);
        let cached = cache.as_ref().and_then(|cache| cache.items().ok());
        let cached = cached.map(|items| Box::new(items) as Box<dyn Iterator<Item = _> + Send>);
        let draft = early_draft(self, &items, &last.chains, generated, all_lines)?;
        let is_only = self.options.sections.len() == 1 && last.head.is_none();
        let destination = Destination {
            scratch: &scratch,
            spools: draft.is_none() || !is_only || self.options.artefacts.markdown,
            draft,
        };
        let mut survey = survey(
            &workshop,
            &items,
            cached,
            new_cache.as_mut(),
            destination,
            self.progress,
        )?;
        site.forget_sample();
        if !workshop.read_back(&mut survey)? {
            return Ok(None);
        }
        let taken = workshop.in_place.map(Mutex::into_inner);
        let taken = taken.map(|taken| taken.unwrap_or_else(PoisonError::into_inner));
        let left_out = |items| excluded(items, site.style, &self.options.base);
        report.exclude(left_out(std::mem::take(&mut survey.excluded)));
        if let Some(cache) = &new_cache
            && let Err(error) = cache.excluded(&report.excluded)
        {
            report.notes.push(no_cache(&error));
            new_cache = None;
        }
        // What is left out at first sight is seen again each time, and not in the cache.
        report.exclude(left_out(std::mem::take(&mut items.excluded)));
        report.folded = std::mem::take(&mut survey.folded);
        report.losses = std::mem::take(&mut survey.losses);
        self.count(&survey, &mut report)?;

        let (ledger, deleted, moved) =
            merged(last.state.ledger, &mut survey, &self.rules, self.options);
        report.named_crawlers = named_crawlers(&robots, &ledger);
        self.progress.begin(Step::Collections, None);
        let mut writing = Writing {
            run: self,
            ledger: &ledger,
            survey: &mut survey,
            chains: last.chains,
            deletions: last.state.deletions,
            deleted: &deleted,
            moved,
            generated,
            all_lines,
            prepared: Vec::new(),
        };
        if !writing.sections(&mut report)? {
            return Ok(None);
        }
        let Writing {
            mut chains,
            deletions,
            prepared,
            ..
        } = writing;
        report.savings = savings(&chains, &prepared, &ledger, site.html);
        if self.options.dry_run {
            return Ok(Some(report));
        }

        if let Some(lock) = &self.lock {
            lock.check()?;
        }
        let has_new_collections = self.previous.is_some() || !prepared.is_empty();
        if has_new_collections || !deleted.is_empty() || !survey.machine.is_empty() {
            under_way.begin(generated)?;
        }
        let mut retired = last.retired;
        self.take_over(&mut chains, &mut retired, &mut report)?;
        for (section, _, prepared) in prepared {
            let link = prepared.commit(self.store)?;
            if let Some(chain) = chains.get_mut(section) {
                chain.add(link);
            }
        }
        self.progress.begin(Step::Artefacts, None);
        let (mut expired, retired) = self.expire(&mut chains, retired);
        expired.append(&mut last.future);
        let mut outputs = Outputs::new(self.store, self.options);
        outputs.write(
            self.source,
            &items,
            &Published {
                ledger: &ledger,
                chains: &chains,
                retired: &retired,
                deleted: &deleted,
                carrier: &carrier,
                expired: &expired,
                generated,
                has_new_collections,
                in_place: self.is_in_place(),
                may_differ,
                taken: &taken.unwrap_or_default(),
                template: PublishedTemplate::write(
                    &site,
                    std::mem::take(&mut survey.sample),
                    self.options,
                ),
                under_way: &under_way,
            },
            &mut survey,
            self.lock.as_deref(),
            self.progress,
        )?;
        let seal = new_cache
            .as_ref()
            .map(|_| Seal::new(self.inputs(&carrier, &owners)?, &outputs, self.store))
            .transpose()?;
        report.artefacts = outputs.artefacts;
        report.notes.append(&mut outputs.notes);
        if let Some(cache) = new_cache {
            let head = CacheHead {
                version: env!("CARGO_PKG_VERSION").to_owned(),
                run: String::new(),
                settings,
                publication: publication(&chains),
                deletions: deletions
                    .iter()
                    .map(|time| time.map(|time| time.to_string()))
                    .collect(),
                html: site.html,
                style: site.style,
                seal,
                savings: savings(&chains, &[], &ledger, site.html),
                named_crawlers: report.named_crawlers.clone(),
                listing: None,
                finished: None,
                items: 0,
                pages: 0,
            };
            // Without it the next run is slower, no more.
            if let Err(error) = cache.finish(head, &ledger, &site.template.store()) {
                report.notes.push(no_cache(&error));
            }
        }
        Ok(Some(report))
    }

    /// Whether HTML is given links: where it lies in the folder that is published.
    fn links(&self) -> bool {
        self.options.artefacts.tct && self.options.artefacts.html_links && self.is_in_place()
    }

    /// Whether the source is the folder that is published into.
    fn is_in_place(&self) -> bool {
        let folder = self.source.folder();
        folder.is_some_and(|folder| is_same_folder(folder, Path::new(&self.store.name())))
    }

    fn scratch(&self) -> Result<PathBuf, PublishError> {
        if self.options.dry_run {
            return Ok(std::env::temp_dir());
        }
        Ok(self.store.scratch()?)
    }

    fn new_cache(&self, report: &mut Report) -> Option<CacheWriter> {
        let folder = self
            .options
            .cache
            .as_deref()
            .filter(|_| !self.options.dry_run)?;
        match CacheWriter::new(folder) {
            Ok(cache) => Some(cache),
            Err(error) => {
                let folder = folder.display();
                report
                    .notes
                    .push(format!("the cache `{folder}` cannot be used: {error}"));
                None
            }
        }
    }

    /// All settings on which what is cached depends.
    fn settings(&self) -> String {
        let options = self.options;
        let sections: Vec<_> = options
            .sections
            .iter()
            .map(|section| (section.name.as_str(), &section.paths))
            .collect();
        format!(
            "{} {} {:?} {:?} {:?} {} {:?} {:?} {} {}",
            options.base,
            Model::bundled().fingerprint(),
            sections,
            options.keep_out,
            options.extract_limits,
            options.extract_rules.fingerprint(),
            options.comments,
            options.limits,
            options.artefacts.markdown,
            self.source.name(),
        )
    }

    fn has_json_sitemap(&self) -> Result<bool, PublishError> {
        if !self.options.artefacts.tct {
            return Ok(true);
        }
        let path = own_path(JSON_SITEMAP);
        Ok(self.store.get(&path)?.is_some())
    }

    /// The site's rules for robots, if the site is all of its host.
    fn robots(&self) -> Result<Robots, PublishError> {
        if !self.options.base.is_root() {
            return Ok(Robots::default());
        }
        let path = own_path("robots.txt");
        let bytes = match self.source.site_file(path.as_str())? {
            Some(bytes) => Some(bytes),
            None => read_all(self.store, &path)?.map(|(bytes, _)| bytes),
        };
        Ok(bytes.map_or_else(Robots::default, |bytes| Robots::parse(&bytes)))
    }

    fn count(&self, survey: &Survey, report: &mut Report) -> Result<(), PublishError> {
        let counted = |fate: Fate| survey.fates.iter().filter(|known| **known == fate).count();
        report.pages = PageCounts {
            new: counted(Fate::Is(Change::New)) as u64,
            changed: counted(Fate::Is(Change::Changed)) as u64,
            unchanged: counted(Fate::Is(Change::Unchanged)) as u64,
            deleted: counted(Fate::Gone) as u64,
            excluded: report.excluded.len() as u64,
            folded: report.folded.len() as u64,
        };
        let PageCounts {
            changed,
            unchanged,
            deleted,
            ..
        } = report.pages;
        // A rehearsal goes on, so that all that is left out can be listed.
        if !self.options.dry_run
            && let Some(empty) = report.without_pages(self.source)
        {
            return Err(empty);
        }
        let before = changed + unchanged + deleted;
        if before > SMALL_SITE && deleted * 2 > before && !self.options.mass_deletion {
            return Err(PublishError::MassDeletion {
                deleted,
                pages: before,
            });
        }
        Ok(())
    }

    /// Takes what has expired out of the chains. The newest snapshot and what follows it stay.
    pub(super) fn expire(
        &self,
        chains: &mut [Chain],
        mut retired: Vec<(String, Chain)>,
    ) -> (Vec<crate::chain::Link>, Vec<(String, Chain)>) {
        let mut expired = Vec::new();
        let mut sort_out = |chain: &mut Chain, keep_from: Option<Timestamp>| {
            let links = std::mem::take(&mut chain.links);
            for link in links {
                let is_present = keep_from.is_some_and(|from| link.generated >= from);
                if link.expires <= self.now && !is_present {
                    expired.push(link);
                } else {
                    chain.links.push(link);
                }
            }
        };
        for chain in chains {
            let from = chain.snapshot().map(|link| link.generated);
            sort_out(chain, from);
        }
        for (_, chain) in &mut retired {
            sort_out(chain, None);
        }
        retired.retain(|(_, chain)| !chain.links.is_empty());
        (expired, retired)
    }
}

/// The published pages that robots.txt disallows for crawlers that it names.
fn named_crawlers(robots: &Robots, ledger: &Ledger) -> NamedCrawlers {
    let named = robots.named_groups();
    let mut found = NamedCrawlers::default();
    if named.is_empty() {
        return found;
    }
    let mut seen = vec![false; named.len()];
    for (url, _) in ledger.iter().filter(|(_, known)| known.sections != 0) {
        let mut is_disallowed = false;
        for (at, group) in named.iter().enumerate() {
            if group.disallows(url) {
                is_disallowed = true;
                if let Some(seen) = seen.get_mut(at) {
                    *seen = true;
                }
            }
        }
        found.pages += u64::from(is_disallowed);
    }
    let met = named.iter().zip(seen).filter(|(_, seen)| *seen);
    found.crawlers = met
        .flat_map(|(group, _)| group.names.iter().cloned())
        .collect();
    found
}

/// What was left out, with where it would be.
fn excluded(items: Vec<(String, Reason)>, style: Style, base: &BaseUrl) -> Vec<Excluded> {
    let with_url = |(item, reason): (String, Reason)| Excluded {
        url: match item.parse::<HttpUrl>() {
            Ok(url) => url.as_str().to_owned(),
            Err(_) => style.url(base, &item).into(),
        },
        item,
        reason,
    };
    items.into_iter().map(with_url).collect()
}

/// Brings the ledger up to date. Answers also which pages are gone, and the sections that pages
/// moved into or out of without a change of their own.
fn merged(
    mut ledger: Ledger,
    survey: &mut Survey,
    rules: &Rules,
    options: &Options,
) -> (Ledger, Vec<Deleted>, SectionBits) {
    let mut moved = 0;
    for (at, known) in survey.pages.updates.drain(..) {
        if let Some(old) = ledger.get_mut(at) {
            moved |= old.sections ^ known.sections;
            *old = known;
        }
    }
    let mut deleted = Vec::new();
    for (at, fate) in survey.fates.iter().enumerate() {
        let url = ledger.url(at);
        match fate {
            Fate::Gone => {
                let url = url.parse::<HttpUrl>();
                let Some(known) = ledger.get_mut(at) else {
                    continue;
                };
                if let Ok(url) = url {
                    let known = *known;
                    deleted.push(Deleted { url, known });
                }
                // It keeps its place, since others are known by theirs, and belongs nowhere.
                known.sections = 0;
                known.gone = true;
            }
            Fate::Is(Change::Unchanged) => {
                let path = options.base.path_of_page(url);
                let sections = rules.sections(&path.unwrap_or_default());
                if let Some(known) = ledger.get_mut(at) {
                    moved |= known.sections ^ sections;
                    known.sections = sections;
                }
            }
            Fate::Is(_) => {}
        }
    }
    let fresh = std::mem::take(&mut survey.pages.fresh);
    if ledger.len() == 0 {
        return (fresh, deleted, moved);
    }
    for (url, known) in fresh.iter() {
        ledger.put(url, *known);
    }
    (ledger, deleted, moved)
}

fn savings(
    chains: &[Chain],
    prepared: &[(usize, Option<SnapshotReason>, Prepared)],
    ledger: &Ledger,
    html: HtmlSizes,
) -> Savings {
    let in_collections = || ledger.iter().filter(|(_, known)| known.sections != 0);
    let pages = in_collections().count() as u64;
    let fresh = |number: usize, snapshot: bool| {
        let mut links = prepared.iter().filter(move |(at, _, prepared)| {
            *at == number && (prepared.link.kind == LinkKind::Snapshot) == snapshot
        });
        links.next().map(|(_, _, prepared)| prepared.link.size())
    };
    let is_whole_site = |number: &usize| {
        let bit: SectionBits = 1 << *number;
        in_collections().all(|(_, known)| known.sections & bit != 0)
    };
    // A section of all pages stands for the site: the others repeat parts of it. Without one it takes them all.
    let sections = match (0..chains.len()).find(is_whole_site) {
        Some(number) => number..number + 1,
        None => 0..chains.len(),
    };
    let snapshot = |number: usize| {
        fresh(number, true).or_else(|| Some(chains.get(number)?.snapshot()?.size()))
    };
    Savings {
        pages,
        html_gzip_bytes: html.gzip_bytes_of(pages),
        sampled_pages: html.weighed_pages,
        snapshot_bytes: sections.clone().filter_map(snapshot).sum(),
        delta_bytes: sections.filter_map(|number| fresh(number, false)).sum(),
    }
}

/// What the owner is told before a first publication under a name that the site itself does not use. Sites are
/// published under other names on purpose, too: as a preview, or before they move.
fn other_host(other: &OtherHost, base: &BaseUrl) -> String {
    let OtherHost { origin, links, of } = other;
    let say = match (*links, *of) {
        (1, 1) => "the only canonical link that was looked at says".to_owned(),
        (links, of) if links == of => {
            format!("all {of} canonical links that were looked at say")
        }
        (links, of) => format!("{links} of {of} canonical links that were looked at say"),
    };
    format!(
        "{say} `{origin}`, and the pages are published as those of `{base}`: if that is \
         mistyped, publish anew with `--base-url {origin}`"
    )
}

/// What the owner is told of a cache that cannot be written.
fn no_cache(error: &std::io::Error) -> String {
    format!("the cache cannot be written: {error}")
}

/// Whether two paths are one folder.
fn is_same_folder(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

/// A page from its line.
pub(crate) fn page_of(line: &str, options: &Options) -> Option<Page> {
    Page::from_line(line, &options.limits)
        .ok()
        .map(|(page, _)| page)
}
