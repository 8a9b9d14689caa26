//! Dates in sitemaps, with their precision.

use std::fmt;
use std::str::FromStr;

use jiff::civil;

/// The time of a change: an instant and its precision.
///
/// Sitemaps use the W3C profile of ISO 8601, from a year (`2025`) to fractions of a second with a
/// time zone. A date is written in UTC, with the precision with which it was read. A time without
/// a zone is read as UTC. Dates are compared as instants: `2025` is the first moment of that year.
///
/// ```
/// use sitecast_sitemap::Date;
///
/// let date: Date = "2025-11-14T19:30:00-08:00".parse()?;
/// assert_eq!(date.to_string(), "2025-11-15T03:30:00Z");
/// assert_eq!(date.day().to_string(), "2025-11-15");
/// # Ok::<(), sitecast_sitemap::InvalidDate>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Date {
    seconds: i64,
    nanos: u32,
    precision: Precision,
}

/// The precision of a [`Date`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Precision {
    /// `2025`
    Year,
    /// `2025-11`
    Month,
    /// `2025-11-14`
    Day,
    /// `2025-11-14T19:30Z`
    Minute,
    /// `2025-11-14T19:30:00Z`
    Second,
    /// `2025-11-14T19:30:00.5Z`
    Fraction,
}

/// The error of a text that is not a date as sitemaps use it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a date such as `2025-11-14` or `2025-11-14T19:30:00Z`")]
pub struct InvalidDate(String);

/// A date in a sitemap, in any format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) date: Date,
    /// True if the format is one that the protocol allows.
    pub(crate) exact: bool,
}

const EPOCH: civil::Date = civil::Date::constant(1970, 1, 1);
/// 0000-01-01T00:00:00Z to 9999-12-31T23:59:59Z, because the year has four digits.
const SECONDS: std::ops::RangeInclusive<i64> = -62_167_219_200..=253_402_300_799;

impl Date {
    /// 1970-01-01T00:00:00Z.
    pub const UNIX_EPOCH: Self = Self {
        seconds: 0,
        nanos: 0,
        precision: Precision::Second,
    };

    /// The instant `seconds` seconds and `nanos` nanoseconds after 1970-01-01T00:00:00Z. Returns `None` outside
    /// of the years 0000 to 9999.
    pub fn from_unix(seconds: i64, nanos: u32) -> Option<Self> {
        let precision = if nanos == 0 {
            Precision::Second
        } else {
            Precision::Fraction
        };
        (SECONDS.contains(&seconds) && nanos < 1_000_000_000).then_some(Self {
            seconds,
            nanos,
            precision,
        })
    }

    /// Whole seconds since 1970-01-01T00:00:00Z, rounded down.
    pub fn unix_seconds(self) -> i64 {
        self.seconds
    }

    /// Nanoseconds after [`Self::unix_seconds`].
    pub fn subsec_nanos(self) -> u32 {
        self.nanos
    }

    /// The precision.
    pub fn precision(self) -> Precision {
        self.precision
    }

    /// The date reduced to its day in UTC, as written for pages in a sitemap.
    #[must_use]
    pub fn day(self) -> Self {
        Self {
            seconds: self.seconds - self.seconds.rem_euclid(86_400),
            nanos: 0,
            precision: self.precision.min(Precision::Day),
        }
    }

    /// The date with the precision of a second, as written for sitemaps in an index.
    #[must_use]
    pub fn second(self) -> Self {
        Self {
            nanos: 0,
            precision: Precision::Second,
            ..self
        }
    }

    /// The day, and the second of the day, in UTC.
    fn civil(self) -> (civil::Date, i64) {
        let days = self.seconds.div_euclid(86_400);
        // The addition cannot fail, because `seconds` is within `SECONDS`.
        let date = EPOCH.checked_add(jiff::Span::new().days(days));
        (date.unwrap_or(EPOCH), self.seconds.rem_euclid(86_400))
    }

    /// Parses a date as real sites write it: in a format of the protocol, or a similar one.
    pub(crate) fn find(text: &str) -> Option<Found> {
        let text = text.trim();
        let mut parser = Parser {
            rest: text.as_bytes(),
            exact: true,
        };
        match parser.date() {
            Some(date) => Some(Found {
                date,
                exact: parser.exact,
            }),
            None => Self::from_mail(text).map(|date| Found { date, exact: false }),
        }
    }

