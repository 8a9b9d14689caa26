use super::page;

#[test]
fn reads_heading_levels() {
    assert_eq!(
        page("<h1>A</h1><h6>F</h6><div role=heading aria-level=3>C</div><div role=heading>B</div>"),
        ["h1: A", "h6: F", "h3: C", "h2: B"]
    );
    assert_eq!(page("<div role=heading aria-level=9>x</div>"), ["h6: x"]);
    assert_eq!(page("<h2 role=presentation>x</h2>"), ["x"]);
    assert_eq!(page("<h2></h2><h3> &nbsp; </h3>"), [""; 0]);
}

#[test]
fn writes_breaks_and_blocks_in_headings_as_spaces() {
    assert_eq!(page("<h2>a<br>b<div>c</div>d</h2>"), ["h2: a b c d"]);
}

#[test]
fn drops_permalinks_in_headings() {
    for html in [
        // Sphinx
        "<h2>Title<a class=headerlink href='#title' title='Link to this heading'>¶</a></h2>",
        // MkDocs Material
        "<h2 id=t>Title<a class=headerlink href='#t' title='Permanent link'>&para;</a></h2>",
        // Docusaurus
        "<h2>Title<a href='#t' class=hash-link aria-label='Direct link to Title'>\u{200b}</a></h2>",
        // VitePress
        "<h2>Title <a class=header-anchor href='#t' aria-label='Permalink to &quot;Title&quot;'>\u{200b}</a></h2>",
        // GitHub
        "<div class=markdown-heading><h2>Title</h2><a class=anchor href='#t'><svg></svg></a></div>",
        // rustdoc
        "<h2 id=t><a class=doc-anchor href='#t'>§</a>Title</h2>",
        // Hugo themes
        "<h2>Title <a href='#t' aria-hidden=true>Anchor</a></h2>",
        "<h2>Title<a class=anchor href='https://example.com/docs/page#t'>Link to this</a></h2>",
        "<h2><a href='#t'>#</a> Title</h2>",
        // MediaWiki
        "<h2><span class=mw-headline id=T>Title</span><span class=mw-editsection>\
         <span>[</span><a href='/edit'>edit</a><span>]</span></span></h2>",
    ] {
        assert_eq!(page(html), ["h2: Title"], "{html}");
    }
}

#[test]
fn keeps_an_anchor_around_a_whole_heading() {
    assert_eq!(
        page("<h2><a class=anchor href='#t'>Title</a></h2>"),
        ["h2: Title"]
    );
    assert_eq!(page("<h2><a href='#t'>C#</a></h2>"), ["h2: C#"]);
}

#[test]
fn puts_links_and_images_after_their_heading() {
    assert_eq!(
        page("<h2><img src=/i.png alt=i> <a href=/t>Title</a></h2>"),
        ["h2: Title", "image: i /i.png", "link: Title -> /t"]
    );
}

#[test]
fn separates_adjacent_spans_in_headings() {
    assert_eq!(
        page("<h1><span class=name>Hawk</span><span class=text>A framework for hawks</span></h1>"),
        ["h1: Hawk A framework for hawks"]
    );
}

#[test]
fn reads_the_title_of_doxygen_as_a_heading() {
    assert_eq!(
        page(
            "<div class=header><div class=headertitle><div class=title>Hawk Class Reference</div></div></div><p>Flies."
        ),
        ["h1: Hawk Class Reference", "Flies."]
    );
}
