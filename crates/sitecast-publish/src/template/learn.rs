//! Learns the template, and how the site spells its URLs, from the sample.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::sync::mpsc::channel;
use std::sync::{Mutex, OnceLock};

use sitecast_extract::{Analyzed, Extractor, ParsedPage, RepeatedTexts, SiteLearner};
use sitecast_scp::{HttpUrl, Timestamp};

use super::sizes::{HtmlSizes, Scale, WEIGHED, WEIGHED_BYTES};
use super::{KeptPage, Site, TemplateOrigin};
use crate::address::{Address, HostVotes, Style, StyleVotes};
use crate::head::{Head, looks_like_html, scan_head};
use crate::lock::lock;
use crate::ordered::ordered;
use crate::source::{Item, Items, Loaded, Raw, Source};
use crate::{Options, PublishError};

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

/// A page of the sample, parsed, with its number and its URL.
type ParsedSample<'p> = (usize, &'p Sampled, HttpUrl, ParsedPage);

/// The work that threads share: first they parse the sample, which shows the texts that repeat; then they analyze the
/// rest, and the template is learnt from that. The pages are extracted in their turn, without being parsed again.
struct Learning<'p, 'a> {
    extractor: &'p Extractor<'a>,
    to_parse: Mutex<std::vec::IntoIter<(usize, &'p Sampled)>>,
    to_analyze: Mutex<Vec<ParsedSample<'p>>>,
    /// Pages whose HTML is compressed.
    weighed: HashSet<usize>,
    style: Style,
    options: &'p Options,
    now: Timestamp,
}

impl<'p, 'a> Learning<'p, 'a> {
    fn parse(&self) -> (SiteLearner<'a>, HtmlSizes) {
        let mut learner = SiteLearner::new(self.extractor.clone());
        let (mut sizes, mut scale) = (HtmlSizes::default(), Scale::default());
        let next = || lock(&self.to_parse).next();
        while let Some((number, page)) = next() {
            sizes.see(&page.raw.bytes);
            if self.weighed.contains(&number) {
                sizes.weigh(&page.raw.bytes, &mut scale);
            }
            let Some(url) = address(page, self.style, self.options) else {
                continue;
            };
            // A page that cannot be parsed teaches nothing; the extraction reports it.
            if let Ok(parsed) = self.extractor.parse(&page.raw.html(&url, self.now)) {
                learner.count(&parsed);
                lock(&self.to_analyze).push((number, page, url, parsed));
            }
        }
        (learner, sizes)
    }

    fn analyze(&self, repeated: &RepeatedTexts) -> (SiteLearner<'a>, AnalyzedSample) {
        let mut learner = SiteLearner::new(self.extractor.clone());
        let mut pages = Vec::new();
        let next = || lock(&self.to_analyze).pop();
        while let Some((number, _, url, parsed)) = next() {
            let analyzed = self.extractor.analyze_parsed(parsed, repeated);
            learner.learn(&analyzed);
            pages.push((number, (url, analyzed)));
        }
        (learner, pages)
    }

    /// Learns from the sample on several threads.
    fn learn(&self, threads: usize) -> Learnt<'a> {
        let repeated = &OnceLock::new();
        let (send_seen, all_seen) = channel();
        let (send_learnt, all_learnt) = channel();
        let mut html = HtmlSizes::default();
        let mut analyzed = HashMap::new();
        let learner = std::thread::scope(|scope| {
            let _release = Release(repeated);
            for _ in 0..threads {
                let (send_seen, send_learnt) = (send_seen.clone(), send_learnt.clone());
                scope.spawn(move || {
                    // The receivers exist until all threads have sent.
                    let _ = send_seen.send(self.parse());
                    drop(send_seen);
                    let _ = send_learnt.send(self.analyze(repeated.wait()));
                });
            }
            drop((send_seen, send_learnt));
            let mut seen = Vec::new();
            for (part, sizes) in all_seen {
                seen.push(part);
                html.add(sizes);
            }
            // The last is taken first.
            lock(&self.to_analyze).sort_by_key(|(_, page, ..)| page.raw.bytes.len());
            repeated.get_or_init(|| SiteLearner::repeated_among(&seen));
            // While the other threads analyze pages.
            let first = seen.pop();
            let mut learner = first.unwrap_or_else(|| SiteLearner::new(self.extractor.clone()));
            for part in seen {
                learner.merge_places(part);
            }
            for (part, pages) in all_learnt {
                learner.merge_places(part);
                analyzed.extend(pages);
            }
            learner
        });
        Learnt {
            learner,
            repeated: repeated.get().cloned().unwrap_or_default(),
            html,
            analyzed,
        }
    }
}

type AnalyzedSample = Vec<(usize, (HttpUrl, Analyzed))>;

/// The results of all threads.
struct Learnt<'a> {
    learner: SiteLearner<'a>,
    repeated: RepeatedTexts,
    html: HtmlSizes,
    /// By the number of the page.
    analyzed: HashMap<usize, (HttpUrl, Analyzed)>,
}

fn learn_from<'a>(
    pages: Vec<Sampled>,
    style: Style,
    extractor: Extractor<'a>,
    options: &Options,
    now: Timestamp,
) -> Site<'a> {
    let threads = options.threads.clamp(1, pages.len().max(1));
    // Large ones first: a thread that begins one last keeps all others waiting.
    let mut by_size: Vec<(usize, &Sampled)> = pages.iter().enumerate().collect();
    by_size.sort_by_key(|(_, page)| Reverse(page.raw.bytes.len()));
    let learning = &Learning {
        extractor: &extractor,
        to_parse: Mutex::new(by_size.into_iter()),
        to_analyze: Mutex::default(),
        weighed: weighed(&pages),
        style,
        options,
        now,
    };
    let mut learnt = learning.learn(threads);
    let kept = |(number, Sampled { key, raw, head }): (usize, Sampled)| {
        let analyzed = learnt.analyzed.remove(&number);
        let page = KeptPage {
            raw,
            head,
            analyzed,
        };
        (key, page)
    };
    let template = learnt.learner.finish_with(learnt.repeated);
    Site {
        style,
        sampled: Mutex::new(pages.into_iter().enumerate().map(kept).collect()),
        template,
        html: learnt.html,
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

/// Returns the URL of a page of the sample; `None` if it is another name of a page.
fn address(page: &Sampled, style: Style, options: &Options) -> Option<HttpUrl> {
    page.raw.url.clone().or_else(|| {
        match style.address(&options.base, &page.key, page.head.canonical.as_deref()) {
            Address::Here(url) => url.as_str().parse().ok(),
            Address::Elsewhere(_) => None,
        }
    })
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
