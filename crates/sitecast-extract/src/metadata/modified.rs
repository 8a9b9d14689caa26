//! The date of the last change: from JSON-LD, `meta`, microdata, or visible dates, in this order.

use super::Survey;
use super::dates::Moment;
use super::published::{by_property, date_member};
use super::schema::is_page;
use super::visible_data::VisibleData;
use super::visible_dates::Threshold;
use sitecast_scp::Timestamp;

pub(super) const META: &[&str] = &[
    "article:modified_time",
    "og:article:modified_time",
    "og:updated_time",
    "og:modified_time",
    "article:updated_time",
    "datemodified",
    "dateupdated",
    "dcterms.modified",
    "dc.date.modified",
    "dc.modified",
    "cxenseparse:modifiedtime",
    "citation_lastmodified_date",
    "last-modified",
    "last_modified",
    "lastmod",
    "modified",
    "modified_time",
    "updated",
    "updated_time",
    "revised",
];

/// Returns the date of the last change. Dates before the publication are mistakes and ignored.
pub(super) fn modified(
    survey: &Survey<'_>,
    visible: &VisibleData<'_, '_>,
    published: Option<Moment>,
) -> Option<Timestamp> {
    let after = |moment: &Moment| {
        published.is_none_or(|published| {
            moment.instant >= published.instant || moment.day == published.day
        })
    };
    let found = survey
        .kind
        .articles
        .iter()
        .copied()
        .chain(
            survey
                .graph
                .nodes
                .iter()
                .filter(|node| node.main && is_page(node.map))
                .map(|node| node.map),
        )
        .filter_map(|map| date_member(survey, map, "dateModified"))
        .find(after)
        .or_else(|| {
            META.iter()
                .filter_map(|name| survey.head.meta(&[name]))
                .filter_map(|text| survey.date_parser().read(text))
                .find(after)
        })
        .or_else(|| by_property(survey, &["datemodified"]).filter(after))
        .or_else(|| by_visible_date(survey, visible).filter(after));
    let found = found?;
    // On the same day only one of the two may have a time zone.
    Some(match published {
        Some(published) if found.day == published.day => found.instant.max(published.instant),
        _ => found.instant,
    })
}

/// Returns the likeliest visible date after a word such as `Updated`.
fn by_visible_date(survey: &Survey<'_>, visible: &VisibleData<'_, '_>) -> Option<Moment> {
    if !survey.admits_bylines() && !survey.kind.manual {
        return None;
    }
    visible
        .dates()
        .iter()
        .filter(|candidate| candidate.updated && candidate.score >= Threshold::of(survey))
        .reduce(|best, next| if next.score > best.score { next } else { best })
        .map(|candidate| candidate.moment)
}
