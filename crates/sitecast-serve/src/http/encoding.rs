//! Which compression to send: RFC 9110, section 12.5.3.

use hyper::HeaderMap;
use hyper::header::ACCEPT_ENCODING;

/// How content is coded.
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

/// Weights in thousandths; `None` where nothing is said.
#[derive(Debug, Default, Clone, Copy)]
struct Weights {
    identity: Option<u16>,
    gzip: Option<u16>,
    zstd: Option<u16>,
    any: Option<u16>,
}

/// The codings that the client takes, best first. Empty if it takes none of ours.
pub(crate) fn accepted(headers: &HeaderMap) -> Vec<Coding> {
    let mut weights = Weights::default();
    let mut said = false;
    for value in headers.get_all(ACCEPT_ENCODING) {
        said = true;
        let Ok(value) = value.to_str() else { continue };
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
            let slot = match name.to_ascii_lowercase().as_str() {
                "identity" => &mut weights.identity,
                // `x-gzip` is the same (section 8.4.1.3).
                "gzip" | "x-gzip" => &mut weights.gzip,
                "zstd" => &mut weights.zstd,
                "*" => &mut weights.any,
                _ => continue,
            };
            *slot = Some(weight);
        }
    }
    if !said {
        // Anything would do, but a client that says nothing may not decompress.
        return vec![Coding::Identity];
    }
    // What is not named has the weight of `*`; without that it is not acceptable, but for identity,
    // which always is unless it is refused.
    let other = weights.any.unwrap_or(0);
    let identity = weights.identity.or(weights.any);
    let mut codings = vec![
        (weights.zstd.unwrap_or(other), Coding::Zstd),
        (weights.gzip.unwrap_or(other), Coding::Gzip),
    ];
    match identity {
        Some(weight) => codings.push((weight, Coding::Identity)),
        // Acceptable, and less wanted than what is named.
        None => codings.push((1, Coding::Identity)),
    }
    codings.retain(|&(weight, _)| weight > 0);
    // Stable: of equal weight zstd comes before gzip before nothing.
    codings.sort_by_key(|&(weight, _)| std::cmp::Reverse(weight));
    codings.into_iter().map(|(_, coding)| coding).collect()
}

/// `0.5` in thousandths; what is no weight counts as 1.
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
    use hyper::header::HeaderValue;

    use super::*;

    fn of(values: &[&'static str]) -> Vec<Coding> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(ACCEPT_ENCODING, HeaderValue::from_static(value));
        }
        accepted(&headers)
    }

    #[test]
    fn codings_are_chosen_by_their_weights() {
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
