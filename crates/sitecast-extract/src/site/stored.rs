//! A template as text, so that it need not be learnt again.

use foldhash::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use super::containers::Containers;
use super::{Opinion, Repeated, SiteTemplate};
use crate::Extractor;
use crate::metadata::SiteLanguages;
use crate::page::KnownSite;

/// Changes whenever what is stored means something else.
const VERSION: u32 = 2;

#[derive(Serialize, Deserialize)]
struct Stored {
    version: u32,
    /// The judgement of segments that it was learnt with.
    model: u64,
    names: Vec<String>,
    /// Templates that were stored before languages were learnt have none.
    #[serde(default)]
    languages: SiteLanguages,
    repeated: Vec<u64>,
    widespread: Vec<u64>,
    containers: Vec<u64>,
    complete: Vec<u64>,
    documentation: Vec<u64>,
    kinds: Vec<u64>,
    left_out: Vec<u64>,
    /// Place, pages, mean and spread in thousandths.
    opinions: Vec<(u64, u32, u32, u32)>,
}

/// In an order that does not depend on how they were found.
fn sorted(places: &HashSet<u64>) -> Vec<u64> {
    let mut sorted: Vec<u64> = places.iter().copied().collect();
    sorted.sort_unstable();
    sorted
}

impl<'a> SiteTemplate<'a> {
    /// The template as text, for [`SiteTemplate::restore`]. The same template gives the same text.
    pub fn store(&self) -> String {
        let mut opinions: Vec<(u64, u32, u32, u32)> = self
            .opinions
            .iter()
            .map(|(place, it)| (*place, it.pages, it.content, it.spread))
            .collect();
        opinions.sort_unstable();
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
            opinions,
        };
        // Numbers and texts: there is nothing that could fail.
        serde_json::to_string(&stored).unwrap_or_default()
    }

    /// A template that was stored; `None` if it was learnt by another version or with another model.
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
        let opinions: HashMap<u64, Opinion> = stored
            .opinions
            .into_iter()
            .map(|(place, pages, content, spread)| {
                let opinion = Opinion {
                    pages,
                    content,
                    spread,
                };
                (place, opinion)
            })
            .collect();
        Some(Self {
            extractor,
            repeated: Repeated {
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
            opinions,
            known: KnownSite {
                names: stored.names,
                languages: stored.languages,
            },
        })
    }
}
