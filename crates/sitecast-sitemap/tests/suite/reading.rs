//! Reading of sitemaps in all formats of real sites.

use sitecast_sitemap::{ChangeFrequency, Event, ReaderOptions, SitemapKind, SitemapReader};

use crate::support::{gzip, read, read_with, urlset};

#[test]
fn reads_a_valid_sitemap_without_warnings() {
    let outcome = read(urlset(
        "  <url>\n    <loc>https://21.dev/</loc>\n    <lastmod>2025-11-14</lastmod>\n  </url>\n  \
         <url><loc>https://21.dev/packages/p256k/</loc><lastmod>2025-11-13T14:20:00-08:00</lastmod></url>",
    ));
    assert_eq!(outcome.kind, Some(SitemapKind::UrlSet));
    assert_eq!(
        outcome.urls,
        ["https://21.dev/", "https://21.dev/packages/p256k/"]
    );
    assert_eq!(outcome.dates, ["2025-11-14", "2025-11-13T22:20:00Z"]);
    assert!(
        outcome.warnings.is_empty() && outcome.error.is_none(),
        "{outcome:?}"
    );
}

#[test]
fn reads_a_sitemap_index() {
    let outcome = read(
        "<?xml version=\"1.0\"?><sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\
         <sitemap><loc>https://21.dev/a.xml</loc><lastmod>2025-11-14T19:30:00-08:00</lastmod></sitemap>\
         <sitemap><loc>https://21.dev/b.xml.gz</loc></sitemap></sitemapindex>",
    );
    assert_eq!(outcome.kind, Some(SitemapKind::Index));
    assert_eq!(
        outcome.children,
        ["https://21.dev/a.xml", "https://21.dev/b.xml.gz"]
    );
    assert_eq!(outcome.dates, ["2025-11-15T03:30:00Z", "-"]);
    assert!(outcome.warnings.is_empty() && outcome.error.is_none());
}

#[test]
fn reads_optional_fields_and_alternates() {
    let xml = urlset(
        r#"<url xmlns:x="http://www.w3.org/1999/xhtml"><loc> https://example.com/ </loc>
        <changefreq>Weekly</changefreq><priority>0.8</priority>
        <x:link rel="alternate" hreflang="de" href="https://example.com/de?a=1&amp;b=2"/>
        <x:link rel="alternate" hreflang="x-default" href="https://example.com/"/>
        <x:link rel="alternate" media="only screen" href="https://m.example.com/"/></url>"#,
    );
    let mut reader = SitemapReader::new(xml.as_bytes());
    let Some(Event::Url(page)) = reader.next_event().unwrap() else {
        panic!("no page");
    };
    assert_eq!(page.loc, "https://example.com/");
    assert_eq!(page.change_frequency, Some(ChangeFrequency::Weekly));
    assert_eq!(page.priority, Some(0.8));
    let alternates: Vec<_> = page
        .alternates
        .iter()
        .map(|a| (a.language.as_str(), a.url.as_str()))
        .collect();
    assert_eq!(
        alternates,
        [
            ("de", "https://example.com/de?a=1&b=2"),
            ("x-default", "https://example.com/")
        ]
    );
    assert_eq!(page.line, 3);
    assert_eq!(reader.next_event().unwrap(), None);
    assert_eq!(reader.counts().alternates, 2);
}

#[test]
fn detects_gzip_by_its_bytes_and_reads_several_members() {
    let xml = urlset("<url><loc>https://example.com/</loc></url>");
    let (first, second) = xml.split_at(100);
    let mut members = gzip(first);
    members.extend(gzip(second));
    for bytes in [gzip(&xml), members] {
        let mut reader = SitemapReader::new(&bytes[..]);
        assert!(matches!(reader.next_event(), Ok(Some(Event::Url(_)))));
        assert!(matches!(reader.next_event(), Ok(None)));
        let counts = reader.counts();
        assert!(counts.gzip);
        assert_eq!(
            (counts.stored_bytes, counts.bytes),
            (bytes.len() as u64, xml.len() as u64)
        );
    }
}

