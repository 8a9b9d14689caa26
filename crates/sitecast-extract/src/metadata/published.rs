//! The date of publication: from JSON-LD, `meta`, microdata, visible dates, or the URL, in this order.

use serde_json::Value;

use super::dates::Moment;
use super::element_text::text_of;
use super::metadata_elements::property_of;
use super::schema::{Object, is_page};
use super::visible_data::VisibleData;
use super::visible_dates::{Threshold, likeliest};
use super::{Source, Survey};

/// Names of `meta` elements with the date of publication, the most trustworthy first.
pub(super) const META: &[&str] = &[
    "article:published_time",
    "og:article:published_time",
    "article:published",
    "og:published_time",
    "datepublished",
    "parsely-pub-date",
    "sailthru.date",
    "cxenseparse:publishtime",
    "cxenseparse:recs:publishtime",
    "citation_publication_date",
    "citation_online_date",
    "citation_date",
    "dc.date.issued",
    "dcterms.issued",
    "dcterms.created",
    "dc.date.created",
    "dcterms.date",
    "dc.date",
    "dc.created",
    "published-date",
    "publish_date",
    "publish-date",
    "publishdate",
    "published",
    "published_time",
    "published_at",
    "pubdate",
    "pub_date",
    "publication_date",
    "date_published",
    "article.published",
    "og:publish_date",
    "og:pubdate",
    "rnews:datepublished",
    "article:publicationdate",
    "originalpublicationdate",
    "article_date_original",
    "datecreated",
    "article:created",
    "created",
    "date",
    "bt:pubdate",
    "shareaholic:article_published_time",
    "article:post_date",
    "post_date",
    "blog-date",
    "swiftype-date",
];

/// The trustworthiness of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trust {
    /// Written by a template, perhaps again at every change of the page.
    Stated,
    /// Never overridden by a visible date.
    Sure,
}

/// Returns the date of publication.
pub(super) fn published(survey: &Survey<'_>, visible: &VisibleData<'_, '_>) -> Option<Moment> {
    let (moment, trust) = first_found(survey, visible)?;
    if trust == Trust::Stated
        && let Some(shown) = contradiction(survey, visible, moment)
    {
        return Some(shown);
    }
    Some(moment)
}

/// Returns a clearly visible date, if the stated one is that of a later change.
fn contradiction(
    survey: &Survey<'_>,
    visible: &VisibleData<'_, '_>,
    stated: Moment,
) -> Option<Moment> {
    let shown = likeliest(visible.dates())
        .filter(|candidate| candidate.score >= Threshold::STRONG)?
        .moment;
    let shown = as_in_url(survey, shown);
    let changes: Vec<_> = survey
        .kind
        .articles
        .iter()
        .filter_map(|map| date_member(survey, map, "dateModified"))
        .chain(
            survey
                .head
                .meta(&["article:modified_time", "og:updated_time", "datemodified"])
                .and_then(|text| survey.date_parser().read(text)),
        )
        .map(|moment| moment.day)
        .collect();
    // A visible date after the stated one is that of a change, or of another page.
    let differs =
        shown.day < stated.day && shown.days_to(stated) > 1 && !changes.contains(&shown.day);
    // The template writes the time of a change, or of generating the page, as the date of publication.
    let doubtful =
        changes.contains(&stated.day) || changes.iter().all(|change| *change < stated.day);
    (differs && doubtful).then_some(shown)
}

fn first_found(survey: &Survey<'_>, visible: &VisibleData<'_, '_>) -> Option<(Moment, Trust)> {
    let admits = survey.admits_bylines();
    let stated = |moment| (moment, Trust::Stated);
    let sure = |moment| (moment, Trust::Sure);
    article_date(survey, "datePublished")
        .map(stated)
        .or_else(|| article_date(survey, "dateCreated").map(sure))
        .or_else(|| admits.then(|| by_meta(survey))?.map(stated))
        .or_else(|| admits.then(|| by_similar_meta(survey))?.map(sure))
        .or_else(|| {
            admits
                .then(|| by_property(survey, &["datepublished", "datecreated"]))?
                .map(stated)
        })
        .or_else(|| admits.then(|| by_page_object(survey))?.map(sure))
        .or_else(|| admits.then(|| by_visible_date(survey, visible))?.map(sure))
        .or_else(|| {
            let day = survey.url_parts.date()?;
            survey.date_parser().day(day).map(sure)
        })
}

