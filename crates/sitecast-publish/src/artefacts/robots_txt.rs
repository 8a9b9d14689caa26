//! `Sitemap` lines in robots.txt, added to what is there.

use sitecast_sitemap::Robots;

/// The robots.txt with a `Sitemap` line for each of `sitemaps` that it does not name yet, at its end. `None` where
/// nothing is missing, and for a file in UTF-16, which crawlers do not read anyway.
///
/// The lines go to the end, after an empty one, because some crawlers take a line that they do not know for the
/// end of a group of rules. A new file has nothing but these lines: without rules everything is allowed, and rules
/// that nobody wrote could only surprise.
pub(crate) fn add_sitemaps(robots: Option<&[u8]>, sitemaps: &[String]) -> Option<Vec<u8>> {
    let robots = robots.unwrap_or_default();
    if robots.starts_with(b"\xff\xfe") || robots.starts_with(b"\xfe\xff") {
        return None;
    }
    let named = Robots::parse(robots);
    let mut missing: Vec<&str> = Vec::new();
    for sitemap in sitemaps.iter().map(String::as_str) {
        // A URL is one line, or it could be a rule.
        let is_line = !sitemap.is_empty() && !sitemap.contains(char::is_control);
        let is_named = named.sitemaps().iter().any(|url| is_same(url, sitemap));
        if is_line && !is_named && !missing.contains(&sitemap) {
            missing.push(sitemap);
        }
    }
    if missing.is_empty() {
        return None;
    }
    let line_end = line_end(robots);
    let mut text = robots.to_vec();
    let content = robots.strip_prefix(b"\xef\xbb\xbf").unwrap_or(robots);
    if !content.is_empty() {
        if !content.ends_with(b"\n") && !content.ends_with(b"\r") {
            text.extend_from_slice(line_end);
        }
        if !ends_in_sitemap_or_empty_line(content) {
            text.extend_from_slice(line_end);
        }
    }
    for sitemap in missing {
        text.extend_from_slice(b"Sitemap: ");
        text.extend_from_slice(sitemap.as_bytes());
        text.extend_from_slice(line_end);
    }
    Some(text)
}

/// Returns true if both are one URL, parsed as a browser parses it.
fn is_same(named: &str, wanted: &str) -> bool {
    named == wanted || url::Url::parse(wanted).is_ok_and(|wanted| wanted.as_str() == named)
}

/// The line end that the file has, by its first one.
fn line_end(robots: &[u8]) -> &'static [u8] {
    match memchr::memchr2(b'\r', b'\n', robots) {
        Some(at)
            if robots
                .get(at..)
                .is_some_and(|rest| rest.starts_with(b"\r\n")) =>
        {
            b"\r\n"
        }
        Some(at) if robots.get(at) == Some(&b'\r') => b"\r",
        _ => b"\n",
    }
}