    /// Parses a date in the format of e-mail and RSS: `Mon, 06 Jan 2025 10:00:00 GMT`.
    fn from_mail(text: &str) -> Option<Self> {
        // A wrong weekday is common, and only this parser of the library can ignore it.
        let parser = jiff::fmt::rfc2822::DateTimeParser::new().relaxed_weekday(true);
        let instant = parser.parse_timestamp(text).ok()?;
        Self::from_unix(instant.as_second(), 0)
    }

    /// Parses a date of RSS or Atom.
    pub(crate) fn find_in_feed(text: &str) -> Option<Self> {
        Self::from_mail(text.trim()).or_else(|| Self::find(text).map(|found| found.date))
    }
}

impl FromStr for Date {
    type Err = InvalidDate;

    /// Parses only the formats of the protocol.
    fn from_str(text: &str) -> Result<Self, InvalidDate> {
        let mut parser = Parser {
            rest: text.as_bytes(),
            exact: true,
        };
        parser
            .date()
            .filter(|_| parser.exact)
            .ok_or_else(|| InvalidDate(text.chars().take(40).collect()))
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (at, second) = self.civil();
        write!(f, "{:04}", at.year())?;
        if self.precision >= Precision::Month {
            write!(f, "-{:02}", at.month())?;
        }
        if self.precision >= Precision::Day {
            write!(f, "-{:02}", at.day())?;
        }
        if self.precision >= Precision::Minute {
            write!(f, "T{:02}:{:02}", second / 3_600, second / 60 % 60)?;
        }
        if self.precision >= Precision::Second {
            write!(f, ":{:02}", second % 60)?;
        }
        if self.precision == Precision::Fraction {
            let digits = format!("{:09}", self.nanos);
            let digits = digits.trim_end_matches('0');
            write!(f, ".{}", if digits.is_empty() { "0" } else { digits })?;
        }
        if self.precision >= Precision::Minute {
            f.write_str("Z")?;
        }
        Ok(())
    }
}

/// Parses a date, and records deviations from the formats of the protocol.
struct Parser<'a> {
    rest: &'a [u8],
    /// False after a deviation.
    exact: bool,
}

