use super::*;

const DAY: Option<&str> = Some("2024-05-07T00:00:00Z");

#[test]
fn json_ld_dates() {
    for json in [
        r#"{"@type":"Article","datePublished":"2024-05-07"}"#,
        r#"{"@type":"Article","datePublished":["2024-05-07","2024-05-08"]}"#,
        r#"{"@type":"Article","datePublished":{"@value":"2024-05-07"}}"#,
        r#"{"@type":"Article","dateCreated":"2024-05-07"}"#,
        r#"{"@graph":[{"@type":"BlogPosting","datePublished":"2024-05-07"}]}"#,
        r#"[{"@type":"WebPage"},{"@type":"Article","datePublished":"May 7, 2024"}]"#,
        r#"{"@type":"Article","datePublished":1715040000}"#,
        r#"{"@type":"WebPage","datePublished":"2024-05-07"}"#,
    ] {
        assert_eq!(published(&ld(json)).as_deref(), DAY, "{json}");
    }
}

#[test]
fn every_meta_name_of_publication() {
    for name in super::super::published::META {
        let html = format!("<meta property='{name}' content='2024-05-07'>");
        assert_eq!(published(&html).as_deref(), DAY, "{name}");
    }
    let own =
        "<meta property=og:type content=article><meta name=my_publish_date content=2024-05-07>";
    assert_eq!(published(own).as_deref(), DAY);
}

#[test]
fn every_meta_name_of_change() {
    for name in super::super::modified::META {
        let html = format!("<meta name='{name}' content='2024-05-07'>");
        assert_eq!(modified(&html).as_deref(), DAY, "{name}");
    }
    assert_eq!(
        modified("<meta http-equiv=last-modified content='Tue, 07 May 2024 00:00:00 GMT'>")
            .as_deref(),
        DAY
    );
}

#[test]
fn dates_in_microdata_and_rdfa() {
    for html in [
        "<time itemprop=datePublished datetime=2024-05-07>x</time>",
        "<span itemprop='datePublished' content=2024-05-07>x</span>",
        "<span itemprop='headline datePublished'>7 May 2024</span>",
        "<span property=schema:datePublished content=2024-05-07>x</span>",
    ] {
        assert_eq!(published(html).as_deref(), DAY, "{html}");
    }
    assert_eq!(
        modified("<time itemprop=dateModified datetime=2024-05-07>x</time>").as_deref(),
        DAY
    );
}

#[test]
fn visible_dates() {
    for date in [
        "<time datetime=2024-05-07>yesterday</time>",
        "<time>May 7, 2024</time>",
        "<p class=date>May 7th, 2024</p>",
        "<p>Published on 7 May 2024</p>",
        "<p>Jane Doe | 7 May 2024</p>",
        "<p><span>7</span> <span>May</span> <span>2024</span></p>",
        "<p>Veröffentlicht am 7. Mai 2024</p>",
        "<p>Publié le 7 mai 2024</p>",
        "<p>7 de mayo de 2024</p>",
        "<p>2024年5月7日</p>",
        "<p>7 мая 2024</p>",
    ] {
        let html = format!("<h1>Soup of the day</h1>{date}<p>Some text.</p>");
        assert_eq!(published(&html).as_deref(), DAY, "{date}");
    }
}

#[test]
fn the_language_tells_days_from_months() {
    let day = |lang: &str| {
        published(&format!(
            "<html lang={lang}><h1>Soup</h1><p class=date>07/05/2024</p>"
        ))
    };
    assert_eq!(day("de").as_deref(), DAY);
    assert_eq!(day("en-GB").as_deref(), DAY);
    assert_eq!(day("en-US").as_deref(), Some("2024-07-05T00:00:00Z"));
    let shown =
        "<html lang=en><h1>Soup</h1><p class=date>07/05/2024</p><p>and before that 25/04/2024</p>";
    assert_eq!(published(shown).as_deref(), DAY);
}

