//! Durations of video and audio.

use super::checked_string;

/// The duration of a video or audio recording in ISO 8601 form, such as `PT5M20S`: only hours, minutes and
/// seconds, at least one of them, and a fraction only of seconds.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MediaDuration(String);

checked_string!(
    MediaDuration,
    "an ISO 8601 duration such as `PT5M20S`",
    is_duration
);

impl MediaDuration {
    /// Converts a number of seconds, the form of durations in draft one.
    pub fn from_seconds(seconds: u64) -> Self {
        let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        let mut text = String::from("PT");
        for (count, unit) in [(hours, 'H'), (minutes, 'M'), (rest, 'S')] {
            if count > 0 || (unit == 'S' && seconds == 0) {
                text.push_str(&count.to_string());
                text.push(unit);
            }
        }
        Self(text)
    }
}

/// Matches `^PT(?=.*[HMS])(\d+H)?(\d+M)?(\d+(\.\d+)?S)?$`.
fn is_duration(text: &str) -> bool {
    let Some(mut rest) = text.strip_prefix("PT").filter(|rest| !rest.is_empty()) else {
        return false;
    };
    for unit in ['H', 'M', 'S'] {
        if let Some((count, after)) = rest.split_once(unit) {
            let whole = match count.split_once('.') {
                Some((whole, fraction)) if unit == 'S' && is_digits(fraction) => whole,
                Some(_) => return false,
                None => count,
            };
            if !is_digits(whole) {
                return false;
            }
            rest = after;
        }
    }
    rest.is_empty()
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_the_schema_pattern() {
        for text in ["PT5M20S", "PT1H", "PT0S", "PT1H2M3.5S", "PT90M"] {
            assert!(MediaDuration::new(text).is_ok(), "{text}");
        }
        for text in [
            "", "PT", "P1D", "PT5", "PTS", "PT1S2M", "PT1.5M", "PT1.S", "PT.5S", "PT1H1H", "pt1h",
            "PT-1S",
        ] {
            assert!(MediaDuration::new(text).is_err(), "{text}");
        }
    }

    #[test]
    fn writes_seconds_as_iso_8601() {
        for (seconds, text) in [
            (0, "PT0S"),
            (59, "PT59S"),
            (60, "PT1M"),
            (3600, "PT1H"),
            (3725, "PT1H2M5S"),
        ] {
            assert_eq!(MediaDuration::from_seconds(seconds).as_str(), text);
            assert!(is_duration(text));
        }
    }
}
