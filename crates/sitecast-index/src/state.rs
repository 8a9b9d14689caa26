//! What is known of a site as a whole.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sitecast_scp::Timestamp;

use crate::{OriginKind, SiteId};

/// How far a site has been followed, and how that went.
///
/// Small, and read and written as a whole. What grows with the site (pages, validators, applied
/// collections) is kept apart.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SiteState {
    /// The position in the chain of each section.
    pub sections: BTreeMap<String, SectionState>,
    /// How the site was synced the last time.
    pub strategy: Option<OriginKind>,
    /// When it was last tried.
    #[serde(with = "text")]
    pub last_attempt: Option<Timestamp>,
    /// When it last went well.
    #[serde(with = "text")]
    pub last_success: Option<Timestamp>,
    /// Before this it is not to be asked again.
    #[serde(with = "text")]
    pub next_allowed: Option<Timestamp>,
    /// What went wrong since it last went well.
    pub failures: Failures,
    /// What crossed the wire, all runs together.
    pub traffic: Traffic,
    /// Whatever else should be remembered, by names that the caller chooses.
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

/// Failures in a row.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Failures {
    /// How many.
    pub count: u32,
    /// When the last one was.
    #[serde(with = "text")]
    pub at: Option<Timestamp>,
    /// What was said then.
    pub message: Option<String>,
}

/// What was transferred, and what that saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Traffic {
    /// Requests sent.
    pub requests: u64,
    /// Bytes of answers.
    pub bytes_down: u64,
    /// Bytes that plain crawling would have cost on top, where that was measured.
    pub bytes_saved: u64,
}

/// A site at a glance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteOverview {
    /// The site.
    pub site: SiteId,
    /// Its state.
    pub state: SiteState,
    /// How many pages there are.
    pub pages: u64,
    /// The bytes of their lines, before compression.
    pub bytes: u64,
    /// The bytes that they take on disk.
    pub stored_bytes: u64,
    /// The latest `modified` among them.
    pub newest: Option<Timestamp>,
}

/// Times as text, since whoever looks into the folder should understand what is there.
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
