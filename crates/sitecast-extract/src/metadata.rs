//! What a page says about itself: title, author, dates, language, schema.org data.
//!
//! Threats: pages that say ever so much, or lie. Everything read has a limit on its length and
//! its number, nothing recurses over the tree, and each source is believed only where the page
//! is of a kind that has such a thing: a list of articles has no author.

mod address;
mod author;
mod author_marks;
mod byline;
mod canonical;
mod date_context;
mod date_patterns;
mod dates;
mod description;
mod detected_language;
mod element_text;
mod frequent_words;
mod gates;
mod head;
mod landmarks;
mod language;
mod language_codes;
mod modified;
mod months;
mod person_likeness;
mod person_name;
mod pieces;
mod plain_language;
mod published;
mod robots;
mod schema;
mod separators;
mod sight;
mod site_language;
mod site_name;
mod text;
mod title;
mod visible_dates;

#[cfg(test)]
mod tests;

use std::cell::OnceCell;

use sitecast_scp::{HttpUrl, JsonObject, LanguageTag, Timestamp};
use url::Url;

use crate::dom::Dom;
use crate::layout::Layout;

pub(crate) use canonical::base_url;
pub(crate) use description::description_of;
pub(crate) use landmarks::Landmarks;
pub(crate) use language::language_of;
pub use robots::{is_robots_directive, robots_directive_has_value};
pub(crate) use site_language::{LanguageCounts, LanguageFolder, Shown, SiteLanguages};

use address::Address;
use date_patterns::Order;
use dates::{Calendar, Moment};
use gates::Kind;
use head::Head;
use pieces::Pieces;
use schema::Graph;
use sight::Sight;
use site_name::SiteNames;

/// A page and what came with it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) dom: &'a Dom,
    pub(crate) landmarks: &'a Landmarks<'a>,
    pub(crate) layout: &'a Layout,
    /// Where the page is.
    pub(crate) url: &'a HttpUrl,
    /// What its URLs are relative to; see [`base_url`].
    pub(crate) base: &'a Url,
    /// The HTTP header `Content-Language`.
    pub(crate) content_language: Option<&'a str>,
    /// The HTTP header `X-Robots-Tag`; several are joined by `, ` or, better, by line ends.
    pub(crate) robots_tag: Option<&'a str>,
    /// The HTTP header `Last-Modified`.
    pub(crate) last_modified: Option<Timestamp>,
    /// When the page was seen.
    pub(crate) seen: Timestamp,
    /// What the site is called, as far as its other pages show it.
    pub(crate) site_names: &'a [String],
    /// What its pages are in, as far as they show it.
    pub(crate) site_languages: &'a SiteLanguages,
}

/// What a page says about itself.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Metadata {
    pub(crate) title: String,
    /// What its JSON-LD calls the article; empty if it does not.
    pub(crate) headline: String,
    pub(crate) description: Option<String>,
    pub(crate) author: Option<String>,
    pub(crate) published: Option<Timestamp>,
    pub(crate) modified: Option<Timestamp>,
    /// Whether `modified` is from the page, not from what came with it.
    pub(crate) states_modified: bool,
    pub(crate) language: Option<LanguageTag>,
    pub(crate) canonical: Option<HttpUrl>,
    pub(crate) schema: Option<JsonObject>,
    pub(crate) robots: Vec<String>,
}

/// Reads what a page says about itself.
pub(crate) fn metadata(source: &Source<'_>) -> Metadata {
    read(source).0
}

/// What a page alone shows of its language.
pub(crate) fn language_shown(dom: &Dom, layout: &Layout, url: &HttpUrl) -> Option<Shown> {
    let landmarks = &Landmarks::of(dom);
    let source = &Source {
        dom,
        landmarks,
        layout,
        url,
        base: &base_url(landmarks, url),
        content_language: None,
        robots_tag: None,
        last_modified: None,
        // No language depends on it.
        seen: Timestamp::from_unix_seconds(0)?,
        site_names: &[],
        site_languages: SiteLanguages::NONE,
    };
    let json_ld = schema::json_ld(dom, &landmarks.json_ld);
    language::shown(&Survey::of(source, &json_ld))
}

