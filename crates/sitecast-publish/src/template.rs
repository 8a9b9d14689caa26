//! Learning what the pages of a site have in common, from a sample.

pub(crate) mod published;

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::sync::mpsc::channel;
use std::sync::{Mutex, OnceLock};

use flate2::{Compress, Compression, FlushCompress, Status};
use sitecast_extract::{Analyzed, Extractor, ParsedPage, RepeatedTexts, SiteLearner, SiteTemplate};
use sitecast_scp::{HttpUrl, Timestamp};

use crate::address::{Address, HostVotes, OtherHost, Style, StyleVotes};
use crate::head::{Head, looks_like_html, scan_head};
use crate::lock::lock;
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
    /// Pages of the sample, so that nothing is done twice.
    pub(crate) sampled: Kept,
    /// The host that the canonical links of the sample name in place of the site's own.
    pub(crate) other_host: Option<OtherHost>,
    pub(crate) origin: TemplateOrigin,
}

/// Where a template is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TemplateOrigin {
    /// It was learnt from the pages as they are now.
    Learnt,
    /// It is that of the last publication, which still fits most of the pages.
    LastPublication,
}

/// Pages of the sample, by the item they come from.
pub(crate) type Kept = Mutex<HashMap<Box<str>, KeptPage>>;

/// A page of the sample: what was read of it, and what was made of it.
#[derive(Debug)]
pub(crate) struct KeptPage {
    pub(crate) raw: Raw,
    pub(crate) head: Head,
    /// Parsed and looked at, with the URL that it was taken for.
    pub(crate) analyzed: Option<(HttpUrl, Analyzed)>,
}

impl Site<'_> {
    /// Takes a page of the sample, if this is the first who asks for it.
    pub(crate) fn take_sampled(&self, key: &str) -> Option<KeptPage> {
        lock(&self.sampled).remove(key)
    }

    /// Lets go of pages that nobody asked for, since they are as they were.
    pub(crate) fn forget_sample(&self) {
        *lock(&self.sampled) = HashMap::new();
    }
}

/// What the site's HTML weighs on the wire, by the sample.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct HtmlSizes {
    /// All of the sample.
    pages: u64,
    bytes: u64,
    /// What was compressed of it.
    pub(crate) weighed_pages: u64,
    weighed_bytes: u64,
    gzip_bytes: u64,
}

/// Pages whose HTML is compressed to learn what it weighs on the wire: it costs more than parsing them.
const WEIGHED: std::ops::RangeInclusive<usize> = 4..=16;
/// How many bytes of it, as far as that many pages allow.
const WEIGHED_BYTES: usize = 96 << 10;

impl HtmlSizes {
    fn see(&mut self, html: &[u8]) {
        self.pages += 1;
        self.bytes += html.len() as u64;
    }

    fn weigh(&mut self, html: &[u8], scale: &mut Scale) {
        self.weighed_pages += 1;
        self.weighed_bytes += html.len() as u64;
        self.gzip_bytes += scale.gzip_bytes(html);
    }

    fn add(&mut self, other: Self) {
        self.pages += other.pages;
        self.bytes += other.bytes;
        self.weighed_pages += other.weighed_pages;
        self.weighed_bytes += other.weighed_bytes;
        self.gzip_bytes += other.gzip_bytes;
    }

