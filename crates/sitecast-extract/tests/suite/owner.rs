//! Instructions of a site's owner: attributes in pages, and rules.

use sitecast_extract::{ExtractError, Extractor, Limits, NoSnippet, Rule, Rules, SiteLearner};
use sitecast_scp::to_text;

use crate::{html, url};

const TEXT: &str =
    "Pour boiling water over the leaves and wait for three minutes, no longer than that.";

fn text_with(extractor: &Extractor<'_>, page: &str) -> String {
    let url = url("https://example.com/blog/tea");
    to_text(&extractor.extract_page(&html(&url, page)).unwrap().page)
}

fn text(page: &str) -> String {
    text_with(&Extractor::default(), page)
}

fn rule(path: &str, [content, include, exclude]: [&[&str]; 3]) -> Extractor<'static> {
    let parsed = |selectors: &[&str]| selectors.iter().map(|one| one.parse().unwrap()).collect();
    let mut rule = Rule::new(Some(path)).unwrap();
    rule.content = parsed(content);
    rule.include = parsed(include);
    rule.exclude = parsed(exclude);
    Extractor {
        rules: Rules::new(None, vec![rule]),
        ..Extractor::default()
    }
}

#[test]
fn innermost_data_sitecast_wins() {
    let page = format!(
        "<title>Tea</title><nav data-sitecast=include><a href=/>Home</a></nav>
         <main><p>{TEXT}</p><div data-sitecast=exclude><p>{TEXT} Buy it.</p><p data-sitecast=include>Stay.</p></div>
         <p>{TEXT} <b data-sitecast=Exclude>No <i data-sitecast=' include '>yes</i> word</b> of it.</p></main>"
    );
    let text = text(&page);
    assert!(text.contains("Home"), "{text}");
    assert!(text.contains("Stay."), "{text}");
    assert!(!text.contains("Buy it."), "{text}");
    assert!(text.contains("than that. yes of it."), "{text}");
    assert!(!text.contains("No") && !text.contains("word"), "{text}");
}

#[test]
fn ignores_unknown_values_of_data_sitecast() {
    let page =
        format!("<title>Tea</title><main><p>{TEXT}</p><p data-sitecast=perhaps>{TEXT}</p></main>");
    assert_eq!(text(&page).matches(TEXT).count(), 2);
}

#[test]
fn includes_a_hidden_element_but_not_hidden_parts_of_it() {
    let page = format!(
        "<title>Tea</title><main><p>{TEXT}</p><div hidden data-sitecast=include>Shown later</div>
         <div data-sitecast=include>Open <p style='display:none'>Secret</p></div></main>"
    );
    let text = text(&page);
    assert!(
        text.contains("Shown later") && text.contains("Open"),
        "{text}"
    );
    assert!(!text.contains("Secret"), "{text}");
}

#[test]
fn images_follow_the_instruction_of_their_element() {
    let page = format!(
        "<title>Tea</title><main><p>{TEXT}</p><p><img src=a.png alt=a></p>
         <p data-sitecast=exclude><img src=b.png alt=b></p><img data-sitecast=exclude src=c.png alt=c>
         <p>{TEXT}</p></main><footer><div data-sitecast=include><img src=d.png alt=d></div>Imprint</footer>"
    );
    let url = url("https://example.com/");
    let page = Extractor::default()
        .extract_page(&html(&url, &page))
        .unwrap()
        .page;
    let shown = serde_json::to_string(&page.content).unwrap();
    for (picture, is_kept) in [
        ("a.png", true),
        ("b.png", false),
        ("c.png", false),
        ("d.png", true),
    ] {
        assert_eq!(shown.contains(picture), is_kept, "{picture} {shown}");
    }
}