/// The metadata, and the day of publication as it was written.
pub(crate) fn read(source: &Source<'_>) -> (Metadata, Option<String>) {
    let json_ld = schema::json_ld(source.dom, &source.landmarks.json_ld);
    let survey = Survey::of(source, &json_ld);
    let title = title::title(&survey);
    let sight = Sight::new(&survey, &title);
    let published = published::published(&survey, &sight);
    let canonical = canonical::canonical(source.landmarks, source.base);
    let schema = schema_object(&survey, &json_ld, &title, canonical.as_ref());
    let stated = modified::modified(&survey, &sight, published);
    let metadata = Metadata {
        description: description::description(&survey, schema.as_ref(), &title),
        author: author::author(&survey, &title, &sight),
        published: published.map(|moment| moment.instant),
        modified: stated.or(source.last_modified),
        states_modified: stated.is_some(),
        language: language::language(&survey),
        robots: robots::robots(&survey.head, source.robots_tag),
        schema: schema.map(schema::to_json_object),
        canonical,
        headline: title::headline(&survey),
        title,
    };
    let day = published
        .map(|Moment { day, .. }| format!("{:04}-{:02}-{:02}", day.year, day.month, day.day));
    (metadata, day)
}

/// The object that describes the page: of its JSON-LD, or else of its microdata or RDFa.
fn schema_object(
    survey: &Survey<'_>,
    json_ld: &[serde_json::Value],
    title: &str,
    canonical: Option<&HttpUrl>,
) -> Option<schema::Object> {
    let Source { dom, base, url, .. } = *survey.source;
    let page = schema::Page {
        url: url.as_str(),
        canonical: canonical.map(HttpUrl::as_str),
        base,
        title,
        root: survey.kind.root,
    };
    let mut budget = schema::Budget::default();
    let mut values = schema::microdata(dom, base, &mut budget);
    values.extend(schema::rdfa(dom, base, &mut budget));
    if values.is_empty() {
        return schema::choose(json_ld, &survey.graph, &page);
    }
    let all: Vec<_> = json_ld.iter().cloned().chain(values).collect();
    schema::choose(&all, &Graph::of(&all), &page)
}

/// What all parts of the metadata are made from, looked up once, and what only some pages need once it is needed.
#[derive(Debug)]
struct Survey<'a> {
    source: &'a Source<'a>,
    head: Head,
    graph: Graph<'a>,
    address: Address,
    site: SiteNames,
    kind: Kind<'a>,
    pieces: OnceCell<Pieces<'a>>,
    calendar: OnceCell<Calendar>,
    shop: OnceCell<bool>,
}

impl<'a> Survey<'a> {
    fn of(source: &'a Source<'a>, json_ld: &'a [serde_json::Value]) -> Self {
        let head = Head::of(source.dom, source.landmarks);
        let graph = Graph::of(json_ld);
        let address = Address::of(source.url, source.base);
        let site = SiteNames::of(&head, &graph, &address, source.site_names);
        let kind = Kind::of(source.dom, &head, &graph, &address);
        Self {
            source,
            head,
            graph,
            address,
            site,
            kind,
            pieces: OnceCell::new(),
            calendar: OnceCell::new(),
            shop: OnceCell::new(),
        }
    }

    fn pieces(&self) -> &Pieces<'a> {
        let Source { dom, landmarks, .. } = *self.source;
        self.pieces
            .get_or_init(|| Pieces::of(dom, landmarks.body.map(|(body, _)| body)))
    }

    fn calendar(&self) -> &Calendar {
        self.calendar.get_or_init(|| {
            let order = self.pieces().order_of_dates();
            let order = order.unwrap_or_else(|| order_of_dates(self.source, &self.address));
            Calendar::new(order, self.source.last_modified.unwrap_or(self.source.seen))
        })
    }

    fn is_shop(&self) -> bool {
        *self.shop.get_or_init(|| gates::is_shop(self))
    }

    /// Whether the page can have an author and a date that are not in its JSON-LD.
    fn admits_bylines(&self) -> bool {
        self.kind.may_admit_bylines() && (self.kind.article || !self.is_shop())
    }
}

/// What `05/06/2024` means on the page: English alone puts the month first, and not everywhere.
fn order_of_dates(source: &Source<'_>, address: &Address) -> Order {
    let language = source
        .landmarks
        .html
        .and_then(|element| {
            element
                .attribute("lang")
                .or_else(|| element.attribute("xml:lang"))
        })
        .unwrap_or_default()
        .to_lowercase()
        .replace('_', "-");
    let english = language.is_empty() || language == "en" || language.starts_with("en-");
    let elsewhere = matches!(
        language.as_str(),
        "en-gb" | "en-au" | "en-nz" | "en-ie" | "en-in" | "en-za"
    ) || address.host_ends_with_any(&[".uk", ".au", ".nz", ".ie", ".in", ".za"]);
    if english && !elsewhere {
        Order::MonthFirst
    } else {
        Order::DayFirst
    }
}
