//! Hostile and damaged sitemaps.

use std::io::Read;

use proptest::prelude::*;
use sitecast_sitemap::{Limits, ReaderOptions};

use crate::support::{gzip, read, read_with, urlset};

#[test]
fn document_types_and_external_entities_must_be_refused() {
    for doctype in [
        "<!DOCTYPE urlset SYSTEM \"https://evil.example/x.dtd\">",
        "<!DOCTYPE urlset [<!ENTITY x SYSTEM \"file:///etc/passwd\">]>",
        "<!DOCTYPE lolz [<!ENTITY lol \"lol\"><!ENTITY lol2 \"&lol;&lol;\">]>",
    ] {
        let xml = format!(
            "<?xml version=\"1.0\"?>\n{doctype}<urlset><url><loc>https://example.com/&x;</loc></url></urlset>"
        );
        let outcome = read(xml);
        assert_eq!(outcome.error_code(), Some("doctype"), "{doctype}");
        assert!(outcome.urls.is_empty());
        assert_eq!(outcome.error.unwrap().position.line, 2);
    }
}

#[test]
fn broken_document_yields_the_entries_before_the_error() {
    let good = "<url><loc>https://example.com/1</loc></url>\n<url><loc>https://example.com/2</loc></url>\n";
    for (rest, code) in [
        (
            "<url><loc>https://example.com/3</lok></url>",
            "not-well-formed",
        ),
        ("<url><loc>https://example.com/3</loc>", "not-well-formed"),
        ("</urls>", "not-well-formed"),
        ("<url <", "cut-short"),
        ("<!-- never closed", "cut-short"),
    ] {
        let outcome = read(urlset(&format!("{good}{rest}")));
        assert_eq!(
            outcome.urls,
            ["https://example.com/1", "https://example.com/2"],
            "{rest}"
        );
        assert_eq!(
            outcome.error_code(),
            Some(code),
            "{rest}: {:?}",
            outcome.error
        );
        assert!(outcome.error.unwrap().position.line >= 5, "{rest}");
    }
}

#[test]
fn detects_truncation_at_every_byte_and_keeps_earlier_entries() {
    let xml = urlset(
        "<url><loc>https://example.com/1</loc></url><url><loc>https://example.com/2</loc></url><!-- x -->\
         <url><loc><![CDATA[https://example.com/3]]></loc></url>",
    );
    let end = xml.rfind("</urlset>").unwrap() + "</urlset>".len();
    for length in 1..end {
        let outcome = read(&xml[..length]);
        assert!(outcome.error.is_some(), "cut at {length}");
        let whole = xml[..length].matches("</url>").count();
        assert_eq!(outcome.urls.len(), whole, "cut at {length}");
    }
    let zipped = gzip(&xml);
    for length in 1..zipped.len() {
        assert!(read(&zipped[..length]).error.is_some(), "cut at {length}");
    }
}

