use std::fmt;

use sitecast_scp::HttpUrl;

use crate::analysis::{Analysis, Parsed, parsed};
use crate::site::{OpenPieces, Places, Repeated};
use crate::{ExtractError, Extractor, Html, Model};

/// A page that was parsed: what a [`SiteLearner`](crate::SiteLearner) sees which texts repeat from. It takes several times
/// the room of its HTML.
pub struct ParsedPage {
    parsed: Parsed,
    pub(crate) places: Places,
    pub(crate) url: HttpUrl,
}

/// A page that was parsed and looked at: what a [`SiteLearner`](crate::SiteLearner) learns from, and
/// what a [`SiteTemplate`](crate::SiteTemplate) then makes a page of, without parsing it twice. It takes
/// several times the room of its HTML.
pub struct Analyzed {
    pub(crate) analysis: Analysis,
    pub(crate) places: Places,
    pub(crate) url: HttpUrl,
}

impl fmt::Debug for ParsedPage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ParsedPage").finish_non_exhaustive()
    }
}

impl fmt::Debug for Analyzed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Analyzed").finish_non_exhaustive()
    }
}

impl Extractor<'_> {
    /// Parses a page, for later.
    pub fn parse(&self, html: &Html<'_>) -> Result<ParsedPage, ExtractError> {
        let parsed = parsed(html, self)?;
        let places = Places::of(&parsed.layout);
        Ok(ParsedPage {
            parsed,
            places,
            url: html.url.clone(),
        })
    }

    /// Parses a page and looks at all of it, for later.
    pub fn analyze(&self, html: &Html<'_>) -> Result<Analyzed, ExtractError> {
        let page = self.parse(html)?;
        Ok(self.look_at(page, &Repeated::default()))
    }

    /// Looks at a page that was parsed, but for what the template repeats.
    pub fn look_at(&self, page: ParsedPage, repeated: &Repeated) -> Analyzed {
        let open = OpenPieces::of(&page.places, |_, placed| {
            repeated.need_not_be_judged(placed)
        });
        page.judged(self.model, &open)
    }
}

impl ParsedPage {
    /// Judges what these pieces of the template made.
    pub(crate) fn judged(self, model: &Model, open: &OpenPieces) -> Analyzed {
        let Self {
            parsed,
            places,
            url,
        } = self;
        let is_open = |index: usize| open.has(&places, index);
        let analysis = parsed.judged(model, is_open);
        Analyzed {
            analysis,
            places,
            url,
        }
    }

    pub(crate) fn layout(&self) -> &crate::layout::Layout {
        &self.parsed.layout
    }

    pub(crate) fn dom(&self) -> &crate::dom::Dom {
        &self.parsed.dom
    }
}
