//! Single pages as [`publish`](crate::publish) extracts them, and why.

use sitecast_extract::{Explanation, ExtractError};
use sitecast_scp::{HttpUrl, Timestamp};
use sitecast_storage::Store;

use crate::extract::admission::Admission;
use crate::extract::page::set_times;
use crate::extract::site::site;
use crate::head::scan_head;
use crate::list::{Listing, list};
use crate::progress::{Progress, Step};
use crate::recall::cache::Cache;
use crate::recall::page_settings::cache_key;
use crate::rules::Rules;
use crate::run::Run;
use crate::source::{Raw, Source};
use crate::template::{Site, TemplateOrigin, sample};
use crate::time::whole_seconds;
use crate::{Options, PublishError, Reason};

/// A site whose template is known, to look at single pages of it. Nothing is published or written.
///
/// ```
/// use sitecast_publish::{LinesSource, Options, PagePlace, Preview, Raw};
/// use sitecast_storage::Memory;
///
/// let lines = r#"{"url":"https://example.com/","html":"<title>Tea</title><p>Pour boiling water over the leaves."}"#;
/// let source = LinesSource::spooled("pages.jsonl", lines.as_bytes(), sitecast_scp::Limits::default())?;
/// let options = Options::new("https://example.com".parse()?);
/// let now = "2025-01-15T10:00:00Z".parse()?;
/// let store = Memory::default();
/// let preview = Preview::open(&source, &store, None, &options, now, &())?;
///
/// let url = "https://example.com/new".parse()?;
/// let raw = Raw {
///     bytes: b"<meta name=robots content=noindex><title>New</title><p>Green tea wants less heat.".to_vec(),
///     ..Raw::default()
/// };
/// let page = preview.page(PagePlace::Url(&url), &raw)?;
/// assert!(page.explanation.segments[0].kept);
/// assert_eq!(page.left_out.unwrap().code(), "noindex");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Preview<'a> {
    options: &'a Options,
    rules: Rules,
    listing: Listing,
    sample: usize,
    site: Site<'static>,
    home: HttpUrl,
    now: Timestamp,
}

/// The page of a site to look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PagePlace<'a> {
    /// The item of the source with this key, from which its URL follows.
    Item(&'a str),
    /// A page with this URL, whether the source has it or not.
    Url(&'a HttpUrl),
}

/// A page as [`publish`](crate::publish) extracts it.
#[derive(Debug)]
#[non_exhaustive]
pub struct PreviewedPage {
    /// The page, and the reason for each piece of its text.
    pub explanation: Explanation,
    /// The reason not to publish it.
    pub left_out: Option<Reason>,
}

impl<'a> Preview<'a> {
    /// Finds the template of a site as [`publish`](crate::publish) does: the one of the last publication while it
    /// fits, otherwise one that is learnt from a sample of the pages. The arguments are those of `publish`.
    pub fn open(
        source: &dyn Source,
        store: &dyn Store,
        previous: Option<&dyn Store>,
        options: &'a Options,
        now: Timestamp,
        progress: &dyn Progress,
    ) -> Result<Self, PublishError> {
        let run = Run {
            source,
            store,
            previous,
            options,
            rules: Rules::new(options)?,
            now,
            progress,
            lock: None,
        };
        let listing = list(&run)?;
        let items = &listing.items;
        if items.is_empty() {
            return Err(PublishError::Empty {
                path: source.name(),
                excluded: items.excluded.len() as u64,
                first: items.excluded.first().cloned(),
            });
        }
        progress.begin(Step::Previous, None);
        let (cache, key) = (options.cache.as_deref(), cache_key(&run)?);
        let cache = cache.and_then(|folder| Cache::open(folder, &key));
        let sample = sample(items);
        let site = site(&run, &listing, &sample, cache.as_ref())?;
        site.forget_sample();
        let home = options.base.as_url().as_str().parse();
        let home = home.map_err(|_| {
            PublishError::Settings(format!("`{}` is not where a page can be", options.base))
        })?;
        Ok(Self {
            options,
            rules: run.rules,
            listing,
            sample: sample.len(),
            site,
            home,
            now,
        })
    }

    /// Returns the origin of the template.
    pub fn template(&self) -> TemplateOrigin {
        self.site.origin
    }

    /// The number of items that may be pages.
    pub fn items(&self) -> usize {
        self.listing.items.len()
    }

    /// The number of those from which a template is learnt.
    pub fn sampled(&self) -> usize {
        self.sample
    }

    /// Extracts a page as [`publish`](crate::publish) would if it was not published yet, also if it would leave the page
    /// out.
    pub fn page(&self, place: PagePlace<'_>, raw: &Raw) -> Result<PreviewedPage, ExtractError> {
        let path; // of a page that is not of the source, in place of a key
        let (key, known) = match place {
            PagePlace::Item(key) => (key, None),
            PagePlace::Url(url) => {
                path = self.options.base.path_of_page(url.as_str());
                let below = path.as_deref().unwrap_or_default();
                (below.trim_start_matches('/'), Some(url))
            }
        };
        let admission = Admission {
            options: self.options,
            rules: &self.rules,
            robots: &self.listing.robots,
            owners: &self.listing.owners,
            style: self.site.style,
            generated: self.now,
        };
        let head = scan_head(&raw.bytes);
        let found = admission.url_of_html(key, known, &raw.bytes, &head);
        let url = found.as_ref().ok().or(known).cloned();
        let url = url.unwrap_or_else(|| self.url_by_name(key));
        let html = raw.html(&url, self.now);
        let mut explanation = self.site.template.explain_page(&html)?;
        let by_item = match place {
            PagePlace::Item(key) => self.reason_of_item(key),
            PagePlace::Url(_) => None,
        };
        let left_out = by_item
            .or(found.err())
            .or_else(|| admission.forbidden(key, url.as_str()))
            .or_else(|| {
                let page = &explanation.extracted.page;
                admission.of_extracted(&head, raw, page).reason
            });
        let page = &mut explanation.extracted.page;
        let modified = whole_seconds(page.modified).min(self.now);
        set_times(page, modified);
        Ok(PreviewedPage {
            explanation,
            left_out,
        })
    }

    /// Returns the URL of a file by its name alone.
    fn url_by_name(&self, key: &str) -> HttpUrl {
        let url = self.site.style.url(&self.options.base, key);
        url.as_str().parse().unwrap_or_else(|_| self.home.clone())
    }

    /// The reason not to look at a file at all.
    fn reason_of_item(&self, key: &str) -> Option<Reason> {
        let mut excluded = self.listing.items.excluded.iter();
        if let Some((_, reason)) = excluded.find(|(item, _)| item == key) {
            return Some(reason.clone());
        }
        let is_item = self.listing.items.iter().any(|item| item.key == key);
        let problem = "a file of this name is not taken for a page";
        (!is_item).then(|| Reason::Unusable(problem.to_owned()))
    }
}
