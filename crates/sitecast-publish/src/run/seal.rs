//! What the files beside the collections were made from, and how they were left: while both are so
//! still, they need not be made again only to find them the same.

use serde::{Deserialize, Serialize};
use sitecast_storage::{Store, StorePath};
use sitecast_tct::ContentHash;

use super::Run;
use crate::PublishError;
use crate::carrier::{Carrier, CarrierKind};
use crate::keep_out::OwnerRules;
use crate::outputs::Outputs;

/// The state of what is published beside the collections.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Seal {
    /// A hash of all that they are made from, but for pages and collections.
    inputs: String,
    /// Each file with its version.
    files: Vec<(String, String)>,
    /// What the owner was told when they were made, and is told again as long as they are so.
    pub(super) notes: Vec<String>,
}

impl Seal {
    pub(super) fn new(
        inputs: String,
        outputs: &Outputs<'_>,
        store: &dyn Store,
    ) -> Result<Self, PublishError> {
        let mut files = Vec::new();
        for path in &outputs.looked_at {
            if let Some(object) = store.get(path)? {
                files.push((path.to_string(), object.tag.0));
            }
        }
        let notes = outputs.notes.clone();
        Ok(Self {
            inputs,
            files,
            notes,
        })
    }

    /// Whether everything is as it was left.
    pub(super) fn holds(&self, inputs: &str, store: &dyn Store) -> Result<bool, PublishError> {
        if self.inputs != inputs {
            return Ok(false);
        }
        for (path, tag) in &self.files {
            let Ok(path) = path.parse::<StorePath>() else {
                return Ok(false);
            };
            if store.get(&path)?.is_none_or(|object| object.tag.0 != *tag) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

impl Run<'_> {
    /// What the files beside the collections are made from, hashed.
    pub(super) fn inputs(
        &self,
        carrier: &Carrier,
        owners: &OwnerRules,
    ) -> Result<String, PublishError> {
        let robots = self.source.optional_file("robots.txt")?;
        let robots = robots.map(|bytes| ContentHash::of(&bytes));
        // The sitemap may be large, and is hashed rather than spelled out.
        let carrier = match &carrier.kind {
            CarrierKind::Own => "ours".to_owned(),
            CarrierKind::Unseen => "unseen".to_owned(),
            CarrierKind::Beside { why } => format!("beside {why}"),
            CarrierKind::Site { path, bytes, index } => {
                let index = index.as_ref().map(|bytes| ContentHash::of(bytes));
                format!("{path} {} {index:?}", ContentHash::of(bytes))
            }
        };
        let all = format!("{:?} {carrier} {robots:?} {owners:?}", self.options);
        Ok(ContentHash::of(all.as_bytes()).to_string())
    }
}
