use super::*;

const DAY: Option<&str> = Some("2024-05-07T00:00:00Z");

#[test]
fn reads_dates_of_json_ld() {
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
fn reads_all_meta_names_of_publication() {
    for name in super::super::published::META {
        let html = format!("<meta property='{name}' content='2024-05-07'>");
        assert_eq!(published(&html).as_deref(), DAY, "{name}");
    }
    let own =
        "<meta property=og:type content=article><meta name=my_publish_date content=2024-05-07>";
    assert_eq!(published(own).as_deref(), DAY);
}

#[test]
fn reads_all_meta_names_of_change() {
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
fn reads_dates_of_microdata_and_rdfa() {
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
fn reads_visible_dates() {
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
fn language_decides_order_of_day_and_month() {
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
fn ignores_dates_of_other_events() {
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
fn distinguishes_change_from_publication() {
    for change in [
        "<p>Last updated: May 7, 2024</p>",
        "<p>Last updated by Jane Doe on May 7, 2024</p>",
        "<p>Last modified <time datetime=2024-05-07>yesterday</time></p>",
        "<p>This page was last edited on 7 May 2024</p>",
        "<p class=meta><span>Updated</span> <span class=date>May 7, 2024</span></p>",
        "<p>Stand: 7. Mai 2024</p>",
        "<p>Zuletzt aktualisiert am 7. Mai 2024</p>",
        "<p>Letzte Änderung: 07.05.2024</p>",
        "<p>Mis à jour le 7 mai 2024</p>",
        "<p>Dernière modification : 7 mai 2024</p>",
        "<p>Última actualización: 7 de mayo de 2024</p>",
        "<p>Ultimo aggiornamento: 7 maggio 2024</p>",
        "<p>Laatst bijgewerkt op 7 mei 2024</p>",
        "<p>Ostatnia aktualizacja: 7 maja 2024</p>",
        "<p>Последнее обновление: 7 мая 2024</p>",
        "<p>最終更新日：2024年5月7日</p>",
        "<p>마지막 업데이트: 2024년 5월 7일</p>",
        "<div class=VPLastUpdated><time>May 7, 2024</time></div>",
        "<p><span class=git-revision-date-localized-plugin>May 7, 2024</span></p>",
    ] {
        let html = format!("<h1>Soup of the day</h1>{change}<p>Some text.</p>");
        assert_eq!(published(&html), None, "{change}");
        assert_eq!(modified(&html).as_deref(), DAY, "{change}");
    }
    // Many blogs use this class for the date of publication.
    let date = "<h1>Soup</h1><p class='date updated'>May 7, 2024</p>";
    assert_eq!(published(date).as_deref(), DAY);
}

#[test]
fn ignores_dates_in_program_text_and_page_footer() {
    for other in [
        "<pre>date: May 7, 2024</pre>",
        "<pre><code><span class=date>2024-05-07</span></code></pre>",
        "<p>For example <code>2024-05-07</code></p>",
        "<samp>May 7, 2024</samp>",
        "<footer>May 7, 2024</footer>",
        "<div class=site-footer><p>Built: May 7, 2024</p></div>",
        "<div role=contentinfo><p>May 7, 2024</p></div>",
        "<p>Copyright Jane Doe, May 7, 2024</p>",
    ] {
        let html = format!("<h1>Soup of the day</h1><p>Some text.</p>{other}");
        assert_eq!(published(&html), None, "{other}");
    }
    let own = "<article><h1>Soup</h1><p>Text.</p><footer>May 7, 2024</footer></article>";
    assert_eq!(published(own).as_deref(), DAY);
    let changed = "<h1>Soup</h1><p>Text.</p><footer>Last updated on May 7, 2024</footer>";
    assert_eq!(modified(changed).as_deref(), DAY);
}

#[test]
fn takes_date_of_url_last() {
    let page = read_at("https://example.com/2024/05/07/soup", "<h1>Soup</h1>");
    assert_eq!(page.published.unwrap().to_string(), "2024-05-07T00:00:00Z");
}

#[test]
fn clear_visible_date_overrides_template() {
    let head =
        ld(r#"{"@type":"Article","datePublished":"2025-06-12","dateModified":"2025-06-10"}"#);
    let html = format!("{head}<h1>Soup</h1><p class=date>Published May 7, 2024</p>");
    assert_eq!(published(&html).as_deref(), DAY);
    // A later date is that of a change.
    let head =
        ld(r#"{"@type":"Article","datePublished":"2024-05-07","dateModified":"2024-05-07"}"#);
    let html = format!("{head}<h1>Soup</h1><p class=date>Published June 12, 2024</p>");
    assert_eq!(published(&html).as_deref(), DAY);
}

#[test]
fn url_decides_order_of_day_and_month() {
    let page = read_at(
        "https://example.com/blog/2024/may/07/soup",
        "<html lang=en><h1>Soup</h1><p class=date>07/05/2024</p>",
    );
    assert_eq!(page.published.unwrap().to_string(), "2024-05-07T00:00:00Z");
}

#[test]
fn ignores_future_dates() {
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
fn treats_magazine_reviews_as_articles() {
    let head = ld(r#"{"@type":"Review","headline":"Soups","datePublished":"2024-05-07"}"#);
    assert_eq!(published(&head).as_deref(), DAY);
}

#[test]
fn reads_dates_of_change() {
    let head =
        ld(r#"{"@type":"Article","datePublished":"2024-05-01","dateModified":"2024-05-07"}"#);
    assert_eq!(modified(&head).as_deref(), DAY);
    let head = ld(r#"{"@type":"WebPage","dateModified":"2024-05-07"}"#);
    assert_eq!(modified(&head).as_deref(), DAY);
    let shown = "<h1>Soup</h1><p>Published May 1, 2024</p><p>Updated May 7, 2024</p>";
    assert_eq!(modified(shown).as_deref(), DAY);
    assert_eq!(published(shown).as_deref(), Some("2024-05-01T00:00:00Z"));
    // A change before publication is ignored.
    let head =
        ld(r#"{"@type":"Article","datePublished":"2024-05-07","dateModified":"2024-05-01"}"#);
    assert_eq!(modified(&head), None);
    // On the same day, the later time counts.
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
