//! An explanation for people.

use std::cmp::Reverse;
use std::io::Write;

use sitecast_extract::ExplainedSegment;
use sitecast_publish::TemplateOrigin;

use super::columns::{columns, end, start};
use super::groups::{Group, groups};
use super::{Words, shares};
use crate::commands::extract::site::SiteContext;
use crate::commands::extract::{Looked, forbidding};
use crate::failure::Failure;
use crate::output::human::{count, counted};
use crate::output::plain::Plain;
use crate::output::{Output, Tone, Verbosity};

/// The columns of a line.
const COLUMNS: usize = 100;
/// The columns of a probability and the spaces around it.
const PROBABILITY: usize = 11;
/// The columns of a place within the place of its group.
const PLACE: usize = 20;
/// The columns of a text that stands in one line with its neighbours.
const SHORT: usize = 32;
/// What stands between such texts.
const BETWEEN: &str = " | ";
/// What stands between a place and a text.
const GAP: &str = "  ";

pub(super) fn write(name: &str, page: &Looked, output: &mut Output) -> Result<(), Failure> {
    head(name, page, output)?;
    let title = &page.extracted.page.title;
    for group in groups(&page.segments) {
        write_group(&group, title, output)?;
    }
    summary(page, output)
}

fn head(name: &str, page: &Looked, output: &mut Output) -> Result<(), Failure> {
    let url = page.url.as_ref().map_or(name, |url| url.as_str());
    let url = output.paint(Tone::Strong, &Plain::line(url).to_string());
    let title = Plain::line(&page.extracted.page.title);
    writeln!(output.out(), "{url}")?;
    writeln!(output.out(), "  title: {title}")?;
    match &page.site {
        Some(site) => writeln!(output.out(), "  {}", template(site))?,
        None => writeln!(
            output.out(),
            "  judged alone; --site FOLDER judges it as `publish` does, with the template of its site"
        )?,
    }
    Ok(())
}

fn template(site: &SiteContext) -> String {
    let folder = Plain::line(&site.folder);
    match site.template {
        TemplateOrigin::Learnt => format!(
            "template: learnt from {} of the {} in `{folder}`",
            count(site.sampled as u64),
            counted(site.files as u64, "HTML file"),
        ),
        TemplateOrigin::LastPublication => {
            "template: that of the last publication; `sitecast publish --full` learns it anew"
                .to_owned()
        }
    }
}

fn write_group(group: &Group<'_>, title: &str, output: &mut Output) -> Result<(), Failure> {
    let verdict = match group.kept {
        true => output.paint(Tone::Good, "kept"),
        false => output.paint(Tone::Warning, "left out"),
    };
    let reason = group.reason.to_string();
    let place = group.place();
    let place = output.paint(Tone::Faint, &Plain::line(&place).to_string());
    writeln!(output.out())?;
    writeln!(
        output.out(),
        "{verdict} · {} · {place}",
        Plain::line(&reason)
    )?;
    let rows = rows(group, title, output.verbosity == Verbosity::Verbose);
    let widest = rows.iter().map(|row| columns(&row.place)).max();
    let widest = widest.unwrap_or(0);
    for row in rows {
        let probability = row.probability();
        let fill = " ".repeat(widest - columns(&row.place));
        let gap = if widest > 0 { GAP } else { "" };
        let place = output.paint(Tone::Faint, &row.place);
        writeln!(
            output.out(),
            "  {probability:>7}  {place}{fill}{gap}{}",
            row.text
        )?;
    }
    Ok(())
}

