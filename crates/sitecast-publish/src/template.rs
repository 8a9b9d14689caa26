//! Learning what the pages of a site have in common, from a sample.

use std::collections::HashMap;
use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Mutex, OnceLock};

use flate2::Compression;
use flate2::write::GzEncoder;
use sitecast_extract::{Analyzed, Extracted, Extractor, Repeated, SiteLearner, SiteTemplate};
use sitecast_scp::{HttpUrl, Timestamp};

use crate::address::{Address, Style, StyleVotes};
use crate::carrier::Carrier;
use crate::head::{looks_like_html, scan_head};
use crate::ordered::ordered;
use crate::source::{Item, Items, Loaded, Raw, Source};
use crate::{Options, PublishError};

/// Pages that are looked at. More do not make the template better.
const SAMPLE: usize = 128;
/// Bytes of HTML in the sample, at most: they are in memory all at once, and analysed they take
/// several times the room.
const SAMPLE_BYTES: u64 = 16 << 20;

/// What was learnt about a site as a whole.
#[derive(Debug)]
pub(crate) struct Site<'a> {
    pub(crate) style: Style,
    pub(crate) template: SiteTemplate<'a>,
    pub(crate) html: HtmlSizes,
    /// Pages of the sample, extracted while they were at hand.
    pub(crate) extracted: Kept,
}

/// Extracted pages, by the item they come from, each with the URL that it was extracted for.
pub(crate) type Kept = Mutex<HashMap<Box<str>, (HttpUrl, Extracted)>>;

/// What the site's HTML weighs on the wire, by the sample.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct HtmlSizes {
    pub(crate) pages: u64,
    pub(crate) bytes: u64,
    pub(crate) gzip_bytes: u64,
}

/// Pages whose HTML is compressed to learn what it weighs on the wire: it costs more than parsing them.
const WEIGHED: usize = 16;
/// How many bytes of it, but for the first page.
const WEIGHED_BYTES: usize = 256 << 10;

impl HtmlSizes {
    fn add(&mut self, html: &[u8]) {
        self.pages += 1;
        self.bytes += html.len() as u64;
        self.gzip_bytes += gzip_size(html);
    }
}

/// The items of the sample: those whose keys hash lowest. So it comes from all parts of the
/// site, does not depend on the order, and changes little when pages come and go.
pub(crate) fn sample(items: &Items) -> Vec<usize> {
    let mut by_hash: Vec<(u64, usize)> = items
        .iter()
        .enumerate()
        .map(|(at, item)| (hash(item.key), at))
        .collect();
    if by_hash.len() > SAMPLE {
        by_hash.select_nth_unstable(SAMPLE);
        by_hash.truncate(SAMPLE);
    }
    by_hash.sort_unstable();
    let mut bytes = 0;
    by_hash
        .into_iter()
        .map(|(_, at)| at)
        .take_while(|at| {
            bytes += items.get(*at).map_or(0, |item| item.stamp.size);
            bytes <= SAMPLE_BYTES
        })
        .collect()
}

/// FNV-1a, and a step that spreads what it leaves alike.
fn hash(key: &str) -> u64 {
    let hash = key.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    (hash ^ (hash >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

struct Sampled {
    key: Box<str>,
    raw: Raw,
    canonical: Option<String>,
}

/// Learns the template and the spelling of URLs.
pub(crate) fn learn<'a>(
    source: &dyn Source,
    items: &Items,
    carrier: &Carrier,
    extractor: Extractor<'a>,
    options: &Options,
    now: Timestamp,
) -> Result<Site<'a>, PublishError> {
    let mut pages = Vec::new();
    let mut votes = StyleVotes::default();
    let sampled = sample(items);
    let sampled = sampled.iter().filter_map(|at| items.get(*at));
    let load = |item: Item<'_>| -> Result<Option<Sampled>, PublishError> {
        let Loaded::Html(raw) = source.load(item)? else {
            return Ok(None);
        };
        let head = scan_head(&raw.bytes);
        let redirects = head.refresh.is_some_and(|refresh| refresh.url.is_some());
        let is_page = !redirects && looks_like_html(&raw.bytes);
        Ok(is_page.then(|| Sampled {
            key: item.key.into(),
            raw,
            canonical: head.canonical,
        }))
    };
    ordered(options.threads, sampled, load, |page| {
        if let Some(page) = page? {
            if page.raw.url.is_none() {
                let own = Style::default().url(&options.base, &page.key);
                if let Some(canonical) = &page.canonical
                    && let Ok(canonical) = own.join(canonical)
                {
                    votes.add(&options.base, &page.key, &canonical);
                }
                votes.add_from(&options.base, &page.key, &carrier.listed);
            }
            pages.push(page);
        }
        Ok::<(), PublishError>(())
    })?;
    let style = votes.decide();
    Ok(learn_and_extract(pages, style, extractor, options, now))
}

