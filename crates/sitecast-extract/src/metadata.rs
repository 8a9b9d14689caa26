//! The metadata of a page: title, author, dates, language, schema.org data, robots directives.
//!
//! Threats: pages with huge or false metadata. All values have limits on length and number, nothing recurses over the tree, and
//! each source counts only on pages of a kind that has such metadata: a list of articles has no author.

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
mod head;
mod language;
mod language_codes;
mod language_confirmation;
mod metadata_elements;
mod modified;
mod months;
mod page_kind;
mod person_likeness;
mod person_name;
mod published;
mod robots;
mod schema;
mod separators;
mod site_language;
mod site_name;
mod text;
mod text_nodes;
mod title;
mod url_parts;
mod visible_data;
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
pub(crate) use language::language_of;
pub(crate) use metadata_elements::MetadataElements;
pub use robots::{is_robots_directive, robots_directive_has_value};
pub(crate) use site_language::{LanguageCounts, LanguageFolder, PageLanguage, SiteLanguages};

use date_patterns::DateOrder;
use dates::{DateParser, Moment};
use head::Head;
use page_kind::PageKind;
use schema::Graph;
use site_name::SiteNames;
use text_nodes::TextNodes;
use url_parts::UrlParts;
use visible_data::VisibleData;

/// The input of metadata extraction: a page, its HTTP headers, and facts about its site.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) dom: &'a Dom,
    pub(crate) metadata_elements: &'a MetadataElements<'a>,
    pub(crate) layout: &'a Layout,
    /// The URL of the page.
    pub(crate) url: &'a HttpUrl,
    /// The base of its relative URLs; see [`base_url`].
    pub(crate) base: &'a Url,
    /// The HTTP header `Content-Language`.
    pub(crate) content_language: Option<&'a str>,
    /// The HTTP header `X-Robots-Tag`; several values are joined by `, ` or, preferably, by line ends.
    pub(crate) robots_tag: Option<&'a str>,
    /// The HTTP header `Last-Modified`.
    pub(crate) last_modified: Option<Timestamp>,
    /// The time when the page was fetched or read.
    pub(crate) seen: Timestamp,
    /// The names of the site, learned from its other pages.
    pub(crate) site_names: &'a [String],
    /// The languages of the site, learned from its other pages.
    pub(crate) site_languages: &'a SiteLanguages,
}

/// The metadata of a page.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Metadata {
    pub(crate) title: String,
    /// The `headline` of the article in JSON-LD; empty if there is none.
    pub(crate) headline: String,
    pub(crate) description: Option<String>,
    pub(crate) author: Option<String>,
    pub(crate) published: Option<Timestamp>,
    pub(crate) modified: Option<Timestamp>,
    /// `modified` is from the page itself, not from the header `Last-Modified`.
    pub(crate) states_modified: bool,
    pub(crate) language: Option<LanguageTag>,
    pub(crate) canonical: Option<HttpUrl>,
    pub(crate) schema: Option<JsonObject>,
    pub(crate) robots: Vec<String>,
}

/// Reads the metadata of a page.
pub(crate) fn metadata(source: &Source<'_>) -> Metadata {
    read(source).0
}

/// Determines the language of a page without facts about its site.
pub(crate) fn page_language(dom: &Dom, layout: &Layout, url: &HttpUrl) -> Option<PageLanguage> {
    let metadata_elements = &MetadataElements::of(dom);
    let source = &Source {
        dom,
        metadata_elements,
        layout,
        url,
        base: &base_url(metadata_elements, url),
        content_language: None,
        robots_tag: None,
        last_modified: None,
        // The language does not depend on it.
        seen: Timestamp::from_unix_seconds(0)?,
        site_names: &[],
        site_languages: SiteLanguages::NONE,
    };
    let json_ld = schema::json_ld(dom, &metadata_elements.json_ld);
    language::page_language(&Survey::of(source, &json_ld))
}

