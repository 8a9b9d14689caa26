//! The same article has the same text in very different templates.

use sitecast_extract::{Extractor, Html, SiteLearner};
use sitecast_scp::{HttpUrl, Page, to_text};
use sitecast_tct::fingerprint as text_fingerprint;

use super::{page, seen};

const ARTICLES: [(&str, &str); 5] = [
    ("The harbour", include_str!("../articles/harbour.html")),
    (
        "A parser that never looks back",
        include_str!("../articles/parser.html"),
    ),
    ("Onion soup", include_str!("../articles/soup.html")),
    ("Closed on Thursday", include_str!("../articles/brief.html")),
    ("Über den Grat", include_str!("../articles/wanderung.html")),
];

type Template = fn(&str, &str) -> String;

const TEMPLATES: [(&str, Template); 6] = [
    ("bare", bare),
    ("semantic", semantic),
    ("blog with sidebars", blog),
    ("tables of 1999", tables),
    ("utility classes", utility),
    ("documentation", documentation),
];

fn links(words: &[&str]) -> String {
    words
        .iter()
        .map(|word| format!("<li><a href=\"/{word}\">{word}</a></li>"))
        .collect()
}

fn bare(title: &str, article: &str) -> String {
    format!("<title>{title}</title><body><h1>{title}</h1>{article}")
}

fn semantic(title: &str, article: &str) -> String {
    let menu = links(&["Home", "News", "Culture", "Sport", "Contact"]);
    format!(
        "<!DOCTYPE html><html><head><title>{title} | The Daily</title><script>var a='<p>no</p>';</script></head><body>\
         <header><a href=/>The Daily</a><nav><ul>{menu}</ul></nav></header>\
         <main><article><header><h1>{title}</h1></header>{article}</article></main>\
         <footer><p>© 2025 The Daily. All rights reserved.</p><ul>{menu}</ul></footer></body></html>"
    )
}

fn blog(title: &str, article: &str) -> String {
    let menu = links(&["About", "Archive", "Tags", "RSS"]);
    let related: String = [
        "Ten more things to read",
        "What everybody missed",
        "An older story",
    ]
    .iter()
    .map(|teaser| format!("<div class=\"related-item\"><a href=/x><h4>{teaser}</h4></a></div>"))
    .collect();
    format!(
        "<html><head><title>{title} - Some Blog</title><style>p{{color:red}}</style></head><body class=\"single post-template\">\
         <div id=\"cookie-banner\" class=\"cookie-consent\"><p>We use cookies to improve your experience. <button>Accept</button></p></div>\
         <div id=\"wrapper\"><div id=\"header\" class=\"site-header\"><ul class=\"menu\">{menu}</ul></div>\
         <div id=\"content\" class=\"site-content\"><div id=\"primary\" class=\"content-area\"><div class=\"post hentry\">\
         <h1 class=\"entry-title\">{title}</h1><div class=\"entry-content\">{article}</div>\
         <div class=\"sharedaddy share-buttons\"><ul><li><a href=#>Share on Facebook</a></li><li><a href=#>Tweet</a></li></ul></div></div></div>\
         <div id=\"secondary\" class=\"sidebar widget-area\"><div class=\"widget\"><h3>Recent posts</h3><ul>{menu}</ul></div>\
         <div class=\"widget newsletter\"><p>Subscribe to our newsletter and never miss a post.</p></div></div></div>\
         <div class=\"related-posts\"><h3>You may also like</h3>{related}</div>\
         <div id=\"footer\" class=\"site-footer\"><p>Proudly powered by a machine. Privacy policy. Terms.</p></div></div></body></html>"
    )
}

fn tables(title: &str, article: &str) -> String {
    let menu: String = ["Start", "Products", "Links", "Guestbook"]
        .iter()
        .map(|word| {
            format!("<tr><td><a href=\"{word}.htm\"><font size=2>{word}</font></a></td></tr>")
        })
        .collect();
    format!(
        "<HTML><HEAD><TITLE>{title}</TITLE></HEAD><BODY BGCOLOR=white><TABLE WIDTH=800 BORDER=0><TR>\
         <TD COLSPAN=2><IMG SRC=banner.gif WIDTH=468 HEIGHT=60></TD></TR>\
         <TR><TD WIDTH=150 VALIGN=top><TABLE>{menu}</TABLE></TD><TD VALIGN=top><H1>{title}</H1>{article}</TD></TR>\
         <TR><TD COLSPAN=2 ALIGN=center><FONT SIZE=1>Copyright 1999. Webmaster: <A HREF=mailto:a@b.c>mail</A></FONT></TD></TR></TABLE></BODY></HTML>"
    )
}

