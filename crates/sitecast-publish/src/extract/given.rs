//! Builds pages that the source has as pages, not as HTML.

use sitecast_scp::{HttpUrl, Page};

use super::page::{ComposedPage, Origin};
use super::page_builder::{BuiltItem, Outcome, PageBuilder, excluded};
use crate::address::other_page;
use crate::recall::cache::CachedItem;
use crate::source::Item;
use crate::{Reason, keep_out};

impl PageBuilder<'_> {
    pub(super) fn given_page(&self, item: Item<'_>, page: Page) -> BuiltItem {
        let mut cached = CachedItem::new(item);
        if let Some(reason) = self.admission().forbidden(item.key, page.url.as_str()) {
            cached.url = Some(page.url.as_str().to_owned());
            return BuiltItem {
                item: cached,
                outcome: Outcome::Excluded(reason),
            };
        }
        let canonical = page.canonical.as_ref().map(HttpUrl::as_str);
        if let Some(other) = canonical.and_then(|canonical| other_page(&page.url, canonical)) {
            return excluded(cached, Reason::Canonical(other.into()));
        }
        let judgement =
            keep_out::of_page(&page, self.run.options.keep_out, self.recalled.generated);
        if let Some(reason) = judgement.reason {
            return excluded(cached, reason);
        }
        cached.url = Some(page.url.as_str().to_owned());
        if judgement.has_date_to_come {
            cached.expect_date();
        }
        let origin = Origin {
            key: item.key,
            stated: Some(page.modified),
            coverage: None,
        };
        match self.page(ComposedPage::of(page, self.run.options), &origin) {
            Ok(page) => BuiltItem {
                item: cached,
                outcome: Outcome::Page(Box::new(page)),
            },
            Err(reason) => excluded(CachedItem::new(item), reason),
        }
    }
}