/// The lines of a group: each text on its own and whole, or starts of texts, with short neighbours together.
fn rows(group: &Group<'_>, title: &str, is_whole: bool) -> Vec<Row> {
    let each = group.segments.iter().map(|segment| Row {
        text: shown(segment, title),
        place: Plain::line(&group.place_within(segment)).to_string(),
        lowest: segment.probability,
        highest: segment.probability,
    });
    if is_whole {
        return each.collect();
    }
    let mut rows: Vec<Row> = Vec::new();
    let mut has_short = false;
    for row in each {
        let is_short = columns(&row.text) <= SHORT;
        let joins = |last: &Row| {
            // The places of what is kept show how the content is built.
            let is_alike = !group.kept || last.place == row.place;
            has_short && is_short && is_alike && last.has_room_for(&row)
        };
        match rows.last_mut() {
            Some(last) if joins(last) => last.add(row),
            _ => rows.push(row),
        }
        has_short = is_short;
    }
    for row in &mut rows {
        row.place = end(&row.place, PLACE);
    }
    let widest = rows.iter().map(|row| columns(&row.place)).max();
    let room = COLUMNS - PROBABILITY - widest.map_or(0, |widest| widest + GAP.len());
    for row in &mut rows {
        row.text = start(&row.text, room);
    }
    rows
}

/// A text, with a remark if it is the title, which is not part of the content even if it is kept.
fn shown(segment: &ExplainedSegment, title: &str) -> String {
    let remark = if segment.text == title {
        " (the title)"
    } else {
        ""
    };
    format!("{}{remark}", Plain::line(&segment.text))
}

/// A line: a text, or several short ones.
struct Row {
    text: String,
    /// Within the place of the group; empty for texts of several places.
    place: String,
    lowest: Option<f32>,
    highest: Option<f32>,
}

impl Row {
    fn has_room_for(&self, other: &Self) -> bool {
        let together = columns(&self.text) + BETWEEN.len() + columns(&other.text);
        together <= COLUMNS - PROBABILITY - PLACE - GAP.len()
    }

    fn add(&mut self, other: Self) {
        self.text.push_str(BETWEEN);
        self.text.push_str(&other.text);
        if self.place != other.place {
            self.place.clear();
        }
        self.lowest = self.lowest.into_iter().chain(other.lowest).reduce(f32::min);
        self.highest = self
            .highest
            .into_iter()
            .chain(other.highest)
            .reduce(f32::max);
    }

    /// The probability, or the highest of several.
    fn probability(&self) -> String {
        let shown = |probability: f32| format!("{probability:.2}");
        match (self.lowest.map(shown), self.highest.map(shown)) {
            (Some(lowest), Some(highest)) if lowest == highest => highest,
            (_, Some(highest)) => format!("≤ {highest}"),
            _ => String::new(),
        }
    }
}

fn summary(page: &Looked, output: &mut Output) -> Result<(), Failure> {
    let words = Words::of(&page.segments);
    let all = counted(words.all, "word");
    let mut left_out = shares(&page.segments);
    left_out.retain(|(share, _)| !share.kept);
    left_out.sort_by_key(|(share, _)| Reverse(share.words));
    writeln!(output.out())?;
    if words.all == 0 {
        writeln!(output.out(), "the page has no text")?;
    } else if left_out.is_empty() {
        writeln!(output.out(), "all of {all} kept")?;
    } else {
        let kept = count(words.kept);
        writeln!(output.out(), "{kept} of {all} kept; left out:")?;
    }
    for (share, reason) in left_out {
        let number = count(share.words);
        let reason = reason.to_string();
        writeln!(output.out(), "  {number:>7}  {}", Plain::line(&reason))?;
    }
    if words.kept == 0 && !page.extracted.page.content.is_empty() {
        writeln!(output.out(), "the content is the description of the page")?;
    }
    let by_publish = page.left_out.as_ref().map(|reason| reason.to_string());
    if let Some(reason) = by_publish {
        let says = output.paint(Tone::Warning, "`publish` leaves the page out:");
        writeln!(output.out(), "{says} {}", Plain::line(&reason))?;
    } else if let Some(directive) = forbidding(page) {
        let says = output.paint(Tone::Warning, "the page is not for collections:");
        writeln!(output.out(), "{says} it says `{}`", Plain::line(directive))?;
    }
    Ok(())
}