#[test]
fn stops_at_limits_and_keeps_earlier_entries() {
    let entry = |n: usize| format!("<url><loc>https://example.com/{n}</loc></url>\n");
    let many: String = (0..1_000).map(entry).collect();
    let with = |limits: Limits, inside: &str| {
        let options = ReaderOptions {
            limits,
            ..ReaderOptions::default()
        };
        read_with(urlset(inside), &options)
    };
    let default = Limits::default();

    let outcome = with(
        Limits {
            entries: 10,
            ..default.clone()
        },
        &many,
    );
    assert_eq!(
        (outcome.urls.len(), outcome.error_code()),
        (10, Some("too-many-entries"))
    );

    let outcome = with(
        Limits {
            bytes: 10_000,
            ..default.clone()
        },
        &many,
    );
    assert_eq!(outcome.error_code(), Some("too-large"));

    let deep = "<a>".repeat(100) + &"</a>".repeat(100);
    let outcome = with(default.clone(), &format!("{}{deep}{}", entry(1), entry(2)));
    assert_eq!(
        (outcome.urls.len(), outcome.error_code()),
        (1, Some("too-deep"))
    );

    for token in [
        format!("<!--{}-->", "x".repeat(3_000_000)),
        format!("<a b=\"{}\"/>", "x".repeat(3_000_000)),
        format!("<url><loc>{}</loc></url>", "x".repeat(3_000_000)),
        format!("<url><loc>{}</loc></url>", "&amp;".repeat(2_000_000)),
        format!(
            "<url><loc>{}</loc></url>",
            "<![CDATA[xxxxxxxx]]>".repeat(200_000)
        ),
    ] {
        let outcome = with(default.clone(), &format!("{}{token}", entry(1)));
        let head: String = token.chars().take(20).collect();
        assert_eq!(
            (outcome.urls.len(), outcome.error_code()),
            (1, Some("token-too-long")),
            "{head}"
        );
    }

    let alternate =
        "<x:link rel=\"alternate\" hreflang=\"de\" href=\"https://example.com/\"/>".repeat(5);
    let inside = format!(
        "<url xmlns:x=\"http://www.w3.org/1999/xhtml\"><loc>https://example.com/</loc>{alternate}</url>"
    );
    let outcome = with(
        Limits {
            alternates: 2,
            ..default
        },
        &inside,
    );
    assert_eq!((outcome.urls.len(), outcome.error_code()), (1, None));
    assert_eq!(outcome.codes(), ["too-many-alternates"]);
}

#[test]
fn stops_a_gzip_bomb() {
    struct Endless<'a>(&'a [u8]);
    impl Read for Endless<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            if self.0.is_empty() {
                buffer.fill(b' ');
                return Ok(buffer.len());
            }
            self.0.read(buffer)
        }
    }
    let mut encoder = flate2::read::GzEncoder::new(
        Endless(b"<urlset>").take(300_000_000),
        flate2::Compression::fast(),
    );
    let mut bomb = Vec::new();
    encoder.read_to_end(&mut bomb).unwrap();
    assert!(bomb.len() < 5_000_000);
    assert_eq!(read(bomb).error_code(), Some("token-too-long"));
}

#[test]
fn invalid_bytes_invalidate_only_their_entry() {
    let mut xml = urlset("<url><loc>https://example.com/a\u{1}</loc></url>\n<url><loc>https://example.com/b</loc></url>").into_bytes();
    let at = xml.iter().position(|&byte| byte == 1).unwrap();
    xml[at] = 0xe9;
    let outcome = read(xml);
    assert_eq!(outcome.urls, ["https://example.com/b"]);
    assert_eq!(outcome.error_code(), None);
    assert!(outcome.codes().contains(&"invalid-bytes") && outcome.codes().contains(&"invalid-loc"));
}

#[test]
fn ignores_a_second_document() {
    let xml = urlset("<url><loc>https://example.com/</loc></url>");
    let outcome = read(format!(
        "{xml}<urlset><url><loc>https://example.com/2</loc></url></urlset> tail"
    ));
    assert_eq!(outcome.urls, ["https://example.com/"]);
    assert_eq!(outcome.codes(), ["trailing-content"]);
}

