use foldhash::HashMap;
use sitecast_scp::HttpUrl;

use super::boxes::Boxes;
use super::names::TitleParts;
use super::place::{Places, place_weight};
use super::{Opinion, Repeated, SiteTemplate};
use crate::dom::Dom;
use crate::generator::is_made_by_documentation_generator;
use crate::layout::Layout;
use crate::metadata::{LanguageCounts, LanguageFolder, language_shown};
use crate::page::KnownSite;
use crate::{Analyzed, ExtractError, Extractor, Html, ParsedPage};

/// A text repeats where it stands in the same place on this many pages, …
const PAGES_TO_REPEAT: u32 = 3;
/// … and on this share of the pages that have the place, in thousandths.
const SHARE_TO_REPEAT: u64 = 800;

/// A text that repeats is the template's beyond doubt where this share of all pages have it, in thousandths.
const SHARE_TO_BE_WIDESPREAD: u64 = 500;

/// Learns a [`SiteTemplate`].
///
/// A few hundred pages are enough for a site of any size; take them from all its parts. Memory
/// grows with the number of different texts in the pages that were added.
#[derive(Debug, Clone)]
pub struct SiteLearner<'a> {
    extractor: Extractor<'a>,
    pages: u32,
    texts: HashMap<u64, Text>,
    places: HashMap<u64, Tally>,
    boxes: Boxes,
    titles: TitleParts,
    languages: LanguageCounts,
}

/// A text in a place.
#[derive(Debug, Clone, Copy)]
struct Text {
    pages: Pages,
    /// The wide place it is in.
    wide: u64,
}

impl Text {
    fn of(wide: u64) -> Self {
        let pages = Pages::default();
        Self { pages, wide }
    }
}

/// How many pages have something.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Pages {
    pub(super) count: u32,
    /// The number of the page that was the last of them, counted from 1. A page has many things more than once.
    last: u32,
}

impl Pages {
    pub(super) fn add(&mut self, page: u32) {
        self.count += u32::from(self.last != page);
        self.last = page;
    }
}

/// What was seen in a place. Whole numbers: sums of fractions would depend on the order.
#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    pages: Pages,
    weight: u64,
    /// Thousandths of probability times weight.
    content: u64,
    /// The same with the square of the probability, in millionths.
    square: u64,
}

impl Tally {
    fn add(&mut self, probability: f32, weight: u64) {
        let thousandths = (f64::from(probability) * 1000.0) as u64;
        self.weight += weight;
        self.content += thousandths * weight;
        self.square += thousandths * thousandths * weight;
    }

    fn opinion(&self) -> Opinion {
        let weight = self.weight.max(1);
        let mean = self.content / weight;
        Opinion {
            pages: self.pages.count,
            content: u32::try_from(mean).unwrap_or(1000),
            spread: u32::try_from((self.square / weight).saturating_sub(mean * mean).isqrt())
                .unwrap_or(1000),
        }
    }
}

impl<'a> SiteLearner<'a> {
    /// Has seen nothing yet.
    pub fn new(extractor: Extractor<'a>) -> Self {
        Self {
            extractor,
            pages: 0,
            texts: HashMap::default(),
            places: HashMap::default(),
            boxes: Boxes::default(),
            titles: TitleParts::default(),
            languages: LanguageCounts::default(),
        }
    }

    /// Looks at one more page.
    pub fn add(&mut self, html: &Html<'_>) -> Result<(), ExtractError> {
        let analyzed = self.extractor.analyze(html)?;
        self.add_analyzed(&analyzed);
        Ok(())
    }

    /// Looks at a page that was analysed already.
    pub fn add_analyzed(&mut self, analyzed: &Analyzed) {
        let analysis = &analyzed.analysis;
        self.see_places(&analyzed.places, &analysis.layout, &analysis.dom);
        self.see_language(&analyzed.url, &analysis.layout, &analysis.dom);
        self.learn(analyzed);
    }

    /// Sees which texts a page has, and where. When all pages were seen, [`repeated`](Self::repeated) says which of them
    /// need not be looked at; then each page is to be [learnt from](Self::learn).
    pub fn see(&mut self, page: &ParsedPage) {
        self.see_places(&page.places, page.layout(), page.dom());
        self.see_language(&page.url, page.layout(), page.dom());
    }

    fn see_language(&mut self, url: &HttpUrl, layout: &Layout, dom: &Dom) {
        if let Some(shown) = language_shown(dom, layout, url) {
            self.languages.add(LanguageFolder::of(url), shown);
        }
    }

