use super::*;

#[test]
fn reads_json_ld() {
    for json in [
        r#"{"@type":"Article","author":"Jane Doe"}"#,
        r#"{"@type":"Article","author":{"@type":"Person","name":"Jane Doe"}}"#,
        r#"{"@type":"NewsArticle","author":[{"name":"Jane Doe"},{"name":"jane doe"}]}"#,
        r#"{"@type":"BlogPosting","author":{"givenName":"Jane","familyName":"Doe"}}"#,
        r#"{"@type":"Recipe","creator":{"name":["Jane Doe"]}}"#,
        r##"{"@graph":[{"@type":"Article","author":{"@id":"#j"}},{"@id":"#j","@type":"Person","name":"Jane Doe"}]}"##,
        r#"{"@type":"WebPage","author":{"name":"Jane Doe"}}"#,
        r#"{"@type":"WebPage","mainEntity":{"@type":"Article","author":"By Jane Doe"}}"#,
        r#"{"@type":"Article","author":"Jane Doe","comment":{"@type":"Comment","author":"Somebody Else"}}"#,
    ] {
        assert_eq!(author(&ld(json)).as_deref(), Some("Jane Doe"), "{json}");
    }
    let two = ld(
        r#"{"@type":"Article","author":[{"name":"Jane Doe"},"John Roe","https://example.com/x"]}"#,
    );
    assert_eq!(author(&two).as_deref(), Some("Jane Doe, John Roe"));
    let user = ld(r#"{"@type":"DiscussionForumPosting","author":{"name":"jdoe99"}}"#);
    assert_eq!(author(&user).as_deref(), Some("jdoe99"));
}

#[test]
fn reads_all_meta_names() {
    for name in [
        "author",
        "parsely-author",
        "sailthru.author",
        "cxenseparse:author",
        "dc.creator",
        "dcterms.creator",
        "article:author",
        "article:author_name",
        "og:author",
        "og:article:author",
        "citation_author",
        "byl",
        "article.author",
        "creator",
        "author_name",
        "shareaholic:article_author_name",
        "blog-author",
    ] {
        for attribute in ["name", "property"] {
            let html = format!("<meta {attribute}='{name}' content='By Jane Doe'>");
            assert_eq!(author(&html).as_deref(), Some("Jane Doe"), "{html}");
        }
    }
    let two = "<meta name=citation_author content='Doe, Jane'><meta name=citation_author content='Roe, John'>";
    assert_eq!(author(two).as_deref(), Some("Jane Doe, John Roe"));
    let card = "<meta name=twitter:label1 content='Written by'><meta name=twitter:data1 content='Jane Doe'>";
    assert_eq!(author(card).as_deref(), Some("Jane Doe"));
    assert_eq!(
        author("<meta property=article:author content='https://facebook.com/jane'>"),
        None
    );
}

#[test]
fn reads_bylines() {
    for byline in [
        "<a rel=author href=/x>Jane Doe</a>",
        "<p itemprop=author>Jane Doe</p>",
        "<p itemprop=author itemscope><b>Posts</b><span itemprop=name>Jane Doe</span></p>",
        "<p itemprop=author itemscope><meta itemprop=name content='Jane Doe'></p>",
        "<p property=schema:author>Jane Doe</p>",
        "<p class=byline>By Jane Doe | Staff</p>",
        "<p class=entry-author>Jane Doe, Senior Writer</p>",
        "<p class=post-author>Written on a Monday by <a href=/x>Jane Doe</a></p>",
        "<a href='/author/jane-doe/'>Jane Doe</a>",
        "<a href='https://example.com/?author=3'>Jane Doe</a>",
        "<p>By Jane Doe</p>",
        "<p>Written by: <b>Jane Doe</b></p>",
        "<p>Posted by Jane Doe on May 7, 2024</p>",
        "<p><span>Author</span> <span>Jane Doe</span></p>",
        "<p>Autor: Jane Doe</p>",
        "<div data-author='Jane Doe'>x</div>",
    ] {
        let html = format!("<h1>Soup of the day</h1>{byline}<p>Some text about soup.</p>");
        assert_eq!(author(&html).as_deref(), Some("Jane Doe"), "{byline}");
    }
}

#[test]
fn prefers_byline_nearest_to_title() {
    let html = format!(
        "<nav><a rel=author href=/x>Site Owner</a></nav><h1>Soup</h1><p class=author>Jane Doe</p><p>{}</p>\
         <div class=comments><p class=author>Some Reader</p></div><aside class=related><p class=author>Other Writer</p></aside>",
        "Words about soup. ".repeat(50)
    );
    assert_eq!(author(&html).as_deref(), Some("Jane Doe"));
}

#[test]
fn finds_no_author_on_pages_without_one() {
    let byline = "<h1>Soup</h1><p class=author>Jane Doe</p>";
    assert_eq!(read_at("https://example.com/", byline).author, None);
    assert_eq!(
        read_at("https://example.com/shop/soup", byline).author,
        None
    );
    assert_eq!(read_at("https://example.com/blog/", byline).author, None);
    assert_eq!(
        author(&format!("{byline}<button>Add to cart</button>")),
        None
    );
    assert_eq!(
        author("<h1>Soup</h1><meta name=author content=admin>"),
        None
    );
    assert_eq!(author("<h1>Soup</h1><p>By the way, it is hot.</p>"), None);
    assert_eq!(author("<h1>Soup</h1><p class=author>Soup</p>"), None);
}

#[test]
fn ignores_connecting_words_and_names_in_program_text() {
    for byline in [
        "<p class=byline><span class=author>and</span></p>",
        "<meta name=author content=and>",
        "<p class=author>und</p>",
        "<p class=author>By the</p>",
        "<pre>Author: Jane Doe</pre>",
        "<pre><code><span class=author>Jane Doe</span></code></pre>",
    ] {
        let html = format!("{byline}<h1>Soup of the day</h1>{byline}<p>Some text about soup.</p>");
        assert_eq!(author(&html), None, "{byline}");
    }
    let names = "<h1>Soup</h1><p class=byline><span class=author>and</span> <a href=/author/jane>Jane Doe</a></p>";
    assert_eq!(author(names).as_deref(), Some("Jane Doe"));
}

#[test]
fn ignores_by_in_sentences() {
    let words =
        "It took the writers of the network stack a while to find out where the time went. "
            .repeat(4);
    for sentence in [
        format!("<p>{words}<b>Records are sent</b> <i>by</i> <code>RecordWriter</code></p>"),
        format!("<p>{words}<a href=/x>The soup</a> by <a href=/y>Alibaba</a></p>"),
        format!("<ul><li>{words}<a href=/x>Fixed</a> by <a href=/y>Natgho</a></ul>"),
        "<p><a href=/x>The soup</a> by <code>RecordWriter</code></p>".to_owned(),
        format!(
            "<p>{words}They are given to the <a href=/api/writer/RecordWriter.html>RecordWriter</a>.</p>"
        ),
    ] {
        let html = format!("<h1>Soup of the day</h1>{sentence}");
        assert_eq!(author(&html), None, "{sentence}");
    }
    let end = "<h1>Soup of the day</h1><p>Written by Jane Doe.</p><p>Some text about soup.</p>";
    assert_eq!(author(end).as_deref(), Some("Jane Doe"));
}

/// Their names and dates are those of contributors and releases.
#[test]
fn generated_documentation_has_no_author_or_date() {
    let shown = "<h1>Soup of the day</h1><p>By Jane Doe</p><p class=date>May 7, 2024</p>";
    for generator in [
        "mkdocs-1.6.1, mkdocs-material-9.5",
        "Docutils 0.21",
        "Doxygen 1.9",
        "javadoc/17",
    ] {
        let head = format!(
            "<meta name=generator content='{generator}'><meta name=dc.created content=2024-05-07>"
        );
        let page = read_at("https://example.com/guide/soup", &format!("{head}{shown}"));
        assert_eq!((page.author, page.published), (None, None), "{generator}");
        let blog = read_at("https://example.com/blog/soup", &format!("{head}{shown}"));
        assert_eq!(blog.author.as_deref(), Some("Jane Doe"), "{generator}");
        assert!(blog.published.is_some(), "{generator}");
    }
    let changed = "<meta name=generator content=sphinx><h1>Soup</h1><footer>Last updated on May 7, 2024.</footer>";
    let page = read_at("https://example.com/guide/soup", changed);
    assert_eq!(page.modified.unwrap().to_string(), "2024-05-07T00:00:00Z");
}

#[test]
fn prefers_person_to_site() {
    let html = "<meta name=author content=Example><h1>Soup</h1><p class=author>Jane Doe</p>";
    assert_eq!(author(html).as_deref(), Some("Jane Doe"));
    assert_eq!(
        author("<meta name=author content=Example><h1>Soup</h1>").as_deref(),
        Some("Example")
    );
    let html = ld(r#"{"@type":"Article","author":{"@type":"Organization","name":"Soup Makers"}}"#);
    assert_eq!(
        author(&format!("{html}<h1>Soup</h1><p>By Jane Doe")).as_deref(),
        Some("Jane Doe")
    );
    assert_eq!(author(&html).as_deref(), Some("Soup Makers"));
}

#[test]
fn finds_first_poster_of_thread_in_noscript() {
    let html = format!(
        "<noscript><h1>Which soup?</h1><p itemprop=author>cook_42</p><p>{}</p><p itemprop=author>other_7</p></noscript>",
        "Words about soup. ".repeat(50)
    );
    let page = read_at("https://forum.example.com/t/which-soup/1", &html);
    assert_eq!(page.author.as_deref(), Some("cook_42"));
}
