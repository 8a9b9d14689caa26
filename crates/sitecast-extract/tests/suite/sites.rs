//! Whole sites.

use sitecast_extract::{Extractor, Html, SiteLearner, SiteTemplate};
use sitecast_scp::{HttpUrl, Page, to_text};

use super::seen;

pub(super) type Site = Vec<(HttpUrl, String)>;

pub(super) fn site(pages: impl IntoIterator<Item = String>) -> Site {
    (1..)
        .zip(pages)
        .map(|(n, html): (u32, String)| (format!("https://example.com/{n}").parse().unwrap(), html))
        .collect()
}

pub(super) fn learn<'a>(
    pages: impl IntoIterator<Item = &'a (HttpUrl, String)>,
) -> SiteTemplate<'static> {
    let mut learner = SiteLearner::new(Extractor::default());
    for (url, html) in pages {
        learner
            .add(&Html::new(url, html.as_bytes(), seen()))
            .unwrap();
    }
    learner.finish()
}

fn page_of(template: &SiteTemplate<'_>, (url, html): &(HttpUrl, String)) -> Page {
    let html = Html::new(url, html.as_bytes(), seen());
    template.extract_page(&html).unwrap().page
}

pub(super) fn texts(template: &SiteTemplate<'_>, site: &Site) -> Vec<String> {
    let pages = site.iter().map(|page| page_of(template, page));
    pages.map(|page| to_text(&page)).collect()
}

/// A site whose class names say nothing, with a box in the middle of every article that reads like an article.
fn nameless() -> Site {
    site((1..=8).map(|n| {
        format!(
            "<title>Chapter {n} - Nameless</title><div><div>Some site</div><div>Chapters, maps and people of the story, all in one place.</div></div>\
             <div><p>Chapter {n} begins where chapter {} ended: with {n} people on a boat of {n} planks, which is not enough for {n}.</p>\
             <div><p>If you like this story, tell your friends about it, and they will tell theirs, until everyone has heard.</p></div>\
             <p>They agreed to throw {n} things overboard. The {n}th was the map, which nobody noticed before the evening of day {n}.</p></div>",
            n - 1
        )
    }))
}

#[test]
fn drops_text_that_repeats_on_all_pages() {
    let site = nameless();
    for text in texts(&learn(&site), &site) {
        assert!(
            text.contains("begins where chapter") && text.contains("overboard"),
            "{text}"
        );
        assert!(
            !text.contains("tell your friends") && !text.contains("Some site"),
            "{text}"
        );
    }
}

#[test]
fn result_does_not_depend_on_page_order() {
    let site = nameless();
    let forward = texts(&learn(&site), &site);
    assert_eq!(texts(&learn(site.iter().rev()), &site), forward);
    let mut first = SiteLearner::new(Extractor::default());
    let mut second = first.clone();
    for (n, (url, html)) in site.iter().enumerate() {
        let into = if n % 3 == 0 { &mut first } else { &mut second };
        into.add(&Html::new(url, html.as_bytes(), seen())).unwrap();
    }
    let both = [first, second];
    let repeated = SiteLearner::repeated_among(&both);
    let [first, mut second] = both;
    second.merge_places(first);
    assert_eq!(second.pages(), 8);
    assert_eq!(texts(&second.finish_with(repeated), &site), forward);
}

/// Pages of one template: most with an article, some with hardly any text.
fn uneven() -> Site {
    let page = |title: &str, body: &str| {
        format!(
            "<title>{title} | Uneven</title><header class=top><a href=/>Uneven</a><a href=/all>All pages</a></header>\
             <div class=\"post-body\">{body}</div><footer class=bottom><a href=/imprint>Imprint</a></footer>"
        )
    };
    let long = |n: u32| {
        format!(
            "<p>Entry {n} of the log was written in a hurry, as the ink shows, and read by {n} people at least, as the margins show.</p>\
             <p>What it says about the {n} lamps is still true today; what it says about the keeper was never true, not even on day {n}.</p>"
        )
    };
    let mut pages: Vec<String> = (1..=9)
        .map(|n| page(&format!("Entry {n}"), &long(n)))
        .collect();
    pages.push(page("Short", "<p>Nothing happened.</p>"));
    pages.push(page("Links", "<ul><li><a href=/1>The first entry</a></li><li><a href=/2>The second entry</a></li><li><a href=/3>The third entry</a></li></ul>"));
    pages.push(page("Code", "<pre>lamp --light 3\nlamp --wait</pre>"));
    site(pages)
}

