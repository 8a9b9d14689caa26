//! Third stage: extracts the pages, on all cores, and compares them with the published ones.

pub(crate) mod admission;
mod collect;
mod early_snapshot;
mod given;
mod html;
pub(crate) mod page;
mod page_builder;
mod read_back;
pub(crate) mod site;
pub(crate) mod spool;

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use sitecast_extract::Fold;
use sitecast_scp::HttpUrl;
use sitecast_storage::StorePath;

use crate::address::OtherHost;
use crate::changes::Change;
use crate::collections::Draft;
use crate::error::Stop;
use crate::files::own_path;
use crate::ledger::{Known, Ledger};
use crate::list::Listing;
use crate::progress::Step;
use crate::recall::cache_writer::CacheWriter;
use crate::recall::deletions::PastDeletions;
use crate::recall::json_sitemap::JSON_SITEMAP;
use crate::recall::{Pages, Recalled};
use crate::report::{Excluded, excluded};
use crate::run::Run;
use crate::template::{Site, sample};
use crate::{BaseUrl, Loss, PublishError, Reason};
use collect::{Destination, collect};
use early_snapshot::early_snapshot;
pub(crate) use page_builder::Reuse;
use page_builder::{Needs, PageBuilder};
use site::site;
use spool::Spool;

/// The pages of the source, and what was learnt on the way.
pub(crate) struct Extraction {
    pub(crate) site: Site<'static>,
    pub(crate) pages: ExtractedPages,
    /// Items that are left out, in order.
    pub(crate) excluded: Vec<Excluded>,
    /// The cache for the next run; `None` if it cannot be written, or is not wanted.
    pub(crate) cache: Option<CacheWriter>,
    /// True if the lines of all pages were made, those of unchanged ones among them.
    pub(crate) has_all_lines: bool,
}

/// The pages of the source, compared with the published ones. A page's place is that in the ledger; new pages follow.
pub(crate) struct ExtractedPages {
    /// By place; `None` if the source no longer has the page.
    pub(crate) changes: Vec<Option<Change>>,
    pub(crate) updates: Updates,
    pub(crate) lines: Lines,
    pub(crate) machine: MachinePages,
    pub(crate) findings: Findings,
    /// Items whose HTML lacks its link, and the places of their pages.
    pub(crate) to_link: Vec<(u32, u32)>,
    /// The pages of the sample as they are: [`sampled`](crate::template::published::sampled) of each.
    pub(crate) sample: Vec<u64>,
    /// Places of pages whose lines have to be read from the collections.
    to_read_back: Vec<usize>,
}

/// New pages, and those of the ledger that changed.
pub(crate) struct Updates {
    pub(crate) new: Ledger,
    pub(crate) known: Vec<(usize, Known)>,
}

/// Lines of collections.
pub(crate) struct Lines {
    /// By place; empty if they are not needed again.
    pub(crate) spool: Spool,
    /// The snapshot of the first section, if it is written while pages are extracted.
    pub(crate) draft: Option<Draft>,
}

/// Machine pages.
pub(crate) struct MachinePages {
    /// By place.
    pub(crate) spool: Spool,
    /// Pages without one, since it would be larger than agents read.
    pub(crate) too_large: Vec<HttpUrl>,
    /// Files of the owner's at the paths of machine pages.
    pub(crate) taken: BTreeSet<StorePath>,
}

/// Notes for the owner about items and pages.
#[derive(Default)]
pub(crate) struct Findings {
    excluded: Vec<(String, Reason)>,
    pub(crate) folded: Vec<(String, Fold)>,
    pub(crate) losses: Vec<Loss>,
}

/// Extracts the pages of the source.
pub(crate) fn extract(
    run: &Run<'_>,
    listing: &Listing,
    recalled: &Recalled<'_>,
    published: &Pages,
    reuse: Reuse,
    notes: &mut Vec<String>,
) -> Result<Extraction, Stop> {
    let needs = needs(run, listing, recalled, published, reuse)?;
    let sample = sample(&listing.items);
    let site = site(run, listing, &sample, recalled.cache.as_ref())?;
    let is_first = recalled.last.newest.is_none();
    if let Some(other) = site.other_host.as_ref().filter(|_| is_first) {
        notes.push(other_host(other, &run.options.base));
    }
    run.progress
        .begin(Step::Extract, Some(listing.items.len() as u64));
    let mut cache = new_cache(run, notes);
    let draft = early_snapshot(run, listing, recalled, needs.all_lines)?;
    let is_only = run.options.sections.len() == 1 && is_first;
    let destination = Destination {
        scratch: &run.scratch()?,
        has_spool: draft.is_none() || !is_only || run.options.artefacts.markdown,
        draft,
        cache: cache.as_mut(),
    };
    let builder = PageBuilder {
        run,
        listing,
        recalled,
        published,
        site: &site,
        deletions: PastDeletions::new(run, &recalled.last.chains),
        needs,
        taken: run.is_in_place().then(Mutex::default),
    };
    let mut pages = collect(&builder, &sample, destination)?;
    site.forget_sample();
    builder.read_back(&mut pages)?;
    if let Some(taken) = builder.taken {
        pages.machine.taken = taken.into_inner().unwrap_or_else(PoisonError::into_inner);
    }
    let left_out = std::mem::take(&mut pages.findings.excluded);
    let mut excluded = excluded(left_out, site.style, &run.options.base);
    excluded.sort_by(|one, other| one.item.cmp(&other.item));
    if let Some(Err(error)) = cache.as_ref().map(|cache| cache.excluded(&excluded)) {
        notes.push(no_cache(&error));
        cache = None;
    }
    Ok(Extraction {
        site,
        pages,
        excluded,
        cache,
        has_all_lines: needs.all_lines,
    })
}

/// Decides what this run needs of pages that did not change.
fn needs(
    run: &Run<'_>,
    listing: &Listing,
    recalled: &Recalled<'_>,
    published: &Pages,
    reuse: Reuse,
) -> Result<Needs, PublishError> {
    let (artefacts, cache) = (&run.options.artefacts, recalled.cache.as_ref());
    let has_json_sitemap = || run.store.get(&own_path(JSON_SITEMAP));
    let has_machine_pages = !artefacts.tct || has_json_sitemap()?.is_some();
    Ok(Needs {
        all_lines: run.options.full
            || reuse == Reuse::Nothing
            || published.ledger.len() == 0
            || (artefacts.markdown && (cache.is_none() || recalled.may_differ)),
        all_machine_pages: !has_machine_pages || recalled.may_differ,
        links: artefacts.tct && artefacts.html_links && run.is_in_place(),
        reuse,
        cache_written: cache.and_then(|cache| cache.is_older_than(&listing.items)),
    })
}

fn new_cache(run: &Run<'_>, notes: &mut Vec<String>) -> Option<CacheWriter> {
    let folder = run.options.cache.as_deref();
    let folder = folder.filter(|_| !run.options.dry_run)?;
    let cache = CacheWriter::new(folder);
    if let Err(error) = &cache {
        let folder = folder.display();
        notes.push(format!("the cache `{folder}` cannot be used: {error}"));
    }
    cache.ok()
}

/// Tells the owner that the cache cannot be written.
pub(crate) fn no_cache(error: &std::io::Error) -> String {
    format!("the cache cannot be written: {error}")
}

/// Warns the owner before a first publication under a name that the site itself does not use. Sites are also published
/// under other names on purpose: as a preview, or before they move.
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
