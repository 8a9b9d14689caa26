use std::fmt;

use crate::analysis::{Analysis, analyze};
use crate::{ExtractError, Extractor, Html};

/// A page that was parsed and looked at: what a [`SiteLearner`](crate::SiteLearner) learns from, and
/// what a [`SiteTemplate`](crate::SiteTemplate) then makes a page of, without parsing it twice. It takes
/// several times the room of its HTML.
pub struct Analyzed(pub(crate) Analysis);

impl fmt::Debug for Analyzed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Analyzed").finish_non_exhaustive()
    }
}

impl Extractor<'_> {
    /// Parses a page and looks at it, for later.
    pub fn analyze(&self, html: &Html<'_>) -> Result<Analyzed, ExtractError> {
        analyze(html, self.model, &self.limits).map(Analyzed)
    }
}
