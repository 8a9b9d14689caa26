//! Builds the page of an HTML item.

use sitecast_extract::{Analyzed, ExtractError, Extracted as ExtractedHtml};
use sitecast_scp::HttpUrl;

use super::admission::without_text;
use super::page::{ComposedPage, Origin};
use super::page_builder::{BuiltItem, BuiltPage, Outcome, PageBuilder, excluded};
use crate::Reason;
use crate::changes::items::hash_of;
use crate::changes::pages::{place_of_shown, reason_of_shown};
use crate::head::{Head, scan_head};
use crate::ledger::Fingerprint;
use crate::recall::cache::CachedItem;
use crate::source::{Item, Raw};

/// HTML whose page is to be built.
struct HtmlItem<'a> {
    item: Item<'a>,
    raw: &'a Raw,
    hash: Fingerprint,
    head: Head,
    url: HttpUrl,
    /// The results of the last run about the item.
    before: Option<CachedItem>,
}

impl PageBuilder<'_> {
    /// Builds a page of HTML. `known` has the head and the analysis of a page of the sample.
    pub(super) fn html(
        &self,
        item: Item<'_>,
        raw: &Raw,
        known: Option<(Head, Option<(HttpUrl, Analyzed)>)>,
        before: Option<CachedItem>,
    ) -> BuiltItem {
        let hash = hash_of(raw);
        let same = before.as_ref().filter(|before| before.hash == Some(hash));
        if let Some(built) = same.and_then(|before| self.same_bytes(item, raw, before)) {
            return built;
        }
        let cached = CachedItem {
            hash: Some(hash),
            ..CachedItem::new(item)
        };
        let admission = self.admission();
        let (head, analyzed) = known.unwrap_or_else(|| (scan_head(&raw.bytes), None));
        let url = match admission.url_of_html(item.key, raw.url.as_ref(), &raw.bytes, &head) {
            Ok(url) => url,
            Err(reason) => return excluded(cached, reason),
        };
        if let Some(reason) = admission.forbidden(item.key, url.as_str()) {
            let url = Some(url.as_str().to_owned());
            return BuiltItem {
                item: CachedItem { url, ..cached },
                outcome: Outcome::Excluded(reason),
            };
        }
        let html = HtmlItem {
            item,
            raw,
            hash,
            head,
            url,
            before,
        };
        match self.extract(&html, analyzed) {
            Ok(extracted) => self.extracted(html, cached, extracted),
            Err(reason) => excluded(cached, reason),
        }
    }

    /// Returns the outcome of an item that has the bytes of the last run, but another stamp.
    fn same_bytes(&self, item: Item<'_>, raw: &Raw, before: &CachedItem) -> Option<BuiltItem> {
        // The date may have passed.
        if before.has_date_to_come {
            return None;
        }
        let mut cached = before.clone();
        cached.stamp = item.stamp;
        // The bytes are compared without our link, which a build may have removed.
        let linked_size = self.linked_size(raw, cached.url.as_deref());
        cached.linked = self.needs.links;
        let mut outcome = self.as_before(&cached)?;
        if let (Outcome::AsBefore { needs_link, .. }, Some(size)) = (&mut outcome, linked_size) {
            cached.stamp.size = size;
            *needs_link = true;
        }
        Some(BuiltItem {
            item: cached,
            outcome,
        })
    }

    fn extract(
        &self,
        item: &HtmlItem<'_>,
        analyzed: Option<(HttpUrl, Analyzed)>,
    ) -> Result<ExtractedHtml, Reason> {
        let html = item.raw.html(&item.url, self.recalled.generated);
        let template = &self.site.template;
        let extracted = match &analyzed {
            Some((known, analyzed)) if *known == item.url => {
                return Ok(template.extract_analyzed(&html, analyzed));
            }
            _ => template.extract_page(&html),
        };
        extracted.map_err(|error| match error {
            ExtractError::NoSnippet => Reason::NoSnippet,
            error => Reason::Unusable(error.to_string()),
        })
    }

    /// Decides about an extracted page: left out, as it is published, or new.
    fn extracted(
        &self,
        html: HtmlItem<'_>,
        mut cached: CachedItem,
        extracted: ExtractedHtml,
    ) -> BuiltItem {
        let HtmlItem { item, raw, url, .. } = &html;
        let (before, shown) = (html.before.as_ref(), extracted.shown);
        let stays = place_of_shown(self.ledger(), before, url, shown);
        let stays = stays.filter(|_| self.needs.reuse == super::Reuse::Published);
        if stays.is_none()
            && let Some(reason) = without_text(&extracted.page)
        {
            return excluded(CachedItem { shown, ..cached }, reason);
        }
        let judgement = self.admission().of_owner(&html.head, raw, &extracted.page);
        if let Some(reason) = judgement.reason {
            return excluded(cached, reason);
        }
        if judgement.has_date_to_come {
            cached.expect_date();
        }
        cached.shown = shown;
        if let Some(reason) = reason_of_shown(before, shown) {
            cached.excluded = Some(reason.clone());
            return BuiltItem {
                item: cached,
                outcome: Outcome::Excluded(reason),
            };
        }
        cached.url = Some(url.as_str().to_owned());
        cached.linked = self.needs.links;
        let origin = Origin {
            key: item.key,
            stated: extracted.states_modified.then_some(extracted.page.modified),
            coverage: extracted.coverage,
        };
        let composed = ComposedPage::of(extracted.page, self.run.options);
        if let Some(at) = stays
            && let Some(built) = self.stays(raw, cached.clone(), at, &composed)
        {
            return built;
        }
        match self.page(composed, &origin) {
            Ok(page) => self.linked_page(raw, cached, page),
            Err(reason) => {
                let hash = Some(html.hash);
                let cached = CachedItem::new(*item);
                excluded(CachedItem { hash, ..cached }, reason)
            }
        }
    }

    /// Leaves a page as it is published, although other text would be extracted from it now. `None` if the text is the
    /// same: then nothing has to be kept.
    fn stays(
        &self,
        raw: &Raw,
        mut cached: CachedItem,
        at: usize,
        composed: &ComposedPage,
    ) -> Option<BuiltItem> {
        let known = self.ledger().get(at)?;
        if known.fingerprint == composed.print {
            return None;
        }
        let url = self.ledger().url(at);
        let wants_machine = self.wants_machine_page(url, Some(known));
        let has_machine = known.machine.is_some() || wants_machine;
        let linked_size = self.linked_size(raw, Some(url).filter(|_| has_machine));
        cached.text = Some(known.fingerprint);
        cached.stamp.size = linked_size.unwrap_or(cached.stamp.size);
        Some(BuiltItem {
            item: cached,
            outcome: Outcome::AsBefore {
                at,
                needs_link: linked_size.is_some(),
                reads_back: self.needs.all_lines || wants_machine,
            },
        })
    }

    /// Completes a built page with the link that its HTML needs.
    fn linked_page(&self, raw: &Raw, mut cached: CachedItem, mut page: BuiltPage) -> BuiltItem {
        let machine = page.known.machine.as_ref();
        let linked_size = machine.and_then(|_| self.linked_size(raw, Some(page.url.as_str())));
        // The link makes the file longer; its date stays.
        cached.stamp.size = linked_size.unwrap_or(cached.stamp.size);
        page.needs_link = linked_size.is_some();
        BuiltItem {
            item: cached,
            outcome: Outcome::Page(Box::new(page)),
        }
    }
}
