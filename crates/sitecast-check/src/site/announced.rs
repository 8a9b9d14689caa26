//! Comparing a collection with what the sitemap says about it.

use sitecast_scp::{Checksum, CollectionKind as Kind};
use sitecast_sitemap::{Collection as Announced, CollectionKind, Date};

use crate::report::Report;
use crate::report::facts::CollectionFacts;

/// Compares a collection with its announcement, and adds findings to the report about the site.
pub(crate) fn compare(
    announced: &Announced,
    facts: &CollectionFacts,
    stored_bytes: u64,
    site: &mut Report,
) {
    let url = announced.url.as_str();
    let Some(collection) = &facts.collection else {
        return;
    };
    let mut wrong = |what: &str, said: &str, is: &str| {
        let message = format!("`{url}`: the sitemap says {what} `{said}`, the collection `{is}`");
        site.error_between("not-as-announced", url, message);
    };
    if announced.section != collection.section.as_str() {
        let is = collection.section.as_str();
        wrong("section", &announced.section, is);
    }
    let (said, since) = match &announced.kind {
        CollectionKind::Snapshot => ("snapshot", None),
        CollectionKind::Delta { since, .. } => ("delta", Some(*since)),
    };
    if said != collection.kind.name() {
        wrong("type", said, collection.kind.name());
    }
    let differs = |date: Date, seconds: i64| date.unix_seconds() != seconds;
    let generated = collection.generated;
    if differs(announced.generated, generated.unix_seconds()) {
        let said = announced.generated.to_string();
        wrong("generated", &said, &generated.to_string());
    }
    if let (Some(said), Kind::Delta { since }) = (since, collection.kind)
        && differs(said, since.unix_seconds())
    {
        wrong("since", &said.to_string(), &since.to_string());
    }
    // The schema of the `scp:` extension has no checksum, but some sitemaps do.
    let checksum = announced.checksum.as_deref();
    if let (Some(said), Some(is)) = (
        checksum.and_then(|text| text.parse::<Checksum>().ok()),
        facts.digest,
    ) && said != is
    {
        wrong("checksum", &said.to_string(), &is.to_string());
        site.mismatch = Some("checksum mismatch");
    }
    let mut differs = |code, said: Option<u64>, is: u64, unit: &str| {
        if let Some(said) = said.filter(|&said| said != is) {
            let message = format!("the sitemap says {said} {unit}, and it has {is}");
            site.warning(code, None, Some(url), &message);
        }
    };
    differs("size-differs", announced.size, stored_bytes, "bytes");
    let pages = facts.pages + facts.rejected_pages;
    differs("pages-differ", announced.pages, pages, "pages");
}