/// Reads the metadata, and the day of publication as the page writes it.
pub(crate) fn read(source: &Source<'_>) -> (Metadata, Option<String>) {
    let json_ld = schema::json_ld(source.dom, &source.metadata_elements.json_ld);
    let survey = Survey::of(source, &json_ld);
    let title = title::title(&survey);
    let visible = VisibleData::new(&survey, &title);
    let published = published::published(&survey, &visible);
    let canonical = canonical::canonical(source.metadata_elements, source.base);
    let schema = schema_object(&survey, &json_ld, &title, canonical.as_ref());
    let stated = modified::modified(&survey, &visible, published);
    let metadata = Metadata {
        description: description::description(&survey, schema.as_ref(), &title),
        author: author::author(&survey, &title, &visible),
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

/// Returns the schema.org object that describes the page, from JSON-LD, microdata and RDFa.
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
    let mut remaining = schema::RemainingLimits::default();
    let mut values = schema::microdata(dom, base, &mut remaining);
    values.extend(schema::rdfa(dom, base, &mut remaining));
    if values.is_empty() {
        return schema::choose(json_ld, &survey.graph, &page);
    }
    let all: Vec<_> = json_ld.iter().cloned().chain(values).collect();
    schema::choose(&all, &Graph::of(&all), &page)
}

/// Intermediate results that all metadata are derived from. Those that only some pages need are computed on first use.
#[derive(Debug)]
struct Survey<'a> {
    source: &'a Source<'a>,
    head: Head,
    graph: Graph<'a>,
    url_parts: UrlParts,
    site: SiteNames,
    kind: PageKind<'a>,
    text_nodes: OnceCell<TextNodes<'a>>,
    date_parser: OnceCell<DateParser>,
    shop: OnceCell<bool>,
}

impl<'a> Survey<'a> {
    fn of(source: &'a Source<'a>, json_ld: &'a [serde_json::Value]) -> Self {
        let head = Head::of(source.dom, source.metadata_elements);
        let graph = Graph::of(json_ld);
        let url_parts = UrlParts::of(source.url, source.base);
        let site = SiteNames::of(&head, &graph, &url_parts, source.site_names);
        let kind = PageKind::of(source.dom, &head, &graph, &url_parts);
        Self {
            source,
            head,
            graph,
            url_parts,
            site,
            kind,
            text_nodes: OnceCell::new(),
            date_parser: OnceCell::new(),
            shop: OnceCell::new(),
        }
    }

    fn text_nodes(&self) -> &TextNodes<'a> {
        let Source {
            dom,
            metadata_elements,
            ..
        } = *self.source;
        self.text_nodes
            .get_or_init(|| TextNodes::of(dom, metadata_elements.body.map(|(body, _)| body)))
    }

    fn date_parser(&self) -> &DateParser {
        self.date_parser.get_or_init(|| {
            let order = self.text_nodes().order_of_dates();
            let order = order.unwrap_or_else(|| order_of_dates(self.source, &self.url_parts));
            DateParser::new(order, self.source.last_modified.unwrap_or(self.source.seen))
        })
    }

    fn is_shop(&self) -> bool {
        *self.shop.get_or_init(|| page_kind::is_shop(self))
    }

    /// Returns true if the page may have an author and a date outside of JSON-LD.
    fn admits_bylines(&self) -> bool {
        self.kind.may_admit_bylines() && (self.kind.article || !self.is_shop())
    }
}

/// Returns the order of day and month in `05/06/2024`: only English has the month first, and not in all countries.
fn order_of_dates(source: &Source<'_>, url_parts: &UrlParts) -> DateOrder {
    let language = source
        .metadata_elements
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
    ) || url_parts.host_ends_with_any(&[".uk", ".au", ".nz", ".ie", ".in", ".za"]);
    if english && !elsewhere {
        DateOrder::MonthFirst
    } else {
        DateOrder::DayFirst
    }
}
