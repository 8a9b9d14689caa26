//! A template as text, so that it need not be learnt again.

use foldhash::HashMap;

use serde::{Deserialize, Serialize};

use super::{Opinion, Repeated, SiteTemplate};
use crate::Extractor;

/// Changes whenever what is stored means something else.
const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
struct Stored {
    version: u32,
    /// The judgement of segments that it was learnt with.
    model: u64,
    names: Vec<String>,
    repeated: Vec<u64>,
    /// Place, pages, mean and spread in thousandths.
    opinions: Vec<(u64, u32, u32, u32)>,
}

impl<'a> SiteTemplate<'a> {
    /// The template as text, for [`SiteTemplate::restore`]. The same template gives the same text.
    pub fn store(&self) -> String {
        let mut repeated: Vec<u64> = self.repeated.texts.iter().copied().collect();
        repeated.sort_unstable();
        let mut opinions: Vec<(u64, u32, u32, u32)> = self
            .opinions
            .iter()
            .map(|(place, it)| (*place, it.pages, it.content, it.spread))
            .collect();
        opinions.sort_unstable();
        let stored = Stored {
            version: VERSION,
            model: self.extractor.model.fingerprint(),
            names: self.names.clone(),
            repeated,
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
            },
            opinions,
            names: stored.names,
        })
    }
}
