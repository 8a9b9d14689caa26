//! What the pages of a site have in common.
//!
//! One page shows what looks like content. Many show what *is*: a menu says the same on all of
//! them, an article does not; and where the template puts articles on a hundred pages, it puts
//! one on the page that has too little text to tell. So a template knows four things, each a
//! count, which is why the order of pages does not matter: the texts that stand in the same place
//! on many pages, how likely what stands in each place is content over all pages, what the
//! site calls itself in its titles, and which languages its pages are in.

mod boxes;
mod containers;
mod learner;
mod names;
mod place;
mod repeated;
mod stored;

use foldhash::HashMap;

pub use learner::SiteLearner;
pub(crate) use place::Places;
pub(crate) use repeated::OpenPieces;
pub use repeated::Repeated;

use crate::analysis::Analysis;
use crate::content::Recall;
use crate::decided::{Context, Decided, Judged, Templates};
use crate::explain::explain;
use crate::layout::{Layout, Segment};
use crate::page::{KnownSite, assemble};
use crate::{Analyzed, Explanation, ExtractError, Extracted, Extractor, Html};
use containers::{Containers, Standing};
use place::{Place, Placed};

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

/// What a template says of a segment.
#[derive(Debug, Clone, Copy)]
enum Verdict {
    /// It is content as likely as this.
    Likely(f32),
    /// It is content, or none.
    Decided { keep: bool, why: Templates },
}

impl Verdict {
    const KEPT: Self = Self::Decided {
        keep: true,
        why: Templates::InContainer,
    };
    const LEFT_OUT_AS_OTHER_PART: Self = Self::left_out(Templates::OtherPart);
    const LEFT_OUT_AS_REPEATED: Self = Self::left_out(Templates::Repeated);
    const LEFT_OUT_BESIDE: Self = Self::left_out(Templates::BesideContainer);

    const fn left_out(why: Templates) -> Self {
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
    repeated: Repeated,
    opinions: HashMap<u64, Opinion>,
    containers: Containers,
    known: KnownSite,
}

impl SiteTemplate<'_> {
    /// Turns HTML of this site into a page.
    pub fn extract_page(&self, html: &Html<'_>) -> Result<Extracted, ExtractError> {
        let page = self.extractor.parse(html)?;
        let standings = self.standings(page.layout(), &page.places);
        let is_decided = |at: usize, placed: &Placed| {
            let standing = standings.get(at).copied().unwrap_or(Standing::Outside);
            self.decide(placed, standing).is_some()
        };
        let open = OpenPieces::of(&page.places, is_decided);
        let analyzed = page.judged(self.extractor.model, &open);
        Ok(self.extract_analyzed(html, &analyzed))
    }

    /// The same for a page that was analysed already, with the same limits and model.
    pub fn extract_analyzed(&self, html: &Html<'_>, analyzed: &Analyzed) -> Extracted {
        let Analyzed {
            analysis, places, ..
        } = analyzed;
        let judged = self.judge(places, analysis);
        assemble(html, analysis, &judged, &self.known)
    }

    /// Turns HTML of this site into a page, and says of each piece of its text why it is content or none.
    pub fn explain_page(&self, html: &Html<'_>) -> Result<Explanation, ExtractError> {
        let Analyzed {
            analysis, places, ..
        } = self.extractor.analyze(html)?;
        let judged = self.judge(&places, &analysis);
        let extracted = assemble(html, &analysis, &judged, &self.known);
        let segments = explain(&self.extractor, html, &analysis, &judged)?;
        Ok(Explanation {
            extracted,
            segments,
        })
    }

    /// What the site calls itself in its titles.
    pub fn site_names(&self) -> &[String] {
        &self.known.names
    }

