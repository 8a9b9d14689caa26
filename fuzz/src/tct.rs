//! JSON sitemaps, machine pages, normalised text.

use std::io::Read;

use sitecast_tct::sitemap::{Event, SitemapReader};
use sitecast_tct::{
    ContentHash, Fingerprinter, Limits, Policy, ReadPage, canonicalize, fingerprint, normalize,
};

use crate::Dribble;

fn read_sitemap(source: impl Read) -> (Vec<String>, Vec<String>, Result<(), String>) {
    let limits = Limits {
        items: 20,
        item_bytes: 300,
        sitemap_bytes: 100_000,
        page_bytes: 100_000,
    };
    let mut reader = SitemapReader::new(source, &limits);
    let (mut items, mut warnings) = (vec![], vec![]);
    loop {
        match reader.next_event() {
            Ok(Some(Event::Warning(warning))) => warnings.push(warning.to_string()),
            Ok(Some(event)) => items.push(format!("{event:?}")),
            Ok(None) => return (items, warnings, Ok(())),
            Err(error) => return (items, warnings, Err(error.to_string())),
        }
    }
}

/// How the bytes arrive does not matter, and what is called clean is JSON.
pub fn check_sitemap(data: &[u8]) {
    let outcome = read_sitemap(data);
    assert_eq!(read_sitemap(Dribble(data)), outcome);
    let (items, warnings, end) = outcome;
    assert!(items.len() <= 20);
    let unclean = ["left out", "after the end", "byte order mark"];
    let clean = |warning: &String| !unclean.iter().any(|word| warning.contains(word));
    if end.is_ok() && warnings.iter().all(clean) {
        // By the grammar; half of a surrogate pair is JSON that way.
        let json = serde_json::from_slice::<serde::de::IgnoredAny>(data);
        // Names and values beyond the limits are passed over without a look.
        let text = std::str::from_utf8(data).is_ok();
        assert!(
            (json.is_ok() || data.len() > 300) && (text || data.len() > 64),
            "{json:?}"
        );
    }
}

/// Canonical JSON is canonical, says the same, and verifies.
pub fn check_page(data: &[u8]) {
    let _ = Policy::parse(data);
    if let Ok(text) = std::str::from_utf8(data)
        && let Ok(canonical) = canonicalize(text)
    {
        assert_eq!(canonicalize(&canonical).as_ref(), Ok(&canonical));
        let value: serde_json::Value = serde_json::from_str(text).expect("canonical, so JSON");
        let again: serde_json::Value = serde_json::from_str(&canonical).expect("canonical");
        let theirs = serde_json_canonicalizer::to_string(&value).expect("JSON");
        assert_eq!(theirs, canonical);
        let theirs = serde_json_canonicalizer::to_string(&again).expect("JSON");
        assert_eq!(theirs, canonical);
    }
    if let Ok(page) = ReadPage::parse(data, 100_000) {
        assert!(
            page.canonical_url
                .as_str()
                .to_ascii_lowercase()
                .starts_with("http")
        );
        fingerprint(&page.content);
    }
}

/// Where a text is cut does not matter, and what comes out is as the last steps leave it.
pub fn check_normalizer(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let normalized = normalize(&text);
    assert!(!normalized.contains("  ") && normalized.trim_matches(' ') == normalized);
    assert!(!normalized.chars().any(char::is_control));
    assert_eq!(fingerprint(&text), ContentHash::of(normalized.as_bytes()));
    let mut pieces = Fingerprinter::new();
    let mut rest = &*text;
    let mut step = usize::from(data.first().copied().unwrap_or(1) % 9);
    while !rest.is_empty() {
        step = step % 9 + 1;
        let end = rest
            .char_indices()
            .nth(step)
            .map_or(rest.len(), |(at, _)| at);
        let (piece, after) = rest.split_at(end);
        pieces.push(piece);
        rest = after;
    }
    assert_eq!(pieces.finish(), ContentHash::of(normalized.as_bytes()));
}
