use super::*;

#[test]
fn recognizes_formats_by_content() {
    for (text, format) in [
        (
            "{\"collection\":{\"id\":1}}\n{\"url\":1}",
            Format::Collection,
        ),
        (
            "{\"url\":\"x\",\"content\":[{\"type\":\"text\"}]}",
            Format::Collection,
        ),
        ("", Format::Collection),
        ("{\"url\":\"x\"}", Format::Collection),
        ("{\"a\":1", Format::Collection),
        ("{\n \"name\": \"a package\"\n}\n", Format::Unknown),
        (
            "{\"version\":1,\"profile\":\"tct-1\",\"items\":{}}",
            Format::JsonSitemap,
        ),
        ("\u{89}PNG\r\n\u{1a}\n\0", Format::Unknown),
        ("<?xml version='1.0'?><urlset/>", Format::Sitemap),
        ("<!-- <html> --><urlset/>", Format::Sitemap),
        ("<!DOCTYPE html><title>x</title>", Format::Html),
        (
            "<?xml version='1.0'?>\n<!doctype HTML PUBLIC '-//W3C'>",
            Format::Html,
        ),
        ("<!-- a site --><HTML lang=en>", Format::Html),
        ("<rss><channel/></rss>", Format::Sitemap),
        ("\u{feff}\n <sitemapindex>", Format::Sitemap),
        (
            "https://example.com/\nhttps://example.com/b",
            Format::Sitemap,
        ),
        ("{\"version\":1,\"items\":[]}", Format::JsonSitemap),
        (
            "{ \"profile\": \"tct-1\",\n \"sitemaps\" : [",
            Format::JsonSitemap,
        ),
        (
            "{\"x\":{\"items\":[]},\"canonical_url\":\"\"}",
            Format::MachinePage,
        ),
        (
            "{\"title\":\"a \\\" b\",\"content\":\"cut sho",
            Format::MachinePage,
        ),
        (
            "{\"profile\":\"tct-1\",\"title\":\"a\"}",
            Format::MachinePage,
        ),
        ("{\"profile\":\"tct-policy-1\"}", Format::Policy),
        ("{\"version\":1,\"purposes\":{}}", Format::Policy),
        ("User-agent: *\nDisallow: /", Format::Robots),
        (
            "# comment\n\nsitemap : https://example.com/s.xml",
            Format::Robots,
        ),
        ("# only a comment\n", Format::Robots),
        ("What is this?", Format::Unknown),
        ("Allowing nothing", Format::Unknown),
    ] {
        assert_eq!(format_of(text.as_bytes()), format, "{text}");
    }
    let utf16: Vec<u8> = "\u{feff}<urlset>"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    assert_eq!(format_of(&utf16), Format::Sitemap);
    assert_eq!(format_of(b"\xff\xfb\x90\x00"), Format::Unknown);
    assert_eq!(format_of(b"\xff\xfe\x01\x02\x03\x04"), Format::Unknown);
    let robots: Vec<u8> = "\u{feff}User-agent: *"
        .encode_utf16()
        .flat_map(u16::to_be_bytes)
        .collect();
    assert_eq!(format_of(&robots), Format::Robots);
    let prose: Vec<u8> = "\u{feff}Dear Sir"
        .encode_utf16()
        .flat_map(u16::to_be_bytes)
        .collect();
    assert_eq!(format_of(&prose), Format::Unknown);
    assert_eq!(
        format_of(b"User-agent: *\nDisallow: /caf\xe9\n"),
        Format::Robots
    );
}

#[test]
fn recognizes_any_beginning_without_a_panic() {
    let text = r#"{"a\"b":[{"items":[1]}],"content":"x","profile":"tct-policy-1","sitemaps":[]}"#;
    for length in 0..text.len() {
        format_of(text.get(..length).unwrap().as_bytes());
    }
}
