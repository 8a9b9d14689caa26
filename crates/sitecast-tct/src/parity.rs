//! Parity: the same hash in sitemap, entity tag and payload.

use crate::clean_etag;

/// The result of comparing the hash in the sitemap, the entity tag of the response and the hash in the payload, which the
/// protocol requires to be equal. Only the texts are compared; nothing is recomputed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parity {
    /// All present values are equal.
    Holds,
    /// The response has no entity tag, which is required.
    NoTag,
    /// The hash in the sitemap differs from the entity tag: one of them is stale.
    SitemapDiffers,
    /// The hash in the payload differs from the entity tag.
    PayloadDiffers,
}

impl Parity {
    /// Compares the values. `None` means absent: later drafts have no hash in the payload, and a page may be fetched
    /// without a sitemap.
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