/// Returns true if a `Sitemap` line can follow without an empty one between.
fn ends_in_sitemap_or_empty_line(content: &[u8]) -> bool {
    let Some(last) = content
        .trim_ascii_end()
        .rsplit(|b| matches!(b, b'\r' | b'\n'))
        .next()
    else {
        return true;
    };
    let last = last.trim_ascii_start();
    let is_sitemap = last
        .get(..8)
        .is_some_and(|word| word.eq_ignore_ascii_case(b"sitemap:"));
    let space = content.trim_ascii_end().len();
    let ends = content.get(space..).unwrap_or_default();
    let lines = ends.iter().filter(|&&b| b == b'\n').count();
    let lines = lines.max(ends.iter().filter(|&&b| b == b'\r').count());
    is_sitemap || lines > 1
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MAP: &str = "https://example.com/sitemap.xml";

    fn added(robots: &str) -> Option<String> {
        add_sitemaps(Some(robots.as_bytes()), &[MAP.to_owned()])
            .map(|text| String::from_utf8(text).unwrap())
    }

    #[test]
    fn lines_go_to_the_end() {
        for (robots, addition) in [
            ("User-agent: *\nDisallow: /a\n", "\n@\n"),
            ("User-agent: *\nDisallow: /a\n\n", "@\n"),
            ("User-agent: *\nDisallow: /a\n  \n", "@\n"),
            ("User-agent: *\nDisallow: /a", "\n\n@\n"),
            ("User-agent: *\r\nDisallow: /a\r\n", "\r\n@\r\n"),
            ("User-agent: *\r\nDisallow: /a", "\r\n\r\n@\r\n"),
            ("User-agent: *\rDisallow: /a\r", "\r@\r"),
            ("\u{feff}User-agent: *\n", "\n@\n"),
            ("\u{feff}", "@\n"),
            ("", "@\n"),
            ("\n", "\n@\n"),
            ("# a comment", "\n\n@\n"),
            ("Sitemap: https://example.com/other.xml\n", "@\n"),
            ("sitemap: https://example.com/other.xml", "\n@\n"),
            ("# Sitemap: https://example.com/sitemap.xml\n", "\n@\n"),
            ("Sitemap: /sitemap.xml\n", "@\n"),
        ] {
            let expected = format!(
                "{robots}{}",
                addition.replace('@', &format!("Sitemap: {MAP}"))
            );
            assert_eq!(added(robots), Some(expected), "{robots:?}");
        }
    }

    #[test]
    fn a_new_file_forbids_and_allows_nothing() {
        let text = add_sitemaps(None, &[MAP.to_owned()]).unwrap();
        assert_eq!(text, b"Sitemap: https://example.com/sitemap.xml\n");
        assert_eq!(Robots::parse(&text).rule_count(), 0);
        assert_eq!(add_sitemaps(None, &[]), None);
    }

    #[test]
    fn what_is_named_is_not_named_twice() {
        for robots in [
            "Sitemap: https://example.com/sitemap.xml",
            "User-agent: *\nSITEMAP:https://example.com/sitemap.xml # here\nDisallow: /\n",
            "Sitemap: HTTPS://EXAMPLE.com:443/sitemap.xml\r\n",
        ] {
            assert_eq!(added(robots), None, "{robots}");
        }
        let maps = [MAP, MAP, "https://example.com/sitemap-1.xml"].map(str::to_owned);
        let text = add_sitemaps(Some(format!("Sitemap: {MAP}\n").as_bytes()), &maps).unwrap();
        assert_eq!(
            String::from_utf8(text).unwrap(),
            format!("Sitemap: {MAP}\nSitemap: https://example.com/sitemap-1.xml\n")
        );
    }

    #[test]
    fn nothing_else_can_be_slipped_in() {
        let evil = [
            "https://example.com/\nDisallow: /".to_owned(),
            String::new(),
        ];
        assert_eq!(add_sitemaps(None, &evil), None);
    }

    #[test]
    fn utf16_is_left_alone() {
        assert_eq!(add_sitemaps(Some(b"\xff\xfeS\0"), &[MAP.to_owned()]), None);
    }

    proptest! {
        #[test]
        fn what_was_there_stays(
            robots in prop_oneof![
                prop::collection::vec(any::<u8>(), 0..100),
                "(User-agent: [*a-z]{1,3}|(Dis)?allow: /[a-z*]{0,3}|Sitemap: https://example.com/[a-z]{1}|#|[\r\n ]){0,12}"
                    .prop_map(String::into_bytes),
            ],
            names in prop::collection::vec("[a-c]", 0..4),
        ) {
            let maps: Vec<String> = names.iter().map(|name| format!("https://example.com/{name}")).collect();
            if let Some(text) = add_sitemaps(Some(&robots), &maps) {
                prop_assert!(text.starts_with(&robots));
                let read = Robots::parse(&text);
                prop_assert!(maps.iter().all(|map| read.sitemaps().contains(map)));
                let before = Robots::parse(&robots);
                prop_assert!(read.sitemaps().starts_with(before.sitemaps()));
                prop_assert_eq!((read.rule_count(), read.group_count()), (before.rule_count(), before.group_count()));
                prop_assert_eq!(add_sitemaps(Some(&text), &maps), None);
            }
        }
    }
}
