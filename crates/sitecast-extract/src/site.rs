//! What the pages of a site have in common.
//!
//! One page shows what looks like content. Many show what *is*: a menu says the same on all of
//! them, an article does not; and where the template puts articles on a hundred pages, it puts
//! one on the page that has too little text to tell. So a template knows three things, each a
//! count, which is why the order of pages does not matter: the texts that stand in the same place
//! on many pages, how likely what stands in each place is content over all pages, and what the
//! site calls itself in its titles.

mod learner;
mod names;
mod place;
mod repeated;
mod stored;

use foldhash::HashMap;

pub use learner::SiteLearner;
pub(crate) use place::{Placed, places};
pub(crate) use repeated::OpenPieces;
pub use repeated::Repeated;

use crate::analysis::Analysis;
use crate::page::assemble;
use crate::{Analyzed, ExtractError, Extracted, Extractor, Html};
use place::Place;

/// How much more the site's opinion of a place counts than the page's own, with many pages seen.
const SITE_WEIGHT: f32 = 2.0;
/// Pages that must have a place before the site's opinion of it counts in full.
const PAGES_FOR_OPINION: f32 = 5.0;

/// A place whose text is likelier content than this, over the site, is a place of content.
const PLACE_OF_CONTENT: f32 = 0.35;
/// How likely text in such a place is content, at least.
const KEPT_FOR_ITS_PLACE: f32 = 0.8;
/// Texts in a place are judged together where they differ by less than this, in thousandths.
const MUCH_THE_SAME: u32 = 200;
/// What is left of the probability in a place of no content.
const LEFT_OUT_FOR_ITS_PLACE: f32 = 0.2;

/// What is known of a place in the template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Opinion {
    pages: u32,
    /// The mean probability of its text, in thousandths.
    content: u32,
    /// How far the texts in it are from that, in thousandths: the standard deviation.
    spread: u32,
}

impl Opinion {
    fn likely(&self) -> f32 {
        self.content as f32 / 1000.0
    }

    /// How likely text in the place is content, whatever the text: a place of content is one on all pages, and so is one
    /// of none. Which of them keep it must not hang on small differences.
    fn verdict(&self) -> Option<f32> {
        let likely = self.likely();
        if (self.pages as f32) < PAGES_FOR_OPINION {
            None
        } else if likely > PLACE_OF_CONTENT {
            Some(likely.max(KEPT_FOR_ITS_PLACE))
        } else if self.spread < MUCH_THE_SAME {
            Some(likely * LEFT_OUT_FOR_ITS_PLACE)
        } else {
            None
        }
    }
}

/// The template of a site, learnt from some or all of its pages.
///
/// ```
/// use sitecast_extract::{Extractor, Html, SiteLearner};
///
/// let seen = "2025-01-15T09:00:00Z".parse()?;
/// let pages: Vec<(sitecast_scp::HttpUrl, String)> = (1..=5)
///     .map(|n| {
///         let text = format!("Number {n} is a page of its own with words that no other page has: {n}{n}{n}.");
///         let html = format!("<title>Page {n} | The Site</title><div class=x>Our menu</div><div class=y><p>{text}</p></div>");
///         (format!("https://example.com/{n}").parse().unwrap(), html)
///     })
///     .collect();
/// let mut learner = SiteLearner::new(Extractor::default());
/// for (url, html) in &pages {
///     learner.add(&Html::new(url, html.as_bytes(), seen))?;
/// }
/// let template = learner.finish();
/// let (url, html) = &pages[0];
/// let page = template.extract_page(&Html::new(url, html.as_bytes(), seen))?.page;
/// assert_eq!(page.title, "Page 1");
/// assert_eq!(page.content.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct SiteTemplate<'a> {
    extractor: Extractor<'a>,
    repeated: Repeated,
    opinions: HashMap<u64, Opinion>,
    names: Vec<String>,
}

impl SiteTemplate<'_> {
    /// Turns HTML of this site into a page.
    pub fn extract_page(&self, html: &Html<'_>) -> Result<Extracted, ExtractError> {
        let page = self.extractor.parse(html)?;
        let is_decided = |placed: &Placed| {
            let opinion = self.opinion(&placed.place);
            opinion.is_some_and(|opinion| opinion.verdict().is_some())
        };
        let open = self.repeated.open_pieces(&page.places, is_decided);
        let analyzed = page.judged(html, self.extractor.model, &open);
        Ok(self.extract_analyzed(html, &analyzed))
    }

    /// The same for a page that was analysed already, with the same limits and model.
    pub fn extract_analyzed(&self, html: &Html<'_>, analyzed: &Analyzed) -> Extracted {
        let Analyzed { analysis, places } = analyzed;
        let probabilities = self.judge(places, analysis);
        assemble(html, analysis, &probabilities, &self.names)
    }

    /// What the site calls itself in its titles.
    pub fn site_names(&self) -> &[String] {
        &self.names
    }

    /// How likely each segment is content, the site considered.
    fn judge(&self, places: &[Placed], analysis: &Analysis) -> Vec<f32> {
        places
            .iter()
            .zip(&analysis.probabilities)
            .map(|(placed, alone)| self.judge_one(placed, *alone))
            .collect()
    }

    fn judge_one(&self, placed: &Placed, alone: f32) -> f32 {
        let is_repeated = self.repeated.has(placed);
        if is_repeated && !placed.is_label {
            return 0.0;
        }
        let pooled = match self.opinion(&placed.place) {
            Some(opinion) => opinion.verdict().unwrap_or_else(|| {
                let weight = SITE_WEIGHT * (opinion.pages as f32 / PAGES_FOR_OPINION).min(1.0);
                (alone + weight * opinion.likely()) / (1.0 + weight)
            }),
            None => alone,
        };
        // `Ingredients` stands on every recipe and belongs to each; so do labels of fields.
        if !is_repeated || pooled >= 0.5 {
            return pooled;
        }
        0.0
    }

    /// What is known of the exact place, else of the wider one.
    fn opinion(&self, place: &Place) -> Option<&Opinion> {
        [place.exact, place.wide]
            .iter()
            .find_map(|key| self.opinions.get(key))
    }
}
