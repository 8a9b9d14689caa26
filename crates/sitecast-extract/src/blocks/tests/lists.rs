use super::{blocks_of, page, page_without_x};
use sitecast_scp::Block;

fn items(html: &str) -> Vec<String> {
    match blocks_of(html).into_iter().next() {
        Some(Block::List { items, .. }) => items,
        other => panic!("{other:?}"),
    }
}

#[test]
fn reads_ordered_and_unordered_lists() {
    assert_eq!(
        page("<ul><li>a<li>b</ul><ol><li>c</ol>"),
        ["ul: a / b", "ol: c"]
    );
    assert_eq!(page("<ul><li></li><li> </li></ul>"), [""; 0]);
}

#[test]
fn indents_and_marks_inner_items() {
    assert_eq!(
        items(
            "<ul><li>a<ol start=3><li>b<li>c<ul><li>d</ul></li><li value=9>e<li>f</ol></li><li>g</ul>"
        ),
        ["a", "  3. b", "  4. c", "    - d", "  9. e", "  10. f", "g"]
    );
    assert_eq!(
        items("<ul><li>a<ol reversed><li>b<li>c<li>d</ol></ul>"),
        ["a", "  3. b", "  2. c", "  1. d"]
    );
}

#[test]
fn appends_text_after_an_inner_list_to_its_item() {
    assert_eq!(
        items("<ul><li>a<ul><li>b</ul>c</li><li>d</ul>"),
        ["a", "  - b", "  c", "d"]
    );
    // Invalid, and common.
    assert_eq!(
        items("<ul><li>a</li><ul><li>b</li></ul><li>c</li></ul>"),
        ["a", "  - b", "c"]
    );
}

#[test]
fn counts_items_that_are_not_kept() {
    let found = page_without_x("<ul><li>a<ol><li>b<li>x<li>c</ol></ul>");
    assert_eq!(found, ["ul: a /   1. b /   3. c"]);
}

#[test]
fn writes_blocks_in_items_as_lines() {
    assert_eq!(
        items(
            "<ol><li><p>Install:</p><pre><code class=language-sh>npm i\n  x</code></pre><p>Done.</p></li>\
             <li>See<table><tr><th>a</th><th>b</th></tr><tr><td><p>1</p></td><td>2</td></tr></table></li></ol>"
        ),
        [
            "Install:\n```sh\nnpm i\n  x\n```\nDone.",
            "See\na | b\n1 | 2"
        ]
    );
    assert_eq!(
        items("<ul><li><pre>a ``` b</pre></ul>"),
        ["````\na ``` b\n````"]
    );
}

#[test]
fn writes_check_boxes_of_task_lists() {
    assert_eq!(
        items(
            "<ul class=contains-task-list><li><input type=checkbox disabled checked> a</li>\
             <li><input type=checkbox disabled>b</li><li><input type=checkbox>c</ul>"
        ),
        ["[x] a", "[ ] b", "c"]
    );
}

#[test]
fn takes_lists_with_headings_for_layout() {
    assert_eq!(
        page("<ul><li><h3>A</h3><p>a</p></li><li><h3>B</h3><ul><li>b</li></ul></li></ul>"),
        ["h3: A", "a", "h3: B", "ul: b"]
    );
}

#[test]
fn writes_glossaries_as_lists() {
    assert_eq!(
        page(
            "<dl><dt>CSS</dt><dd>Styles</dd><dt>JS</dt><dt>ES</dt><dd>Code</dd><dd>More</dd></dl>"
        ),
        ["ul: CSS: Styles / JS, ES: Code\nMore"]
    );
    assert_eq!(
        page(
            "<dl><div><dt>Size:</dt><dd><p>9</p></dd></div><div><dt>Why?</dt><dd>So</dd></div></dl>"
        ),
        ["ul: Size: 9 / Why? So"]
    );
    // In an item and in a cell, too.
    assert_eq!(
        page("<ul><li><dl><dt>a</dt><dd>b</dd><dt>c</dt><dd>d</dd></dl></ul>"),
        ["ul: a: b\nc: d"]
    );
}

#[test]
fn writes_long_definitions_as_blocks() {
    // Sphinx
    assert_eq!(
        page(
            "<dl class='py function'><dt class='sig'>f(<em>x</em>)<a class=headerlink href='#f'>¶</a></dt>\
             <dd><p>Does it.</p><dl class=field-list><dt>Parameters</dt><dd><p>x – it</p></dd></dl></dd></dl>"
        ),
        ["f(x)", "Does it.", "ul: Parameters: x – it"]
    );
    // MediaWiki uses it for indents.
    assert_eq!(page("<dl><dd>a = b</dd></dl>"), ["a = b"]);
}

#[test]
fn puts_links_and_images_after_their_list() {
    assert_eq!(
        page(
            "<ul><li><a href=/a>A</a> <img src=/i.png alt=i><li><a href=/b>B</a><li><a href=/a>A2</a></ul>"
        ),
        [
            "ul: A / B / A2",
            "image: i /i.png",
            "link: A -> /a",
            "link: B -> /b"
        ]
    );
}

#[test]
fn limits_the_indent_of_nested_lists() {
    let html = "<ul><li>a".repeat(200);
    let longest = items(&html).iter().map(String::len).max();
    assert!(longest < Some(40));
}
