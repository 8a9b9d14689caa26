//! What readers see of a page's title and dates, looked for once somebody asks.

use std::cell::OnceCell;

use super::Survey;
use super::pieces::Place;
use super::title::title_heading;
use super::visible_dates::{Candidate, visible_dates};

#[derive(Debug)]
pub(super) struct Sight<'s, 'd> {
    survey: &'s Survey<'d>,
    title: &'s str,
    place: OnceCell<Option<Place>>,
    dates: OnceCell<Vec<Candidate<'d>>>,
}

impl<'s, 'd> Sight<'s, 'd> {
    pub(super) fn new(survey: &'s Survey<'d>, title: &'s str) -> Self {
        Self {
            survey,
            title,
            place: OnceCell::new(),
            dates: OnceCell::new(),
        }
    }

    /// Where the title is shown.
    pub(super) fn place(&self) -> Option<Place> {
        *self.place.get_or_init(|| {
            let heading = title_heading(self.survey, self.title)?;
            self.survey
                .pieces()
                .place_of(self.survey.source.dom, heading)
        })
    }

    /// All dates.
    pub(super) fn dates(&self) -> &[Candidate<'d>] {
        self.dates
            .get_or_init(|| visible_dates(self.survey, self.place()))
    }
}
