//! RFC 3339 timestamps.

use std::fmt;
use std::str::FromStr;
use std::time::{SystemTime, UNIX_EPOCH};

use super::InvalidValue;

/// An instant, read from and written as an RFC 3339 date-time.
///
/// Parsing is strict: it rejects a date without a time, a space instead of `T`, a missing time zone, and a day that does
/// not exist. Writing always uses UTC with `Z`. Digits of the fraction beyond
/// nanoseconds are dropped; a leap second is read as the second before it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Timestamp {
    /// Seconds since 1970-01-01T00:00:00Z, without leap seconds.
    seconds: i64,
    nanos: u32,
}

const SECONDS_PER_DAY: i64 = 86_400;
/// 0000-01-01T00:00:00Z and 9999-12-31T23:59:59Z: RFC 3339 has four digits for the year.
const FIRST_SECOND: i64 = -62_167_219_200;
const LAST_SECOND: i64 = 253_402_300_799;

impl Timestamp {
    /// The instant `seconds` after 1970-01-01T00:00:00Z, or before it if negative. Returns `None`
    /// outside of the years 0000 to 9999.
    pub fn from_unix_seconds(seconds: i64) -> Option<Self> {
        (FIRST_SECOND..=LAST_SECOND)
            .contains(&seconds)
            .then_some(Self { seconds, nanos: 0 })
    }

    /// Whole seconds since 1970-01-01T00:00:00Z, rounded down.
    pub fn unix_seconds(self) -> i64 {
        self.seconds
    }

    /// Nanoseconds after [`Self::unix_seconds`].
    pub fn subsec_nanos(self) -> u32 {
        self.nanos
    }

    /// A number with the same order as the timestamps, to within 60 nanoseconds. It compares the
    /// timestamps of pages in eight bytes each. The seconds of all years take 39 bits.
    pub(crate) fn order_key(self) -> i64 {
        let fraction = (u64::from(self.nanos) << 24) / 1_000_000_000;
        (self.seconds << 24) | fraction as i64
    }

    fn parse(text: &[u8]) -> Option<Self> {
        let (date_time, rest) = text.split_first_chunk::<19>()?;
        let [
            y0,
            y1,
            y2,
            y3,
            b'-',
            m0,
            m1,
            b'-',
            d0,
            d1,
            b'T' | b't',
            h0,
            h1,
            b':',
            n0,
            n1,
            b':',
            s0,
            s1,
        ] = date_time
        else {
            return None;
        };
        let year = number(&[*y0, *y1])? * 100 + number(&[*y2, *y3])?;
        let month = number(&[*m0, *m1])?;
        let day = number(&[*d0, *d1])?;
        let (hour, minute) = (number(&[*h0, *h1])?, number(&[*n0, *n1])?);
        let second = number(&[*s0, *s1])?;
        if !(1..=12).contains(&month) || day < 1 || day > days_in_month(year, month) {
            return None;
        }
        if hour > 23 || minute > 59 || second > 60 {
            return None;
        }

        let (nanos, rest) = parse_fraction(rest)?;
        let offset = parse_offset(rest)?;
        let leap = second == 60;
        let seconds = days_from_civil(year, month, day) * SECONDS_PER_DAY
            + hour * 3600
            + minute * 60
            + (second - i64::from(leap))
            - offset;
        // RFC 3339 §5.7: a leap second is the last second of a day in UTC, nowhere else.
        if leap && seconds.rem_euclid(SECONDS_PER_DAY) != SECONDS_PER_DAY - 1 {
            return None;
        }
        Self::from_unix_seconds(seconds).map(|instant| Self { nanos, ..instant })
    }
}

fn number(digits: &[u8; 2]) -> Option<i64> {
    let [tens, ones] = digits.map(|d| d.wrapping_sub(b'0'));
    (tens <= 9 && ones <= 9).then(|| i64::from(tens) * 10 + i64::from(ones))
}

fn parse_fraction(text: &[u8]) -> Option<(u32, &[u8])> {
    let Some(rest) = text.strip_prefix(b".") else {
        return Some((0, text));
    };
    let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
    let (fraction, rest) = rest.split_at_checked(digits)?;
    if fraction.is_empty() {
        return None;
    }
    let nanos = fraction
        .iter()
        .chain(std::iter::repeat(&b'0'))
        .take(9)
        .fold(0, |nanos, digit| nanos * 10 + u32::from(digit - b'0'));
    Some((nanos, rest))
}

/// Parses a time zone. Returns its offset from UTC in seconds.
fn parse_offset(text: &[u8]) -> Option<i64> {
    match text {
        b"Z" | b"z" => Some(0),
        [sign @ (b'+' | b'-'), h0, h1, b':', m0, m1] => {
            let (hours, minutes) = (number(&[*h0, *h1])?, number(&[*m0, *m1])?);
            let offset = (hours <= 23 && minutes <= 59).then_some(hours * 3600 + minutes * 60)?;
            Some(if *sign == b'-' { -offset } else { offset })
        }
        _ => None,
    }
}

fn is_leap_year(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        2 if is_leap_year(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days from 1970-01-01 to a date of the proleptic Gregorian calendar. The years are counted from March, which
/// puts the leap day last, so that one formula gives the days before each month.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let month_from_march = (month + 9) % 12;
    let day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    year * 365 + leap_days + day_of_year - 719_468
}

/// The inverse of [`days_from_civil`].
fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = (month_from_march + 2) % 12 + 1;
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

impl FromStr for Timestamp {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        Self::parse(text.as_bytes()).ok_or_else(|| {
            InvalidValue::new(text, "an RFC 3339 date-time such as `2025-01-15T10:00:00Z`")
        })
    }
}

