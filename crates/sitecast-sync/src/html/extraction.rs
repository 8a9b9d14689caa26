//! Conversion of a fetched HTML page to a page, or to a reason for leaving it out.

use sitecast_extract::{Extractor, Html, fold};
use sitecast_fetch::{Head, Validators};
use sitecast_scp::{HttpUrl, Page, Timestamp};
use sitecast_tct::find_links;
use url::Url;

use super::links::{Links, links};
use super::login::is_login;
use crate::machine_pages::JSON;
use crate::scope::Scope;

/// A fetched page to extract.
pub(crate) struct Job {
    pub(crate) url: String,
    pub(crate) head: Head,
    pub(crate) body: Vec<u8>,
    pub(crate) seen: Timestamp,
}

/// The result of an extraction.
pub(crate) struct Outcome {
    pub(crate) url: String,
    pub(crate) validators: Validators,
    /// The size of the HTML in bytes.
    pub(crate) bytes: usize,
    pub(crate) links: Vec<Url>,
    /// The URL of the machine page that the page links to.
    pub(crate) machine_page: Option<Url>,
    pub(crate) verdict: Verdict,
}

pub(crate) enum Verdict {
    Page(Box<Page>),
    /// The page forbids indexing; the reason for the warning.
    LeftOut(&'static str),
    /// The page is a login page.
    Login,
    /// The page is a copy of this canonical URL.
    Canonical(Url),
    /// The response is not HTML, or has no content to extract.
    NotAPage,
}

/// Extracts a page, and its links to pages of `follow`.
pub(crate) fn extract(
    job: Job,
    extractor: &Extractor<'_>,
    blocks: usize,
    follow: Option<&Scope>,
) -> Outcome {
    let is_html = job.head.header("content-type").is_none_or(|kind| {
        let kind = kind.trim().to_ascii_lowercase();
        kind.starts_with("text/html") || kind.starts_with("application/xhtml")
    });
    let found = if is_html {
        links(&job.body, &job.url, follow)
    } else {
        Links::default()
    };
    // TCT, "Bidirectional Discovery": the `Link` header or the `link` element.
    let named = find_links(job.head.links(), &job.head.url, "alternate", Some(JSON));
    let machine_page = named.into_iter().next().or(found.machine_page);
    let verdict = if is_html {
        judge(&job, extractor, blocks)
    } else {
        Verdict::NotAPage
    };
    Outcome {
        validators: job.head.validators.clone(),
        bytes: job.body.len(),
        links: found.pages,
        machine_page,
        verdict,
        url: job.url,
    }
}

fn judge(job: &Job, extractor: &Extractor<'_>, blocks: usize) -> Verdict {
    let Ok(url) = job.url.parse::<HttpUrl>() else {
        return Verdict::NotAPage;
    };
    let robots: Vec<&str> = job.head.headers("x-robots-tag").collect();
    let robots = robots.join("\n");
    if is_login(&job.body, &job.url) {
        return Verdict::Login;
    }
    let mut html = Html::new(&url, &job.body, job.seen);
    html.content_type = job.head.header("content-type");
    html.content_language = job.head.header("content-language");
    html.robots_tag = Some(&robots)
        .filter(|robots| !robots.is_empty())
        .map(|r| &**r);
    let Ok(extracted) = extractor.extract_page(&html) else {
        return Verdict::NotAPage;
    };
    let mut page = extracted.page;
    let forbids = |directive: &String| matches!(directive.as_str(), "noindex" | "none");
    if page.robots.iter().any(forbids) {
        return Verdict::LeftOut("it says `noindex`");
    }
    if let Some(canonical) = &page.canonical
        && let (Ok(canonical), Ok(own)) = (Url::parse(canonical.as_str()), Url::parse(&job.url))
        && !same_page(&canonical, &own)
    {
        return Verdict::Canonical(canonical);
    }
    fold(&mut page, blocks);
    Verdict::Page(Box::new(page))
}

/// Returns true if two URLs differ at most in scheme, `www.`, port and fragment.
fn same_page(one: &Url, other: &Url) -> bool {
    let host = |url: &Url| {
        let host = url.host_str().unwrap_or_default();
        host.strip_prefix("www.").unwrap_or(host).to_owned()
    };
    host(one) == host(other) && one.path() == other.path() && one.query() == other.query()
}
