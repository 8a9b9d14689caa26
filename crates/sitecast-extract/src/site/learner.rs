use foldhash::HashMap;
use sitecast_scp::HttpUrl;

use super::box_tallies::BoxTallies;
use super::names::TitleParts;
use super::place::{Places, place_weight};
use super::{PlaceStats, RepeatedTexts, SiteTemplate};
use crate::dom::Dom;
use crate::generator::is_made_by_documentation_generator;
use crate::layout::Layout;
use crate::metadata::{LanguageCounts, LanguageFolder, page_language};
use crate::page::KnownSite;
use crate::{Analyzed, ExtractError, Extractor, Html, ParsedPage};

/// A text counts as repeated if it stands in the same place on this many pages, …
const PAGES_TO_REPEAT: u32 = 3;
/// … and on this share of the pages with that place, in thousandths.
const SHARE_TO_REPEAT: u64 = 800;

/// A repeated text certainly belongs to the template if this share of all pages have it, in thousandths.
const SHARE_TO_BE_WIDESPREAD: u64 = 500;

/// Learns a [`SiteTemplate`].
///
/// A few hundred pages suffice for a site of any size; take them from all parts of it. Memory grows with the number of
/// distinct texts in these pages.
#[derive(Debug, Clone)]
pub struct SiteLearner<'a> {
    extractor: Extractor<'a>,
    pages: u32,
    texts: HashMap<u64, Text>,
    places: HashMap<u64, Tally>,
    boxes: BoxTallies,
    titles: TitleParts,
    languages: LanguageCounts,
}

/// A text in a place.
#[derive(Debug, Clone, Copy)]
struct Text {
    pages: Pages,
    /// The wide place of the text.
    wide: u64,
}

impl Text {
    fn of(wide: u64) -> Self {
        let pages = Pages::default();
        Self { pages, wide }
    }
}

/// A number of distinct pages.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Pages {
    pub(super) count: u32,
    /// Number of the last page, from 1, so that a page counts once.
    last: u32,
}

impl Pages {
    pub(super) fn add(&mut self, page: u32) {
        self.count += u32::from(self.last != page);
        self.last = page;
    }
}

/// Counts for one place, in whole numbers: sums of fractions would depend on the order of pages.
#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    pages: Pages,
    weight: u64,
    /// Sum of thousandths of probability times weight.
    content: u64,
    /// Sum of the squared probability, in millionths, times weight.
    square: u64,
}

impl Tally {
    fn add(&mut self, probability: f32, weight: u64) {
        let thousandths = (f64::from(probability) * 1000.0) as u64;
        self.weight += weight;
        self.content += thousandths * weight;
        self.square += thousandths * thousandths * weight;
    }

    fn stats(&self) -> PlaceStats {
        let weight = self.weight.max(1);
        let mean = self.content / weight;
        PlaceStats {
            pages: self.pages.count,
            content: u32::try_from(mean).unwrap_or(1000),
            spread: u32::try_from((self.square / weight).saturating_sub(mean * mean).isqrt())
                .unwrap_or(1000),
        }
    }
}

impl<'a> SiteLearner<'a> {
    /// Makes a learner without pages.
    pub fn new(extractor: Extractor<'a>) -> Self {
        Self {
            extractor,
            pages: 0,
            texts: HashMap::default(),
            places: HashMap::default(),
            boxes: BoxTallies::default(),
            titles: TitleParts::default(),
            languages: LanguageCounts::default(),
        }
    }

    /// Learns from one more page.
    pub fn add(&mut self, html: &Html<'_>) -> Result<(), ExtractError> {
        let analyzed = self.extractor.analyze(html)?;
        self.add_analyzed(&analyzed);
        Ok(())
    }

    /// Learns from a page that was analyzed already.
    pub fn add_analyzed(&mut self, analyzed: &Analyzed) {
        let analysis = &analyzed.analysis;
        self.count_texts(&analyzed.places, &analysis.layout, &analysis.dom);
        self.count_language(&analyzed.url, &analysis.layout, &analysis.dom);
        self.learn(analyzed);
    }

