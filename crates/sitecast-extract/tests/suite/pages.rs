//! Whole pages, extracted alone.

use sitecast_extract::{Comments, Extractor, Html, extract_page, stated_url};
use sitecast_scp::{Block, to_text};

use super::{page, seen, url};

const ARTICLE: &str = "<p>It had rained for a week, and the river stood as high as the third step of the landing, which nobody alive had seen before.</p>\
    <p>On the eighth day the rain stopped. The mayor went down to measure the water, slipped, and measured it more exactly than he had planned.</p>";

#[test]
fn drops_navigation_banners_share_bars_footers_and_comments() {
    let html = format!(
        "<title>The flood</title><div class=\"cookie-banner\">We value your privacy. Accept all cookies</div>\
         <nav><a href=/>Home</a><a href=/news>News</a></nav><article><h1>The flood</h1>{ARTICLE}\
         <div class=\"share-bar\"><a href=#>Share this on Facebook</a></div></article>\
         <section class=\"related-posts\"><h3>Related posts</h3><a href=/a>The drought</a></section>\
         <section id=\"comments\" class=\"comments-area\"><h3>2 comments</h3><div class=\"comment\"><p>Great post!</p></div></section>\
         <footer>© 2025 The Paper</footer>"
    );
    let text = to_text(&page(&html));
    for kept in ["It had rained", "more exactly than he had planned"] {
        assert!(text.contains(kept), "{text}");
    }
    for left_out in [
        "cookies",
        "Home",
        "Share this",
        "drought",
        "Great post",
        "©",
    ] {
        assert!(!text.contains(left_out), "{left_out} in {text}");
    }
}

#[test]
fn keeps_comments_by_setting_and_in_discussions() {
    let said = "We live next to the landing, and the water stood in our cellar until the end of the month, mud and all.";
    let comment = |name: &str| {
        format!(
            "<li><span class=vcard>{name}</span> <time>gestern</time><p>{said} {name}.</p></li>"
        )
    };
    let comments: String = ["Ada", "Bert", "Cleo"].map(comment).concat();
    let kind = |kind: &str| {
        format!(
            "<title>The flood</title><script type=application/ld+json>{{\"@type\":\"{kind}\"}}</script>\
             <main><h1>The flood</h1>{ARTICLE}<ol>{comments}</ol></main>"
        )
    };
    let text = |html: &str, comments: Comments| {
        let extractor = Extractor {
            comments,
            ..Extractor::default()
        };
        let url = url("https://example.com/flood");
        let html = Html::new(&url, html.as_bytes(), seen());
        to_text(&extractor.extract_page(&html).unwrap().page)
    };
    let article = text(&kind("NewsArticle"), Comments::Exclude);
    assert!(
        article.contains("more exactly") && !article.contains("our cellar"),
        "{article}"
    );
    let with_comments = text(&kind("NewsArticle"), Comments::Include);
    assert_eq!(
        with_comments.matches("our cellar").count(),
        3,
        "{with_comments}"
    );
    let discussion = text(&kind("DiscussionForumPosting"), Comments::Exclude);
    assert_eq!(discussion.matches("our cellar").count(), 3, "{discussion}");
}

#[test]
fn drops_text_outside_of_the_only_article() {
    let aside = "The paper has been printed in this town since 1871, and is read by every second household of the valley.";
    for element in ["article", "main", "div itemprop=articleBody"] {
        let end = element.split(' ').next().unwrap();
        let html =
            format!("<title>The flood</title><{element}>{ARTICLE}{ARTICLE}</{end}><p>{aside}</p>");
        assert!(!to_text(&page(&html)).contains("1871"), "{element}");
    }
}

#[test]
fn drops_markup_that_is_saved_as_text() {
    let image = "&lt;img src=\"flood.jpg\" alt=\"The river on the third step of the landing\"&gt; "
        .repeat(8);
    let html =
        format!("<title>The flood</title><article>{ARTICLE}<noscript>{image}</noscript></article>");
    assert!(!to_text(&page(&html)).contains("img"));
}

#[test]
fn drops_scripts_and_hidden_elements() {
    let html = format!(
        "<title>T</title><article>{ARTICLE}<script>document.write('written')</script><noscript><img src=/pixel.gif width=1 height=1></noscript>\
         <div style=\"display: none\">unseen</div><template><p>not yet</p></template></article>"
    );
    let text = to_text(&page(&html));
    for left_out in ["written", "unseen", "not yet"] {
        assert!(!text.contains(left_out), "{text}");
    }
}

