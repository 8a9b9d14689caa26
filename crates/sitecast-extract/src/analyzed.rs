use std::fmt;

use sitecast_scp::HttpUrl;

use crate::analysis::{Analysis, Parsed, parsed};
use crate::site::{Places, RepeatedTexts, UndecidedParts};
use crate::{ExtractError, Extractor, Html, Model};

/// A parsed page, from which a [`SiteLearner`](crate::SiteLearner) learns the texts that a template repeats. It takes
/// several times the memory of its HTML.
pub struct ParsedPage {
    parsed: Parsed,
    pub(crate) places: Places,
    pub(crate) url: HttpUrl,
}

/// An analyzed page: a [`SiteLearner`](crate::SiteLearner) learns from it, and a [`SiteTemplate`](crate::SiteTemplate)
/// then extracts it without parsing it again. It takes several times the memory of its HTML.
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
    /// Parses a page, to be analyzed later.
    pub fn parse(&self, html: &Html<'_>) -> Result<ParsedPage, ExtractError> {
        let parsed = parsed(html, self)?;
        let places = Places::of(&parsed.layout);
        Ok(ParsedPage {
            parsed,
            places,
            url: html.url.clone(),
        })
    }

    /// Parses and analyzes a page, to be extracted later.
    pub fn analyze(&self, html: &Html<'_>) -> Result<Analyzed, ExtractError> {
        let page = self.parse(html)?;
        Ok(self.analyze_parsed(page, &RepeatedTexts::default()))
    }

    /// Analyzes a parsed page, except for the texts that the template repeats.
    pub fn analyze_parsed(&self, page: ParsedPage, repeated: &RepeatedTexts) -> Analyzed {
        let open = UndecidedParts::of(&page.places, |_, placed| {
            repeated.is_certainly_template(placed)
        });
        page.scored(self.model, &open)
    }
}

impl ParsedPage {
    /// Computes the probabilities of the segments that come from these parts of the template.
    pub(crate) fn scored(self, model: &Model, open: &UndecidedParts) -> Analyzed {
        let Self {
            parsed,
            places,
            url,
        } = self;
        let is_open = |index: usize| open.has(&places, index);
        let analysis = parsed.scored(model, is_open);
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
