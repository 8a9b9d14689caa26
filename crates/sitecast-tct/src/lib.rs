//! The formats of the Collaboration Tunnel Protocol (TCT).
//!
//! Every page of a site has a machine URL with its text as clean JSON, and a strong entity tag, the hash of that
//! JSON. A JSON sitemap lists the hashes, so that an agent fetches only changed pages. This crate reads and writes
//! these formats, for both sides. It has no network code.
//!
//! ```
//! use sitecast_scp::{Block, Page};
//! use sitecast_tct::{MachinePage, Parity, ReadPage, Verification, canonical_link};
//!
//! let mut page = Page::new("https://example.com/post/".parse()?, "A post", "2025-10-15T14:30:00Z".parse()?, "en".parse()?);
//! page.content.push(Block::Text { text: "What it says.".to_owned() });
//!
//! // In the publisher:
//! let payload = MachinePage::extended(&page).payload();
//! let (etag, link) = (payload.hash.etag(), canonical_link(page.url.as_str()));
//!
//! // In the agent:
//! let read = ReadPage::parse(payload.json.as_bytes(), 1_000_000)?;
//! assert_eq!(read.verification, Verification::MethodA);
//! assert_eq!(Parity::check(None, Some(&etag), read.hash.as_deref()), Parity::Holds);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Overview
//!
//! | to | use |
//! |---|---|
//! | detect changes of a text | [`fingerprint`], [`Fingerprinter`], [`normalize`] |
//! | write canonical JSON | [`canonicalize`] |
//! | write machine pages | [`MachinePage`], [`page_text`] |
//! | read and verify machine pages | [`ReadPage`], [`Parity`], [`Canonical`] |
//! | read and write JSON sitemaps | [`sitemap`] |
//! | answer conditional requests | [`EntityTag`], [`TagList`], [`is_not_modified`], [`if_range_holds`], [`clean_etag`] |
//! | write and find links | [`canonical_link`], [`index_link`], [`policy_link`], [`alternate_element`], [`find_links`] |
//! | read and write the policy | [`Policy`] |

mod bytes;
mod canonical;
mod content;
mod etag;
mod fingerprint;
mod hash;
mod limits;
mod links;
mod page;
mod parity;
mod policy;
pub mod sitemap;
mod stream;

pub use canonical::{CanonicalError, canonicalize};
pub use content::page_text;
pub use etag::{EntityTag, TagList, clean_etag, if_range_holds, is_not_modified};
pub use fingerprint::{Fingerprinter, UNICODE_VERSION, fingerprint, normalize};
pub use hash::{ContentHash, InvalidHash};
pub use limits::Limits;
pub use links::{
    CACHE_CONTROL, Canonical, POLICY_PATH, SITEMAP_PATH, WELL_KNOWN_SITEMAP_PATH,
    alternate_element, alternate_link, canonical_link, find_links, index_link, policy_link,
};
pub use page::{MachinePage, PROFILE, PageError, PageWarning, Payload, ReadPage, Verification};
pub use parity::Parity;
pub use policy::{
    POLICY_PROFILE, Policy, PolicyError, PolicyUrls, PolicyWarning, Purposes, RateHints,
    Requirements,
};
pub use stream::Position;
