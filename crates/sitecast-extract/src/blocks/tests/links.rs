use super::{blocks_of, page};
use sitecast_scp::Block;

#[test]
fn puts_each_link_after_its_paragraph_once() {
    assert_eq!(
        page(
            "<p>See <a href=../a rel='nofollow Sponsored'>A</a>, <a href='/b?q=1#f'>B</a> and <a href='https://example.com/a'>again</a>.</p><p><a href=/a>A</a>"
        ),
        [
            "See A, B and again.",
            "link: A -> /a [\"nofollow\", \"sponsored\"]",
            "link: B -> /b?q=1#f",
            "A",
            "link: A -> /a"
        ]
    );
}

#[test]
fn writes_links_within_the_page_as_text() {
    assert_eq!(
        page(
            "<p><a href='javascript:void(0)'>a</a> <a href='mailto:a@b.c'>b</a> <a href='tel:1'>c</a> \
             <a href='#x'>d</a> <a>e</a> <a href=''>f</a> <a href='/docs/page#x'>g</a> <a href='ftp://x/'>h</a> <a href='http://['>i</a>"
        ),
        ["a b c d e f g h i"]
    );
}

#[test]
fn names_links_without_text_by_image_or_label() {
    assert_eq!(
        page("<a href=/a><img src=/i.png alt=I></a>"),
        ["image: I /i.png", "link: I -> /a"]
    );
    assert_eq!(
        page("<p>x <a href=/b aria-label=B><svg></svg></a><a href=/c><i></i></a>"),
        ["x"]
    );
    assert_eq!(
        page("<p>x <a href=/b aria-label=B><img src=/i.png alt=''></a>"),
        ["x", "image:  /i.png", "link: B -> /b"]
    );
}

#[test]
fn puts_a_link_after_the_blocks_in_it() {
    assert_eq!(
        page(
            "<a href=/post><img src=/i.png alt=I><div>Jan 1</div><h3>Title</h3><p>Text</p></a><p>After"
        ),
        [
            "image: I /i.png",
            "Jan 1",
            "h3: Title",
            "Text",
            "link: Title -> /post",
            "After"
        ]
    );
    // Docusaurus
    assert_eq!(
        page("<a href=/next><div>Next</div><div>Install »</div></a>"),
        ["Next", "Install »", "link: Next Install » -> /next"]
    );
    assert_eq!(
        page("<h2><a href=/x>T</a></h2><p>p"),
        ["h2: T", "link: T -> /x", "p"]
    );
}

#[test]
fn escapes_urls_strictly() {
    for html in [
        "<a href='/a|b[1]^{2}?x=%&y=ä#a#b'>x</a>",
        "<a href='/ä b\"'>x</a>",
    ] {
        let strict = blocks_of(html)
            .into_iter()
            .any(|block| matches!(block, Block::Link { url, .. } if url.is_strict()));
        assert!(strict, "{html}");
    }
}
