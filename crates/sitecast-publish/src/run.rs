//! One publication, from the source to the last file.

use std::path::{Path, PathBuf};

use sitecast_extract::{Extractor, Model, SiteTemplate};
use sitecast_scp::{HttpUrl, Page, Timestamp};
use sitecast_sitemap::Robots;
use sitecast_storage::{Lock, Store};

use crate::cache::{Cache, CacheHead, CacheWriter};
use crate::carrier::{Carrier, published_scp, read_all};
use crate::chain::{Chain, LinkKind, chains_of, parse_name};
use crate::collections::{Plan, Prepared, prepare};
use crate::ledger::{Known, Ledger, SectionBits};
use crate::making::{Change, Workshop};
use crate::outputs::{Outputs, Published};
use crate::previous::{State, add_machine_pages, carry, rebuild, recover};
use crate::progress::{Progress, Step};
use crate::report::{Excluded, PageCounts, Report, Savings, WrittenCollection, WrittenFile};
use crate::rules::Rules;
use crate::schedule::{Lifetimes, Situation, SnapshotReason, later};
use crate::source::{Item, Source};
use crate::survey::{Fate, Survey, survey};
use crate::template::{HtmlSizes, Kept, Site, learn, sample};
use crate::{Options, PublishError};

/// A site of more pages than this does not lose half of them by intention.
const SMALL_SITE: u64 = 20;
/// A template is learnt anew when more than this share of the sample is new to it.
const NEW_TO_TEMPLATE: f64 = 0.34;
/// Clocks may be wrong by this much.
const CLOCK_SKEW_SECONDS: i64 = 86_400;

/// Publishes what a source has: finds out what changed since the last time, and writes it into the
/// store, the sitemap last. On an error the last publication is as it was.
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
    match run.go(options.full)? {
        Some(report) => Ok(report),
        None => run.go(true)?.ok_or_else(|| {
            PublishError::Settings("some pages have no lines, although all were made".to_owned())
        }),
    }
}

struct Run<'a> {
    source: &'a dyn Source,
    store: &'a dyn Store,
    previous: Option<&'a dyn Store>,
    options: &'a Options,
    rules: Rules,
    now: Timestamp,
    progress: &'a dyn Progress,
    lock: Option<Box<dyn Lock>>,
}

/// The last publication.
struct Last {
    chains: Vec<Chain>,
    /// Of sections that are no longer wanted; they are named until they expire.
    retired: Vec<(String, Chain)>,
    state: State,
    /// When the newest collection was made.
    head: Option<Timestamp>,
}

