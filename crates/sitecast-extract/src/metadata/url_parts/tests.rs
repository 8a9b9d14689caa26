use super::*;

fn url_parts(url: &str) -> UrlParts {
    UrlParts::of(
        &url.parse().unwrap(),
        &Url::parse("https://other.example/").unwrap(),
    )
}

#[test]
fn recognizes_kinds_of_pages() {
    assert!(url_parts("https://example.com").is_root());
    assert!(url_parts("https://example.com/en/").is_root());
    assert!(url_parts("https://example.com/?utm_source=x").is_root());
    assert!(!url_parts("https://example.com/?p=12").is_root());
    assert!(!url_parts("https://example.com/about").is_root());
    assert!(url_parts("https://example.com/blog/a").is_entry());
    assert!(url_parts("https://example.com/2024/05/a").is_entry());
    assert!(!url_parts("https://example.com/blog/").is_entry());
    assert!(url_parts("https://example.com/blog/").is_no_article());
    assert!(url_parts("https://example.com/shop/x").is_no_article());
    assert!(!url_parts("https://example.com/topics/x").is_no_article());
    assert!(url_parts("https://docs.example.com/x").is_documentation());
    assert!(url_parts("https://forum.example.com/x").is_forum());
    assert!(url_parts("https://example.com/viewtopic.php?t=1").is_forum());
}

#[test]
fn changelogs_and_later_list_pages_are_not_articles() {
    for path in [
        "CHANGELOG.html",
        "community/release-notes/",
        "Release_Notes/index.html",
        "recipes/page/2/",
        "recipes/page/12/index.html",
        "blog/page/3",
    ] {
        let url = format!("https://example.com/{path}");
        assert!(url_parts(&url).is_no_article(), "{path}");
    }
    for path in [
        "blog/release-notes",
        "changes-at-the-top",
        "page/about",
        "page/2/about",
    ] {
        let url = format!("https://example.com/{path}");
        assert!(!url_parts(&url).is_no_article(), "{path}");
    }
}

#[test]
fn returns_slug_as_words() {
    assert_eq!(
        url_parts("https://example.com/a/%C3%9Cber_uns-2%zz/").slug(),
        "über uns 2%zz"
    );
    assert_eq!(url_parts("https://example.com/").slug(), "");
}

#[test]
fn returns_labels_and_hosts_without_punctuation() {
    let url_parts = url_parts("https://www.my-site.co.uk/");
    assert_eq!(url_parts.labels(), ["mysite"]);
    assert_eq!(url_parts.hosts(), ["wwwmysitecouk", "mysitecouk", "couk"]);
}

#[test]
fn finds_dates_in_paths() {
    for (path, date) in [
        ("2024/05/17/title", Some((2024, 5, 17))),
        ("a/2024-05-17-title", Some((2024, 5, 17))),
        ("2024/05-17/title", Some((2024, 5, 17))),
        ("20240517/x", Some((2024, 5, 17))),
        ("2024/may/17/title", Some((2024, 5, 17))),
        ("a/2024-05-17+title", Some((2024, 5, 17))),
        ("2024/05/title", None),
        ("2024-05", None),
        ("1234/05/17", None),
        ("ü024/05/17", None),
    ] {
        let found = url_parts(&format!("https://example.com/{path}")).date();
        assert_eq!(found, date, "{path}");
    }
}
