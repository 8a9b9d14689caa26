//! The visible title and dates of a page, found on first use.

use std::cell::OnceCell;

use super::Survey;
use super::text_nodes::TextRange;
use super::title::title_heading;
use super::visible_dates::{Candidate, visible_dates};

/// The position of the visible title, and the visible dates.
#[derive(Debug)]
pub(super) struct VisibleData<'s, 'd> {
    survey: &'s Survey<'d>,
    title: &'s str,
    title_range: OnceCell<Option<TextRange>>,
    dates: OnceCell<Vec<Candidate<'d>>>,
}

impl<'s, 'd> VisibleData<'s, 'd> {
    pub(super) fn new(survey: &'s Survey<'d>, title: &'s str) -> Self {
        Self {
            survey,
            title,
            title_range: OnceCell::new(),
            dates: OnceCell::new(),
        }
    }

    /// Returns the range of the heading with the title in the text of the body.
    pub(super) fn title_range(&self) -> Option<TextRange> {
        *self.title_range.get_or_init(|| {
            let heading = title_heading(self.survey, self.title)?;
            self.survey
                .text_nodes()
                .range_of(self.survey.source.dom, heading)
        })
    }

    /// Returns all visible dates.
    pub(super) fn dates(&self) -> &[Candidate<'d>] {
        self.dates
            .get_or_init(|| visible_dates(self.survey, self.title_range()))
    }
}