#[test]
fn accepts_byte_order_marks_white_space_and_no_declaration() {
    let body = "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"><url><loc>https://example.com/é</loc></url></urlset>";
    let utf16: Vec<u8> = format!("\u{feff}{body}")
        .encode_utf16()
        .flat_map(u16::to_be_bytes)
        .collect();
    let latin = [
        b"<?xml version='1.0' encoding='windows-1252'?>".as_slice(),
        &body.bytes().collect::<Vec<_>>(),
    ]
    .concat();
    let latin: Vec<u8> = String::from_utf8(latin)
        .unwrap()
        .chars()
        .map(|c| c as u32 as u8)
        .collect();
    for (bytes, codes) in [
        (
            format!("\u{feff}{body}").into_bytes(),
            vec!["no-declaration", "loc-spelling"],
        ),
        (
            format!("\n\n  {body}\n\n").into_bytes(),
            vec!["no-declaration", "loc-spelling"],
        ),
        (utf16, vec!["encoding", "no-declaration", "loc-spelling"]),
        (latin, vec!["encoding", "loc-spelling"]),
    ] {
        let outcome = read(bytes);
        assert_eq!(outcome.urls, ["https://example.com/%C3%A9"]);
        assert_eq!(outcome.codes(), codes);
    }
}

#[test]
fn accepts_any_namespace_and_prefix() {
    for root in [
        "urlset",
        "urlset xmlns=\"http://www.google.com/schemas/sitemap/0.84\"",
        "urlset xmlns=\"https://www.sitemaps.org/schemas/sitemap/0.9/\"",
        "urlset xmlns=\"urn:something-else\"",
    ] {
        let xml = format!(
            "<?xml version=\"1.0\"?><{root}><url><loc>https://example.com/</loc></url></urlset>"
        );
        let outcome = read(xml);
        assert_eq!(outcome.urls, ["https://example.com/"], "{root}");
        assert_eq!(outcome.codes(), ["namespace"], "{root}");
    }
    let prefixed = "<?xml version=\"1.0\"?><s:urlset xmlns:s=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\
        <s:url><s:loc>https://example.com/</s:loc><s:lastmod>2025</s:lastmod></s:url></s:urlset>";
    let outcome = read(prefixed);
    assert_eq!((outcome.urls.len(), outcome.dates[0].as_str()), (1, "2025"));
    assert!(outcome.warnings.is_empty());
}

#[test]
fn ignores_elements_of_other_namespaces() {
    let outcome = read(
        r#"<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
        xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"
        xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"><url>
        <image:image><image:loc>https://example.com/image.png</image:loc></image:image>
        <image:loc>https://example.com/other.png</image:loc>
        <loc>https://example.com/page</loc>
        <news:news><news:publication_date>2020-01-01</news:publication_date><loc>https://example.com/no</loc></news:news>
        </url></urlset>"#,
    );
    assert_eq!(outcome.urls, ["https://example.com/page"]);
    assert_eq!(outcome.dates, ["-"]);
    assert!(outcome.warnings.is_empty(), "{:?}", outcome.warnings);
}

#[test]
fn reads_cdata_references_and_raw_ampersands() {
    let outcome = read(urlset(
        "<url><loc><![CDATA[https://example.com/?a=1&b=2]]></loc></url>\n\
         <url><loc>https://example.com/?a=1&b=2</loc></url>\n\
         <url><loc>https://example.com/?a=1&#38;b=2&#x26;c=3</loc></url>\n\
         <url><loc>https://example.com/?a=1&copy;=2&b;</loc></url>\n\
         <url><loc>https://example.com/<!-- x -->a</loc></url>",
    ));
    assert_eq!(
        outcome.urls,
        [
            "https://example.com/?a=1&b=2",
            "https://example.com/?a=1&b=2",
            "https://example.com/?a=1&b=2&c=3",
            "https://example.com/?a=1&copy;=2&b;",
            "https://example.com/a",
        ]
    );
    assert_eq!(outcome.warnings, [(4, "ampersand"), (6, "unknown-entity")]);
}

