//! Nested blocks: no kept text is lost.

use super::{blocks_of, page};
use sitecast_scp::Block;

#[test]
fn writes_lists_in_cells_as_lines() {
    assert_eq!(
        page(
            "<table><tr><th>Name<th>Parts</tr><tr><td>Tea<td><ul><li>leaves<li>water<ol><li>hot\
             <li>fresh</ol></ul>enjoy<tr><td>Milk<td>none</table>"
        ),
        [
            "table: Name | Parts / Tea | - leaves\n- water\n  1. hot\n  2. fresh\nenjoy / Milk | none"
        ]
    );
}

#[test]
fn writes_tables_in_items_as_lines() {
    assert_eq!(
        page(
            "<ol><li>First<table><caption>Sizes</caption><thead><tr><th>a<th>b</thead>\
             <tbody><tr><td>1<td>2</tbody></table>after<li>Second</ol>"
        ),
        ["ol: First\nSizes\na | b\n1 | 2\nafter / Second"]
    );
}

#[test]
fn reads_terms_with_several_definitions() {
    assert_eq!(
        page("<dl><dt>Tea<dt>Chai<dd>A drink.<dd>A plant.<dt>Cup<dd>Holds it.</dl>"),
        ["ul: Tea, Chai: A drink.\nA plant. / Cup: Holds it."]
    );
    assert_eq!(
        page("<ul><li>Words<dl><dt>Tea<dd>A drink.<dd>A plant.</dl>end</ul>"),
        ["ul: Words\nTea: A drink.\nA plant.\nend"]
    );
    assert_eq!(
        page("<ul><li><dt>Tea</dt>is a drink</ul>"),
        ["ul: Tea is a drink"]
    );
}

#[test]
fn keeps_figures_and_details_in_items() {
    assert_eq!(
        page(
            "<ul><li>One<figure><img src=/a.png alt=A><figcaption>Caption</figcaption></figure>more\
             <li><details><summary>Ask</summary><p>Answer</p></details></ul>"
        ),
        ["ul: One\nCaption\nmore / Ask\nAnswer", "image: A /a.png"]
    );
}

#[test]
fn keeps_nested_quotations() {
    assert_eq!(
        page("<blockquote>outer<blockquote>inner</blockquote>again</blockquote>"),
        ["quote: outer", "quote: inner", "quote: again"]
    );
    assert_eq!(
        page("<ul><li>says<blockquote><p>one<p>two<footer>Who</footer></blockquote>so</ul>"),
        ["ul: says\none\ntwo\nWho\nso"]
    );
}

#[test]
fn fences_code_in_items() {
    assert_eq!(
        page(
            "<ol><li>Run <code>a</code>:<pre><code class=language-sh>ls\n  -l</code></pre>then look<li>End</ol>"
        ),
        ["ol: Run a:\n```sh\nls\n  -l\n```\nthen look / End"]
    );
}

#[test]
fn repeats_row_spans_within_their_group() {
    assert_eq!(
        page(
            "<table><thead><tr><th rowspan=2>Who<th colspan=2>When<tr><th>from<th>to</thead>\
             <tbody><tr><td rowspan=2>Ann<td>1<td>2<tr><td>3<td>4</tbody>\
             <tbody><tr><td>Bob<td colspan=2>never</tbody></table>"
        ),
        [
            "table: Who | When | When / Who | from | to / Ann | 1 | 2 / Ann | 3 | 4 / Bob | never | never"
        ]
    );
}

#[test]
fn joins_two_captions() {
    assert_eq!(
        page(
            "<table><caption>One</caption><caption>Two</caption><tr><td>a<td>b<tr><td>c<td>d</table>"
        ),
        ["One\nTwo", "table: a | b / c | d"]
    );
}

#[test]
fn joins_all_citations_of_a_quotation() {
    assert_eq!(
        page(
            "<figure><blockquote><p>To be</p><footer>Hamlet</footer></blockquote>\
             <figcaption>Act 3</figcaption></figure>"
        ),
        ["quote: To be (Hamlet, Act 3)"]
    );
    assert_eq!(
        page(
            "<figure><figcaption>Act 3</figcaption><blockquote><p>To be</p><footer>— <cite>Hamlet\
             </cite></footer></blockquote></figure>"
        ),
        ["quote: To be (Hamlet, Act 3)"]
    );
    assert_eq!(
        page(
            "<figure><blockquote cite=https://example.com/h><p>To be</p></blockquote>\
             <figcaption>Hamlet</figcaption></figure>"
        ),
        ["quote: To be (Hamlet)"]
    );
}

#[test]
fn keeps_the_numbers_of_lists() {
    let lists = |html: &str| blocks_of(html).into_iter().next();
    let list = |ordered: bool, items: &[&str]| {
        Some(Block::List {
            ordered,
            items: items.iter().map(|item| (*item).to_owned()).collect(),
        })
    };
    for (html, expected) in [
        ("<ol><li>a<li>b</ol>", list(true, &["a", "b"])),
        (
            "<ol start=4><li>a<ul><li>x</ul><li>b</ol>",
            list(false, &["4. a", "  - x", "5. b"]),
        ),
        (
            "<ol><li>a<li value=7>b<li>c</ol>",
            list(false, &["1. a", "7. b", "8. c"]),
        ),
        (
            "<ol reversed><li>a<li>b</ol>",
            list(false, &["2. a", "1. b"]),
        ),
        (
            "<ol start=1><li>a<ol start=3><li>x</ol>on<li>b</ol>",
            list(true, &["a", "  3. x", "  on", "b"]),
        ),
        ("<ul start=4><li>a</ul>", list(false, &["a"])),
    ] {
        assert_eq!(lists(html), expected, "{html}");
    }
}

#[test]
fn separates_deleted_from_inserted_words() {
    assert_eq!(
        page("<p>It costs <del>twenty</del><ins>fifteen</ins> and is colo<ins>u</ins>red.</p>"),
        ["It costs twenty fifteen and is coloured."]
    );
}

#[test]
fn keeps_formulas_with_annotations() {
    for (math, said) in [
        (
            "<semantics><mrow><mi>x</mi></mrow><annotation encoding=application/x-tex>x^2</annotation></semantics>",
            "x^2",
        ),
        (
            "<semantics><mi>x</mi><annotation encoding=StarMath>y</annotation></semantics>",
            "x",
        ),
        (
            "<semantics><mi>x</mi><annotation encoding=application/x-tex> </annotation></semantics>",
            "x",
        ),
        (
            "<semantics><annotation-xml encoding=MathML-Content><ci>z</ci></annotation-xml></semantics>",
            "z",
        ),
        (
            "<semantics><annotation encoding=text/plain>x plus 1</annotation></semantics>",
            "x plus 1",
        ),
    ] {
        assert_eq!(
            page(&format!("<p>So <math>{math}</math> it is.</p>")),
            [format!("So {said} it is.")],
            "{math}"
        );
    }
    assert_eq!(
        page(
            "<p>So <span class=MathJax_Preview>x+1</span><script type=math/tex>x+1</script> it is.</p>"
        ),
        ["So x+1 it is."]
    );
}