fn utility(title: &str, article: &str) -> String {
    let menu: String = ["Pricing", "Features", "Blog", "Log in", "Sign up"]
        .iter()
        .map(|word| {
            format!("<a class=\"text-sm font-medium px-3 py-2\" href=\"/{word}\">{word}</a>")
        })
        .collect();
    format!(
        "<!doctype html><html lang=\"en\"><head><title>{title} · Product</title></head><body class=\"antialiased bg-white\"><div id=\"__next\">\
         <div class=\"sticky top-0 z-50\"><div class=\"flex items-center justify-between\" role=\"navigation\">{menu}</div></div>\
         <main class=\"max-w-7xl mx-auto\"><h1 class=\"text-4xl font-bold\">{title}</h1><div class=\"prose lg:prose-xl\">{article}</div></main>\
         <div class=\"bg-gray-900 text-white\" role=\"contentinfo\"><div class=\"grid grid-cols-4\">{menu}</div><p class=\"text-xs\">© 2025 Product Inc.</p></div>\
         </div><script id=\"__NEXT_DATA__\" type=\"application/json\">{{\"props\":{{}}}}</script></body></html>"
    )
}

fn documentation(title: &str, article: &str) -> String {
    let menu = links(&[
        "Introduction",
        "Installation",
        "Configuration",
        "Reference",
        "Changelog",
    ]);
    format!(
        "<!DOCTYPE html><html><head><title>{title} — Docs 2.1 documentation</title></head><body>\
         <div class=\"related\" role=\"navigation\"><ul><li><a href=\"/next\">next</a> |</li><li><a href=\"/prev\">previous</a> |</li></ul></div>\
         <div class=\"document\"><div class=\"documentwrapper\"><div class=\"bodywrapper\"><div class=\"body\" role=\"main\"><section>\
         <h1>{title}<a class=\"headerlink\" href=\"#x\" title=\"Link to this heading\">¶</a></h1>{article}</section></div></div></div>\
         <div class=\"sphinxsidebar\" role=\"navigation\"><h3>Table of contents</h3><ul>{menu}</ul></div></div>\
         <div class=\"footer\">&copy; Copyright 2025. Created using a generator.</div></body></html>"
    )
}

fn fingerprint(page: &Page) -> String {
    text_fingerprint(&to_text(page)).to_string()
}

#[test]
fn extracts_the_same_text_from_every_template() {
    for (title, article) in ARTICLES {
        let expected = page(&bare(title, article));
        for (name, template) in TEMPLATES {
            let found = page(&template(title, article));
            assert_eq!(to_text(&found), to_text(&expected), "`{title}` in `{name}`");
            assert_eq!(fingerprint(&found), fingerprint(&expected));
            assert_eq!(found.title, title, "in `{name}`");
        }
    }
}

#[test]
fn extracts_the_same_text_after_a_change_of_template() {
    let urls: Vec<HttpUrl> = (0..ARTICLES.len())
        .map(|n| format!("https://example.com/{n}").parse().unwrap())
        .collect();
    let of_site = |template: Template| -> Vec<String> {
        let pages: Vec<String> = ARTICLES
            .iter()
            .map(|(title, article)| template(title, article))
            .collect();
        let mut learner = SiteLearner::new(Extractor::default());
        for (url, html) in urls.iter().zip(&pages) {
            learner
                .add(&Html::new(url, html.as_bytes(), seen()))
                .unwrap();
        }
        let template = learner.finish();
        urls.iter()
            .zip(&pages)
            .map(|(url, html)| {
                let html = Html::new(url, html.as_bytes(), seen());
                to_text(&template.extract_page(&html).unwrap().page)
            })
            .collect()
    };
    let expected = of_site(bare);
    for (name, template) in TEMPLATES {
        assert_eq!(of_site(template), expected, "`{name}`");
    }
}

#[test]
fn skipping_decided_segments_changes_nothing() {
    for (name, template) in TEMPLATES {
        let pages: Vec<(HttpUrl, String)> = ARTICLES
            .iter()
            .enumerate()
            .map(|(n, (title, article))| {
                let url = format!("https://example.com/{n}").parse().unwrap();
                (url, template(title, article))
            })
            .collect();
        let extractor = Extractor::default();
        let mut learner = SiteLearner::new(extractor.clone());
        for (url, html) in &pages {
            learner
                .add(&Html::new(url, html.as_bytes(), seen()))
                .unwrap();
        }
        let template = learner.finish();
        for (url, html) in &pages {
            let html = Html::new(url, html.as_bytes(), seen());
            let judged_in_full = extractor.analyze(&html).unwrap();
            assert_eq!(
                template.extract_page(&html).unwrap(),
                template.extract_analyzed(&html, &judged_in_full),
                "`{name}`"
            );
        }
    }
}