    /// What so many pages weigh with gzip.
    pub(crate) fn gzip_bytes_of(&self, pages: u64) -> u64 {
        let ratio = self.gzip_bytes as f64 / self.weighed_bytes.max(1) as f64;
        let mean = self.bytes as f64 / self.pages.max(1) as f64;
        (ratio * mean * pages as f64) as u64
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
        // It is kept for as long as pages are made, and all of the site had room in it.
        by_hash.shrink_to_fit();
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
    head: Head,
}

/// Learns the template and the spelling of URLs.
pub(crate) fn learn<'a>(
    source: &dyn Source,
    items: &Items,
    sample: &[usize],
    listed: &HashSet<String>,
    extractor: Extractor<'a>,
    options: &Options,
    now: Timestamp,
) -> Result<Site<'a>, PublishError> {
    let mut pages = Vec::new();
    let mut votes = StyleVotes::default();
    let mut hosts = HostVotes::default();
    let sampled = sample.iter().filter_map(|at| items.get(*at));
    let load = |item: Item<'_>| -> Result<Option<Sampled>, PublishError> {
        let Loaded::Html(raw) = source.load(item)? else {
            return Ok(None);
        };
        let head = scan_head(&raw.bytes);
        let refresh = head.refresh.as_ref();
        let redirects = refresh.is_some_and(|refresh| refresh.url.is_some());
        let is_page = !redirects && looks_like_html(&raw.bytes);
        Ok(is_page.then(|| Sampled {
            key: item.key.into(),
            raw,
            head,
        }))
    };
    ordered(options.threads, sampled, load, |page| {
        if let Some(page) = page? {
            let own = Style::default().url(&options.base, &page.key);
            let canonical = page.head.canonical.as_ref();
            let canonical = canonical.and_then(|link| own.join(link).ok());
            if let Some(canonical) = &canonical {
                hosts.add(&options.base, canonical);
            }
            if page.raw.url.is_none() {
                if let Some(canonical) = canonical {
                    votes.add(&options.base, &page.key, &canonical);
                }
                votes.add_from(&options.base, &page.key, listed);
            }
            pages.push(page);
        }
        Ok::<(), PublishError>(())
    })?;
    let style = votes.decide();
    let mut site = learn_from(pages, style, extractor, options, now);
    site.other_host = hosts.other();
    Ok(site)
}

/// A page of the sample, parsed, with its number and where it is.
type ParsedSample<'p> = (usize, &'p Sampled, HttpUrl, ParsedPage);

/// Several threads parse the sample. When all are done, it is known which texts repeat, and they look at what else there is;
/// the template is learnt from that. Extracted are its pages later, when their turn comes, without being parsed again.
fn learn_from<'a>(
    pages: Vec<Sampled>,
    style: Style,
    extractor: Extractor<'a>,
    options: &Options,
    now: Timestamp,
) -> Site<'a> {
    let threads = options.threads.clamp(1, pages.len().max(1));
    let weighed = &weighed(&pages);
    // Large ones first: who takes one last keeps all others waiting.
    let mut by_size: Vec<(usize, &Sampled)> = pages.iter().enumerate().collect();
    by_size.sort_by_key(|(_, page)| Reverse(page.raw.bytes.len()));
    let to_parse = &Mutex::new(by_size.into_iter());
    let to_look_at: &Mutex<Vec<ParsedSample<'_>>> = &Mutex::default();
    let (repeated, extractor) = (&OnceLock::new(), &extractor);
    let (send_seen, all_seen) = channel();
    let (send_learnt, all_learnt) = channel();
    let mut html = HtmlSizes::default();
    let mut analyzed = HashMap::new();
    let learner = std::thread::scope(|scope| {
        let _release = Release(repeated);
        for _ in 0..threads {
            let (send_seen, send_learnt) = (send_seen.clone(), send_learnt.clone());
            scope.spawn(move || {
                let mut learner = SiteLearner::new(extractor.clone());
                let (mut sizes, mut scale) = (HtmlSizes::default(), Scale::default());
                let next = || lock(to_parse).next();
                while let Some((number, page)) = next() {
                    sizes.see(&page.raw.bytes);
                    if weighed.contains(&number) {
                        sizes.weigh(&page.raw.bytes, &mut scale);
                    }
                    let Some(url) = address(page, style, options) else {
                        continue;
                    };
                    // What cannot be parsed teaches nothing; it is named when its turn comes.
                    if let Ok(parsed) = extractor.parse(&page.raw.html(&url, now)) {
                        learner.count(&parsed);
                        lock(to_look_at).push((number, page, url, parsed));
                    }
                }
                // The other ends are there until all have sent.
                let _ = send_seen.send((learner, sizes));
                drop(send_seen);
                let repeated: &RepeatedTexts = repeated.wait();
                let mut learner = SiteLearner::new(extractor.clone());
                let mut looked_at = Vec::new();
                let next = || lock(to_look_at).pop();
                while let Some((number, _, url, parsed)) = next() {
                    let analyzed = extractor.analyze_parsed(parsed, repeated);
                    learner.learn(&analyzed);
                    looked_at.push((number, (url, analyzed)));
                }
                let _ = send_learnt.send((learner, looked_at));
            });
        }
        drop((send_seen, send_learnt));
        let mut seen = Vec::new();
        for (part, sizes) in all_seen {
            seen.push(part);
            html.add(sizes);
        }
        // The last is taken first.
        lock(to_look_at).sort_by_key(|(_, page, ..)| page.raw.bytes.len());
        repeated.get_or_init(|| SiteLearner::repeated_among(&seen));
        // While the others look at pages.
        let first = seen.pop();
        let mut learner = first.unwrap_or_else(|| SiteLearner::new(extractor.clone()));
        for part in seen {
            learner.merge_places(part);
        }
        for (part, looked_at) in all_learnt {
            learner.merge_places(part);
            analyzed.extend(looked_at);
        }
        learner
    });
    let kept = |(number, Sampled { key, raw, head }): (usize, Sampled)| {
        let analyzed = analyzed.remove(&number);
        let page = KeptPage {
            raw,
            head,
            analyzed,
        };
        (key, page)
    };
    let template = learner.finish_with(repeated.get().cloned().unwrap_or_default());
    Site {
        style,
        sampled: Mutex::new(pages.into_iter().enumerate().map(kept).collect()),
        template,
        html,
        other_host: None,
        origin: TemplateOrigin::Learnt,
    }
}