/// Reads a date of the article's JSON-LD object.
pub(super) fn article_date(survey: &Survey<'_>, name: &str) -> Option<Moment> {
    // In documentation it is a date that the generator was given, for example of a commit.
    if survey.kind.manual {
        return None;
    }
    survey
        .kind
        .articles
        .iter()
        .find_map(|map| date_member(survey, map, name))
}

pub(super) fn date_member(survey: &Survey<'_>, map: &Object, name: &str) -> Option<Moment> {
    let value = match map.get(name)? {
        Value::Array(values) => values.first()?,
        Value::Object(map) => map.get("@value")?,
        value => value,
    };
    match value {
        Value::String(text) => survey.date_parser().read(text),
        Value::Number(number) => survey.date_parser().read(&number.to_string()),
        _ => None,
    }
}

fn by_meta(survey: &Survey<'_>) -> Option<Moment> {
    META.iter()
        .filter_map(|name| survey.head.meta(&[name]))
        .find_map(|text| survey.date_parser().read(text))
}

/// Reads a `meta` element of an article whose name resembles the usual ones.
fn by_similar_meta(survey: &Survey<'_>) -> Option<Moment> {
    if !survey.kind.article {
        return None;
    }
    survey
        .head
        .metas()
        .filter(|(name, _)| is_like_publication(name) && !name.contains("modif"))
        .find_map(|(_, content)| survey.date_parser().read(content))
}

fn is_like_publication(name: &str) -> bool {
    let joined: String = name
        .chars()
        .filter(|c| !matches!(c, '-' | '_' | '.' | ':' | ' '))
        .collect();
    // A cheap check first: all matching names contain it.
    if !joined.contains("pub") {
        return false;
    }
    ["publish", "published", "publication"].iter().any(|verb| {
        ["date", "time", "on", "at"]
            .iter()
            .any(|noun| joined.contains(&format!("{verb}{noun}")))
    }) || joined.contains("datepubli")
        || joined.contains("timepubli")
        || joined.contains("pubdate")
}

/// Reads a date with this property in microdata or RDFa, anywhere on the page.
pub(super) fn by_property(survey: &Survey<'_>, names: &[&str]) -> Option<Moment> {
    let Source {
        dom,
        metadata_elements,
        ..
    } = survey.source;
    metadata_elements
        .properties
        .iter()
        .filter(|(_, element)| {
            property_of(*element).is_some_and(|properties| {
                properties.split_ascii_whitespace().any(|property| {
                    let property = property.rsplit(':').next().unwrap_or_default();
                    names.iter().any(|name| property.eq_ignore_ascii_case(name))
                })
            })
        })
        .take(1_000)
        .find_map(|(id, element)| {
            let stated = ["content", "datetime", "title"]
                .iter()
                .find_map(|name| element.attribute(name).filter(|value| !value.is_empty()));
            match stated {
                Some(text) => survey.date_parser().read(text),
                None => survey.date_parser().read(&text_of(dom, *id, 200)),
            }
        })
}

/// Reads the JSON-LD object of the page itself (`WebPage`), if the page is a post or names an author.
fn by_page_object(survey: &Survey<'_>) -> Option<Moment> {
    if !survey.kind.entry && !survey.kind.byline {
        return None;
    }
    survey
        .graph
        .nodes
        .iter()
        .filter(|node| node.main && is_page(node.map))
        .find_map(|node| date_member(survey, node.map, "datePublished"))
}

fn by_visible_date(survey: &Survey<'_>, visible: &VisibleData<'_, '_>) -> Option<Moment> {
    likeliest(visible.dates())
        .filter(|candidate| candidate.score >= Threshold::of(survey))
        .map(|candidate| as_in_url(survey, candidate.moment))
}

/// Returns the date in the URL if the visible date is the same with day and month swapped; otherwise the visible date.
fn as_in_url(survey: &Survey<'_>, shown: Moment) -> Moment {
    let swapped = |url: &Moment| {
        (url.day.year, url.day.month, url.day.day)
            == (shown.day.year, shown.day.day, shown.day.month)
    };
    let url = survey
        .url_parts
        .date()
        .and_then(|day| survey.date_parser().day(day));
    url.filter(swapped).unwrap_or(shown)
}