#[test]
fn reads_pages_inside_noscript() {
    let html = format!(
        "<title>T</title><div id=app></div><noscript><article>{ARTICLE}{ARTICLE}</article></noscript>"
    );
    assert!(to_text(&page(&html)).contains("It had rained"));
}

#[test]
fn never_returns_an_empty_page_for_content() {
    for html in [
        "<nav><a href=/a>Only</a><a href=/b>a menu</a></nav>",
        "<footer>Only a footer</footer>",
        "<a href=/x>A link</a>",
        "<pre>code</pre>",
        "<table><tr><td>1</td><td>2</td></tr></table>",
        "<h1>A heading</h1>",
        "<form><label>Name</label></form>",
        "<ul><li>one</ul>",
        "loose text",
        "<html><head><meta name=description content='All there is.'></head><body><div id=root></div></body></html>",
    ] {
        assert!(!page(html).content.is_empty(), "{html}");
    }
}

#[test]
fn puts_links_after_their_block() {
    let html = "<title>T</title><article><p>Some tea is grown on <a href=\"/hills\">the hills</a> above the town, \
        and some of it comes from further away than anyone would believe.</p><p>It is dried in the sun, sorted by hand and packed in chests of thin wood.</p></article>";
    let content = page(html).content;
    let kinds: Vec<&str> = content
        .iter()
        .map(|block| match block {
            Block::Text { .. } => "text",
            Block::Link { .. } => "link",
            _ => "other",
        })
        .collect();
    assert_eq!(kinds, ["text", "link", "text"]);
    assert_eq!(
        content[1],
        Block::Link {
            url: url("https://example.com/hills"),
            text: "the hills".to_owned(),
            rel: vec![]
        }
    );
}

#[test]
fn reads_the_stated_url() {
    let stated = |html: &str| stated_url(html.as_bytes(), &Default::default());
    let canonical = "<link rel=\"alternate canonical\" href=\"https://example.com/tea\">";
    assert_eq!(stated(canonical), Some(url("https://example.com/tea")));
    assert_eq!(
        stated("<meta property=og:url content=https://example.com/tea>"),
        Some(url("https://example.com/tea"))
    );
    assert_eq!(stated("<link rel=canonical href=/tea>"), None);
}

#[test]
fn modified_falls_back_to_the_time_of_fetching() {
    let of = |head: &str| {
        let url = url("https://example.com/");
        let html = format!("{head}<article>{ARTICLE}</article>");
        extract_page(&Html::new(&url, html.as_bytes(), seen())).unwrap()
    };
    let stated = of("<meta property=article:modified_time content=2024-05-06T07:08:09Z>");
    assert_eq!(stated.page.modified.to_string(), "2024-05-06T07:08:09Z");
    assert!(stated.states_modified);
    let unstated = of("");
    assert_eq!(unstated.page.modified, seen());
    assert!(!unstated.states_modified);
}

#[test]
fn decodes_other_encodings() {
    let text = "Das Wasser stieg über die dritte Stufe, höher als je zuvor; so etwas hatte hier niemand für möglich gehalten. \
        Am achten Tag hörte der Regen auf, und der Bürgermeister ging hinunter, um den Stand zu messen. Er rutschte aus \
        und maß ihn genauer, als er es vorgehabt hatte.";
    let (bytes, _, _) = encoding_rs::WINDOWS_1252.encode(text);
    let mut html = b"<meta charset=iso-8859-1><title>Flut</title><p>".to_vec();
    html.extend_from_slice(&bytes);
    let url = url("https://example.com/");
    let extracted = extract_page(&Html::new(&url, &html, seen())).unwrap();
    assert_eq!(extracted.encoding, "windows-1252");
    assert_eq!(to_text(&extracted.page), format!("{text}\n"));
    assert_eq!(extracted.page.language.as_str(), "de");
}

/// Several `X-Robots-Tag` headers are lines: a directive for one crawler ends with its line.
#[test]
fn reads_several_robots_headers_separately() {
    let url = url("https://example.com/");
    let mut html = Html::new(&url, b"<p>Not for everyone.", seen());
    html.robots_tag = Some("googlebot: noindex, nofollow\nnoarchive\nbingbot: none\n*: nosnippet");
    let robots = extract_page(&html).unwrap().page.robots;
    assert_eq!(robots, ["noarchive", "nosnippet"]);
}

#[test]
fn drops_the_link_of_the_title() {
    let page = page(&format!(
        "<title>The River</title><article><h1><a href=/river>The River</a></h1>{ARTICLE}</article>"
    ));
    assert!(
        page.content
            .iter()
            .all(|block| matches!(block, Block::Text { .. })),
        "{:?}",
        page.content
    );
}
