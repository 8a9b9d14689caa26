//! One hash in three places.

use crate::clean_etag;

/// Whether the hash in the sitemap, the entity tag of the response and the hash in the payload are
/// the same, as the protocol demands. Only the texts are compared; nothing is recomputed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parity {
    /// All that are there agree.
    Holds,
    /// The response has no entity tag, which it must have.
    NoTag,
    /// The sitemap says something else than the entity tag: one of them is stale.
    SitemapDiffers,
    /// The payload says something else than the entity tag.
    PayloadDiffers,
}

impl Parity {
    /// Compares. What is `None` is not there: later drafts have no hash in the payload, and a page
    /// may be fetched without a sitemap.
    ///
    /// ```
    /// use sitecast_tct::Parity;
    ///
    /// let etag = Some("\"sha256-ab\"");
    /// assert_eq!(Parity::check(Some("sha256-ab"), etag, Some("sha256-ab")), Parity::Holds);
    /// assert_eq!(Parity::check(Some("sha256-cd"), etag, None), Parity::SitemapDiffers);
    /// assert_eq!(Parity::check(Some("sha256-cd"), None, None), Parity::NoTag);
    /// ```
    pub fn check(sitemap: Option<&str>, etag: Option<&str>, payload: Option<&str>) -> Self {
        let Some(etag) = etag.map(clean_etag).filter(|etag| !etag.is_empty()) else {
            return Self::NoTag;
        };
        if payload.is_some_and(|hash| hash != etag) {
            Self::PayloadDiffers
        } else if sitemap.is_some_and(|hash| clean_etag(hash) != etag) {
            Self::SitemapDiffers
        } else {
            Self::Holds
        }
    }
}
