//! Admonitions with their kinds and titles.

use super::{page, page_without_x};

#[test]
fn puts_a_title_before_its_text() {
    for html in [
        "<div class='admonition note'><p class=admonition-title>Note</p><p>Hawks fly.</p></div>",
        "<div class='theme-admonition theme-admonition-note admonition_xJq3 alert'><div class=admonitionHeading_Gvgb>\
         <span class=admonitionIcon_Rf37><svg><path/></svg></span>Note</div><div class=admonitionContent_BuS1><p>Hawks fly.</p></div></div>",
        "<div class='note custom-block github-alert'><p class=custom-block-title>Note</p><p>Hawks fly.</p></div>",
        "<div class='markdown-alert markdown-alert-note'><p class=markdown-alert-title><svg></svg>Note</p><p>Hawks fly.</p></div>",
        "<details class=note><summary>Note</summary><p>Hawks fly.</p></details>",
    ] {
        assert_eq!(page(html), ["Note", "Hawks fly."], "{html}");
    }
}

#[test]
fn writes_a_kind_that_only_the_class_states() {
    for html in [
        "<div class='admonition warning'><p>Owls fly.</p></div>",
        "<div class='warning custom-block'><p>Owls fly.</p></div>",
        "<aside class='starlight-aside starlight-aside--warning'><p>Owls fly.</p></aside>",
        "<div class='admonitionblock warning'><table><tr><td class=icon><i class='fa icon-warning'></i></td><td class=content>Owls fly.</td></tr></table></div>",
    ] {
        assert_eq!(page(html), ["Warning", "Owls fly."], "{html}");
    }
    assert_eq!(
        page(
            "<div class='admonitionblock note'><table><tr><td class=icon><div class=title>Note</div></td><td class=content>Owls fly.</td></tr></table></div>"
        ),
        ["Note", "Owls fly."]
    );
    assert_eq!(
        page("<div class='admonition birds'><p>Owls fly.</p></div>"),
        ["Owls fly."]
    );
    assert_eq!(
        page_without_x("<div class='admonition note'><p>x</p></div>"),
        [""; 0]
    );
}

#[test]
fn keeps_a_title_if_its_text_is_kept() {
    assert_eq!(
        page_without_x(
            "<div class='admonition tip'><p class=admonition-title>Tip <b>x</b></p><p>Hawks fly.</p></div>\
             <div class='admonition tip'><p class=admonition-title>x</p><p>x</p></div>"
        ),
        ["Tip x", "Hawks fly."]
    );
}
