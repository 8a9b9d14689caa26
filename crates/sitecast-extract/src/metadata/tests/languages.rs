use super::*;

const ENGLISH: &str = "<p>The quick brown fox jumps over the lazy dog, and then it sleeps for a while in the sun.</p>\
    <p>When it wakes up it is hungry, so it walks home through the forest and cooks a soup of the things it finds.</p>\
    <p>Nobody knows what the soup tastes like because the fox never lets anybody have any of it, not even the dog.</p>";
const GERMAN: &str = "<p>Der schnelle braune Fuchs springt über den faulen Hund und schläft danach eine Weile in der Sonne.</p>\
    <p>Wenn er aufwacht, hat er Hunger, also geht er durch den Wald nach Hause und kocht eine Suppe aus dem, was er findet.</p>\
    <p>Niemand weiß, wie die Suppe schmeckt, weil der Fuchs nie jemandem etwas davon gibt, nicht einmal dem Hund.</p>";

fn language(html: &str) -> Option<String> {
    read_at(URL, html).language.map(|tag| tag.to_string())
}

#[test]
fn stated_languages() {
    for (html, expected) in [
        ("<html lang=de>", "de"),
        ("<html lang=DE_ch>", "de-CH"),
        ("<html lang=zh-hans-cn>", "zh-Hans-CN"),
        ("<html lang=eng>", "en"),
        ("<html lang=ger>", "de"),
        ("<html lang=gsw>", "gsw"),
        ("<html xml:lang=de>", "de"),
        ("<body lang=de>", "de"),
        ("<meta http-equiv=content-language content=de-AT>", "de-AT"),
        ("<meta name=language content=de>", "de"),
        ("<meta name=dc.language content=de>", "de"),
        ("<meta property=og:locale content=de_DE>", "de-DE"),
        (
            "<html lang=xx><meta property=og:locale content=de_DE>",
            "de-DE",
        ),
    ] {
        assert_eq!(language(html).as_deref(), Some(expected), "{html}");
    }
    let html = ld(r#"{"@type":"Article","inLanguage":"de"}"#);
    assert_eq!(language(&html).as_deref(), Some("de"));
    let page = read_with(URL, "", |source| source.content_language = Some("de"));
    assert_eq!(page.language.unwrap().as_str(), "de");
    let page = read_with(URL, "<html lang=fr>", |source| {
        source.content_language = Some("de")
    });
    assert_eq!(page.language.unwrap().as_str(), "fr");
}

#[test]
fn what_is_no_language() {
    for html in [
        "<html lang=''>",
        "<html lang=english>",
        "<html lang=jp>",
        "<html lang=us>",
        "<html lang=und>",
        "<html lang='{{ lang }}'>",
        "<html lang=x-default>",
        "<meta name=language content='en, de'>",
        "<html lang=123>",
    ] {
        assert_eq!(language(html), None, "{html}");
    }
    assert_eq!(language("<html lang=en-US-posix-x>").as_deref(), Some("en"));
}

#[test]
fn the_text_decides_where_nothing_is_stated() {
    assert_eq!(language(ENGLISH).as_deref(), Some("en"));
    assert_eq!(language(GERMAN).as_deref(), Some("de"));
    assert_eq!(language("<p>Ja"), None);
}

#[test]
fn the_text_contradicts() {
    assert_eq!(
        language(&format!("<html lang=en>{GERMAN}")).as_deref(),
        Some("de")
    );
    assert_eq!(
        language(&format!(
            "<html lang=en><meta property=og:locale content=de_AT>{GERMAN}"
        ))
        .as_deref(),
        Some("de-AT")
    );
    assert_eq!(
        language(&format!("<html lang=de-CH>{GERMAN}")).as_deref(),
        Some("de-CH")
    );
    assert_eq!(
        language(&format!("<html lang=english>{GERMAN}")).as_deref(),
        Some("de")
    );
    // Too little text to contradict.
    assert_eq!(
        language("<html lang=en><p>Der schnelle braune Fuchs springt über den faulen Hund.")
            .as_deref(),
        Some("en")
    );
    // Bavarian cannot be detected: it is believed.
    assert_eq!(
        language(&format!("<html lang=bar>{GERMAN}")).as_deref(),
        Some("bar")
    );
}

#[test]
fn detected_from_text() {
    assert_eq!(language_of(GERMAN).unwrap().as_str(), "de");
    assert_eq!(language_of(""), None);
    assert_eq!(language_of("Suppe"), None);
    assert_eq!(
        language_of(&"今日のスープはとても美味しいです。".repeat(10))
            .unwrap()
            .as_str(),
        "ja"
    );
    assert_eq!(
        language_of(&"오늘의 수프는 아주 맛있습니다. ".repeat(10))
            .unwrap()
            .as_str(),
        "ko"
    );
    // A cut in the middle of a character is no harm.
    assert!(language_of(&"ä".repeat(10_000)).is_none_or(|tag| tag.as_str().len() == 2));
}
