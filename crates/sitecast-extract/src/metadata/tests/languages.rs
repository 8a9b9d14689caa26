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
fn reads_stated_languages() {
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
fn ignores_invalid_languages() {
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
fn text_decides_without_stated_language() {
    assert_eq!(language(ENGLISH).as_deref(), Some("en"));
    assert_eq!(language(GERMAN).as_deref(), Some("de"));
    assert_eq!(language("<p>Ja"), None);
}

#[test]
fn text_overrides_stated_language() {
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
    // Bavarian cannot be detected, so it is accepted.
    assert_eq!(
        language(&format!("<html lang=bar>{GERMAN}")).as_deref(),
        Some("bar")
    );
}

/// Products have English names in all countries, with few function words around them.
#[test]
fn names_do_not_override_stated_language() {
    const NAMES: &str = "Notebook Dell Inspiron 15 3520 Intel Core i5 16GB RAM 512GB SSD Smart TV LG OLED evo C4 55 4K \
        Dolby Vision Console Sony PlayStation 5 Slim Digital Edition Apple iPhone 15 Pro Max Natural Titanium";
    for (language_tag, sentence) in [
        (
            "pt-BR",
            "Frete grátis para todo o Brasil e garantia de um ano.",
        ),
        ("pl", "Darmowa dostawa w całej Polsce i rok gwarancji."),
        ("ar", "شحن مجاني لجميع أنحاء المملكة وضمان لمدة عام واحد."),
        (
            "ko",
            "전국 무료 배송과 일 년 동안의 품질 보증을 제공합니다.",
        ),
        (
            "el",
            "Δωρεάν μεταφορικά σε όλη την Ελλάδα και εγγύηση ενός έτους.",
        ),
        ("en", ""),
    ] {
        let paragraphs = format!("<p>{NAMES} {sentence}</p>").repeat(4);
        let html = format!("<html lang={language_tag}><main>{paragraphs}</main>");
        assert_eq!(language(&html).as_deref(), Some(language_tag));
    }
}

#[test]
fn ignores_program_text() {
    let program = "<pre>mov ax, 0x10 ; set the segments of data to that of the kernel and call it\n\
        call print_string ; the address of the text that is to be printed is in the register si\n\
        jmp $ ; stay here for as long as the machine is on, and do nothing but that for ever</pre>";
    let korean = "<p>커널을 불러온 다음에는 화면에 문자열을 출력한다.</p><p>오늘은 여기까지 하고 다음 글에서 계속한다.</p>";
    let html = format!("<html lang=ko>{korean}{}", program.repeat(8));
    assert_eq!(language(&html).as_deref(), Some("ko"));
    let html = format!("<html lang=de><p>Kurz.</p>{}", program.repeat(8));
    assert_eq!(language(&html).as_deref(), Some("de"));
}

#[test]
fn examples_in_another_script_do_not_override() {
    let chinese = "<p>请输入一个有效的日期。列出所有模板标签及其功能。您的电子邮箱里会收到说明。请输入一个有效的日期。</p>";
    let html = format!("<html lang=en>{ENGLISH}{chinese}{chinese}");
    assert_eq!(language(&html).as_deref(), Some("en"));
}

/// Detection between similar languages is uncertain, but better than no language.
#[test]
fn chooses_between_similar_languages() {
    let danish = "<p>Din adgangskode skal indeholde mindst otte tegn, og den må ikke ligne de oplysninger, som du har \
        givet om dig selv. Sletning af de valgte sider ville også slette alt det, der hører til dem, men din konto \
        har ikke lov til at slette følgende ting. Siden er ikke tilgængelig lige nu, men den kommer igen i morgen.</p>";
    assert_eq!(language(danish).as_deref(), Some("da"));
    assert_eq!(
        language(&format!("<html lang=nb>{danish}")).as_deref(),
        Some("nb")
    );
}

#[test]
fn foreign_script_overrides_stated_language() {
    let russian = "<p>Суп варится на медленном огне около часа, и всё это время его надо время от времени помешивать.</p>\
        <p>Затем в него кладут зелень, соль и перец, а перед подачей добавляют ложку сметаны.</p>";
    for stated in ["en", "pl", "tr", "eu"] {
        let html = format!("<html lang={stated}>{russian}");
        assert_eq!(language(&html).as_deref(), Some("ru"), "{stated}");
    }
    let english_in_russian = format!("<html lang=ru>{ENGLISH}{}", russian.repeat(2));
    assert_eq!(language(&english_in_russian).as_deref(), Some("ru"));
}

/// TemplateDecision often state `en` for any content.
#[test]
fn short_texts_in_foreign_script_override() {
    let chinese = "<p>请输入一个有效的日期。</p><p>只能输入用逗号分隔的数字。</p><p>切换主题颜色。</p>\
        <p>列出所有模板标签及其功能。</p><p>您的电子邮箱里会收到说明。</p>";
    assert_eq!(
        language(&format!("<html lang=en>{chinese}")).as_deref(),
        Some("zh")
    );
}

#[test]
fn detects_language_of_text() {
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
    // The limit may be in the middle of a character.
    assert!(language_of(&"ä".repeat(10_000)).is_none_or(|tag| tag.as_str().len() == 2));
}
