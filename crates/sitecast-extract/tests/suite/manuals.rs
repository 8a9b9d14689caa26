//! Pages of manuals in the markup of generators.

use sitecast_scp::to_text;

use super::page;

const PROSE: &str = "<p>A hawk that is to fly over the sea has to be told the height of the wind before it leaves the nest.</p>\
    <p>Without that it turns around half a mile from the shore, as it has learnt from its parents, and waits.</p>";

/// A page with a menu, a heading that links to itself, prose, and `rest`.
fn manual(rest: &str) -> String {
    format!(
        "<title>Flying</title><div class=sidebar><ul><li><a href=/a>Start</a><li><a href=/b>Wings</a><li><a href=/c>Eggs</a></ul></div>\
         <div class=body role=main><section><h1>Flying<a class=headerlink href=#flying title='Link to this heading'>¶</a></h1>{PROSE}</section>{rest}</div>\
         <div class=footer>© 2025 The Nest</div>"
    )
}

#[test]
fn keeps_footnotes() {
    let html = manual(
        "<section><h2>More topics</h2><aside class='footnote-list brackets'><aside class='footnote brackets' id=id6 role=doc-footnote>\
         <span class=label><span class=fn-bracket>[</span><a role=doc-backlink href=#id2>1</a><span class=fn-bracket>]</span></span>\
         <p>Over land the height does not matter.</p></aside></aside></section>",
    );
    let text = to_text(&page(&html));
    assert!(
        text.contains("\n[1] Over land the height does not matter.\n"),
        "{text}"
    );
}

#[test]
fn keeps_captions_in_manuals() {
    let figure = "<figure class=align-default id=id5><img alt='' src=/nest.png><figcaption><p><span class=caption-text>The nest in spring</span>\
         <a class=headerlink href=#id5>¶</a></p></figcaption></figure>";
    let text = to_text(&page(&manual(figure)));
    assert!(text.contains("The nest in spring"), "{text}");
}

#[test]
fn keeps_code_in_tabs() {
    let lines = "- eggs: round\n+ eggs: oval\n".repeat(60);
    let tabs: String = (0..10)
        .map(|n| {
            format!(
                "<div class='tabbed-set tabbed-alternate' data-tabs={n}:2><input checked id=t{n}_1 type=radio><input id=t{n}_2 type=radio>\
                 <div class=tabbed-labels><label for=t{n}_1>nest.toml</label><label for=t{n}_2>tree.toml</label></div><div class=tabbed-content>\
                 <div class=tabbed-block><div class='language-diff highlight'><pre><span></span><code>{lines}</code></pre></div></div>\
                 <div class=tabbed-block><div class='language-diff highlight'><pre><span></span><code>{lines}</code></pre></div></div></div></div>"
            )
        })
        .collect();
    let text = to_text(&page(&manual(&tabs)));
    assert_eq!(text.matches("+ eggs: oval").count(), 10 * 2 * 60);
    assert_eq!(text.matches("\nnest.toml\n").count(), 10);
}
