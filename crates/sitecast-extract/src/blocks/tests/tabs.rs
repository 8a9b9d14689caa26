//! Tabs, whose labels are written before their panels.

use super::{page, page_without_x};

#[test]
fn puts_each_label_before_its_panel() {
    for html in [
        // MkDocs Material
        "<div class='tabbed-set tabbed-alternate' data-tabs=1:2><input checked id=__tabbed_1_1 name=__tabbed_1 type=radio><input id=__tabbed_1_2 type=radio>\
         <div class=tabbed-labels><label for=__tabbed_1_1>pip</label><label for=__tabbed_1_2>conda</label></div>\n<div class=tabbed-content>\n\
         <div class=tabbed-block><pre>a</pre></div>\n<div class=tabbed-block><pre>b</pre></div></div></div>",
        // Docusaurus
        "<div class='theme-tabs-container tabs-container'><ul role=tablist class=tabs><li role=tab class=tabs__item>pip</li><li role=tab>conda</li></ul>\
         <div class=margin-top--md><div role=tabpanel class=tabItem_Ymn6><pre>a</pre></div><div role=tabpanel hidden><pre>b</pre></div></div></div>",
        // VitePress
        "<div class=vp-code-group><div class=tabs><input type=radio id=tab-1 checked><label data-title=pip for=tab-1>pip</label><input type=radio id=tab-2>\
         <label for=tab-2>conda</label></div><div class=blocks><div class='language-? active'><pre>a</pre></div><div class=language-?><pre>b</pre></div></div></div>",
        // sphinx-tabs
        "<div class=sphinx-tabs><div aria-label='Tabbed content' role=tablist><button id=tab-0 role=tab>pip</button><button id=tab-1 role=tab>conda</button></div>\
         <div id=panel-0 role=tabpanel class=sphinx-tabs-panel><pre>a</pre></div><div id=panel-1 role=tabpanel hidden><pre>b</pre></div></div>",
        // sphinx-design
        "<div class='sd-tab-set docutils'><input checked id=sd-0 type=radio><label class=sd-tab-label for=sd-0>pip</label><div class='sd-tab-content docutils'><pre>a</pre></div>\
         <input id=sd-1 type=radio><label class=sd-tab-label for=sd-1>conda</label><div class='sd-tab-content docutils'><pre>b</pre></div></div>",
    ] {
        assert_eq!(
            page(html),
            ["pip", "code ?: a", "conda", "code ?: b"],
            "{html}"
        );
    }
}

#[test]
fn leaves_labels_that_do_not_match_panels() {
    assert_eq!(
        page(
            "<div role=tablist><span role=tab>a</span> <span role=tab>b</span></div><div role=tabpanel>c</div>"
        ),
        ["a b", "c"]
    );
}

#[test]
fn restores_labels_before_code_only() {
    let tabs = |panel: &str| {
        format!(
            "<div role=tablist><button role=tab>x</button><button role=tab>x y</button></div>\
             <div role=tabpanel>{panel}</div><div role=tabpanel>{panel}</div>"
        )
    };
    assert_eq!(
        page_without_x(&tabs("<pre>a</pre>")),
        ["x", "code ?: a", "x y", "code ?: a"]
    );
    assert_eq!(page_without_x(&tabs("<p>a</p>")), ["a", "a"]);
}