#[test]
fn drops_unusable_entries_and_reads_the_rest() {
    let outcome = read(urlset(
        "<url><loc>https://example.com/1</loc></url>\n<url></url>\n<url><loc/></url>\n<url><loc>/relative</loc></url>\n\
         <url><loc>ftp://example.com/</loc></url>\n<url><loc>https://me:secret@example.com/</loc></url>\n\
         <url><loc>https://example.com/2</loc><lastmod>yesterday</lastmod><priority>7</priority><changefreq>often</changefreq></url>\n\
         <url><loc>https://example.com/3</loc><lastmod>2025-11-14 10:00:00</lastmod></url>",
    ));
    assert_eq!(
        outcome.urls,
        [
            "https://example.com/1",
            "https://example.com/2",
            "https://example.com/3"
        ]
    );
    assert_eq!(outcome.dates, ["-", "-", "2025-11-14T10:00:00Z"]);
    assert_eq!(
        outcome.warnings,
        [
            (4, "no-loc"),
            (5, "no-loc"),
            (6, "invalid-loc"),
            (7, "invalid-loc"),
            (8, "invalid-loc"),
            (9, "invalid-value"),
            (9, "invalid-value"),
            (9, "invalid-value"),
            (10, "date-spelling"),
        ]
    );
}

#[test]
fn resolves_relative_urls_against_the_url_of_the_sitemap() {
    let options = ReaderOptions {
        base: Some("https://example.com/maps/sitemap.xml".parse().unwrap()),
        ..ReaderOptions::default()
    };
    let xml = urlset(
        "<url><loc>/a b</loc></url><url><loc>c</loc></url><url><loc>www.example.com/d</loc></url>\
         <url><loc>example.com/e</loc></url>",
    );
    let outcome = read_with(xml, &options);
    assert_eq!(
        outcome.urls,
        [
            "https://example.com/a%20b",
            "https://example.com/maps/c",
            "https://www.example.com/d",
            "https://example.com/e"
        ]
    );
    assert_eq!(outcome.codes(), ["relative-loc"; 4]);
}

#[test]
fn tolerates_and_reports_structural_mistakes() {
    let outcome = read(urlset(
        "<url><loc>https://example.com/1</loc><lastmod>2025</lastmod><loc>https://example.com/2</loc></url>\n\
         <url>https://example.com/3</url>\n<url><loc><url>https://example.com/4</url></loc></url>\n\
         <page><loc>https://example.com/no</loc></page>\n<sitemap><loc>https://example.com/more.xml</loc></sitemap>\n\
         <url><loc>https://example.com/5</loc><title>x</title></url>",
    ));
    let expected: Vec<String> = (1..=5)
        .map(|n| format!("https://example.com/{n}"))
        .collect();
    assert_eq!(outcome.urls, expected);
    assert_eq!(outcome.children, ["https://example.com/more.xml"]);
    assert_eq!(outcome.dates, ["2025", "-", "-", "-", "-", "-"]);
    assert_eq!(
        outcome.codes(),
        [
            "repeated-element",
            "outside-of-loc",
            "unknown-element",
            "misplaced-entry",
            "unknown-element"
        ]
    );
}

#[test]
fn reads_plain_text_with_one_url_per_line() {
    let outcome = read(
        "\u{feff}https://example.com/a\r\n\r\n  https://example.com/ü  \nnot a url\nhttps://example.com/c",
    );
    assert_eq!(outcome.kind, Some(SitemapKind::Text));
    assert_eq!(
        outcome.urls,
        [
            "https://example.com/a",
            "https://example.com/%C3%BC",
            "https://example.com/c"
        ]
    );
    assert_eq!(outcome.warnings, [(3, "loc-spelling"), (4, "invalid-loc")]);
    assert_eq!(
        read("https://example.com/a\rhttps://example.com/b\r")
            .urls
            .len(),
        2
    );
}

#[test]
fn reads_rss_and_atom() {
    let rss = read(
        r#"<?xml version="1.0"?><rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel>
        <link>https://example.com/</link><atom:link href="https://example.com/feed" rel="self"/>
        <item><title>One</title><link>https://example.com/1</link><pubDate>Mon, 06 Jan 2025 10:00:00 GMT</pubDate><atom:link href="https://example.com/no"/></item>
        <item><guid>https://example.com/2</guid><dc:date>2025-01-07</dc:date></item>
        <item><guid isPermaLink="false">id-3</guid></item></channel></rss>"#,
    );
    assert_eq!(rss.kind, Some(SitemapKind::Rss));
    assert_eq!(rss.urls, ["https://example.com/1", "https://example.com/2"]);
    assert_eq!(rss.dates, ["2025-01-06T10:00:00Z", "2025-01-07"]);
    assert_eq!(rss.codes(), ["no-loc"]);
    let atom = read(
        r#"<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><link href="https://example.com/"/>
        <entry><link rel="self" href="https://example.com/no"/><link href="https://example.com/1"/><published>2025-01-01T00:00:00Z</published><updated>2025-01-06T10:00:00Z</updated></entry>
        <entry><link rel="alternate" href="https://example.com/2"/></entry></feed>"#,
    );
    assert_eq!(atom.kind, Some(SitemapKind::Atom));
    assert_eq!(
        atom.urls,
        ["https://example.com/1", "https://example.com/2"]
    );
    assert_eq!(atom.dates, ["2025-01-06T10:00:00Z", "-"]);
    assert!(atom.warnings.is_empty());
    let rdf = read(
        r#"<?xml version="1.0"?><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">
        <channel><link>https://example.com/</link></channel><item><link>https://example.com/1</link></item></rdf:RDF>"#,
    );
    assert_eq!(rdf.urls, ["https://example.com/1"]);
}

