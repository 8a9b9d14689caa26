use super::*;

fn address(url: &str) -> Address {
    Address::of(
        &url.parse().unwrap(),
        &Url::parse("https://other.example/").unwrap(),
    )
}

#[test]
fn kinds_of_places() {
    assert!(address("https://example.com").is_root());
    assert!(address("https://example.com/en/").is_root());
    assert!(address("https://example.com/?utm_source=x").is_root());
    assert!(!address("https://example.com/?p=12").is_root());
    assert!(!address("https://example.com/about").is_root());
    assert!(address("https://example.com/blog/a").is_entry());
    assert!(address("https://example.com/2024/05/a").is_entry());
    assert!(!address("https://example.com/blog/").is_entry());
    assert!(address("https://example.com/blog/").is_no_article());
    assert!(address("https://example.com/shop/x").is_no_article());
    assert!(!address("https://example.com/topics/x").is_no_article());
    assert!(address("https://docs.example.com/x").is_documentation());
    assert!(address("https://forum.example.com/x").is_forum());
    assert!(address("https://example.com/viewtopic.php?t=1").is_forum());
}

#[test]
fn lists_of_releases_and_later_parts_of_lists_are_no_articles() {
    for path in [
        "CHANGELOG.html",
        "community/release-notes/",
        "Release_Notes/index.html",
        "recipes/page/2/",
        "recipes/page/12/index.html",
        "blog/page/3",
    ] {
        let url = format!("https://example.com/{path}");
        assert!(address(&url).is_no_article(), "{path}");
    }
    for path in [
        "blog/release-notes",
        "changes-at-the-top",
        "page/about",
        "page/2/about",
    ] {
        let url = format!("https://example.com/{path}");
        assert!(!address(&url).is_no_article(), "{path}");
    }
}

#[test]
fn slugs_in_words() {
    assert_eq!(
        address("https://example.com/a/%C3%9Cber_uns-2%zz/").slug(),
        "über uns 2%zz"
    );
    assert_eq!(address("https://example.com/").slug(), "");
}

#[test]
fn labels_that_may_be_names() {
    let address = address("https://www.my-site.co.uk/");
    assert_eq!(address.labels(), ["mysite"]);
    assert_eq!(address.hosts(), ["wwwmysitecouk", "mysitecouk", "couk"]);
}

#[test]
fn dates_in_paths() {
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
        let found = address(&format!("https://example.com/{path}")).date();
        assert_eq!(found, date, "{path}");
    }
}
