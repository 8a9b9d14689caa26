//! Parity of sitemap, entity tag and payload.

use sitecast_tct::sitemap::{Entry, Event, SitemapOptions, SitemapReader, SitemapSet};
use sitecast_tct::{ContentHash, Limits, Parity};

#[test]
fn content_hash_must_equal_the_etag_and_the_payloads_hash() {
    let hash = ContentHash::of(b"x").to_string();
    let etag = ContentHash::of(b"x").etag();
    let other = ContentHash::of(b"y").to_string();
    assert_eq!(
        Parity::check(Some(&hash), Some(&etag), Some(&hash)),
        Parity::Holds
    );
    // Intermediaries weaken tags, which does not change the hash in them.
    assert_eq!(
        Parity::check(Some(&hash), Some(&format!("W/{etag}")), Some(&hash)),
        Parity::Holds
    );
    assert_eq!(
        Parity::check(Some(&other), Some(&etag), Some(&hash)),
        Parity::SitemapDiffers
    );
    assert_eq!(
        Parity::check(Some(&hash), Some(&etag), Some(&other)),
        Parity::PayloadDiffers
    );
    assert_eq!(Parity::check(Some(&hash), Some(&etag), None), Parity::Holds);
    // The texts are compared: case is significant.
    assert_eq!(
        Parity::check(Some(&hash.to_uppercase()), Some(&etag), None),
        Parity::SitemapDiffers
    );
}

#[test]
fn compares_the_sitemap_with_the_payload() {
    let entry = Entry {
        c_url: "https://example.com/a/".parse().unwrap(),
        m_url: "https://example.com/a/llm/".parse().unwrap(),
        modified: "2025-01-01T00:00:00Z".parse().unwrap(),
        hash: ContentHash::of(b"x"),
    };
    let mut set = SitemapSet::new(SitemapOptions::default(), None, |_| Ok(Vec::new())).unwrap();
    set.add(&entry).unwrap();
    let json = set.finish().unwrap().parts.remove(0).out;
    let mut reader = SitemapReader::new(&json[..], &Limits::default());
    let Some(Event::Item(item)) = reader.next_event().unwrap() else {
        panic!("no item");
    };
    assert_eq!(
        Parity::check(
            item.hash.as_deref(),
            Some(&entry.hash.etag()),
            Some(&entry.hash.to_string())
        ),
        Parity::Holds
    );
}