    /// How likely each segment is content, the site considered.
    fn judge(&self, places: &Places, analysis: &Analysis) -> Judged<'static> {
        let standings = self.standings(&analysis.layout, places);
        let mut verdicts: Vec<Verdict> = places
            .segments
            .iter()
            .zip(&standings)
            .zip(&analysis.probabilities)
            .map(|((placed, standing), alone)| {
                let decided = self.decide(placed, *standing);
                decided.unwrap_or_else(|| self.weigh(placed, *standing, *alone))
            })
            .collect();
        self.leave_out_idle_labels(places, &standings, &mut verdicts);
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
        Judged {
            probabilities: probabilities.collect(),
            beforehand: decided.collect(),
            recall: Recall::EVEN,
            context: Context::InSite,
        }
    }

    /// Leaves out labels of the template within containers, such as `Share this`, where nothing follows that is kept.
    fn leave_out_idle_labels(
        &self,
        places: &Places,
        standings: &[Standing],
        verdicts: &mut [Verdict],
    ) {
        let mut follows_kept = false;
        let segments = places.segments.iter().zip(standings).zip(verdicts).rev();
        for ((placed, standing), verdict) in segments {
            let is_idle = *standing == Standing::Inside
                && !follows_kept
                && placed.is_label
                && self.repeated.has(placed);
            if is_idle {
                *verdict = Verdict::LEFT_OUT_AS_REPEATED;
            }
            follows_kept = matches!(verdict, Verdict::Decided { keep: true, .. });
        }
    }

    /// How each segment of a page stands to the containers.
    fn standings(&self, layout: &Layout, places: &Places) -> Vec<Standing> {
        let boxes = self.containers.standings(layout, &places.boxes);
        let of = |segment: &Segment| boxes.get(segment.parent).copied();
        let standings = layout.segments.iter().map(of);
        standings
            .map(|found| found.unwrap_or(Standing::Outside))
            .collect()
    }

    /// What the site says of a segment, whatever it looks like; `None` if it leaves that to its looks.
    fn decide(&self, placed: &Placed, standing: Standing) -> Option<Verdict> {
        let opinion = self.opinion(&placed.place);
        let is_repeated = self.repeated.has(placed) && !placed.is_label;
        match standing {
            Standing::LeftOut => return Some(Verdict::LEFT_OUT_AS_OTHER_PART),
            Standing::InsideDocumentation => return Some(Verdict::KEPT),
            Standing::Inside => {
                let is_hardly_content = |opinion: &Opinion| opinion.likely() < PLACE_OF_CONTENT;
                let is_templates = is_repeated
                    && (self.repeated.is_widespread(placed)
                        || opinion.is_some_and(is_hardly_content));
                return Some(if is_templates {
                    Verdict::LEFT_OUT_AS_REPEATED
                } else {
                    Verdict::KEPT
                });
            }
            Standing::Outside | Standing::Beside => {}
        }
        if is_repeated {
            return Some(self.without_template(placed, standing, 0.0));
        }
        let verdict = opinion.and_then(Opinion::verdict)?;
        Some(self.without_template(placed, standing, verdict))
    }

    /// How likely a segment is content by what it looks like and by what the site thinks of its place.
    fn weigh(&self, placed: &Placed, standing: Standing, alone: f32) -> Verdict {
        let pooled = self.opinion(&placed.place).map_or(alone, |opinion| {
            let weight = SITE_WEIGHT * (opinion.pages as f32 / PAGES_FOR_OPINION).min(1.0);
            (alone + weight * opinion.likely()) / (1.0 + weight)
        });
        self.without_template(placed, standing, pooled)
    }

    /// Leaves out what is unlikely content beside a container that holds all of it, or on other pages as well.
    /// `Ingredients` stands on every recipe and belongs to each; so do labels of fields.
    fn without_template(&self, placed: &Placed, standing: Standing, likely: f32) -> Verdict {
        if likely < 0.5 && standing == Standing::Beside {
            Verdict::LEFT_OUT_BESIDE
        } else if likely < 0.5 && self.repeated.has(placed) {
            Verdict::Likely(0.0)
        } else {
            Verdict::Likely(likely)
        }
    }

    /// What is known of the exact place, else of the wider one.
    fn opinion(&self, place: &Place) -> Option<&Opinion> {
        [place.exact, place.wide]
            .iter()
            .find_map(|key| self.opinions.get(key))
    }
}
