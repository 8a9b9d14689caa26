//! Scores of title, author and date against those that people marked.

use crate::corpus::MarkedPage;
use crate::words::normal;

/// The metadata of a page by one extractor.
#[derive(Debug, Default, Clone)]
pub struct Stated {
    pub title: Option<String>,
    pub author: Option<String>,
    /// `2025-01-15…`
    pub date: Option<String>,
    /// The date of the last change, if the page states it.
    pub modified: Option<String>,
}

#[derive(Debug, Default, Clone, Copy)]
struct Field {
    given: usize,
    exact: usize,
    normalized: usize,
    contained: usize,
    absent: usize,
    invented: usize,
}

impl Field {
    fn add(&mut self, found: Option<&str>, wanted: Option<&str>) {
        let found = found.map(str::trim).filter(|text| !text.is_empty());
        let Some(wanted) = wanted.map(str::trim).filter(|text| !text.is_empty()) else {
            self.absent += 1;
            self.invented += usize::from(found.is_some());
            return;
        };
        self.given += 1;
        let Some(found) = found else {
            return;
        };
        self.exact += usize::from(found == wanted);
        let (found, wanted) = (normal(found), normal(wanted));
        self.normalized += usize::from(found == wanted);
        let inside =
            |a: &str, b: &str| !b.is_empty() && format!(" {a} ").contains(&format!(" {b} "));
        self.contained += usize::from(inside(&found, &wanted) || inside(&wanted, &found));
    }
}

#[derive(Debug, Default)]
pub struct Metadata {
    title: Field,
    author: Field,
    date: Field,
    /// The publication date or, without one, the date of the last change, as people mark it.
    shown: Field,
}

impl Metadata {
    pub fn add(&mut self, page: &MarkedPage, stated: &Stated) {
        self.title
            .add(stated.title.as_deref(), page.truth.title.as_deref());
        self.author
            .add(stated.author.as_deref(), page.truth.author.as_deref());
        let day = |date: Option<&str>| date.map(|date| date.chars().take(10).collect::<String>());
        let truth = day(page.truth.publish_date.as_deref());
        let date = day(stated.date.as_deref());
        self.date.add(date.as_deref(), truth.as_deref());
        let shown = date.or(day(stated.modified.as_deref()));
        self.shown.add(shown.as_deref(), truth.as_deref());
    }

    pub fn print(columns: &[(String, &Self)]) {
        for (name, field) in [
            ("title", (|m: &Self| m.title) as fn(&Self) -> Field),
            ("author", |m| m.author),
            ("date", |m| m.date),
            ("shown date", |m| m.shown),
        ] {
            let given = columns.first().map_or(0, |(_, m)| field(m).given);
            let absent = columns.first().map_or(0, |(_, m)| field(m).absent);
            let percent =
                |hits: usize, of: usize| format!("{:.1}", 100.0 * hits as f64 / of.max(1) as f64);

            crate::content::print_row(&format!("{name} as is, % of {given}"), columns, |m| {
                percent(field(m).exact, field(m).given)
            });
            crate::content::print_row("  normalised", columns, |m| {
                percent(field(m).normalized, field(m).given)
            });
            crate::content::print_row("  one contains the other", columns, |m| {
                percent(field(m).contained, field(m).given)
            });
            if absent > 0 {
                crate::content::print_row(&format!("  invented, % of {absent}"), columns, |m| {
                    percent(field(m).invented, field(m).absent)
                });
            }
        }
    }
}