/// Entries with all kinds of fields. The test adds a comment to each, which only prevents the fast path.
fn entries() -> impl Strategy<Value = Vec<String>> {
    let field = prop::sample::select(vec![
        "<loc>https://example.com/a</loc>",
        "<loc> https://example.com/?a=1&amp;b=2\n</loc>",
        "<loc>https://example.com/?a=1&b=2</loc>",
        "<loc>https://example.com/ü &lt;</loc>",
        "<loc>/relative</loc>",
        "<loc></loc>",
        "<loc/>",
        "<lastmod>2025-11-14</lastmod>",
        "<lastmod>2025-11-14 10:00</lastmod>",
        "<lastmod>never</lastmod>",
        "<changefreq>daily</changefreq>",
        "<priority>0.5</priority>",
        "<priority>5</priority>",
        "<other>x</other>",
        "<xhtml:link rel=\"alternate\" hreflang=\"de\" href=\"https://example.com/?a&amp;b\"/>",
        "<xhtml:link rel='alternate'  hreflang='fr' href='https://example.com/>'/>",
        "<xhtml:link hreflang=\"x\"/>",
        "<xhtml:link rel=\"canonical\" href=\"/\" />",
        "<xhtml:link rel=\"alternate\" rel=\"a\" hreflang=\"de\" href=\"https://example.com/\"/>",
        "<xhtml:linked/>",
        "<i:image>\n<i:loc>https://example.com/a.png</i:loc> & <i:x></i:x></i:image>",
        "<i:image><i:loc></i:image></i:loc>",
        "<i:image><loc>https://example.com/no</loc></i:image>",
        "<i:image a='1'/>",
        "<i:image><scp:version>0.1</scp:version></i:image>",
        "<unknown:x></unknown:x>",
        "<i:a><i:b><i:c><i:d><i:e></i:e></i:d></i:c></i:b></i:a>",
        "text",
        "\n  ",
    ]);
    let entry = prop::collection::vec(field, 0..6)
        .prop_map(|fields| format!("<url>{}</url>\n", fields.concat()));
    prop::collection::vec(entry, 0..8)
}

proptest! {
    #[test]
    fn shortcut_agrees_with_the_parser(entries in entries()) {
        let events = |entries: &str| {
            let xml = urlset(entries).replace("<urlset ", "<urlset xmlns:i=\"urn:i\" xmlns:xhtml=\"http://www.w3.org/1999/xhtml\" ");
            let limits = Limits { alternates: 3, ..Limits::default() };
            let mut reader = ReaderOptions { limits, base: None }.read(xml.as_bytes());
            let mut events = Vec::new();
            loop {
                match reader.next_event() {
                    Ok(Some(event)) => events.push(format!("{event:?}")),
                    end => {
                        events.push(format!("{end:?}"));
                        return events;
                    }
                }
            }
        };
        let slow: String = entries.iter().map(|entry| entry.replace("</url>", "<!-- x --></url>")).collect();
        prop_assert_eq!(events(&entries.concat()), events(&slow));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn reads_any_bytes_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        read(&bytes);
        read(gzip(&bytes));
    }

    /// Fragments of sitemaps in any order cause no panic, and every URL that is returned is absolute.
    #[test]
    fn reads_any_fragments_without_panic(pieces in prop::collection::vec(prop::sample::select(vec![
        "<urlset>", "</urlset>", "<url>", "</url>", "<loc>", "</loc>", "<loc/>", "https://example.com/a", "é", "&amp;", "&", ";",
        "<![CDATA[", "]]>", "<!--", "-->", "<?xml version='1.0'?>", "<sitemapindex>", "<sitemap>", "<lastmod>2025</lastmod>",
        "<scp:version>0.1</scp:version>", "<scp:section name='a'/>", "<a xmlns='https://scp-protocol.org/schemas/sitemap/1.0'>",
        "<rss>", "<item>", "<link>", "</link>", "<feed>", "<entry>", "<link href='https://example.com/x'/>", "\n", " ", "\"", "'", ">", "<",
    ]), 0..30)) {
        let text = pieces.concat();
        let outcome = read(&text);
        for url in outcome.urls.iter().chain(&outcome.children) {
            prop_assert!(url.starts_with("https://") || url.starts_with("http://"), "{url}");
        }
        // The outcome does not depend on read sizes.
        let whole = format!("{outcome:?}");
        let mut reader = ReaderOptions::default().read(OneByOne(text.as_bytes()));
        let mut urls = 0;
        while let Ok(Some(event)) = reader.next_event() {
            urls += usize::from(matches!(event, sitecast_sitemap::Event::Url(_)));
        }
        prop_assert_eq!(urls, outcome.urls.len(), "{}", whole);
    }
}

