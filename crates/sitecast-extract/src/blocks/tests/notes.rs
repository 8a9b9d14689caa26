//! Footnotes and citations in the markup of generators.

use super::page;

#[test]
fn writes_the_number_of_a_sphinx_note_in_its_line() {
    assert_eq!(
        page(
            "<p>Text.</p><aside class='footnote-list brackets'><aside class='footnote brackets' id=id2 role=doc-footnote>\n\
             <span class=label><span class=fn-bracket>[</span><a role=doc-backlink href=#id1>1</a><span class=fn-bracket>]</span></span>\n\
             <p>The first.</p>\n<p>It goes on.</p></aside><aside class='footnote brackets' role=doc-footnote>\
             <span class=label><span class=fn-bracket>[</span>2<span class=fn-bracket>]</span></span>\
             <span class=backrefs>(<a role=doc-backlink href=#id3>1</a>,<a role=doc-backlink href=#id4>2</a>)</span><ul><li>A list</ul></aside></aside>\
             <div class=citation-list role=list><div class=citation role=doc-biblioentry><span class=label><span class=fn-bracket>[</span>Hawk<span class=fn-bracket>]</span></span><p>A book.</p></div></div><p>End."
        ),
        [
            "Text.",
            "[1] The first.",
            "It goes on.",
            "[2]",
            "ul: A list",
            "[Hawk] A book.",
            "End."
        ]
    );
}

#[test]
fn keeps_the_number_of_an_old_docutils_note() {
    assert_eq!(
        page(
            "<dl class='footnote brackets'><dt class=label id=id2><span class=brackets><a class=fn-backref href=#id1>1</a></span></dt>\
             <dd><p>The first.</p></dd></dl>"
        ),
        ["ul: 1: The first."]
    );
}

#[test]
fn drops_links_back_to_the_text() {
    for back in [
        "<a class=footnote-backref href=#fnref:1 title='Jump back'>&#8617;</a>",
        "<a href=#fnref1 class=footnote-back role=doc-backlink>↩︎</a>",
        "<a href=#user-content-fnref-1 class=data-footnote-backref>↩<sup>2</sup></a>",
        "<a href=#fnref1 rev=footnote>back</a>",
        "<a href=#fr-1-1>↩</a>",
    ] {
        assert_eq!(
            page(&format!(
                "<div class=footnote><hr><ol><li id=fn:1><p>It is so.&#160;{back}</p></li></ol></div>"
            )),
            ["ol: It is so."],
            "{back}"
        );
    }
}

#[test]
fn keeps_headings_that_link_to_the_table_of_contents() {
    assert_eq!(
        page(
            "<p>Text.</p><h2><a class=toc-backref href=#id6 role=doc-backlink>Details</a></h2><p>More."
        ),
        ["Text.", "h2: Details", "More."]
    );
}