#[test]
fn drops_data_nosnippet_everywhere() {
    let page = format!(
        "<html><head><title></title></head><body data-nosnippet=''><h1>Secret</h1></body></html>
         <main><p>{TEXT}</p></main>"
    );
    let extractor = Extractor::default();
    let at = url("https://example.com/");
    let extracted = extractor.extract_page(&html(&at, &page)).unwrap();
    let all = serde_json::to_string(&extracted.page).unwrap();
    assert!(!all.contains("Secret") && !all.contains("boiling"), "{all}");

    let page = format!(
        "<title>Tea</title><noscript><p data-nosnippet>secret 1</p></noscript><main><h1>Tea <i Data-NoSnippet>secret 2</i></h1>
         <script type=application/ld+json data-nosnippet>{{\"@type\":\"Article\",\"author\":\"secret 3\"}}</script>
         <p>{TEXT}<span data-nosnippet> secret 4 <b>secret 5</b></span> Done.</p>
         <p data-nosnippet data-sitecast=include>secret 6</p></main>"
    );
    let extracted = extractor.extract_page(&html(&at, &page)).unwrap();
    let all = serde_json::to_string(&extracted.page).unwrap();
    assert!(!all.contains("secret"), "{all}");
    assert!(all.contains("than that. Done."), "{all}");
    let disregarding = Extractor {
        nosnippet: NoSnippet::Disregard,
        ..Extractor::default()
    };
    let shown = text_with(&disregarding, &page);
    assert!(shown.contains("secret 4 secret 5"), "{shown}");
}

#[test]
fn rejects_pages_with_data_nosnippet_beyond_the_limits() {
    let deep = format!("{}<p data-nosnippet>secret", "<div>".repeat(600));
    let url = url("https://example.com/");
    let made = Extractor::default().extract_page(&html(&url, &deep));
    assert_eq!(made.unwrap_err(), ExtractError::NoSnippet);
    let deep = format!(
        "<p data-nosnippet>secret</p>{}<p>{TEXT}",
        "<div>".repeat(600)
    );
    assert!(
        Extractor::default()
            .extract_page(&html(&url, &deep))
            .is_ok()
    );
    let few = Extractor {
        limits: Limits {
            nodes: 10,
            ..Limits::default()
        },
        ..Extractor::default()
    };
    let many = format!("{}<p data-nosnippet>secret", "<p>text</p>".repeat(20));
    assert_eq!(
        few.extract_page(&html(&url, &many)).unwrap_err(),
        ExtractError::NoSnippet
    );
}

const POST: &str = "<title>Tea</title><header><p class=kicker>Kitchen</p></header>
    <main><article class=post><p>Pour boiling water over the leaves and wait for three minutes, no longer than that.</p>
    <p class=promo>Our tea is on sale this week, and so are all of the cups that go with it.</p><ul><li>A</ul></article>
    <section><p>Other people have read these pages as well, and so perhaps will you, since they are about coffee.</p></section></main>";

#[test]
fn rules_include_and_exclude_content() {
    let none: &[&str] = &[];
    let found = text_with(&rule("/blog/**", [none, &[".kicker"], &[".promo"]]), POST);
    assert!(
        found.contains("Kitchen") && found.contains("boiling"),
        "{found}"
    );
    assert!(!found.contains("sale"), "{found}");

    let found = text_with(
        &rule("/blog/**", [&["article.post"], none, &[".promo"]]),
        POST,
    );
    assert_eq!(found.split_whitespace().next(), Some("Pour"));
    assert!(
        found.contains("boiling") && found.ends_with("A\n"),
        "{found}"
    );
    assert!(
        !found.contains("sale") && !found.contains("coffee"),
        "{found}"
    );

    // A rule whose element is missing excludes nothing.
    let found = text_with(&rule("/blog/**", [&["article.page"], none, none]), POST);
    assert_eq!(found, text(POST));
    let found = text_with(&rule("/docs/**", [&["section"], none, none]), POST);
    assert_eq!(found, text(POST));
}

#[test]
fn markup_overrides_rules_and_exclusion_overrides_inclusion() {
    let none: &[&str] = &[];
    let page = POST.replace("class=promo", "class=promo data-sitecast=include");
    assert!(text_with(&rule("/**", [none, none, &[".promo"]]), &page).contains("sale"));
    assert!(!text_with(&rule("/**", [none, &[".promo"], &[".promo"]]), POST).contains("sale"));
    assert!(!text_with(&rule("/**", [&[".post"], none, &["article"]]), POST).contains("sale"));
}

#[test]
fn instructions_override_the_template() {
    let pages: Vec<_> = (0..8)
        .map(|n| {
            let page = format!(
                "<title>Tea {n}</title><nav><p data-sitecast=include>Ask a doctor first.</p><a href=/>Home</a></nav>
                 <main><p>{TEXT} It is {n}.</p><p data-sitecast=exclude>{TEXT} It is not {n}.</p></main>"
            );
            (url(&format!("https://example.com/{n}")), page)
        })
        .collect();
    let mut learner = SiteLearner::new(Extractor::default());
    for (url, page) in &pages {
        learner.add(&html(url, page)).unwrap();
    }
    let template = learner.finish();
    for (url, page) in &pages {
        let text = to_text(&template.extract_page(&html(url, page)).unwrap().page);
        assert!(text.contains("Ask a doctor first."), "{text}");
        assert!(
            !text.contains("It is not") && !text.contains("Home"),
            "{text}"
        );
    }
}
