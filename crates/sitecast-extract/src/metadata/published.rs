//! When the page appeared: JSON-LD, `meta`, microdata, visible dates, the URL, in this order.

use serde_json::Value;

use super::dates::Moment;
use super::element_text::text_of;
use super::landmarks::property_of;
use super::schema::{Object, is_page};
use super::sight::Sight;
use super::visible_dates::{Threshold, likeliest};
use super::{Source, Survey};

/// Names under which pages state it, the most trustworthy first.
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

/// How far a source can be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trust {
    /// A template wrote it, perhaps at every change of the page.
    Stated,
    Sure,
}

/// When the page appeared.
pub(super) fn published(survey: &Survey<'_>, sight: &Sight<'_, '_>) -> Option<Moment> {
    let (moment, trust) = first_found(survey, sight)?;
    if trust == Trust::Stated
        && let Some(shown) = contradiction(survey, sight, moment)
    {
        return Some(shown);
    }
    Some(moment)
}

/// A date that readers see plainly, where the stated one is that of a later change.
fn contradiction(survey: &Survey<'_>, sight: &Sight<'_, '_>, stated: Moment) -> Option<Moment> {
    let shown = likeliest(sight.dates())
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
                .and_then(|text| survey.calendar().read(text)),
        )
        .map(|moment| moment.day)
        .collect();
    // A later one is that of a change, or of another page.
    let differs =
        shown.day < stated.day && shown.days_to(stated) > 1 && !changes.contains(&shown.day);
    // A template that writes the time of a change, or of its own making, for that of publication.
    let doubtful =
        changes.contains(&stated.day) || changes.iter().all(|change| *change < stated.day);
    (differs && doubtful).then_some(shown)
}

fn first_found(survey: &Survey<'_>, sight: &Sight<'_, '_>) -> Option<(Moment, Trust)> {
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
        .or_else(|| admits.then(|| by_sight(survey, sight))?.map(sure))
        .or_else(|| {
            let day = survey.address.date()?;
            survey.calendar().day(day).map(sure)
        })
}

/// A date of the article's object in JSON-LD.
pub(super) fn article_date(survey: &Survey<'_>, name: &str) -> Option<Moment> {
    // In manuals it is the date of whatever the generator was given.
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
        Value::String(text) => survey.calendar().read(text),
        Value::Number(number) => survey.calendar().read(&number.to_string()),
        _ => None,
    }
}

fn by_meta(survey: &Survey<'_>) -> Option<Moment> {
    META.iter()
        .filter_map(|name| survey.head.meta(&[name]))
        .find_map(|text| survey.calendar().read(text))
}

/// By a name of the site's own making, on articles.
fn by_similar_meta(survey: &Survey<'_>) -> Option<Moment> {
    if !survey.kind.article {
        return None;
    }
    survey
        .head
        .metas()
        .filter(|(name, _)| is_like_publication(name) && !name.contains("modif"))
        .find_map(|(_, content)| survey.calendar().read(content))
}

fn is_like_publication(name: &str) -> bool {
    let joined: String = name
        .chars()
        .filter(|c| !matches!(c, '-' | '_' | '.' | ':' | ' '))
        .collect();
    // All that follow have it, and few other names.
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

/// By microdata or RDFa, wherever it is.
pub(super) fn by_property(survey: &Survey<'_>, names: &[&str]) -> Option<Moment> {
    let Source { dom, landmarks, .. } = survey.source;
    landmarks
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
                Some(text) => survey.calendar().read(text),
                None => survey.calendar().read(&text_of(dom, *id, 200)),
            }
        })
}

/// By the object of the page as such, if it has an author.
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

fn by_sight(survey: &Survey<'_>, sight: &Sight<'_, '_>) -> Option<Moment> {
    likeliest(sight.dates())
        .filter(|candidate| candidate.score >= Threshold::of(survey))
        .map(|candidate| as_in_url(survey, candidate.moment))
}

/// The date of the URL where the page shows it with day and month in the other order.
fn as_in_url(survey: &Survey<'_>, shown: Moment) -> Moment {
    let swapped = |url: &Moment| {
        (url.day.year, url.day.month, url.day.day)
            == (shown.day.year, shown.day.day, shown.day.month)
    };
    let url = survey
        .address
        .date()
        .and_then(|day| survey.calendar().day(day));
    url.filter(swapped).unwrap_or(shown)
}