/// Saturates outside of the years 0000 to 9999.
impl From<SystemTime> for Timestamp {
    fn from(time: SystemTime) -> Self {
        let (seconds, nanos) = match time.duration_since(UNIX_EPOCH) {
            Ok(after) => (
                i64::try_from(after.as_secs()).unwrap_or(i64::MAX),
                after.subsec_nanos(),
            ),
            Err(before) => {
                let before = before.duration();
                let seconds = i64::try_from(before.as_secs()).map_or(i64::MIN, |s| -s);
                match before.subsec_nanos() {
                    0 => (seconds, 0),
                    nanos => (seconds.saturating_sub(1), 1_000_000_000 - nanos),
                }
            }
        };
        Self {
            seconds: seconds.clamp(FIRST_SECOND, LAST_SECOND),
            nanos,
        }
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = civil_from_days(self.seconds.div_euclid(SECONDS_PER_DAY));
        let second_of_day = self.seconds.rem_euclid(SECONDS_PER_DAY);
        let (hour, minute, second) = (
            second_of_day / 3600,
            second_of_day / 60 % 60,
            second_of_day % 60,
        );
        write!(
            f,
            "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}"
        )?;
        if self.nanos > 0 {
            let fraction = format!("{:09}", self.nanos);
            write!(f, ".{}", fraction.trim_end_matches('0'))?;
        }
        f.write_str("Z")
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn text_of(text: &str) -> Option<String> {
        text.parse::<Timestamp>().ok().map(|t| t.to_string())
    }

    #[test]
    fn writes_utc_with_z() {
        for (given, written) in [
            ("2025-01-15T10:00:00Z", "2025-01-15T10:00:00Z"),
            ("2025-01-15t10:00:00z", "2025-01-15T10:00:00Z"),
            ("2025-01-15T10:00:00.500Z", "2025-01-15T10:00:00.5Z"),
            (
                "2025-01-15T10:00:00.1234567899Z",
                "2025-01-15T10:00:00.123456789Z",
            ),
            ("2025-01-01T00:30:00+01:00", "2024-12-31T23:30:00Z"),
            ("2024-02-29T12:00:00-05:30", "2024-02-29T17:30:00Z"),
            ("0000-01-01T00:00:00Z", "0000-01-01T00:00:00Z"),
            ("9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z"),
            ("1998-12-31T23:59:60Z", "1998-12-31T23:59:59Z"),
            ("1998-12-31T15:59:60.5-08:00", "1998-12-31T23:59:59.5Z"),
        ] {
            assert_eq!(text_of(given).as_deref(), Some(written), "{given}");
        }
    }

    #[test]
    fn rejects_other_formats() {
        for text in [
            "",
            "yesterday",
            "2025-01-15",
            "2025-01-15T10:00:00",
            "2025-01-15 10:00:00Z",
            "20250115T100000Z",
            "2025-01-15T10:00Z",
            "2025-01-15T10:00:00.Z",
            "2025-01-15T10:00:00+0100",
            "2025-01-15T10:00:00+01",
            "2025-01-15T10:00:00+24:00",
            "2025-01-15T24:00:00Z",
            "2025-01-15T10:60:00Z",
            "2025-01-15T10:00:61Z",
            "2025-01-15T10:00:60Z",
            "2025-02-29T00:00:00Z",
            "2025-13-01T00:00:00Z",
            "2025-00-01T00:00:00Z",
            "2025-01-00T00:00:00Z",
            "2025-04-31T00:00:00Z",
            "1900-02-29T00:00:00Z",
            "+2025-01-15T10:00:00Z",
            "2025-01-15T10:00:00Z ",
            "2025-1-15T10:00:00Z",
            "0000-01-01T00:00:00+00:01",
            "２025-01-15T10:00:00Z",
        ] {
            assert_eq!(text_of(text), None, "{text}");
        }
    }

    #[test]
    fn converts_from_system_time() {
        assert_eq!(
            Timestamp::from(UNIX_EPOCH).to_string(),
            "1970-01-01T00:00:00Z"
        );
        let before = UNIX_EPOCH - std::time::Duration::from_millis(500);
        assert_eq!(
            Timestamp::from(before).to_string(),
            "1969-12-31T23:59:59.5Z"
        );
    }

    proptest! {
        #[test]
        fn agrees_with_an_independent_calendar(seconds in FIRST_SECOND + 86_400..LAST_SECOND - 86_400, nanos in 0u32..1_000_000_000, offset in -1439i32..1440) {
            let theirs = jiff::Timestamp::new(seconds, nanos as i32).unwrap();
            let ours: Timestamp = theirs.to_string().parse().unwrap();
            prop_assert_eq!((ours.seconds, ours.nanos), (seconds, nanos));
            prop_assert_eq!(ours.to_string(), theirs.to_string());

            let zone = jiff::tz::Offset::from_seconds(offset * 60).unwrap();
            let local = theirs.display_with_offset(zone).to_string();
            prop_assert_eq!(local.parse::<Timestamp>().unwrap(), ours);
        }

        #[test]
        fn sorts_by_time(a in FIRST_SECOND..LAST_SECOND, b in FIRST_SECOND..LAST_SECOND) {
            let (x, y) = (Timestamp::from_unix_seconds(a).unwrap(), Timestamp::from_unix_seconds(b).unwrap());
            prop_assert_eq!(x.cmp(&y), a.cmp(&b));
            prop_assert_eq!(x.order_key().cmp(&y.order_key()), a.cmp(&b));
        }
    }
}
