//! The template of a site: what its pages have in common.
//!
//! A single page shows which text looks like content. Many pages show which text is content: a menu is the same on all
//! pages, an article is not; and where the template puts articles on a hundred pages, it also puts the one with too
//! little text to recognise. A template consists of counts, so the order of pages does not matter: texts that repeat in
//! the same place, the probability of content in each place over all pages, the site's names in its titles, and the
//! languages of its pages.

mod box_tallies;
mod containers;
mod learner;
mod names;
mod place;
mod repeated;
mod stored;

use foldhash::HashMap;

pub use learner::SiteLearner;
pub(crate) use place::Places;
pub use repeated::RepeatedTexts;
pub(crate) use repeated::UndecidedParts;

use crate::analysis::Analysis;
use crate::content::Recall;
use crate::decided::{Context, Decided, Scores, TemplateDecision};
use crate::explain::explain;
use crate::layout::{Layout, Segment};
use crate::page::{KnownSite, assemble};
use crate::{Analyzed, Explanation, ExtractError, Extracted, Extractor, Html};
use containers::{Containers, Position};
use place::{Place, Placed};

/// Weight of the site's probability for a place, relative to the page's own, once many pages have been seen.
const SITE_WEIGHT: f32 = 2.0;
/// The site's probability has its full weight after this many pages.
const PAGES_FOR_FULL_WEIGHT: f32 = 5.0;

/// A place with a greater probability over the whole site is a place of content.
const PLACE_OF_CONTENT: f32 = 0.35;
/// The least probability of a text in such a place.
const LEAST_IN_CONTENT_PLACE: f32 = 0.8;
/// In thousandths. Texts in a place share their probability if its standard deviation is smaller.
const SMALL_DEVIATION: u32 = 200;
/// Factor for the probability of texts in a place without content.
const FACTOR_IN_OTHER_PLACE: f32 = 0.2;

/// Statistics of a place in the template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct PlaceStats {
    pages: u32,
    /// Mean probability of its text, in thousandths.
    content: u32,
    /// Standard deviation of that probability, in thousandths.
    spread: u32,
}

impl PlaceStats {
    fn likely(&self) -> f32 {
        self.content as f32 / 1000.0
    }

    /// Returns the probability of every text in the place, if the place alone decides. It then is the same on all
    /// pages, so that small differences between pages do not change the selection.
    fn fixed_probability(&self) -> Option<f32> {
        let likely = self.likely();
        if (self.pages as f32) < PAGES_FOR_FULL_WEIGHT {
            None
        } else if likely > PLACE_OF_CONTENT {
            Some(likely.max(LEAST_IN_CONTENT_PLACE))
        } else if self.spread < SMALL_DEVIATION {
            Some(likely * FACTOR_IN_OTHER_PLACE)
        } else {
            None
        }
    }
}

/// The template's verdict about a segment.
#[derive(Debug, Clone, Copy)]
enum Verdict {
    /// A probability.
    Likely(f32),
    /// Certainty.
    Decided { keep: bool, why: TemplateDecision },
}

impl Verdict {
    const KEPT: Self = Self::Decided {
        keep: true,
        why: TemplateDecision::InContainer,
    };
    const LEFT_OUT_AS_OTHER_PART: Self = Self::left_out(TemplateDecision::OtherPart);
    const LEFT_OUT_AS_REPEATED: Self = Self::left_out(TemplateDecision::Repeated);
    const LEFT_OUT_BESIDE: Self = Self::left_out(TemplateDecision::BesideContainer);

    const fn left_out(why: TemplateDecision) -> Self {
        Self::Decided { keep: false, why }
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
    repeated: RepeatedTexts,
    stats: HashMap<u64, PlaceStats>,
    containers: Containers,
    known: KnownSite,
}

impl SiteTemplate<'_> {
    /// Extracts a page of this site.
    pub fn extract_page(&self, html: &Html<'_>) -> Result<Extracted, ExtractError> {
        let page = self.extractor.parse(html)?;
        let positions = self.positions(page.layout(), &page.places);
        let is_decided = |at: usize, placed: &Placed| {
            let position = positions.get(at).copied().unwrap_or(Position::Outside);
            self.decide(placed, position).is_some()
        };
        let open = UndecidedParts::of(&page.places, is_decided);
        let analyzed = page.scored(self.extractor.model, &open);
        Ok(self.extract_analyzed(html, &analyzed))
    }

    /// Extracts a page that was analyzed already, with the same limits and model.
    pub fn extract_analyzed(&self, html: &Html<'_>, analyzed: &Analyzed) -> Extracted {
        let Analyzed {
            analysis, places, ..
        } = analyzed;
        let scores = self.score(places, analysis);
        assemble(html, analysis, &scores, &self.known)
    }

    /// Extracts a page of this site, with the reason for each segment.
    pub fn explain_page(&self, html: &Html<'_>) -> Result<Explanation, ExtractError> {
        let Analyzed {
            analysis, places, ..
        } = self.extractor.analyze(html)?;
        let scores = self.score(&places, &analysis);
        let extracted = assemble(html, &analysis, &scores, &self.known);
        let segments = explain(&self.extractor, html, &analysis, &scores)?;
        Ok(Explanation {
            extracted,
            segments,
        })
    }

