//! The URL of a page: its words, its date, and the kind of page that it suggests.

use sitecast_scp::HttpUrl;
use url::Url;

use super::months;

/// The host and path of a URL, in lower case.
#[derive(Debug, Default)]
pub(super) struct UrlParts {
    host: String,
    /// The decoded segments of the path, without empty ones.
    parts: Vec<String>,
    /// The query selects the page, as in `/?p=12`.
    queried: bool,
}

/// Labels of host names that are not the name of a site.
const NAMELESS_LABELS: &[&str] = &[
    "www", "com", "org", "net", "gov", "edu", "info", "blog", "dev", "app",
];

impl UrlParts {
    /// `base` is the base of the page's relative URLs, mostly `url` itself, which then need not be parsed again.
    pub(super) fn of(url: &HttpUrl, base: &Url) -> Self {
        if url.as_str() == base.as_str() {
            return Self::of_parsed(base);
        }
        Url::parse(url.as_str()).map_or_else(|_| Self::default(), |url| Self::of_parsed(&url))
    }

    fn of_parsed(url: &Url) -> Self {
        Self {
            host: url.host_str().unwrap_or_default().to_lowercase(),
            parts: url
                .path()
                .split('/')
                .filter(|part| !part.is_empty())
                .map(|part| percent_decoded(part).to_lowercase())
                .collect(),
            queried: url.query_pairs().any(|(name, _)| !is_about_visit(&name)),
        }
    }

    /// Returns the labels of the host that may be the site's name, without hyphens.
    pub(super) fn labels(&self) -> Vec<String> {
        self.host
            .split('.')
            .filter(|label| label.len() > 2 && !NAMELESS_LABELS.contains(label))
            .map(|label| label.replace('-', ""))
            .collect()
    }

    /// Returns the host and its parent domains, without dots and hyphens.
    pub(super) fn hosts(&self) -> Vec<String> {
        let labels: Vec<&str> = self.host.split('.').collect();
        (0..labels.len().saturating_sub(1).min(10))
            .filter_map(|from| labels.get(from..))
            .map(|labels| labels.concat().replace('-', ""))
            .collect()
    }

    fn subdomain_is(&self, names: &[&str]) -> bool {
        self.host
            .split_once('.')
            .is_some_and(|(first, _)| names.contains(&first))
    }

    pub(super) fn host_ends_with_any(&self, endings: &[&str]) -> bool {
        endings.iter().any(|ending| self.host.ends_with(ending))
    }

    /// Returns the last segment of the path as words.
    pub(super) fn slug(&self) -> String {
        self.parts
            .last()
            .map(|part| part.replace(['-', '_'], " "))
            .unwrap_or_default()
    }

    /// Returns true for the front page of a site or of one of its languages.
    pub(super) fn is_root(&self) -> bool {
        match self.parts.as_slice() {
            _ if self.queried => false,
            [] => true,
            [only] => matches!(
                only.as_str(),
                "index.html"
                    | "index.htm"
                    | "index.php"
                    | "home"
                    | "en"
                    | "us"
                    | "en-us"
                    | "de"
                    | "fr"
                    | "es"
            ),
            _ => false,
        }
    }

    pub(super) fn is_forum(&self) -> bool {
        self.subdomain_is(&[
            "forum",
            "forums",
            "community",
            "discuss",
            "board",
            "boards",
            "bbs",
        ]) || self.parts.iter().any(|part| {
            let name = part.split('.').next().unwrap_or_default();
            matches!(
                name,
                "thread"
                    | "threads"
                    | "topic"
                    | "topics"
                    | "t"
                    | "question"
                    | "questions"
                    | "forum"
                    | "forums"
                    | "discussion"
                    | "discussions"
                    | "d"
                    | "comments"
                    | "viewtopic"
                    | "showthread"
            )
        })
    }

    /// Returns true for posts of a blog, magazine or newspaper.
    pub(super) fn is_entry(&self) -> bool {
        let followed = |at: usize| self.parts.get(at + 1).is_some();
        self.parts.iter().enumerate().any(|(at, part)| {
            followed(at)
                && (matches!(
                    part.as_str(),
                    "blog"
                        | "blogs"
                        | "news"
                        | "article"
                        | "articles"
                        | "post"
                        | "posts"
                        | "story"
                        | "stories"
                        | "magazine"
                        | "journal"
                        | "insight"
                        | "insights"
                        | "p"
                        | "press"
                        | "opinion"
                        | "feature"
                        | "features"
                        | "review"
                        | "reviews"
                ) || (is_number(part, 4..=4)
                    && followed(at + 1)
                    && self
                        .parts
                        .get(at + 1)
                        .is_some_and(|month| is_number(month, 1..=2))))
        })
    }

    pub(super) fn is_documentation(&self) -> bool {
        self.subdomain_is(&[
            "doc",
            "docs",
            "developer",
            "developers",
            "learn",
            "help",
            "support",
            "wiki",
            "man",
        ]) || self.parts.iter().any(|part| {
            matches!(
                part.as_str(),
                "doc" | "docs" | "documentation" | "reference" | "manual" | "api"
            )
        })
    }