    fn see_places(&mut self, places: &Places, layout: &Layout, dom: &Dom) {
        self.pages += 1;
        let page = self.pages;
        for placed in &places.segments {
            let text = self.texts.entry(placed.text_in_place);
            let text = text.or_insert(Text::of(placed.place.wide));
            text.pages.add(page);
            for key in [placed.place.exact, placed.place.wide] {
                self.places.entry(key).or_default().pages.add(page);
            }
        }
        let is_documentation = is_made_by_documentation_generator(dom);
        self.boxes
            .see(page, layout, &places.boxes, is_documentation);
        self.titles.add(dom);
    }

    /// Learns how likely what stands in each place is content, from a page that was seen.
    pub fn learn(&mut self, analyzed: &Analyzed) {
        let Analyzed {
            analysis, places, ..
        } = analyzed;
        let judged = places.segments.iter().zip(&analysis.probabilities);
        for (placed, probability) in judged.filter(|(_, probability)| !probability.is_nan()) {
            let weight = place_weight(placed.weight);
            for key in [placed.place.exact, placed.place.wide] {
                let tally = self.places.entry(key).or_default();
                tally.add(*probability, weight);
            }
        }
        self.boxes.learn(analysis, places);
    }

    /// The texts that stand in the same place on many of the pages that were seen.
    pub fn repeated(&self) -> Repeated {
        Self::repeated_among(std::slice::from_ref(self))
    }

    /// The texts that stand in the same place on many of the pages that several learners have seen, each its own.
    ///
    /// Most texts are on one page only, and learners need not be merged to tell that of them.
    pub fn repeated_among(learners: &[Self]) -> Repeated {
        // One of them must have seen at least its share of the pages that it takes.
        let share_of_one =
            PAGES_TO_REPEAT.div_ceil(u32::try_from(learners.len()).unwrap_or(1).max(1));
        let all: u32 = learners.iter().map(|learner| learner.pages).sum();
        let mut found = Repeated::default();
        for learner in learners {
            let often = learner
                .texts
                .iter()
                .filter(|(_, text)| text.pages.count >= share_of_one);
            for (key, text) in often {
                let seen = learners.iter().filter_map(|learner| learner.texts.get(key));
                let pages: u32 = seen.map(|text| text.pages.count).sum();
                let places = learners
                    .iter()
                    .filter_map(|learner| learner.places.get(&text.wide));
                let of: u32 = places.map(|tally| tally.pages.count).sum();
                let share = u64::from(pages) * 1000 / u64::from(of.max(1));
                if pages >= PAGES_TO_REPEAT && share >= SHARE_TO_REPEAT {
                    found.texts.insert(*key);
                    if u64::from(pages) * 1000 >= u64::from(all) * SHARE_TO_BE_WIDESPREAD {
                        found.widespread.insert(*key);
                    }
                }
            }
        }
        found
    }

    /// Adds what another learner has seen and learnt, for learning on several threads; but not the texts that it saw: which of
    /// them [repeat](Self::repeated_among) is known by then, and [said](Self::finish_with).
    pub fn merge_places(&mut self, other: Self) {
        self.pages += other.pages;
        for (key, tally) in other.places {
            let into = self.places.entry(key).or_default();
            into.pages.count += tally.pages.count;
            into.weight += tally.weight;
            into.content += tally.content;
            into.square += tally.square;
        }
        self.boxes.merge(other.boxes);
        self.titles.merge(other.titles);
        self.languages.merge(other.languages);
    }

    /// How many pages it has looked at.
    pub fn pages(&self) -> u32 {
        self.pages
    }

    /// What was learnt.
    pub fn finish(self) -> SiteTemplate<'a> {
        let repeated = self.repeated();
        self.finish_with(repeated)
    }

    /// What was learnt, with texts that are known to repeat.
    pub fn finish_with(self, repeated: Repeated) -> SiteTemplate<'a> {
        let opinions = self
            .places
            .iter()
            .filter(|(_, tally)| tally.pages.count > 1 && tally.weight > 0)
            .map(|(key, tally)| (*key, tally.opinion()))
            .collect();
        SiteTemplate {
            extractor: self.extractor,
            repeated,
            opinions,
            containers: self.boxes.containers(),
            known: KnownSite {
                names: self.titles.site_names(),
                languages: self.languages.languages(),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_counts_once_however_often_it_has_something() {
        let mut pages = Pages::default();
        for page in [1, 1, 2, 4, 4, 4] {
            pages.add(page);
        }
        assert_eq!(pages.count, 3);
    }

    #[test]
    fn places_know_how_much_alike_their_texts_are() {
        let mut tally = Tally::default();
        for probability in [0.2, 0.2, 0.8, 0.8] {
            tally.add(probability, 7);
        }
        let opinion = tally.opinion();
        assert_eq!((opinion.content, opinion.spread), (500, 300));
        let mut tally = Tally::default();
        tally.add(0.25, 7);
        assert_eq!(tally.opinion().spread, 0);
    }
}