    /// Counts the texts of a page and their places. After all pages have been counted, [`repeated`](Self::repeated)
    /// returns the texts that need no analysis; then [learn](Self::learn) from each page.
    pub fn count(&mut self, page: &ParsedPage) {
        self.count_texts(&page.places, page.layout(), page.dom());
        self.count_language(&page.url, page.layout(), page.dom());
    }

    fn count_language(&mut self, url: &HttpUrl, layout: &Layout, dom: &Dom) {
        if let Some(shown) = page_language(dom, layout, url) {
            self.languages.add(LanguageFolder::of(url), shown);
        }
    }

    fn count_texts(&mut self, places: &Places, layout: &Layout, dom: &Dom) {
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
            .count(page, layout, &places.boxes, is_documentation);
        self.titles.add(dom);
    }

    /// Learns the probability of content in each place, from a page that was counted.
    pub fn learn(&mut self, analyzed: &Analyzed) {
        let Analyzed {
            analysis, places, ..
        } = analyzed;
        let scored = places.segments.iter().zip(&analysis.probabilities);
        for (placed, probability) in scored.filter(|(_, probability)| !probability.is_nan()) {
            let weight = place_weight(placed.weight);
            for key in [placed.place.exact, placed.place.wide] {
                let tally = self.places.entry(key).or_default();
                tally.add(*probability, weight);
            }
        }
        self.boxes.learn(analysis, places);
    }

    /// Returns the texts that stand in the same place on many of the counted pages.
    pub fn repeated(&self) -> RepeatedTexts {
        Self::repeated_among(std::slice::from_ref(self))
    }

    /// Returns the texts that stand in the same place on many pages, over several learners with different pages.
    ///
    /// Most texts are on one page only, so this needs no merged learner.
    pub fn repeated_among(learners: &[Self]) -> RepeatedTexts {
        // At least one learner has this share of the pages.
        let share_of_one =
            PAGES_TO_REPEAT.div_ceil(u32::try_from(learners.len()).unwrap_or(1).max(1));
        let all: u32 = learners.iter().map(|learner| learner.pages).sum();
        let mut found = RepeatedTexts::default();
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

    /// Adds the counts of another learner, for learning on several threads. Its texts are dropped: pass the result of
    /// [`repeated_among`](Self::repeated_among) to [`finish_with`](Self::finish_with).
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

    /// Returns the number of pages so far.
    pub fn pages(&self) -> u32 {
        self.pages
    }

    /// Returns the template.
    pub fn finish(self) -> SiteTemplate<'a> {
        let repeated = self.repeated();
        self.finish_with(repeated)
    }

    /// Returns the template, with texts that are known to repeat.
    pub fn finish_with(self, repeated: RepeatedTexts) -> SiteTemplate<'a> {
        let stats = self
            .places
            .iter()
            .filter(|(_, tally)| tally.pages.count > 1 && tally.weight > 0)
            .map(|(key, tally)| (*key, tally.stats()))
            .collect();
        SiteTemplate {
            extractor: self.extractor,
            repeated,
            stats,
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
    fn counts_each_page_once() {
        let mut pages = Pages::default();
        for page in [1, 1, 2, 4, 4, 4] {
            pages.add(page);
        }
        assert_eq!(pages.count, 3);
    }

    #[test]
    fn computes_the_spread_of_probabilities() {
        let mut tally = Tally::default();
        for probability in [0.2, 0.2, 0.8, 0.8] {
            tally.add(probability, 7);
        }
        let stats = tally.stats();
        assert_eq!((stats.content, stats.spread), (500, 300));
        let mut tally = Tally::default();
        tally.add(0.25, 7);
        assert_eq!(tally.stats().spread, 0);
    }
}
