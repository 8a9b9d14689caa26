//! The dates of `unavailable_after`.
//!
//! Search engines name RFC 822, RFC 850 and ISO 8601, and pages mix them: `25-Aug-2007 15:00:00 EST`.

use sitecast_scp::Timestamp;

const MONTHS: [&str; 12] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];

/// Longer ones are no dates.
const MOST_BYTES: usize = 64;

/// Reads a date in any of the usual forms; a time without a zone is in UTC, and a date without a time is its first moment.
pub(super) fn parse(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    if text.len() > MOST_BYTES || !text.is_ascii() {
        return None;
    }
    let text = text.to_ascii_lowercase();
    iso(&text).or_else(|| worded(&text))
}

/// Returns true if a date continues with this after a comma: no directive begins so.
pub(super) fn goes_on(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
        || (month_of(text).is_some() && text.contains(' '))
}

/// `2025-06-25`, `2025-06-25 15:00`, `2025-06-25T15:00:00.5+0200`.
fn iso(text: &str) -> Option<Timestamp> {
    let date = text.get(..10)?;
    let mut parts = date.split('-');
    let year: u16 = parts.next().filter(|year| year.len() == 4)?.parse().ok()?;
    let month: u8 = parts.next()?.parse().ok()?;
    let day: u8 = parts.next()?.parse().ok()?;
    let rest = text.get(10..)?.trim_start_matches(['t', ' ']);
    let end = rest.find(|c: char| !(c.is_ascii_digit() || matches!(c, ':' | '.')));
    let (time, zone) = rest.split_at(end.unwrap_or(rest.len()));
    let time = if time.is_empty() { "00:00:00" } else { time };
    timestamp(year, month, day, time, zone.trim())
}

/// `Wed, 25 Jun 2025 15:00:00 GMT`, `Wednesday, 25-Jun-25 15:00:00 GMT`, `25 June 2025`, `Jun 25 2025 15:00 PST`.
fn worded(text: &str) -> Option<Timestamp> {
    let (mut day, mut month, mut year) = (None, None, None);
    let (mut time, mut zone) = ("00:00:00", String::new());
    for word in text.split([' ', ',', '\t']).filter(|word| !word.is_empty()) {
        if word.contains(':') {
            time = word;
        } else if word.starts_with('+') || (word.starts_with('-') && month.is_some()) {
            zone.push_str(word);
        } else {
            for part in word.split('-').filter(|part| !part.is_empty()) {
                if let Ok(number) = part.parse::<u16>() {
                    if part.len() <= 2 && day.is_none() {
                        day = u8::try_from(number).ok();
                    } else if year.is_none() {
                        year = Some((number, part.len()));
                    }
                } else if let Some(at) = month_of(part).filter(|_| month.is_none()) {
                    month = Some(at);
                } else if month.is_some() {
                    // Before the month it is the day of the week.
                    zone.push_str(part);
                }
            }
        }
    }
    let year = match year? {
        // As RFC 2822 reads them.
        (number @ 0..50, 2) => 2000 + number,
        (number, 2) => 1900 + number,
        (number, _) => number,
    };
    timestamp(year, month?, day?, time, &zone)
}

fn month_of(word: &str) -> Option<u8> {
    let start = word.get(..3)?;
    let at = MONTHS.iter().position(|month| *month == start)?;
    u8::try_from(at + 1).ok()
}

fn timestamp(year: u16, month: u8, day: u8, time: &str, zone: &str) -> Option<Timestamp> {
    let mut parts = time.split(':');
    let hour: u8 = parts.next()?.parse().ok()?;
    let minute: u8 = parts.next().unwrap_or("0").parse().ok()?;
    let second = parts.next().unwrap_or("0").split('.').next()?;
    let second: u8 = second.parse().ok()?;
    let zone = offset(zone);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{zone}")
        .parse()
        .ok()
}

/// The zone as RFC 3339 has it; one that is not known counts as UTC.
fn offset(zone: &str) -> String {
    if zone.starts_with(['+', '-']) {
        let digits: String = zone.chars().filter(char::is_ascii_digit).collect();
        if let (Some(sign), Some(hours)) = (zone.get(..1), digits.get(..2)) {
            let minutes = digits.get(2..4).unwrap_or("00");
            return format!("{sign}{hours}:{minutes}");
        }
    }
    let hours = match zone {
        "edt" => 4,
        "est" | "cdt" => 5,
        "cst" | "mdt" => 6,
        "mst" | "pdt" => 7,
        "pst" => 8,
        _ => return "Z".to_owned(),
    };
    format!("-{hours:02}:00")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_forms_are_read() {
        for (text, expected) in [
            ("2025-06-25", "2025-06-25T00:00:00Z"),
            ("2025-06-25T15:00:00Z", "2025-06-25T15:00:00Z"),
            ("2025-06-25t15:00:00.25z", "2025-06-25T15:00:00Z"),
            ("2025-06-25 15:00", "2025-06-25T15:00:00Z"),
            ("2025-06-25T15:00:00+02:00", "2025-06-25T13:00:00Z"),
            ("2025-06-25T15:00:00-0700", "2025-06-25T22:00:00Z"),
            ("Wed, 25 Jun 2025 15:00:00 GMT", "2025-06-25T15:00:00Z"),
            ("25 Jun 2025 15:00:00 PST", "2025-06-25T23:00:00Z"),
            ("25 June 2025", "2025-06-25T00:00:00Z"),
            ("Wednesday, 25-Jun-25 15:00:00 GMT", "2025-06-25T15:00:00Z"),
            ("25-Aug-2007 15:00:00 EST", "2007-08-25T20:00:00Z"),
            ("Wed, 25 Jun 97 15:00:00 +0200", "1997-06-25T13:00:00Z"),
            ("Wed Jun 25 15:00:00 2025", "2025-06-25T15:00:00Z"),
        ] {
            let expected: Timestamp = expected.parse().unwrap();
            assert_eq!(parse(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_date_is_none() {
        for text in [
            "",
            "never",
            "2025",
            "2025-13-45",
            "32 Jun 2025",
            "25 Juin",
            "２０２５-06-25",
            "::",
            "-",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
        assert_eq!(parse(&"1".repeat(10_000)), None);
    }
}
