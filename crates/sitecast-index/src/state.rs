//! The state of a site: its position in the chain of collections, failures and traffic.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sitecast_scp::Timestamp;

use crate::{OriginKind, SiteId};

/// The state of a site between visits.
///
/// It is small and is read and written as a whole. Data that grows with the site (pages, validators,
/// applied collections) is stored in tables of its own.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SiteState {
    /// The position in the chain of collections, by section.
    pub sections: BTreeMap<String, SectionState>,
    /// The kind of origin that the last successful visit used.
    pub strategy: Option<OriginKind>,
    /// When the last visit ended.
    #[serde(with = "text")]
    pub last_attempt: Option<Timestamp>,
    /// When the last successful visit ended.
    #[serde(with = "text")]
    pub last_success: Option<Timestamp>,
    /// The site asked not to be visited before this time.
    #[serde(with = "text")]
    pub next_allowed: Option<Timestamp>,
    /// The failed visits since the last successful one.
    pub failures: Failures,
    /// The traffic of all visits together.
    pub traffic: Traffic,
    /// Other values that the caller stores, by names of its choice.
    pub notes: BTreeMap<String, String>,
}

/// The position in a section's chain of collections.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SectionState {
    /// The `generated` of the last collection that was applied.
    #[serde(with = "text")]
    pub generated: Option<Timestamp>,
    /// The `generated` of the last snapshot that was applied.
    #[serde(with = "text")]
    pub snapshot: Option<Timestamp>,
}

/// Consecutive failed visits.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Failures {
    /// The number of failed visits since the last successful one.
    pub count: u32,
    /// When the last of them ended.
    #[serde(with = "text")]
    pub at: Option<Timestamp>,
    /// The error message of the last of them.
    pub message: Option<String>,
}

/// Requests and bytes, and the bytes saved compared to plain crawling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Traffic {
    /// The number of requests sent.
    pub requests: u64,
    /// Bytes of responses, headers included.
    pub bytes_down: u64,
    /// Additional bytes that plain crawling would have cost, where that was measured.
    pub bytes_saved: u64,
}

/// A site with its state and the totals of its pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteOverview {
    /// The base URL of the site.
    pub site: SiteId,
    /// The state after the last commit.
    pub state: SiteState,
    /// The number of pages.
    pub pages: u64,
    /// The size of their lines in bytes, before compression.
    pub bytes: u64,
    /// The size of their compressed blocks in bytes.
    pub stored_bytes: u64,
    /// The latest `modified` of the pages.
    pub newest: Option<Timestamp>,
}

/// Times as RFC 3339 text, so that a person who opens the database can read them.
mod text {
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
    use sitecast_scp::Timestamp;

    #[allow(clippy::ref_option, reason = "serde's shape")]
    pub(super) fn serialize<S: Serializer>(
        time: &Option<Timestamp>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        time.serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Timestamp>, D::Error> {
        let text = Option::<String>::deserialize(deserializer)?;
        text.map(|text| text.parse().map_err(D::Error::custom))
            .transpose()
    }
}