impl Parser<'_> {
    fn date(&mut self) -> Option<Date> {
        let mut precision = Precision::Year;
        let (mut month, mut day) = (1, 1);
        let (mut hour, mut minute, mut second, mut nanos) = (0, 0, 0, 0);
        let mut offset = 0;
        let year = self.digits(4, 4)?;
        if !self.rest.is_empty() {
            let between = self.separator()?;
            month = self.field(between)?;
            precision = Precision::Month;
            // Six digits without separators are ambiguous, so a day must follow.
            if !self.rest.is_empty() || between.is_none() {
                if self.separator()? != between {
                    return None;
                }
                day = self.field(between)?;
                precision = Precision::Day;
            }
        }
        if precision == Precision::Day && !self.rest.is_empty() {
            self.time_mark()?;
            (hour, minute) = self.hour_and_minute()?;
            precision = Precision::Minute;
            let colon = self.take(b":");
            if colon || self.rest.first().is_some_and(u8::is_ascii_digit) {
                self.exact &= colon;
                second = self.digits(2, 2)?;
                precision = Precision::Second;
                if self.take(b".") || self.take_loosely(b",") {
                    nanos = self.fraction()?;
                    precision = Precision::Fraction;
                }
            }
            offset = self.zone(precision)?;
        }
        if !self.rest.is_empty() || hour > 23 || minute > 59 || second > 60 {
            return None;
        }
        if second == 60 {
            self.exact = false;
            second = 59;
        }
        let narrow = |number: i64| i8::try_from(number).ok();
        let date =
            civil::Date::new(i16::try_from(year).ok()?, narrow(month)?, narrow(day)?).ok()?;
        let days = i64::from(EPOCH.until(date).ok()?.get_days());
        let seconds = days * 86_400 + hour * 3_600 + minute * 60 + second - offset;
        SECONDS.contains(&seconds).then_some(Date {
            seconds,
            nanos,
            precision,
        })
    }

    fn take(&mut self, text: &[u8]) -> bool {
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn take_loosely(&mut self, text: &[u8]) -> bool {
        let taken = self.take(text);
        self.exact &= !taken;
        taken
    }

    fn digits(&mut self, least: usize, most: usize) -> Option<i64> {
        let count = self
            .rest
            .iter()
            .take(most)
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let (digits, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        (count >= least).then(|| {
            digits
                .iter()
                .fold(0, |number, digit| number * 10 + i64::from(digit - b'0'))
        })
    }

    /// Consumes the separator between year, month and day; there is none in the compact form.
    fn separator(&mut self) -> Option<Option<u8>> {
        match self.rest.first() {
            Some(b'-') => {
                self.rest = self.rest.get(1..)?;
                Some(Some(b'-'))
            }
            Some(b'/') => {
                self.exact = false;
                self.rest = self.rest.get(1..)?;
                Some(Some(b'/'))
            }
            Some(b'0'..=b'9') => {
                self.exact = false;
                Some(None)
            }
            _ => None,
        }
    }

    /// Consumes a month or day: two digits, or one digit if the parts are separated.
    fn field(&mut self, between: Option<u8>) -> Option<i64> {
        let before = self.rest.len();
        let number = self.digits(1 + usize::from(between.is_none()), 2)?;
        self.exact &= before - self.rest.len() == 2;
        Some(number)
    }

    fn time_mark(&mut self) -> Option<()> {
        if self.take(b"T") {
            return Some(());
        }
        let spaces = self.rest.iter().take_while(|&&byte| byte == b' ').count();
        self.rest = self.rest.get(spaces..)?;
        (self.take_loosely(b"t") || self.take_loosely(b"T") || spaces > 0).then(|| {
            self.exact = false;
        })
    }

    fn hour_and_minute(&mut self) -> Option<(i64, i64)> {
        let before = self.rest.len();
        let hour = self.digits(1, 2)?;
        self.exact &= before - self.rest.len() == 2;
        let colon = self.take(b":");
        self.exact &= colon;
        Some((hour, self.digits(2, 2)?))
    }

    fn fraction(&mut self) -> Option<u32> {
        let count = self
            .rest
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let (digits, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        (count > 0).then(|| {
            let nine = digits.iter().chain(std::iter::repeat(&b'0')).take(9);
            nine.fold(0, |nanos, digit| nanos * 10 + u32::from(digit - b'0'))
        })
    }

    /// Consumes the time zone. Returns its offset from UTC in seconds.
    fn zone(&mut self, precision: Precision) -> Option<i64> {
        while self.take_loosely(b" ") {}
        if self.take(b"Z") || self.take_loosely(b"z") {
            return Some(0);
        }
        if self.take_loosely(b"UTC") || self.take_loosely(b"GMT") {
            return Some(0);
        }
        let sign = match self.rest.first() {
            // Without a zone the time is UTC. Only a time with whole seconds may lack a zone.
            None => {
                self.exact &= precision == Precision::Second;
                return Some(0);
            }
            Some(b'+') => 1,
            Some(b'-') => -1,
            Some(_) => return None,
        };
        self.rest = self.rest.get(1..)?;
        let hours = self.digits(2, 2)?;
        let colon = self.take(b":");
        let minutes = if self.rest.is_empty() && !colon {
            self.exact = false;
            0
        } else {
            self.exact &= colon;
            self.digits(2, 2)?
        };
        (hours <= 23 && minutes <= 59).then_some(sign * (hours * 3600 + minutes * 60))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn reads_every_precision_of_the_w3c_profile() {
        for (text, written) in [
            ("2025", "2025"),
            ("2025-11", "2025-11"),
            ("2025-11-14", "2025-11-14"),
            ("2025-11-14T19:30Z", "2025-11-14T19:30Z"),
            ("2025-11-14T19:30+01:00", "2025-11-14T18:30Z"),
            ("2025-11-14T19:30:00", "2025-11-14T19:30:00Z"),
            ("2025-11-14T19:30:00-08:00", "2025-11-15T03:30:00Z"),
            ("2025-11-14T19:30:00.4500Z", "2025-11-14T19:30:00.45Z"),
            ("2024-02-29", "2024-02-29"),
            ("9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z"),
            ("0001-01-01", "0001-01-01"),
        ] {
            assert_eq!(text.parse::<Date>().unwrap().to_string(), written, "{text}");
            assert!(Date::find(text).unwrap().exact, "{text}");
        }
    }

    #[test]
    fn reads_other_formats_in_use() {
        for (text, written) in [
            ("2025-11-14 19:30:00", "2025-11-14T19:30:00Z"),
            ("2025-11-14T19:30:00+0100", "2025-11-14T18:30:00Z"),
            ("2025-11-14T19:30:00+01", "2025-11-14T18:30:00Z"),
            ("2025-11-14T19:30", "2025-11-14T19:30Z"),
            ("2025-1-5", "2025-01-05"),
            ("2025/11/14", "2025-11-14"),
            ("20251114", "2025-11-14"),
            ("20251114T193000Z", "2025-11-14T19:30:00Z"),
            ("2025-11-14 19:30:00 UTC", "2025-11-14T19:30:00Z"),
            ("2025-11-14T19:30:00,5Z", "2025-11-14T19:30:00.5Z"),
            ("2016-12-31T23:59:60Z", "2016-12-31T23:59:59Z"),
            ("Fri, 14 Nov 2025 19:30:00 GMT", "2025-11-14T19:30:00Z"),
            (" 2025-11-14T9:05:00Z ", "2025-11-14T09:05:00Z"),
        ] {
            let found = Date::find(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(found.date.to_string(), written, "{text}");
            assert_eq!(found.exact, text.trim().parse::<Date>().is_ok());
            assert!(!found.exact, "{text}");
        }
    }

    #[test]
    fn rejects_text_that_is_not_a_date() {
        for text in [
            "",
            "today",
            "25-11-14",
            "2025-13",
            "2025-02-29",
            "2025-11-14T24:00:00Z",
            "2025-11-14T19:60Z",
            "2025-11-14T19:30:00+24:00",
            "2025-11-14T19:30:00.Z",
            "2025-11-14Z",
            "2025-",
            "2025-11-",
            "2025-11-14T",
            "2025-11/14",
            "2025-11-14T19:30:00Zz",
            "202511",
            "0000-01-01T00:00:00+01:00",
        ] {
            assert_eq!(Date::find(text), None, "{text}");
            assert!(text.parse::<Date>().is_err(), "{text}");
        }
    }

    #[test]
    fn reads_dates_of_rss() {
        for (text, written) in [
            ("Mon, 06 Jan 2025 10:00:00 GMT", "2025-01-06T10:00:00Z"),
            ("Tue, 06 Jan 2025 10:00:00 +0200", "2025-01-06T08:00:00Z"),
            ("6 Jan 2025 10:00 EST", "2025-01-06T15:00:00Z"),
            ("2025-01-06T10:00:00Z", "2025-01-06T10:00:00Z"),
        ] {
            let date = Date::find_in_feed(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(date.to_string(), written, "{text}");
        }
        assert_eq!(Date::find_in_feed("soon"), None);
    }

    proptest! {
        #[test]
        fn reads_back_what_was_written(seconds in SECONDS, nanos in 0u32..1_000_000_000) {
            let date = Date::from_unix(seconds, nanos).unwrap();
            prop_assert_eq!(date.to_string().parse::<Date>().unwrap(), date);
            let day = date.day();
            prop_assert_eq!(day.to_string().parse::<Date>().unwrap(), day);
            prop_assert!(day <= date && date.unix_seconds() - day.unix_seconds() < 86_400);
        }

        #[test]
        fn agrees_with_an_independent_parser(text in "20[0-9]{2}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9](Z|[+-][01][0-9]:[0-5][0-9])") {
            let theirs = text.parse::<jiff::Timestamp>().ok().map(|instant| instant.as_second());
            prop_assert_eq!(text.parse::<Date>().ok().map(Date::unix_seconds), theirs);
        }

        #[test]
        fn never_panics(text in "\\PC{0,40}") {
            let _ = Date::find(&text);
            let _ = Date::find_in_feed(&text);
        }
    }
}