#[test]
fn dates_of_other_things() {
    let words = "Words about soup. ".repeat(100);
    for other in [
        "<p>© 2024-05-07</p>",
        "<p>Member since May 7, 2024</p>",
        "<p>It was on May 7, 2024 that somebody thought of cooking this soup for the very first time.</p>",
        "<footer>May 7, 2024</footer>",
        "<div class=related-posts>May 7, 2024</div>",
    ] {
        let html = format!("<h1>Soup</h1><p>{words}</p>{other}");
        assert_eq!(
            read_at("https://example.com/soup", &html).published,
            None,
            "{other}"
        );
    }
    let date = "<h1>Soup</h1><p class=date>May 7, 2024</p>";
    assert_eq!(read_at("https://example.com/", date).published, None);
    assert_eq!(
        read_at("https://example.com/products/soup", date).published,
        None
    );
}

#[test]
fn dates_in_urls_are_the_last_resort() {
    let page = read_at("https://example.com/2024/05/07/soup", "<h1>Soup</h1>");
    assert_eq!(page.published.unwrap().to_string(), "2024-05-07T00:00:00Z");
}

#[test]
fn a_plain_visible_date_corrects_a_template() {
    let head =
        ld(r#"{"@type":"Article","datePublished":"2025-06-12","dateModified":"2025-06-10"}"#);
    let html = format!("{head}<h1>Soup</h1><p class=date>Published May 7, 2024</p>");
    assert_eq!(published(&html).as_deref(), DAY);
    // A later one does not: it is that of a change.
    let head =
        ld(r#"{"@type":"Article","datePublished":"2024-05-07","dateModified":"2024-05-07"}"#);
    let html = format!("{head}<h1>Soup</h1><p class=date>Published June 12, 2024</p>");
    assert_eq!(published(&html).as_deref(), DAY);
}

#[test]
fn the_url_tells_days_from_months() {
    let page = read_at(
        "https://example.com/blog/2024/may/07/soup",
        "<html lang=en><h1>Soup</h1><p class=date>07/05/2024</p>",
    );
    assert_eq!(page.published.unwrap().to_string(), "2024-05-07T00:00:00Z");
}

#[test]
fn nothing_is_from_the_future() {
    let page = |seen: &str| {
        read_with(
            URL,
            "<h1>Soup</h1><p class=date>May 7, 2024</p>",
            |extras| extras.seen = seen.parse().ok(),
        )
    };
    assert!(page("2024-06-01T00:00:00Z").published.is_some());
    assert_eq!(page("2021-06-01T00:00:00Z").published, None);
}

#[test]
fn reviews_of_magazines_are_articles() {
    let head = ld(r#"{"@type":"Review","headline":"Soups","datePublished":"2024-05-07"}"#);
    assert_eq!(published(&head).as_deref(), DAY);
}

#[test]
fn changes() {
    let head =
        ld(r#"{"@type":"Article","datePublished":"2024-05-01","dateModified":"2024-05-07"}"#);
    assert_eq!(modified(&head).as_deref(), DAY);
    let head = ld(r#"{"@type":"WebPage","dateModified":"2024-05-07"}"#);
    assert_eq!(modified(&head).as_deref(), DAY);
    let shown = "<h1>Soup</h1><p>Published May 1, 2024</p><p>Updated May 7, 2024</p>";
    assert_eq!(modified(shown).as_deref(), DAY);
    assert_eq!(published(shown).as_deref(), Some("2024-05-01T00:00:00Z"));
    // A change before the page appeared is none.
    let head =
        ld(r#"{"@type":"Article","datePublished":"2024-05-07","dateModified":"2024-05-01"}"#);
    assert_eq!(modified(&head), None);
    // On the same day the later of the two counts.
    let head = ld(
        r#"{"@type":"Article","datePublished":"2024-05-07T10:00:00Z","dateModified":"2024-05-07"}"#,
    );
    assert_eq!(modified(&head).as_deref(), Some("2024-05-07T10:00:00Z"));
    let page = read_with(URL, "<h1>Soup</h1>", |source| {
        source.last_modified = "2024-05-07T00:00:00Z".parse().ok()
    });
    assert_eq!(page.modified.unwrap().to_string(), "2024-05-07T00:00:00Z");
    assert!(!page.states_modified);
}