    /// Returns true for shops, lists and documentation, where dates and names are not those of the page.
    pub(super) fn is_no_article(&self) -> bool {
        if self.is_forum() {
            return false;
        }
        let entry = self.is_entry();
        (!entry
            && self
                .parts
                .iter()
                .any(|part| is_section_of_no_articles(part)))
            || self
                .parts
                .last()
                .is_some_and(|last| is_list_of_articles(last))
            || (!entry && (self.is_documentation() || self.is_history()))
            || self.is_later_part_of_list()
    }

    /// Returns true for changelogs and lists of releases, with a date for each.
    fn is_history(&self) -> bool {
        let mut parts = self.parts.iter().rev().map(|part| {
            let name = part.split('.').next().unwrap_or_default();
            name.replace('_', "-")
        });
        let last = parts.find(|name| name != "index").unwrap_or_default();
        matches!(
            &*last,
            "changelog"
                | "changelogs"
                | "change-log"
                | "changes"
                | "release-notes"
                | "releasenotes"
                | "releases"
        )
    }

    /// Returns true for later pages of a list: `/recipes/page/2/`.
    fn is_later_part_of_list(&self) -> bool {
        let mut parts = self.parts.iter().rev();
        let mut last = parts.next();
        if last.is_some_and(|part| part.starts_with("index.")) {
            last = parts.next();
        }
        last.is_some_and(|part| is_number(part, 1..=4))
            && parts.next().is_some_and(|part| part == "page")
    }

    /// Returns the date in a path such as `/2024/05/17/`, as year, month and day; it may not exist.
    pub(super) fn date(&self) -> Option<(i64, i64, i64)> {
        self.parts.iter().enumerate().find_map(|(at, part)| {
            let next = |n: usize| self.parts.get(at + n).map(String::as_str);
            let (year, rest) = part.split_at_checked(4)?;
            if !is_number(year, 4..=4) || !(year.starts_with("19") || year.starts_with("20")) {
                return None;
            }
            let numbers = |text: &str| -> Option<(i64, i64)> {
                let text = text.split(['_', '.', '+', ' ']).next()?;
                let (month, day) = match text.split_once('-') {
                    Some((month, rest)) => (month, rest.split('-').next()?),
                    None => text.split_at_checked(2)?,
                };
                (is_number(month, 1..=2) && is_number(day, 1..=2))
                    .then(|| Some((month.parse().ok()?, day.parse().ok()?)))?
            };
            let (month, day) = if rest.is_empty() {
                let month = next(1)?;
                let named = months::month(month);
                if named.is_some() || is_number(month, 1..=2) {
                    let day = next(2)?.split(['-', '_', '.']).next()?;
                    is_number(day, 1..=2).then_some(())?;
                    (named.or_else(|| month.parse().ok())?, day.parse().ok()?)
                } else {
                    numbers(month)?
                }
            } else {
                numbers(rest.trim_start_matches('-'))?
            };
            Some((year.parse().ok()?, month, day))
        })
    }
}

fn percent_decoded(part: &str) -> String {
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let digit = |at: usize| char::from(*after.get(at)?).to_digit(16);
        match (byte, digit(0), digit(1)) {
            (b'%', Some(high), Some(low)) => {
                bytes.extend(u8::try_from(high * 16 + low));
                rest = after.get(2..).unwrap_or_default();
            }
            _ => {
                bytes.push(byte);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Returns true for query parameters about the visit, such as its source or language, that do not select the page.
fn is_about_visit(name: &str) -> bool {
    name.starts_with("utm_")
        || matches!(
            name,
            "srsltid"
                | "gclid"
                | "fbclid"
                | "msclkid"
                | "ref"
                | "source"
                | "lang"
                | "hl"
                | "locale"
                | "country"
                | "currency"
        )
}

fn is_number(text: &str, digits: std::ops::RangeInclusive<usize>) -> bool {
    digits.contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit())
}

fn is_section_of_no_articles(part: &str) -> bool {
    matches!(
        part,
        "product"
            | "products"
            | "shop"
            | "store"
            | "category"
            | "categories"
            | "collection"
            | "collections"
            | "tag"
            | "tags"
            | "topic"
            | "topics"
            | "genre"
            | "genres"
            | "service"
            | "services"
            | "solution"
            | "solutions"
            | "pricing"
            | "section"
            | "sections"
            | "search"
            | "catalog"
            | "cart"
            | "app"
            | "apps"
            | "dp"
            | "list"
            | "lists"
            | "schedule"
    ) || part.starts_with("coupon")
}

fn is_list_of_articles(last: &str) -> bool {
    matches!(
        last,
        "news"
            | "blog"
            | "blogs"
            | "article"
            | "articles"
            | "post"
            | "posts"
            | "event"
            | "events"
            | "issues"
            | "press"
            | "resources"
            | "stories"
            | "in-the-news"
            | "archive"
    )
}

#[cfg(test)]
mod tests;
