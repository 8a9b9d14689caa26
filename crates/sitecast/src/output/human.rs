//! Numbers as people read them.

/// `1234567` as `1,234,567`.
pub(crate) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// `count` and a noun that fits it: `1 page`, `2 pages`.
pub(crate) fn counted(number: u64, noun: &str) -> String {
    format!(
        "{} {noun}{}",
        count(number),
        if number == 1 { "" } else { "s" }
    )
}

/// Bytes in decimal units with three digits: `61.8 MB`.
pub(crate) fn bytes(number: u64) -> String {
    const UNITS: [&str; 4] = ["kB", "MB", "GB", "TB"];
    if number < 1000 {
        return counted(number, "byte");
    }
    let mut value = number as f64 / 1000.0;
    let mut unit = UNITS.first().copied().unwrap_or_default();
    for larger in UNITS.into_iter().skip(1) {
        // Rounded up to four digits it would belong to the next unit.
        if value < 999.5 {
            break;
        }
        value /= 1000.0;
        unit = larger;
    }
    let decimals = if value < 9.995 {
        2
    } else if value < 99.95 {
        1
    } else {
        0
    };
    format!("{value:.decimals$} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_digits() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (1_234_567, "1,234,567"),
        ] {
            assert_eq!(count(number), text);
        }
    }

    #[test]
    fn scales_bytes() {
        for (number, text) in [
            (1, "1 byte"),
            (999, "999 bytes"),
            (1000, "1.00 kB"),
            (61_787_580, "61.8 MB"),
            (999_600, "1.00 MB"),
            (250_001_600, "250 MB"),
            (2_000_000_000_000_000, "2000 TB"),
        ] {
            assert_eq!(bytes(number), text);
        }
    }
}