/// Whatever happens, threads do not wait for ever for what repeats.
struct Release<'r>(&'r OnceLock<RepeatedTexts>);

impl Drop for Release<'_> {
    fn drop(&mut self) {
        let _ = self.0.set(RepeatedTexts::default());
    }
}

/// The pages that are weighed: small and large ones as there are, since large ones can be compressed further.
fn weighed(pages: &[Sampled]) -> HashSet<usize> {
    let size = |number: &usize| pages.get(*number).map_or(0, |page| page.raw.bytes.len());
    let mut by_size: Vec<usize> = (0..pages.len()).collect();
    by_size.sort_by_key(size);
    let mean = by_size.iter().map(size).sum::<usize>() / pages.len().max(1);
    let count = (WEIGHED_BYTES / mean.max(1)).clamp(*WEIGHED.start(), *WEIGHED.end());
    // Of as many equal parts, the middle one of each.
    let middle = |part: usize| by_size.get((2 * part + 1) * pages.len() / (2 * count));
    (0..count).filter_map(middle).copied().collect()
}

/// Where a page of the sample is; `None` if it is not a page of its own.
fn address(page: &Sampled, style: Style, options: &Options) -> Option<HttpUrl> {
    page.raw.url.clone().or_else(|| {
        match style.address(&options.base, &page.key, page.head.canonical.as_deref()) {
            Address::Here(url) => url.as_str().parse().ok(),
            Address::Elsewhere(_) => None,
        }
    })
}

/// Weighs pages, one after the other: to begin with a new compressor takes as long as a small page does.
#[derive(Default)]
struct Scale(Option<(Compress, Box<[u8]>)>);

impl Scale {
    /// What these bytes weigh as a web server sends them.
    fn gzip_bytes(&mut self, bytes: &[u8]) -> u64 {
        const HEADER_AND_TRAILER: u64 = 18;
        let (deflate, buffer) = self.0.get_or_insert_with(|| {
            let deflate = Compress::new(Compression::new(6), false);
            (deflate, vec![0; 16 << 10].into())
        });
        deflate.reset();
        loop {
            let taken = usize::try_from(deflate.total_in()).unwrap_or(usize::MAX);
            let rest = bytes.get(taken..).unwrap_or_default();
            match deflate.compress(rest, buffer, FlushCompress::Finish) {
                Ok(Status::Ok) => {}
                // It is at its end, or it fails, which with all of the input at hand it cannot.
                _ => return deflate.total_out() + HEADER_AND_TRAILER,
            }
        }
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
    fn pages_weigh_what_gzip_makes_of_them() {
        let mut scale = Scale::default();
        let text = |seed: usize| (0..40_000).map(move |n| (n * n * seed / 7 % 251) as u8);
        for html in [
            Vec::new(),
            vec![b'a'; 100_000],
            text(3).collect(),
            text(5).collect(),
        ] {
            let out = Vec::new();
            let mut gzip = flate2::write::GzEncoder::new(out, Compression::new(6));
            std::io::Write::write_all(&mut gzip, &html).unwrap();
            let gzip = gzip.finish().unwrap();
            assert_eq!(scale.gzip_bytes(&html), gzip.len() as u64);
        }
    }

    #[test]
    fn a_sample_is_bounded_in_bytes() {
        assert_eq!(sample(&items(0..100, SAMPLE_BYTES / 10)).len(), 10);
    }
}
