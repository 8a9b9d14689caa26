//! Parsing dates in text for machines and for people.

use sitecast_scp::Timestamp;

use super::date_patterns::{DateOrder, NumberFlags, Tokens};

/// No page is older.
const FIRST_YEAR: i64 = 1990;
/// The last year if the current time is unknown.
const LAST_YEAR: i64 = 2100;

const SECONDS_PER_DAY: i64 = 86_400;

/// A valid calendar day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Day {
    pub(super) year: i64,
    pub(super) month: i64,
    pub(super) day: i64,
}

/// A date with its instant: `day` is as written, so that it may differ from the day of `instant` in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Moment {
    pub(super) day: Day,
    pub(super) instant: Timestamp,
}

impl Moment {
    /// Returns the number of days between two days as written.
    pub(super) fn days_to(self, other: Self) -> i64 {
        let number = |moment: Self| {
            moment.day.at_time("00:00:00Z").map_or(0, |instant| {
                instant.unix_seconds().div_euclid(SECONDS_PER_DAY)
            })
        };
        (number(other) - number(self)).abs()
    }
}

impl Day {
    /// Returns the instant of a time such as `10:00:00+01:00` on this day; `None` if the day or time is invalid.
    fn at_time(self, time: &str) -> Option<Timestamp> {
        let Self { year, month, day } = self;
        format!("{year:04}-{month:02}-{day:02}T{time}").parse().ok()
    }
}

/// A date in a text, with its byte range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FoundDate {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) moment: Moment,
}

/// Parses the dates of one page.
#[derive(Debug, Clone, Copy)]
pub(super) struct DateParser {
    order: DateOrder,
    last_year: i64,
}

impl DateParser {
    /// `now` is the time of the last change of the page, or else the time when it was fetched: years later than the one after
    /// it are refused. A time before 1990 means that `now` is unknown.
    pub(super) fn new(order: DateOrder, now: Timestamp) -> Self {
        let last_year = now
            .to_string()
            .get(..4)
            .and_then(|year| year.parse::<i64>().ok())
            .filter(|year| *year >= FIRST_YEAR)
            .map_or(LAST_YEAR, |year| (year + 1).min(LAST_YEAR));
        Self { order, last_year }
    }

    /// Returns the start of a day in UTC; `None` if it is invalid or not plausible for a page.
    pub(super) fn day(&self, (year, month, day): (i64, i64, i64)) -> Option<Moment> {
        if !(FIRST_YEAR..=self.last_year).contains(&year) {
            return None;
        }
        let day = Day { year, month, day };
        let instant = day.at_time("00:00:00Z")?;
        Some(Moment { day, instant })
    }

    /// Finds all dates in a text for people, in order. It ignores times of day, whose zone is unknown.
    pub(super) fn find(&self, text: &str) -> Vec<FoundDate> {
        self.find_among(NumberFlags::of(text), text)
    }

    /// Like [`Self::find`], given the flags of the text.
    pub(super) fn find_among(&self, numbers: NumberFlags, text: &str) -> Vec<FoundDate> {
        if !numbers.may_be_date() {
            return Vec::new();
        }
        self.find_with(&Tokens::of(text))
    }

    fn find_with(&self, tokens: &Tokens<'_>) -> Vec<FoundDate> {
        let mut found = Vec::new();
        let mut at = 0;
        while at < tokens.len() {
            let date = tokens
                .dates_at(at, self.order)
                .find_map(|date| Some((date.end, self.day(date.day)?)));
            match date {
                Some((end, moment)) => {
                    let (start, stop) = tokens.span(at, end);
                    found.push(FoundDate {
                        start,
                        end: stop,
                        moment,
                    });
                    at = end;
                }
                None => at += 1,
            }
        }
        found
    }

    /// Reads the first date in a text for machines, with its time of day if there is one.
    pub(super) fn read(&self, text: &str) -> Option<Moment> {
        let text = super::text::first_chars(text.trim(), 200);
        if let Some(seconds) = unix_seconds(text) {
            let instant = Timestamp::from_unix_seconds(seconds)?;
            let date = instant.to_string();
            return Some(Moment {
                instant,
                ..self.find(&date).first()?.moment
            });
        }
        let tokens = Tokens::for_machines(text);
        let found = *self.find_with(&tokens).first()?;
        let time = text.get(found.end..).and_then(time_of_day);
        let instant = time
            .and_then(|time| found.moment.day.at_time(&time))
            .unwrap_or(found.moment.instant);
        Some(Moment {
            instant,
            ..found.moment
        })
    }
}

/// Reads seconds or milliseconds since 1970, from September 2001 on.
fn unix_seconds(text: &str) -> Option<i64> {
    let digits = text.bytes().all(|b| b.is_ascii_digit()) && text.starts_with('1');
    match text.len() {
        10 if digits => text.parse().ok(),
        13 if digits => text.get(..10)?.parse().ok(),
        _ => None,
    }
}

