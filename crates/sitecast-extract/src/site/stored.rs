//! Serialisation of a template, so that a site need not be learnt again.

use foldhash::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use super::containers::Containers;
use super::{PlaceStats, RepeatedTexts, SiteTemplate};
use crate::Extractor;
use crate::metadata::SiteLanguages;
use crate::page::KnownSite;

/// Increase this when stored data changes its meaning.
const VERSION: u32 = 2;

#[derive(Serialize, Deserialize)]
struct Stored {
    version: u32,
    /// Fingerprint of the model that it was learnt with.
    model: u64,
    names: Vec<String>,
    /// TemplateDecision stored by earlier versions have no languages.
    #[serde(default)]
    languages: SiteLanguages,
    repeated: Vec<u64>,
    widespread: Vec<u64>,
    containers: Vec<u64>,
    complete: Vec<u64>,
    documentation: Vec<u64>,
    kinds: Vec<u64>,
    left_out: Vec<u64>,
    /// Place, pages, mean and standard deviation in thousandths.
    #[serde(rename = "opinions")]
    stats: Vec<(u64, u32, u32, u32)>,
}

/// Sorts a set, so that equal templates give equal texts.
fn sorted(places: &HashSet<u64>) -> Vec<u64> {
    let mut sorted: Vec<u64> = places.iter().copied().collect();
    sorted.sort_unstable();
    sorted
}

impl<'a> SiteTemplate<'a> {
    /// Returns the template as text, for [`SiteTemplate::restore`]. Equal templates give equal texts.
    pub fn store(&self) -> String {
        let mut stats: Vec<(u64, u32, u32, u32)> = self
            .stats
            .iter()
            .map(|(place, it)| (*place, it.pages, it.content, it.spread))
            .collect();
        stats.sort_unstable();
        let stored = Stored {
            version: VERSION,
            model: self.extractor.model.fingerprint(),
            names: self.known.names.clone(),
            languages: self.known.languages.clone(),
            repeated: sorted(&self.repeated.texts),
            widespread: sorted(&self.repeated.widespread),
            containers: sorted(&self.containers.places),
            complete: sorted(&self.containers.complete),
            documentation: sorted(&self.containers.documentation),
            kinds: sorted(&self.containers.kinds),
            left_out: sorted(&self.containers.left_out),
            stats,
        };
        // Numbers and texts: serialisation cannot fail.
        serde_json::to_string(&stored).unwrap_or_default()
    }

    /// Restores a stored template. Returns `None` if another version or model learnt it.
    ///
    /// ```
    /// use sitecast_extract::{Extractor, SiteLearner, SiteTemplate};
    ///
    /// let template = SiteLearner::new(Extractor::default()).finish();
    /// assert!(SiteTemplate::restore(&template.store(), Extractor::default()).is_some());
    /// assert!(SiteTemplate::restore("{}", Extractor::default()).is_none());
    /// ```
    pub fn restore(text: &str, extractor: Extractor<'a>) -> Option<Self> {
        let stored: Stored = serde_json::from_str(text).ok()?;
        if stored.version != VERSION || stored.model != extractor.model.fingerprint() {
            return None;
        }
        let stats: HashMap<u64, PlaceStats> = stored
            .stats
            .into_iter()
            .map(|(place, pages, content, spread)| {
                let stats = PlaceStats {
                    pages,
                    content,
                    spread,
                };
                (place, stats)
            })
            .collect();
        Some(Self {
            extractor,
            repeated: RepeatedTexts {
                texts: stored.repeated.into_iter().collect(),
                widespread: stored.widespread.into_iter().collect(),
            },
            containers: Containers {
                places: stored.containers.into_iter().collect(),
                complete: stored.complete.into_iter().collect(),
                documentation: stored.documentation.into_iter().collect(),
                kinds: stored.kinds.into_iter().collect(),
                left_out: stored.left_out.into_iter().collect(),
            },
            stats,
            known: KnownSite {
                names: stored.names,
                languages: stored.languages,
            },
        })
    }
}
