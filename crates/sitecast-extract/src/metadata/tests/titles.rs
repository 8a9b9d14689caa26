use super::*;

#[test]
fn removes_known_site_name() {
    let site = "<meta property=og:site_name content='Example Kitchen'>";
    for page_title in [
        "Soup | Example Kitchen",
        "Soup - Example Kitchen",
        "Soup – Recipes – Example Kitchen",
        "Soup » Example Kitchen Blog",
        "Soup. Example Kitchen",
        "Soup: Example Kitchen",
        "Example Kitchen: Soup",
        "Example Kitchen | Soup | Recipes",
        "Soup | Example",
        "Soup | example.com",
    ] {
        assert_eq!(
            title(&format!("<title>{page_title}</title>{site}")),
            "Soup",
            "{page_title}"
        );
    }
}

#[test]
fn finds_site_name_in_all_sources() {
    for shown in [
        "<meta property=og:site_name content='Foo Bar'>".to_owned(),
        "<meta name=application-name content='Foo Bar'>".to_owned(),
        "<meta name=apple-mobile-web-app-title content='Foo Bar'>".to_owned(),
        "<meta name=dc.publisher content='Foo Bar'>".to_owned(),
        ld(r#"{"@type":"Organization","name":"Foo Bar"}"#),
        ld(r#"{"@type":"WebSite","name":"Foo Bar"}"#),
        ld(r#"{"@type":"WebPage","publisher":{"name":"Foo Bar"}}"#),
    ] {
        assert_eq!(
            title(&format!("<title>Soup | Foo Bar</title>{shown}")),
            "Soup",
            "{shown}"
        );
    }
    assert_eq!(title("<title>Soup | Example</title>"), "Soup");
    let names = ["Foo Bar".to_owned()];
    let page = read_with(URL, "<title>Soup | Foo Bar</title>", |source| {
        source.site_names = &names
    });
    assert_eq!(page.title, "Soup");
}

#[test]
fn keeps_title_with_unknown_site_name() {
    assert_eq!(
        title("<title>Well-known soups: a guide</title>"),
        "Well-known soups: a guide"
    );
    assert_eq!(
        read_at(
            "https://example.com/",
            "<title>Example - Good soups</title>"
        )
        .title,
        "Example - Good soups"
    );
}

#[test]
fn prefers_heading_that_is_stated_for_machines() {
    let html = "<title>Soup - hot | Example</title><h1>Menu</h1><h1>Soup - hot</h1>";
    assert_eq!(title(html), "Soup - hot");
    let html = "<title>Best soups</title><meta property=og:title content='Ten SOUPS, tested'><h1>Ten soups tested</h1>";
    assert_eq!(title(html), "Ten soups tested");
    let html = format!(
        "<title>Best soups</title>{}<h1>Ten soups</h1>",
        ld(r#"{"@type":"Article","headline":"Ten soups"}"#)
    );
    assert_eq!(title(&html), "Ten soups");
}

#[test]
fn prefers_heading_nearer_to_url() {
    assert_eq!(
        title("<title>Example - The heart of cooking</title><h1>The soup of the day</h1>"),
        "The soup of the day"
    );
    assert_eq!(
        title("<title>Soup of the day</title><h1>Get our newsletter</h1>"),
        "Soup of the day"
    );
}

#[test]
fn drops_labels_in_headings() {
    let heading =
        "<h1><span>Solved</span> Which soup today? <button>Follow</button> <i>87</i></h1>";
    assert_eq!(
        title(&format!(
            "<title>Which soup today? | Example</title>{heading}"
        )),
        "Which soup today?"
    );
    let headline = ld(r#"{"@type":"DiscussionForumPosting","headline":"Which soup?"}"#);
    assert_eq!(
        title(&format!(
            "<title>Solved - Which soup?</title>{headline}<h1><b>Solved</b> Which soup?</h1>"
        )),
        "Which soup?"
    );
    assert_eq!(
        title(
            "<title>Ten good soups</title><meta property=og:title content='Ten good soups'>\
             <h1>Blog: Ten good soups</h1>"
        ),
        "Ten good soups"
    );
}

#[test]
fn removes_only_repeated_site_name_on_front_page() {
    let site = "<meta property=og:site_name content=Example>";
    for (page_title, wanted) in [
        ("Example: soups for all", "Example: soups for all"),
        ("Example: soups for all - Example", "Example: soups for all"),
        ("Soups for all | Fresh | Example", "Soups for all | Fresh"),
        ("Home - Example", "Home - Example"),
    ] {
        let html = format!("<title>{page_title}</title>{site}<h1>Hungry?</h1>");
        assert_eq!(read_at("https://example.com/", &html).title, wanted);
    }
}

#[test]
fn title_is_not_taken_for_site_name() {
    let named = ld(r#"{"@type":"WebSite","name":"Soups of the year 2026 / 2027"}"#);
    let html = format!(
        "<title>Soups of the year 2026 / 2027</title>{named}<h1>Soups of the year 2026 / 2027</h1>"
    );
    assert_eq!(title(&html), "Soups of the year 2026 / 2027");
}

#[test]
fn falls_back_to_headings_and_url() {
    assert_eq!(title("<meta property=og:title content=Soup>"), "Soup");
    assert_eq!(title("<meta name=twitter:title content=Soup>"), "Soup");
    assert_eq!(
        title(&ld(r#"{"@type":"Article","headline":"Soup &amp; bread"}"#)),
        "Soup & bread"
    );
    assert_eq!(title("<h1>Soup</h1>"), "Soup");
    assert_eq!(title("<title>| Example</title><h1>Soup</h1>"), "Soup");
    assert_eq!(title("<title>Example</title><h1>Soup</h1>"), "Soup");
    assert_eq!(title("<h2>Soup</h2>"), "Soup");
    assert_eq!(title("<p>text"), "Soup of the day");
    assert_eq!(
        read_at("https://example.com/a/über_uns.html", "").title,
        "Über uns"
    );
}

#[test]
fn drops_forum_labels_before_titles() {
    assert_eq!(
        title("<title>Example • View topic - Which soup?</title>"),
        "Which soup?"
    );
}