#[test]
fn rejects_other_documents_and_names_them() {
    for (bytes, says) in [
        ("", "it is empty"),
        (" \n ", "it is empty"),
        ("<!DOCTYPE html><html></html>", "it is an HTML page"),
        ("<html><body>Not found</body></html>", "it is an HTML page"),
        (
            "<?xml version=\"1.0\"?><feedback/>",
            "the first element is `<feedback>`",
        ),
        ("{\"items\":[]}", "neither XML nor a list of URLs"),
        (
            "User-agent: *\nDisallow: /\n",
            "neither XML nor a list of URLs",
        ),
        ("Not found", "neither XML nor a list of URLs"),
    ] {
        let outcome = read(bytes);
        let message = outcome.error.expect(bytes).to_string();
        assert!(message.contains(says), "{bytes}: {message}");
        assert!(outcome.urls.is_empty());
    }
}

#[test]
fn warns_about_the_limits_of_the_protocol() {
    let outcome = read(urlset(""));
    assert_eq!(outcome.codes(), ["no-entries"]);
    let entry = "<url><loc>https://example.com/</loc></url>";
    assert!(read(urlset(&entry.repeat(50_000))).warnings.is_empty());
    assert_eq!(
        read(urlset(&entry.repeat(50_001))).codes(),
        ["too-many-entries"]
    );
    let padding = format!("<!--{}-->", " ".repeat(1_000)).repeat(52_500);
    assert_eq!(
        read(urlset(&format!("{entry}{padding}"))).codes(),
        ["too-large"]
    );
    let long = format!(
        "<url><loc>https://example.com/{}</loc></url>",
        "a".repeat(2_029)
    );
    assert_eq!(read(urlset(&long)).codes(), ["long-loc"]);
}

#[test]
fn warns_about_errors_at_which_strict_parsers_stop() {
    let url = "<url><loc>https://example.com/</loc></url>";
    for (xml, code) in [
        (urlset(&format!("<!-- a -- b -->{url}")), "ill-formed"),
        (
            urlset(&format!("<x:y xmlns:x='urn:x' a='1' a='2'/>{url}")),
            "ill-formed",
        ),
        (
            urlset(&format!("<x:y xmlns:x='urn:x' a='<'/>{url}")),
            "ill-formed",
        ),
        (
            urlset(&format!("<x:y xmlns:x='urn:x' a/>{url}")),
            "ill-formed",
        ),
        (format!("\n{}", urlset(url)), "ill-formed"),
        (
            urlset(&format!("<?xml version=\"1.0\"?>{url}")),
            "ill-formed",
        ),
        (urlset(&format!("words {url}")), "stray-text"),
        (
            urlset("<url><loc>https://example.com/<b/></loc></url>"),
            "unknown-element",
        ),
        (
            urlset("<sitemap><loc>https://example.com/a.xml</loc></sitemap>"),
            "misplaced-entry",
        ),
        (
            urlset(url).replace("urlset", "sitemapindex"),
            "misplaced-entry",
        ),
    ] {
        let outcome = read(&xml);
        assert_eq!(outcome.urls.len() + outcome.children.len(), 1, "{xml}");
        assert_eq!(outcome.codes(), [code], "{xml}");
    }
    let index =
        urlset("<sitemap><loc>https://example.com/a.xml</loc><priority>1</priority></sitemap>");
    assert_eq!(
        read(index.replace("urlset", "sitemapindex")).codes(),
        ["unknown-element"]
    );
}
