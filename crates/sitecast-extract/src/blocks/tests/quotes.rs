use super::page;

#[test]
fn writes_a_quotation_as_one_block() {
    assert_eq!(
        page("<blockquote><p>a<p>b<br>c</blockquote>d"),
        ["quote: a\n\nb\nc", "d"]
    );
    assert_eq!(page("<blockquote>plain</blockquote>"), ["quote: plain"]);
}

#[test]
fn finds_the_citation_of_a_quotation() {
    for html in [
        // WordPress
        "<blockquote class=wp-block-quote><p>a</p><cite>Ann</cite></blockquote>",
        "<figure class=wp-block-pullquote><blockquote><p>a</p><cite>Ann</cite></blockquote></figure>",
        "<blockquote><p>a</p><footer>— <cite>Ann</cite></footer></blockquote>",
        "<blockquote><p>a</p><p><cite>Ann</cite></p></blockquote>",
        "<blockquote><p>a</p><figcaption>Ann</figcaption></blockquote>",
        "<figure><blockquote><p>a</p></blockquote><figcaption>– Ann</figcaption></figure>",
        "<figure><figcaption>Ann</figcaption><blockquote cite=/s><p>a</p></blockquote></figure>",
        // X, Bluesky
        "<blockquote class=twitter-tweet><p>a</p>&mdash; Ann</blockquote>",
    ] {
        assert_eq!(page(html), ["quote: a (Ann)"], "{html}");
    }
    assert_eq!(
        page("<blockquote cite=/source>a</blockquote>"),
        ["quote: a (https://example.com/source)"]
    );
    assert_eq!(
        page("<blockquote>In <cite>Emma</cite> we read.</blockquote>"),
        ["quote: In Emma we read."]
    );
}

#[test]
fn puts_links_and_images_after_their_quotation() {
    assert_eq!(
        page(
            "<blockquote><p><a href=/a>a</a></p><img src=/i.png alt=i><p>b</p><cite><a href=/c>C</a></cite></blockquote>"
        ),
        [
            "quote: a\n\nb (C)",
            "image: i /i.png",
            "link: a -> /a",
            "link: C -> /c"
        ]
    );
}

#[test]
fn quotes_lists_but_not_code_or_tables() {
    assert_eq!(
        page("<blockquote><p>a</p><ol><li>b<ul><li>c</ul><li>d</ol></blockquote>"),
        ["quote: a\n\n1. b\n  - c\n2. d"]
    );
    assert_eq!(
        page("<blockquote><p>a</p><pre>b</pre><p>c</p></blockquote>"),
        ["quote: a", "code ?: b", "quote: c"]
    );
}

#[test]
fn takes_quotations_with_headings_for_layout() {
    assert_eq!(
        page("<blockquote><h3>A</h3><p>b</p></blockquote>"),
        ["h3: A", "b"]
    );
}

#[test]
fn keeps_the_order_of_nested_quotations() {
    assert_eq!(
        page("<blockquote>a<blockquote>b</blockquote>c</blockquote>"),
        ["quote: a", "quote: b", "quote: c"]
    );
    assert_eq!(
        page("<ul><li>a<blockquote>b</blockquote></ul>"),
        ["ul: a\nb"]
    );
}

#[test]
fn writes_a_citation_without_quotation_as_text() {
    assert_eq!(page("<blockquote><cite>Ann</cite></blockquote>"), ["Ann"]);
}
