//! Negotiation of the content coding (RFC 9110 §12.5.3).

use hyper::HeaderMap;
use hyper::header::{ACCEPT_ENCODING, HeaderValue};

/// A content coding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coding {
    Identity,
    Gzip,
    Zstd,
}

impl Coding {
    /// The value of `Content-Encoding`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Identity => "identity",
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
        }
    }
}

/// Weights in thousandths; `None` if the coding is not listed.
#[derive(Debug, Default, Clone, Copy)]
struct Weights {
    identity: Option<u16>,
    gzip: Option<u16>,
    zstd: Option<u16>,
    any: Option<u16>,
}

/// The codings that a client accepts, best first.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Codings {
    all: [Coding; 3],
    count: usize,
}

impl Codings {
    /// Without the header any coding is acceptable, but the client may not decompress.
    const PLAIN: Self = Self {
        all: [Coding::Identity; 3],
        count: 1,
    };
}

impl std::ops::Deref for Codings {
    type Target = [Coding];

    fn deref(&self) -> &[Coding] {
        self.all.get(..self.count).unwrap_or_default()
    }
}

/// Returns the codings that the client accepts, best first; none if it accepts none of ours.
pub(crate) fn accepted(headers: &HeaderMap) -> Codings {
    let values = headers.get_all(ACCEPT_ENCODING).iter();
    accepted_of(values.map(HeaderValue::as_bytes))
}

/// Like [`accepted`], for the values of `Accept-Encoding`.
pub(crate) fn accepted_of<'h>(values: impl Iterator<Item = &'h [u8]>) -> Codings {
    let mut weights = Weights::default();
    let mut said = false;
    for value in values {
        said = true;
        let Ok(value) = std::str::from_utf8(value) else {
            continue;
        };
        for element in value.split(',') {
            let mut parts = element.split(';');
            let name = parts.next().unwrap_or_default().trim();
            let weight = parts
                .find_map(|parameter| {
                    let (name, value) = parameter.split_once('=')?;
                    name.trim()
                        .eq_ignore_ascii_case("q")
                        .then(|| quality(value.trim()))
                })
                .unwrap_or(1000);
            let is = |known: &str| name.eq_ignore_ascii_case(known);
            let slot = if is("identity") {
                &mut weights.identity
            } else if is("gzip") || is("x-gzip") {
                // `x-gzip` is equivalent (RFC 9110 §8.4.1.3).
                &mut weights.gzip
            } else if is("zstd") {
                &mut weights.zstd
            } else if is("*") {
                &mut weights.any
            } else {
                continue;
            };
            *slot = Some(weight);
        }
    }
    if !said {
        return Codings::PLAIN;
    }
    // Codings that are not listed have the weight of `*`, or are not acceptable without one. Identity is acceptable
    // unless it is refused.
    let other = weights.any.unwrap_or(0);
    let identity = weights.identity.or(weights.any);
    let mut weighed = [
        (weights.zstd.unwrap_or(other), Coding::Zstd),
        (weights.gzip.unwrap_or(other), Coding::Gzip),
        // Acceptable by default, but after the listed codings.
        (identity.unwrap_or(1), Coding::Identity),
    ];
    // The sort is stable: at equal weight zstd precedes gzip, and gzip identity.
    weighed.sort_by_key(|&(weight, _)| std::cmp::Reverse(weight));
    Codings {
        all: weighed.map(|(_, coding)| coding),
        count: weighed.iter().filter(|(weight, _)| *weight > 0).count(),
    }
}

/// Parses a weight into thousandths. A malformed one counts as 1.
fn quality(text: &str) -> u16 {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    if fraction.len() > 3 || !fraction.bytes().all(|b| b.is_ascii_digit()) {
        return 1000;
    }
    match whole {
        "0" => format!("{fraction:0<3}").parse().unwrap_or(1000),
        _ => 1000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[&'static str]) -> Vec<Coding> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(ACCEPT_ENCODING, HeaderValue::from_static(value));
        }
        accepted(&headers).to_vec()
    }

    #[test]
    fn orders_codings_by_weight() {
        use Coding::{Gzip, Identity, Zstd};
        assert_eq!(of(&[]), [Identity]);
        for (value, expected) in [
            ("gzip", vec![Gzip, Identity]),
            ("", vec![Identity]),
            ("gzip, deflate, br, zstd", vec![Zstd, Gzip, Identity]),
            ("gzip;q=1.0, zstd;q=0.5", vec![Gzip, Zstd, Identity]),
            ("GZIP ; Q=0.5", vec![Gzip, Identity]),
            ("br", vec![Identity]),
            ("*", vec![Zstd, Gzip, Identity]),
            ("*;q=0", vec![]),
            ("identity;q=0", vec![]),
            ("gzip, identity;q=0", vec![Gzip]),
            ("gzip, *;q=0", vec![Gzip]),
            ("identity, gzip;q=0.5", vec![Identity, Gzip]),
            ("gzip;q=0", vec![Identity]),
            ("gzip;q=0.001, identity;q=0.002", vec![Identity, Gzip]),
            ("gzip;q=0.000", vec![Identity]),
            ("*, zstd;q=0", vec![Gzip, Identity]),
            ("x-gzip", vec![Gzip, Identity]),
        ] {
            assert_eq!(of(&[value]), expected, "{value}");
        }
        assert_eq!(of(&["gzip;q=0.5", "zstd"]), [Zstd, Gzip, Identity]);
    }
}