/// Reads the time of day and zone at the start of a text, and returns them as in RFC 3339. Without a zone the time is in UTC.
fn time_of_day(text: &str) -> Option<String> {
    let text =
        text.trim_start_matches(|c: char| matches!(c, 'T' | 't' | ',' | '-') || c.is_whitespace());
    let text = text.strip_prefix("at ").unwrap_or(text);
    let (hour, rest) = digits(text)?;
    let (minute, rest) = digits(rest.strip_prefix(':')?)?;
    let (second, rest) = match rest.strip_prefix(':').and_then(digits) {
        Some((second, rest)) => (second, rest),
        None => (0, rest),
    };
    let rest = match rest.strip_prefix(['.', ',']) {
        Some(fraction) => fraction.trim_start_matches(|c: char| c.is_ascii_digit()),
        None => rest,
    };
    let rest = rest.trim_start();
    let half = rest.get(..2).map(str::to_ascii_lowercase);
    let (hour, rest) = match (half.as_deref(), hour) {
        (Some("pm"), 1..=11) => (hour + 12, rest.get(2..)?),
        (Some("am"), 12) => (0, rest.get(2..)?),
        (Some("am" | "pm"), _) => (hour, rest.get(2..)?),
        _ => (hour, rest),
    };
    let zone = offset(rest.trim_start()).unwrap_or_else(|| "Z".to_owned());
    Some(format!("{hour:02}:{minute:02}:{:02}{zone}", second.min(59)))
}

/// Reads one or two digits, and returns the number and the rest.
fn digits(text: &str) -> Option<(u32, &str)> {
    let count = text.bytes().take(2).take_while(u8::is_ascii_digit).count();
    let (number, rest) = text.split_at_checked(count)?;
    Some((number.parse().ok()?, rest))
}

/// Reads `+01:00`, `+0100`, `+01` or `GMT+1`, and returns it as in RFC 3339.
fn offset(text: &str) -> Option<String> {
    let text = ["GMT", "UTC"]
        .iter()
        .find_map(|name| text.strip_prefix(name))
        .unwrap_or(text);
    let sign = text
        .chars()
        .next()
        .filter(|c| matches!(c, '+' | '-' | '−'))?;
    let (hours, rest) = digits(text.get(sign.len_utf8()..)?)?;
    let minutes = digits(rest.strip_prefix(':').unwrap_or(rest)).map_or(0, |(minutes, _)| minutes);
    let sign = if sign == '+' { '+' } else { '-' };
    Some(format!("{sign}{hours:02}:{minutes:02}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parser_of(now: &str) -> DateParser {
        DateParser::new(DateOrder::MonthFirst, now.parse().unwrap())
    }

    fn parser() -> DateParser {
        parser_of("1970-01-01T00:00:00Z")
    }

    #[test]
    fn reads_dates_for_machines() {
        for (text, instant) in [
            ("2024-05-17", "2024-05-17T00:00:00Z"),
            ("2024-05-17T10:20:30Z", "2024-05-17T10:20:30Z"),
            ("2024-05-17T10:20:30.123Z", "2024-05-17T10:20:30Z"),
            ("2024-05-17T10:20", "2024-05-17T10:20:00Z"),
            ("2024-05-17 10:20:30 +0200", "2024-05-17T08:20:30Z"),
            ("2024-05-17T01:00:00+02:00", "2024-05-16T23:00:00Z"),
            ("2024-05-17T10:00:00-0500", "2024-05-17T15:00:00Z"),
            ("2024-05-17T10:00:00+02", "2024-05-17T08:00:00Z"),
            ("Fri, 17 May 2024 10:20:30 GMT", "2024-05-17T10:20:30Z"),
            (
                "Fri May 17 2024 10:20:30 GMT+0200 (CEST)",
                "2024-05-17T08:20:30Z",
            ),
            ("May 17, 2024 5:30 PM", "2024-05-17T17:30:00Z"),
            ("May 17, 2024 at 12:05 am", "2024-05-17T00:05:00Z"),
            ("20240517", "2024-05-17T00:00:00Z"),
            ("20240517T102030Z", "2024-05-17T00:00:00Z"),
            ("1715941230", "2024-05-17T10:20:30Z"),
            ("1715941230000", "2024-05-17T10:20:30Z"),
            ("2024/05/17", "2024-05-17T00:00:00Z"),
            ("2024-05-17T25:00:00Z", "2024-05-17T00:00:00Z"),
            ("2024-05-17T10:00:00+99:00", "2024-05-17T00:00:00Z"),
        ] {
            let read = parser().read(text).map(|moment| moment.instant.to_string());
            assert_eq!(read.as_deref(), Some(instant), "{text}");
        }
    }

    #[test]
    fn rejects_invalid_and_implausible_dates() {
        for text in [
            "",
            "today",
            "2024",
            "2024-05",
            "1989-12-31",
            "2101-01-01",
            "2024-13-01",
            "2023-02-29",
            "-",
            "0000-00-00",
            "9999999999",
        ] {
            assert_eq!(parser().read(text), None, "{text}");
        }
        let then = parser_of("2020-06-01T00:00:00Z");
        assert!(then.read("2021-12-31").is_some());
        assert!(then.read("2022-01-01").is_none());
    }

    #[test]
    fn keeps_day_as_written() {
        let moment = parser().read("2024-05-17T01:00:00+02:00").unwrap();
        assert_eq!(
            moment.day,
            Day {
                year: 2024,
                month: 5,
                day: 17
            }
        );
        assert_eq!(moment.days_to(parser().read("2024-06-17").unwrap()), 31);
    }
}