#[test]
fn keeps_short_pages_and_pages_of_links_or_code() {
    let site = uneven();
    let texts = texts(&learn(&site), &site);
    assert_eq!(texts[9], "Nothing happened.\n");
    assert_eq!(
        texts[10],
        "- The first entry\n- The second entry\n- The third entry\n"
    );
    assert_eq!(texts[11], "lamp --light 3\nlamp --wait\n");
}

#[test]
fn keeps_headings_that_all_pages_share() {
    let site = site((1..=6).map(|n| {
        format!(
            "<title>Soup {n}</title><nav><a href=/>Soups</a></nav><main><article><p>Soup number {n} has been cooked here since the year 190{n}, with {n} onions and patience.</p>\
             <h2>Ingredients</h2><ul><li>{n} onions, sliced thinly</li><li>{n}00 g of butter</li></ul>\
             <h2>Method</h2><p>Let the {n} onions sweat in the butter for {n}0 minutes, add water, and wait until the soup is the colour of leather.</p></article></main>"
        )
    }));
    for text in texts(&learn(&site), &site) {
        assert!(
            text.contains("Ingredients\n") && text.contains("Method\n"),
            "{text}"
        );
    }
}

#[test]
fn removes_the_site_name_from_titles() {
    let site = uneven();
    let template = learn(&site);
    assert_eq!(template.site_names(), ["Uneven"]);
    let (url, html) = &site[9];
    let page = template
        .extract_page(&Html::new(url, html.as_bytes(), seen()))
        .unwrap()
        .page;
    assert_eq!(page.title, "Short");
}

const PORTUGUESE: &str = "<p>O pedido é preparado no mesmo dia e sai da nossa loja com uma caixa que não deixa entrar a água da chuva.</p>\
    <p>Quem mora longe também recebe o que comprou em poucos dias, e pode trocar o produto se não gostar da cor ou do tamanho.</p>\
    <p>As lojas da cidade ficam abertas até às nove da noite, mas no domingo os nossos vendedores descansam em casa.</p>";

/// A site whose pages have these attributes on `<html>` and these texts.
fn shop(pages: &[(&str, &str, &str)]) -> Site {
    let page = |(path, attributes, text): &(&str, &str, &str)| {
        let url = format!("https://example.com{path}").parse().unwrap();
        let html = format!(
            "<html{attributes}><title>Caneca {path}</title><main><h1>Caneca {path}</h1>{text}</main>"
        );
        (url, html)
    };
    pages.iter().map(page).collect()
}

fn languages(site: &Site) -> Vec<String> {
    let template = learn(site);
    assert_eq!(template.store(), learn(site.iter().rev()).store());
    let restored = SiteTemplate::restore(&template.store(), Extractor::default()).unwrap();
    let pages = site.iter().map(|page| page_of(&template, page).language);
    let pages: Vec<String> = pages.map(|language| language.to_string()).collect();
    for (page, language) in site.iter().zip(&pages) {
        assert_eq!(page_of(&restored, page).language.as_str(), language);
    }
    pages
}

#[test]
fn gives_short_pages_the_language_of_the_site() {
    const ENGLISH: &str = "<p>Every order is packed on the day that it comes in, and it leaves our shop in a box that \
        keeps the rain out of it for as long as it is on the road.</p><p>Whoever lives far away has what they bought within \
        a few days, and they can send it back to us if they do not like the colour or the size of it.</p>";
    let site = shop(&[
        ("/a", " lang=pt-BR", PORTUGUESE),
        ("/b", " lang=pt-BR", "<p>Caneca azul."),
        ("/c", "", PORTUGUESE),
        ("/d", "", "<p>Caneca verde."),
        ("/e", " lang=de", "<p>Tasse."),
        ("/f", "", ENGLISH),
        ("/g", " lang=pt-BR", PORTUGUESE),
        ("/en/a", " lang=en", ENGLISH),
        ("/en/b", "", ENGLISH),
        ("/en/c", "", "<p>Mug."),
        ("/it/a", "", "<p>Tazza."),
    ]);
    let expected = [
        "pt-BR", "pt-BR", "pt-BR", "pt-BR", "de", "en", "pt-BR", "en", "en", "en", "und",
    ];
    assert_eq!(languages(&site), expected);
}

#[test]
fn overrides_stated_languages_that_other_pages_disprove() {
    let site = shop(&[
        ("/a", " lang=en", PORTUGUESE),
        ("/b", " lang=en", PORTUGUESE),
        ("/c", " lang=en", "<p>Caneca azul."),
        ("/d", "", "<p>Caneca verde."),
        ("/e", " lang=fr", "<p>Tasse."),
    ]);
    assert_eq!(languages(&site), ["pt", "pt", "pt", "pt", "fr"]);
}