/// A source that returns one piece with each read.
struct Pieces<'a>(std::vec::IntoIter<&'a str>, &'a [u8]);

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.1.is_empty() {
            self.1 = self.0.next().unwrap_or_default().as_bytes();
        }
        self.1.read(buffer)
    }
}

#[test]
fn entries_in_separate_reads_are_separate_tokens() {
    let entry = format!(
        "<url><loc>https://example.com/{}</loc></url>",
        "a".repeat(2_000)
    );
    let pieces: Vec<&str> = std::iter::once("<?xml version=\"1.0\"?><urlset>")
        .chain(std::iter::repeat_n(entry.as_str(), 900))
        .chain(["</urlset>"])
        .collect();
    let mut reader = ReaderOptions::default().read(Pieces(pieces.into_iter(), &[]));
    while reader.next_event().unwrap().is_some() {}
    assert_eq!(reader.counts().urls, 900);
}

#[test]
fn splits_lines_at_carriage_returns() {
    let text = "https://example.com/\r".repeat(40_000);
    let mut reader = ReaderOptions::default().read(text.as_bytes());
    let mut urls = 0;
    while reader.next_event().unwrap().is_some() {
        urls += 1;
    }
    assert_eq!(urls, 40_000);
}

#[test]
fn normalises_unusual_urls_as_browsers_do() {
    let outcome = read(urlset(
        "<url><loc>https://127.0.0.0xa/</loc></url><url><loc>https://example.com/?a[]=1</loc></url>\
         <url><loc>https://example.com/it's?b='</loc></url>",
    ));
    assert_eq!(
        outcome.urls,
        [
            "https://127.0.0.10/",
            "https://example.com/?a[]=1",
            "https://example.com/it's?b=%27"
        ]
    );
    let long = format!(
        "<url><loc>https://example.com/{}</loc></url>",
        "a".repeat(9_000)
    );
    assert_eq!(read(urlset(&long)).codes(), ["invalid-loc"]);
}

#[test]
fn resolves_references_next_to_raw_ampersands() {
    let xml = urlset(
        "<url xmlns:x=\"http://www.w3.org/1999/xhtml\"><loc>https://example.com/</loc>\
         <x:link rel=\"alternate\" hreflang=\"de\" href=\"https://example.com/?a=1&amp;b=2&c=3&#38;d\"/></url>",
    );
    let mut reader = ReaderOptions::default().read(xml.as_bytes());
    let Some(sitecast_sitemap::Event::Url(page)) = reader.next_event().unwrap() else {
        panic!("no page");
    };
    assert_eq!(page.alternates[0].url, "https://example.com/?a=1&b=2&c=3&d");
}

#[test]
fn reports_problems_with_their_positions() {
    let good = "<url><loc>https://example.com/</loc></url>\n".repeat(20);
    let outcome = read(urlset(&format!("{good}<!foo>")));
    assert_eq!(outcome.error_code(), Some("not-well-formed"));
    let mut latin = urlset(&format!("{good}<!-- \u{1} -->")).into_bytes();
    let at = latin.iter().position(|&byte| byte == 1).unwrap();
    latin[at] = 0xe9;
    assert_eq!(read(latin).warnings, [(23, "invalid-bytes")]);
    let unknown = urlset(&good).replace("UTF-8", "UTF8-ish");
    assert_eq!(read(unknown).codes(), ["unknown-encoding"]);
    let twice = format!("\u{feff}\u{feff}{}", urlset(&good));
    assert!(read(twice).warnings.is_empty());
    let mut trailing = gzip(urlset(&good));
    trailing.extend(b"more");
    assert_eq!(read(trailing).codes(), ["trailing-content"]);
}

struct OneByOne<'a>(&'a [u8]);

impl Read for OneByOne<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = buffer.len().min(1);
        self.0.read(&mut buffer[..count])
    }
}
