//! All text in the containers of a site is kept.

use super::sites::{Site, learn, site, texts};

/// Returns text that no other page has.
fn prose(n: usize) -> String {
    format!(
        "<p>Chapter {n} describes the {n} valves of pump {n}, how to open them, and what to expect of the pressure then.</p>\
         <p>Close valve {n} before you leave the engine room, since pump {n} would run dry within {n} hours otherwise.</p>"
    )
}

/// Returns a page of a manual, with navigation around and inside its container.
fn manual_page(n: usize, content: &str) -> String {
    let menu: String = (1..=12)
        .map(|at| format!("<li><a href=/{at}>Pump {at}</a></li>"))
        .collect();
    format!(
        "<title>Pump {n} - The Manual</title><body><header><a href=/>The Manual</a></header><div class=menu><ul>{menu}</ul></div>\
         <main><div class=navheader><table><tr><td><a href=/{}>Prev</a></td><th>Pump {n}</th><td><a href=/{}>Next</a></td></tr></table></div>\
         <div class=chapter><h1>Pump {n}</h1>{content}</div>\
         <div class=tools><p class=edit-page><a href=/edit/{n}>Edit this page</a></p></div></main>\
         <footer><p>© 2025 The Manual</p></footer>",
        n - 1,
        n + 1,
    )
}

/// Returns twenty pages of prose, and others.
fn manual(others: &[&str]) -> Site {
    let pages = (1..=20).map(|n| manual_page(n, &prose(n)));
    let others = (21..)
        .zip(others)
        .map(|(n, content)| manual_page(n, content));
    site(pages.chain(others))
}

#[test]
fn keeps_a_list_of_links_in_the_container() {
    let links: String = ["Gaskets", "Seals", "Bearings", "Couplings"]
        .iter()
        .map(|part| format!("<li><a href=/parts/{part}>{part}</a></li>"))
        .collect();
    let site = manual(&[&format!("<ul>{links}</ul>")]);
    let text = texts(&learn(&site), &site).pop().unwrap();
    for part in ["Gaskets", "Seals", "Bearings", "Couplings"] {
        assert!(text.contains(part), "{part} is lost: {text}");
    }
}

#[test]
fn drops_navigation_in_the_container() {
    let site = manual(&[]);
    for text in texts(&learn(&site), &site) {
        assert!(text.contains("engine room"), "{text}");
        for template in ["Prev", "Next", "Edit this page", "©"] {
            assert!(!text.contains(template), "{template} is kept: {text}");
        }
    }
}

#[test]
fn keeps_repeated_headings_with_their_sections() {
    let pages = (1..=20).map(|n| {
        let section = format!("<h2>See also</h2><p>Valve {n} of the {n}th engine.</p>");
        manual_page(n, &(prose(n) + &section))
    });
    let site = site(pages);
    for text in texts(&learn(&site), &site) {
        assert!(text.contains("See also"), "{text}");
    }
}

#[test]
fn keeps_lists_after_a_captioned_figure() {
    let list = "<dl><dt>Inlet</dt><dd>Left</dd><dt>Outlet</dt><dd>Right</dd></dl>";
    let figure = "<figure><img src=/pump.png><figcaption>A pump.</figcaption></figure>";
    for before in ["", figure, "<p>See below.</p>"] {
        let site = manual(&[&format!("{before}{list}<h2>Notes</h2>{list}")]);
        let text = texts(&learn(&site), &site).pop().unwrap();
        assert_eq!(text.matches("Outlet").count(), 2, "{before}: {text}");
    }
}

#[test]
fn recognises_a_container_inside_a_new_wrapper() {
    let plain = manual(&["<ul><li><a href=/a>Gaskets</a><li><a href=/b>Seals</a></ul>"]);
    let template = learn(&plain);
    let expected = texts(&template, &plain).pop();
    let (url, html) = plain.last().unwrap().clone();
    let html = html.replace("<main>", "<div class=beta><main>");
    assert_eq!(texts(&template, &vec![(url, html)]).pop(), expected);
}

#[test]
fn takes_nothing_from_around_an_empty_container() {
    let site = manual(&[""]);
    let text = texts(&learn(&site), &site).pop().unwrap();
    assert_eq!(text.trim(), "Pump 21");
}

/// Returns a page with the mark of a documentation generator.
fn generated(page: &str) -> String {
    format!("<meta name=generator content=javadoc/17>{page}")
}

#[test]
fn keeps_repeated_sections_named_like_navigation_in_documentation() {
    let pages = (1..=20).map(|n| {
        let members = format!(
            "<section id='next()'><h3>next</h3><div class=block>Deprecated.</div><p>Opens valve {n}.</p></section>\
             <div id=related-package-summary><div class=caption>Other engines</div><p>Engine {n} has {n} pumps.</p></div>"
        );
        generated(&manual_page(n, &(prose(n) + &members)))
    });
    let site = site(pages);
    for text in texts(&learn(&site), &site) {
        for label in ["Deprecated.", "Other engines"] {
            assert!(text.contains(label), "{label} is lost: {text}");
        }
        assert!(!text.contains("Edit this page"), "{text}");
    }
}

#[test]
fn recognises_documentation_in_another_place() {
    let tree = |n: usize| {
        let content = "<section class=hierarchy><h2>All engines</h2><ul><li>Engine</ul></section>";
        let page = generated(&manual_page(n, &(prose(n) + content)));
        page.replace("<main>", "<main><div class=wide></div>")
    };
    let others = (1..=20).map(|n| generated(&manual_page(n, &prose(n))));
    let trees = (21..=23).map(|n| {
        let page = tree(n).replace("<body>", &format!("<body><div class=\"tree t{n}\">"));
        page.replace("<footer>", "</div><footer>")
    });
    let site = site(others.chain(trees));
    for text in texts(&learn(&site), &site).into_iter().skip(20) {
        assert!(text.contains("All engines"), "{text}");
    }
}

#[test]
fn drops_a_table_of_contents_beside_the_article_of_documentation() {
    let pages = (1..=20).map(|n| {
        let page = generated(&manual_page(n, &(prose(n) + "<p>This page is a draft.</p>")));
        let toc = "<div class=toc><ul><li><a href=#open>Opening</a><li><a href=#close>Closing</a></ul></div>";
        page.replace("<main>", "<main class='docs padding-bottom'>")
            .replace("<div class=chapter>", "<article><div class=chapter>")
            .replace("<div class=tools>", &format!("</article>{toc}<div class=tools>"))
    });
    let site = site(pages);
    for text in texts(&learn(&site), &site) {
        assert!(text.contains("This page is a draft."), "{text}");
        assert!(!text.contains("Opening"), "{text}");
    }
}