impl Run<'_> {
    /// Where the last publication is read from.
    fn origin(&self) -> &dyn Store {
        self.previous.unwrap_or(self.store)
    }

    /// `None` if lines of unchanged pages are missing.
    fn go(&self, all_lines: bool) -> Result<Option<Report>, PublishError> {
        let mut report = Report {
            dry_run: self.options.dry_run,
            ..Report::default()
        };
        if let Some(warning) = self.lock.as_ref().and_then(|lock| lock.warning()) {
            report.notes.push(warning.to_owned());
        }
        self.progress.begin(Step::List, None);
        let listed = self.source.items()?;
        let (items, mut excluded) = (listed.items, listed.excluded);

        self.progress.begin(Step::Previous, None);
        let carrier = Carrier::find(self.source, self.store, self.options)?;
        let settings = self.settings();
        let cache = self
            .options
            .cache
            .as_deref()
            .and_then(|folder| Cache::open(folder, &settings));
        let last = self.last(&carrier, cache.as_ref(), &mut report)?;
        let generated = self.generated(&last)?;
        let scratch = self.scratch()?;

        let has_machine_pages = self.has_json_sitemap()?;
        let robots = self.robots()?;
        let site = self.site(&items, &carrier, cache.as_ref())?;
        self.progress.begin(Step::Extract, Some(items.len() as u64));
        let all_lines = all_lines
            || last.state.ledger.len() == 0
            || (self.options.artefacts.markdown && cache.is_none());
        let workshop = Workshop {
            source: self.source,
            site: &site,
            options: self.options,
            rules: &self.rules,
            robots: &robots,
            ledger: &last.state.ledger,
            generated,
            last: last.head,
            all_lines,
            all_machine_pages: !has_machine_pages,
            links: self.links(),
        };
        let mut new_cache = self.new_cache(&mut report);
        let cached = cache.as_ref().and_then(|cache| cache.items().ok());
        let cached = cached.map(|items| Box::new(items) as Box<dyn Iterator<Item = _> + Send>);
        let mut survey = survey(
            &workshop,
            &items,
            cached,
            new_cache.as_mut(),
            &scratch,
            self.progress,
        )?;
        excluded.append(&mut survey.excluded);
        excluded.sort_by(|a, b| a.0.cmp(&b.0));
        let excluded = excluded.into_iter().map(|(item, reason)| Excluded {
            url: match item.parse::<HttpUrl>() {
                Ok(url) => url.as_str().to_owned(),
                Err(_) => site.style.url(&self.options.base, &item).into(),
            },
            item,
            reason,
        });
        report.excluded = excluded.collect();
        report.folded = std::mem::take(&mut survey.folded);
        self.count(&survey, items.len() as u64, &mut report)?;

        let (ledger, deleted, moved) =
            merged(last.state.ledger, &mut survey, &self.rules, self.options);
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
        self.take_over(&chains, &last.retired)?;
        for (section, _, prepared) in prepared {
            let link = prepared.commit(self.store)?;
            if let Some(chain) = chains.get_mut(section) {
                chain.add(link);
            }
        }
        self.progress.begin(Step::Artefacts, None);
        let (expired, retired) = self.expire(&mut chains, last.retired);
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
            },
            &mut survey,
            self.lock.as_deref(),
            self.progress,
        )?;
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
                items: 0,
                pages: 0,
            };
            // Without it the next run is slower, no more.
            if let Err(error) = cache.finish(head, &ledger, &site.template.store()) {
                report
                    .notes
                    .push(format!("the cache cannot be written: {error}"));
            }
        }
        Ok(Some(report))
    }

    /// Whether HTML is given links: where it lies in the folder that is published.
    fn links(&self) -> bool {
        self.options.artefacts.tct
            && self.options.artefacts.html_links
            && self
                .source
                .folder()
                .is_some_and(|folder| is_same_folder(folder, Path::new(&self.store.name())))
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
            "{} {} {:?} {:?} {:?} {} {}",
            options.base,
            Model::bundled().fingerprint(),
            sections,
            options.extract_limits,
            options.limits,
            options.artefacts.markdown,
            self.source.name(),
        )
    }

    fn last(
        &self,
        carrier: &Carrier,
        cache: Option<&Cache>,
        report: &mut Report,
    ) -> Result<Last, PublishError> {
        let scp = published_scp(self.origin(), carrier)?;
        let mut named = chains_of(&scp, self.options);
        if named.is_empty() && self.previous.is_none() {
            named = recover(self.store, self.options)?;
        }
        let mut chains = Vec::new();
        for section in &self.options.sections {
            let at = named
                .iter()
                .position(|(name, _)| name == section.name.as_str());
            chains.push(at.map_or_else(Chain::default, |at| named.swap_remove(at).1));
        }
        let head = chains.iter().filter_map(Chain::head).max();
        let mut last = Last {
            chains,
            retired: named,
            state: State::default(),
            head,
        };
        let publication = publication(&last.chains);
        if publication.is_empty() {
            if cache.is_some_and(|cache| !cache.head.publication.is_empty()) {
                report.notes.push(format!(
                    "what was published last time is no longer in `{}`: this is a new beginning; \
                     `--previous` can name where it is",
                    self.origin().name()
                ));
            }
            last.state.deletions = vec![None; last.chains.len()];
            return Ok(last);
        }
        if let Some(cache) = cache.filter(|cache| cache.head.publication == publication)
            && let Some(ledger) = cache.ledger()
        {
            let deletions = cache.head.deletions.iter();
            last.state = State {
                ledger,
                deletions: deletions
                    .map(|time| time.as_ref().and_then(|time| time.parse().ok()))
                    .collect(),
            };
            last.state.deletions.resize(last.chains.len(), None);
            return Ok(last);
        }
        match rebuild(self.origin(), &last.chains, self.options) {
            Ok(state) => last.state = state,
            // Asked to begin anew, what is broken no longer matters.
            Err(error @ PublishError::Previous { .. }) if self.options.full => {
                report.notes.push(error.to_string());
                last.state.deletions = vec![None; last.chains.len()];
                last.chains = vec![Chain::default(); last.chains.len()];
            }
            Err(error) => return Err(error),
        }
        add_machine_pages(self.origin(), &mut last.state.ledger, self.options)?;
        Ok(last)
    }

    /// The moment of this publication: now, and after the last one.
    fn generated(&self, last: &Last) -> Result<Timestamp, PublishError> {
        let now = later(self.now, 0);
        let Some(head) = last.head else {
            return Ok(now.max(self.after_orphans()?));
        };
        if head.unix_seconds() > now.unix_seconds() + CLOCK_SKEW_SECONDS {
            let chains = self.options.sections.iter().zip(&last.chains);
            let section = chains
                .filter(|(_, chain)| chain.head() == Some(head))
                .map(|(section, _)| section.name.to_string())
                .next();
            return Err(PublishError::FromTheFuture {
                section: section.unwrap_or_default(),
                generated: head.to_string(),
            });
        }
        Ok(now.max(later(head, 1)).max(self.after_orphans()?))
    }

    /// A moment after all collections that are there, named or not: a run that was killed may
    /// have left one of this very second, and names are never used twice.
    fn after_orphans(&self) -> Result<Timestamp, PublishError> {
        let folder = crate::previous::collections_folder(self.options)?;
        let listed = self.store.list(Some(&folder))?;
        let newest = listed
            .iter()
            .filter_map(|listed| parse_name(listed.path.parts().last()?))
            .map(|(_, _, time)| time)
            .filter(|time| time.unix_seconds() <= self.now.unix_seconds() + CLOCK_SKEW_SECONDS)
            .max();
        Ok(newest.map_or(later(self.now, 0), |newest| later(newest, 1)))
    }

    fn has_json_sitemap(&self) -> Result<bool, PublishError> {
        if !self.options.artefacts.tct {
            return Ok(true);
        }
        let path = crate::carrier::own_path(crate::previous::JSON_SITEMAP);
        Ok(self.store.get(&path)?.is_some())
    }

    /// The site's rules for robots, if the site is all of its host.
    fn robots(&self) -> Result<Robots, PublishError> {
        if !self.options.base.is_root() {
            return Ok(Robots::default());
        }
        let path = crate::carrier::own_path("robots.txt");
        let bytes = match self.source.site_file(path.as_str())? {
            Some(bytes) => Some(bytes),
            None => read_all(self.store, &path)?.map(|(bytes, _)| bytes),
        };
        Ok(bytes.map_or_else(Robots::default, |bytes| Robots::parse(&bytes)))
    }

    /// What is known of the site as a whole: from the cache as long as it fits, else learnt.
    fn site(
        &self,
        items: &[Item],
        carrier: &Carrier,
        cache: Option<&Cache>,
    ) -> Result<Site<'static>, PublishError> {
        let extractor = Extractor {
            limits: self.options.extract_limits.clone(),
            ..Extractor::default()
        };
        if let Some(cache) = cache.filter(|_| !self.options.full)
            && self.still_fits(items, cache)?
            && let Some(text) = cache.template()
            && let Some(template) = SiteTemplate::restore(&text, extractor.clone())
        {
            return Ok(Site {
                style: cache.head.style,
                template,
                html: cache.head.html,
                extracted: Kept::default(),
            });
        }
        self.progress.begin(Step::Learn, None);
        learn(
            self.source,
            items,
            carrier,
            extractor,
            self.options,
            self.now,
        )
    }

    /// Whether most of the sample is as it was when the template was learnt.
    fn still_fits(&self, items: &[Item], cache: &Cache) -> Result<bool, PublishError> {
        let sampled = sample(items);
        let mut keys: std::collections::HashMap<&str, &Item> = sampled
            .iter()
            .filter_map(|at| items.get(*at))
            .map(|item| (&*item.key, item))
            .collect();
        let all = keys.len();
        let Ok(known) = cache.items() else {
            return Ok(false);
        };
        for cached in known {
            if let Some(item) = keys.get(cached.key.as_str()) {
                let same = cached.stamp == item.stamp && item.stamp.is_reliable();
                if same || crate::making::has_hash(self.source, item, &cached)? {
                    keys.remove(cached.key.as_str());
                }
            }
            if keys.is_empty() {
                break;
            }
        }
        Ok(keys.len() as f64 <= all as f64 * NEW_TO_TEMPLATE)
    }

    fn count(&self, survey: &Survey, files: u64, report: &mut Report) -> Result<(), PublishError> {
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
            new,
            changed,
            unchanged,
            deleted,
            excluded,
            ..
        } = report.pages;
        if new + changed + unchanged == 0 {
            return Err(PublishError::Empty {
                path: self.source.name(),
                files: files + excluded,
                excluded,
            });
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

    /// Copies collections that are published elsewhere and will be named here.
    fn take_over(&self, chains: &[Chain], retired: &[(String, Chain)]) -> Result<(), PublishError> {
        let Some(previous) = self.previous else {
            return Ok(());
        };
        let chains = chains.iter().chain(retired.iter().map(|(_, chain)| chain));
        for link in chains.flat_map(|chain| &chain.links) {
            crate::outputs::take_over(previous, self.store, link, self.options)?;
        }
        Ok(())
    }

    /// Takes what has expired out of the chains. The newest snapshot and what follows it stay.
    fn expire(
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

/// The files that make up what is published: whoever knows them knows the state.
fn publication(chains: &[Chain]) -> Vec<String> {
    let links = chains.iter().flat_map(Chain::present);
    let files = links.flat_map(|link| &link.files);
    files
        .map(|file| format!("{} {}", file.path, file.size))
        .collect()
}

/// Brings the ledger up to date. Answers also which pages are gone, and the sections that pages
/// moved into or out of without a change of their own.
fn merged(
    mut ledger: Ledger,
    survey: &mut Survey,
    rules: &Rules,
    options: &Options,
) -> (Ledger, Vec<Known>, SectionBits) {
    let mut moved = 0;
    for (at, known) in survey.pages.updates.drain(..) {
        if let Some(old) = ledger.get_mut(at) {
            moved |= old.sections ^ known.sections;
            *old = known;
        }
    }
    let mut deleted = Vec::new();
    for (at, fate) in survey.fates.iter().enumerate() {
        let Some(known) = ledger.get_mut(at) else {
            continue;
        };
        if *fate == Fate::Gone {
            deleted.push(known.clone());
            // It keeps its place, since others are known by theirs, and belongs nowhere.
            known.sections = 0;
            known.gone = true;
        } else if *fate == Fate::Is(Change::Unchanged) {
            let page = known.url.parse::<HttpUrl>().ok();
            let path = page.and_then(|page| options.base.path_of_page(&page));
            let sections = rules.sections(&path.unwrap_or_default());
            moved |= known.sections ^ sections;
            known.sections = sections;
        }
    }
    if ledger.len() == 0 {
        ledger = std::mem::take(&mut survey.pages.fresh);
    }
    for known in survey.pages.fresh.drain() {
        ledger.put(known);
    }
    (ledger, deleted, moved)
}

/// What is needed to write the collections of all sections.
struct Writing<'a, 'r> {
    run: &'a Run<'r>,
    ledger: &'a Ledger,
    survey: &'a mut Survey,
    chains: Vec<Chain>,
    deletions: Vec<Option<Timestamp>>,
    deleted: &'a [Known],
    moved: SectionBits,
    generated: Timestamp,
    all_lines: bool,
    prepared: Vec<(usize, Option<SnapshotReason>, Prepared)>,
}

impl Writing<'_, '_> {
    /// `false` if lines are missing.
    fn sections(&mut self, report: &mut Report) -> Result<bool, PublishError> {
        let options = self.run.options;
        for (number, section) in options.sections.iter().enumerate() {
            let bit: SectionBits = 1 << number;
            let deleted: Vec<HttpUrl> = self
                .deleted
                .iter()
                .filter(|known| known.sections & bit != 0)
                .filter_map(|known| known.url.parse().ok())
                .collect();
            let changed = self
                .members(bit)
                .any(|(_, change)| change != Change::Unchanged);
            let chain = self.chains.get(number).cloned().unwrap_or_default();
            let is_too_much = deleted
                .iter()
                .map(|url| url.as_str().len() + 3)
                .sum::<usize>()
                > options.limits.metadata_bytes / 2;
            let moved = self.moved & bit != 0 || is_too_much;
            if let Some(since) = self.deletions.get_mut(number)
                && !deleted.is_empty()
            {
                since.get_or_insert(self.generated);
            }
            let reason = Situation {
                chain: &chain,
                now: self.generated,
                lifetimes: Lifetimes::of(section.update_frequency),
                changed: changed || !deleted.is_empty(),
                moved,
                asked: options.full,
                deletions_since: self.deletions.get(number).copied().flatten(),
                delta_share: options.delta_share,
            }
            .snapshot();
            let is_empty = self.members(bit).next().is_none();
            if is_empty && chain.links.is_empty() {
                report.notes.push(format!(
                    "no page belongs to section `{}`: it has no collection",
                    section.name
                ));
                continue;
            }
            if let Some(since) = chain.head()
                && !moved
                && (changed || !deleted.is_empty())
            {
                let plan = Plan {
                    section,
                    kind: LinkKind::Delta { since },
                    generated: self.generated,
                    deleted: deleted.clone(),
                };
                self.delta(number, &plan, bit, report)?;
            }
            if let Some(reason) = reason {
                let plan = Plan {
                    section,
                    kind: LinkKind::Snapshot,
                    generated: self.generated,
                    deleted: Vec::new(),
                };
                if !self.snapshot(number, &plan, bit, reason, report)? {
                    return Ok(false);
                }
                if let Some(since) = self.deletions.get_mut(number) {
                    *since = None;
                }
            }
        }
        Ok(true)
    }

    /// The pages of a section, by place, and what became of each.
    fn members(&self, bit: SectionBits) -> impl Iterator<Item = (usize, Change)> {
        let fates = self.survey.fates.iter().enumerate();
        fates.filter_map(move |(at, fate)| match fate {
            Fate::Is(change) => {
                let known = self.ledger.get(at)?;
                (known.sections & bit != 0).then_some((at, *change))
            }
            Fate::Gone => None,
        })
    }

    fn delta(
        &mut self,
        number: usize,
        plan: &Plan<'_>,
        bit: SectionBits,
        report: &mut Report,
    ) -> Result<(), PublishError> {
        let is_in: Vec<bool> = self.marked(bit, |change| change != Change::Unchanged);
        if self.run.options.dry_run {
            let pages = is_in.iter().filter(|is_in| **is_in).count() as u64;
            report.collections.push(planned(plan, None, pages));
            return Ok(());
        }
        let survey = &mut *self.survey;
        let prepared = prepare(plan, self.run.store, self.run.options, |lines| {
            spooled(survey, &is_in, |line| lines.add(line))
        })?;
        self.done(number, plan, None, prepared, report);
        Ok(())
    }

    /// `false` if lines are missing.
    fn snapshot(
        &mut self,
        number: usize,
        plan: &Plan<'_>,
        bit: SectionBits,
        reason: SnapshotReason,
        report: &mut Report,
    ) -> Result<bool, PublishError> {
        let all_lines = self.all_lines;
        let from_spool = self.marked(bit, |change| all_lines || change != Change::Unchanged);
        let mut carried = self.marked(bit, |change| !all_lines && change == Change::Unchanged);
        let pages = from_spool.iter().zip(&carried).filter(|(a, b)| **a || **b);
        if self.run.options.dry_run {
            let pages = pages.count() as u64;
            report.collections.push(planned(plan, Some(reason), pages));
            return Ok(true);
        }
        let mut chains: Vec<&Chain> = self.chains.get(number).into_iter().collect();
        let others = self.chains.iter().enumerate();
        chains.extend(
            others
                .filter(|(at, _)| *at != number)
                .map(|(_, chain)| chain),
        );
        let (survey, ledger, run) = (&mut *self.survey, self.ledger, self.run);
        let mut is_whole = true;
        let prepared = prepare(plan, run.store, run.options, |lines| {
            carry(
                run.origin(),
                &chains,
                ledger,
                &mut carried,
                run.options,
                |_, record| {
                    lines.add(record.line());
                    Ok(())
                },
            )?;
            is_whole = !carried.contains(&true);
            spooled(survey, &from_spool, |line| lines.add(line))
        })?;
        if is_whole {
            self.done(number, plan, Some(reason), prepared, report);
        }
        Ok(is_whole)
    }

    /// For each place, whether it is in the section and `wanted`.
    fn marked(&self, bit: SectionBits, wanted: impl Fn(Change) -> bool) -> Vec<bool> {
        let mut marks = vec![false; self.survey.fates.len()];
        for (at, change) in self.members(bit) {
            if let Some(mark) = marks.get_mut(at) {
                *mark = wanted(change);
            }
        }
        marks
    }

    fn done(
        &mut self,
        number: usize,
        plan: &Plan<'_>,
        reason: Option<SnapshotReason>,
        prepared: Prepared,
        report: &mut Report,
    ) {
        let files = prepared.link.files.iter().map(|file| WrittenFile {
            path: file.path.to_string(),
            url: self.run.options.url_of_collection(&file.path),
            bytes: file.size,
        });
        report.collections.push(WrittenCollection {
            uncompressed_bytes: prepared.uncompressed_bytes,
            files: files.collect(),
            ..planned(plan, reason, prepared.link.pages)
        });
        self.prepared.push((number, reason, prepared));
    }
}

fn planned(plan: &Plan<'_>, reason: Option<SnapshotReason>, pages: u64) -> WrittenCollection {
    WrittenCollection {
        section: plan.section.name.to_string(),
        kind: match plan.kind {
            LinkKind::Snapshot => "snapshot",
            LinkKind::Delta { .. } => "delta",
        },
        reason,
        pages,
        deleted: plan.deleted.len() as u64,
        uncompressed_bytes: 0,
        files: Vec::new(),
    }
}

/// Hands over the spooled lines of the pages that are marked.
fn spooled(
    survey: &mut Survey,
    marks: &[bool],
    mut take: impl FnMut(&str),
) -> Result<(), PublishError> {
    let failed = |source| PublishError::Scratch {
        folder: "the temporary folder".to_owned(),
        source,
    };
    let mut reader = survey.lines.read().map_err(failed)?;
    while let Some((at, bytes)) = reader.next().map_err(failed)? {
        if marks.get(at) == Some(&true)
            && let Ok(line) = std::str::from_utf8(bytes)
        {
            take(line);
        }
    }
    Ok(())
}

fn savings(
    chains: &[Chain],
    prepared: &[(usize, Option<SnapshotReason>, Prepared)],
    ledger: &Ledger,
    html: HtmlSizes,
) -> Savings {
    let pages = ledger.iter().count() as u64;
    let fresh = |number: usize, snapshot: bool| {
        let mut links = prepared.iter().filter(move |(at, _, prepared)| {
            *at == number && (prepared.link.kind == LinkKind::Snapshot) == snapshot
        });
        links.next().map(|(_, _, prepared)| prepared.link.size())
    };
    // The first section stands for the site; the others repeat parts of it.
    let snapshot = fresh(0, true).or_else(|| {
        let last = chains.first().and_then(Chain::snapshot);
        last.map(|link| link.size())
    });
    let mean = html.gzip_bytes as f64 / html.pages.max(1) as f64;
    Savings {
        pages,
        html_gzip_bytes: (mean * pages as f64) as u64,
        sampled_pages: html.pages,
        snapshot_bytes: snapshot.unwrap_or(0),
        delta_bytes: fresh(0, false).unwrap_or(0),
    }
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