/// Every thread parses its share of the sample. When all have, it is known which texts repeat, and each looks at what else
/// is in its share; when the template is learnt from that, each extracts its share, so that nothing is parsed twice.
fn learn_and_extract<'a>(
    pages: Vec<Sampled>,
    style: Style,
    extractor: Extractor<'a>,
    options: &Options,
    now: Timestamp,
) -> Site<'a> {
    let threads = options.threads.clamp(1, pages.len().max(1));
    let weighed = weighed(&pages);
    let next = AtomicUsize::new(0);
    let (repeated, template) = (OnceLock::new(), OnceLock::new());
    let (send_seen, all_seen) = channel();
    let (send_learnt, all_learnt) = channel();
    let (pages, extractor) = (&pages, &extractor);
    let mut html = HtmlSizes::default();
    let mut kept = HashMap::new();
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|_| {
                let (send_seen, send_learnt) = (send_seen.clone(), send_learnt.clone());
                let (next, repeated, template) = (&next, &repeated, &template);
                scope.spawn(move || {
                    let mut learner = SiteLearner::new(extractor.clone());
                    let mut sizes = HtmlSizes::default();
                    let mut share = Vec::new();
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        let Some(page) = pages.get(number) else { break };
                        if number < weighed {
                            sizes.add(&page.raw.bytes);
                        }
                        let Some(url) = address(page, style, options) else {
                            continue;
                        };
                        // What cannot be parsed teaches nothing; it is named when its turn comes.
                        if let Ok(parsed) = extractor.parse(&page.raw.html(&url, now)) {
                            learner.see(&parsed);
                            share.push((page, url, parsed));
                        }
                    }
                    // The other ends are there until all have sent.
                    let _ = send_seen.send((learner, sizes));
                    drop(send_seen);
                    let repeated: &Repeated = repeated.wait();
                    let mut learner = SiteLearner::new(extractor.clone());
                    let mut looked_at = Vec::with_capacity(share.len());
                    for (page, url, parsed) in share {
                        let html = page.raw.html(&url, now);
                        let analyzed = extractor.look_at(&html, parsed, repeated);
                        learner.learn(&analyzed);
                        looked_at.push((page, url, analyzed));
                    }
                    let _ = send_learnt.send(learner);
                    drop(send_learnt);
                    let template: &SiteTemplate<'_> = template.wait();
                    let extract = |(page, url, analyzed): (&Sampled, HttpUrl, Analyzed)| {
                        let extracted =
                            template.extract_analyzed(&page.raw.html(&url, now), &analyzed);
                        (page.key.clone(), (url, extracted))
                    };
                    looked_at.into_iter().map(extract).collect::<Vec<_>>()
                })
            })
            .collect();
        drop((send_seen, send_learnt));
        let mut learner: Option<SiteLearner<'_>> = None;
        let mut add = |part: SiteLearner<'a>| match &mut learner {
            None => learner = Some(part),
            Some(learner) => learner.merge(part),
        };
        for (part, sizes) in all_seen {
            add(part);
            html.pages += sizes.pages;
            html.bytes += sizes.bytes;
            html.gzip_bytes += sizes.gzip_bytes;
        }
        let mut learner = learner.unwrap_or_else(|| SiteLearner::new(extractor.clone()));
        let _ = repeated.set(learner.repeated());
        for part in all_learnt {
            learner.merge(part);
        }
        let _ = template.set(learner.finish());
        for worker in workers {
            kept.extend(worker.join().unwrap_or_default());
        }
    });
    Site {
        style,
        template: template
            .into_inner()
            .unwrap_or_else(|| SiteLearner::new(extractor.clone()).finish()),
        html,
        extracted: Mutex::new(kept),
    }
}

/// How many pages are weighed, from the first on.
fn weighed(pages: &[Sampled]) -> usize {
    let mut bytes = 0;
    let within = pages.iter().take(WEIGHED).take_while(|page| {
        bytes += page.raw.bytes.len();
        bytes <= WEIGHED_BYTES
    });
    within.count().max(1)
}

/// Where a page of the sample is; `None` if it is not a page of its own.
fn address(page: &Sampled, style: Style, options: &Options) -> Option<HttpUrl> {
    page.raw.url.clone().or_else(|| {
        match style.address(&options.base, &page.key, page.canonical.as_deref()) {
            Address::Here(url) => url.as_str().parse().ok(),
            Address::Elsewhere(_) => None,
        }
    })
}

fn gzip_size(bytes: &[u8]) -> u64 {
    let mut encoder = GzEncoder::new(Counter(0), Compression::new(6));
    // Counting cannot fail.
    let _ = encoder.write_all(bytes);
    encoder.finish().map_or(0, |counter| counter.0)
}

struct Counter(u64);

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Stamp;

    fn items(numbers: std::ops::Range<usize>, size: u64) -> Items {
        let mut items = Items::default();
        for n in numbers {
            items.add(Item {
                key: &format!("{n}/index.html"),
                stamp: Stamp { size, mark: 0 },
                place: 0,
            });
        }
        items
    }

    #[test]
    fn a_sample_changes_little_when_pages_come_and_go() {
        let keys = |items: &Items| -> std::collections::HashSet<String> {
            sample(items)
                .into_iter()
                .map(|at| items.get(at).unwrap().key.to_owned())
                .collect()
        };
        let before = keys(&items(0..10_000, 1));
        assert_eq!(before.len(), SAMPLE);
        let after = keys(&items(100..10_000, 1));
        assert!(before.intersection(&after).count() > SAMPLE * 9 / 10);
    }

    #[test]
    fn a_sample_is_bounded_in_bytes() {
        assert_eq!(sample(&items(0..100, SAMPLE_BYTES / 10)).len(), 10);
    }
}