    /// Returns the site's names in its titles.
    pub fn site_names(&self) -> &[String] {
        &self.known.names
    }

    /// Scores each segment with the help of the template.
    fn score(&self, places: &Places, analysis: &Analysis) -> Scores<'static> {
        let positions = self.positions(&analysis.layout, places);
        let mut verdicts: Vec<Verdict> = places
            .segments
            .iter()
            .zip(&positions)
            .zip(&analysis.probabilities)
            .map(|((placed, position), alone)| {
                let decided = self.decide(placed, *position);
                decided.unwrap_or_else(|| self.weigh(placed, *position, *alone))
            })
            .collect();
        self.leave_out_idle_labels(places, &positions, &mut verdicts);
        let probabilities = verdicts.iter().map(|verdict| match verdict {
            Verdict::Likely(probability) => *probability,
            Verdict::Decided { keep, .. } => f32::from(u8::from(*keep)),
        });
        let decided = verdicts
            .iter()
            .enumerate()
            .filter_map(|(segment, verdict)| match verdict {
                Verdict::Likely(_) => None,
                Verdict::Decided { keep, why } => Some(Decided::by_template(segment, *keep, *why)),
            });
        Scores {
            probabilities: probabilities.collect(),
            beforehand: decided.collect(),
            recall: Recall::EVEN,
            context: Context::InSite,
        }
    }

    /// Leaves out labels of the template within containers, such as `Share this`, if no kept text follows.
    fn leave_out_idle_labels(
        &self,
        places: &Places,
        positions: &[Position],
        verdicts: &mut [Verdict],
    ) {
        let mut follows_kept = false;
        let segments = places.segments.iter().zip(positions).zip(verdicts).rev();
        for ((placed, position), verdict) in segments {
            let is_idle = *position == Position::Inside
                && !follows_kept
                && placed.is_label
                && self.repeated.has(placed);
            if is_idle {
                *verdict = Verdict::LEFT_OUT_AS_REPEATED;
            }
            follows_kept = matches!(verdict, Verdict::Decided { keep: true, .. });
        }
    }

    /// Returns the position of each segment relative to the containers.
    fn positions(&self, layout: &Layout, places: &Places) -> Vec<Position> {
        let boxes = self.containers.positions(layout, &places.boxes);
        let of = |segment: &Segment| boxes.get(segment.parent).copied();
        let positions = layout.segments.iter().map(of);
        positions
            .map(|found| found.unwrap_or(Position::Outside))
            .collect()
    }

    /// Returns the template's verdict about a segment, or `None` if the segment's own probability counts.
    fn decide(&self, placed: &Placed, position: Position) -> Option<Verdict> {
        let stats = self.stats(&placed.place);
        let is_repeated = self.repeated.has(placed) && !placed.is_label;
        match position {
            Position::LeftOut => return Some(Verdict::LEFT_OUT_AS_OTHER_PART),
            Position::InsideDocumentation => return Some(Verdict::KEPT),
            Position::Inside => {
                let is_hardly_content = |stats: &PlaceStats| stats.likely() < PLACE_OF_CONTENT;
                let is_templates = is_repeated
                    && (self.repeated.is_widespread(placed)
                        || stats.is_some_and(is_hardly_content));
                return Some(if is_templates {
                    Verdict::LEFT_OUT_AS_REPEATED
                } else {
                    Verdict::KEPT
                });
            }
            Position::Outside | Position::Beside => {}
        }
        if is_repeated {
            return Some(self.without_template(placed, position, 0.0));
        }
        let verdict = stats.and_then(PlaceStats::fixed_probability)?;
        Some(self.without_template(placed, position, verdict))
    }

    /// Combines the page's own probability of a segment with the site's probability for its place.
    fn weigh(&self, placed: &Placed, position: Position, alone: f32) -> Verdict {
        let pooled = self.stats(&placed.place).map_or(alone, |stats| {
            let weight = SITE_WEIGHT * (stats.pages as f32 / PAGES_FOR_FULL_WEIGHT).min(1.0);
            (alone + weight * stats.likely()) / (1.0 + weight)
        });
        self.without_template(placed, position, pooled)
    }

    /// Leaves out unlikely segments beside a container with all content, and unlikely segments that repeat on other
    /// pages. `Ingredients` repeats on every recipe and belongs to each, as labels of fields do.
    fn without_template(&self, placed: &Placed, position: Position, likely: f32) -> Verdict {
        if likely < 0.5 && position == Position::Beside {
            Verdict::LEFT_OUT_BESIDE
        } else if likely < 0.5 && self.repeated.has(placed) {
            Verdict::Likely(0.0)
        } else {
            Verdict::Likely(likely)
        }
    }

    /// Returns the statistics of the exact place, or else of the wider one.
    fn stats(&self, place: &Place) -> Option<&PlaceStats> {
        [place.exact, place.wide]
            .iter()
            .find_map(|key| self.stats.get(key))
    }
}
