//! Rendering as Markdown, checked with an independent CommonMark parser.

use proptest::prelude::*;
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use sitecast_scp::{
    Block, HeadingLevel, HttpUrl, MediaUrl, Page, Video, to_markdown, to_markdown_with,
};

use crate::strategies;

pub(crate) fn page(content: Vec<Block>) -> Page {
    let mut page = Page::new(
        "https://example.com/".parse().unwrap(),
        "",
        "2025-01-15T09:00:00Z".parse().unwrap(),
        "en".parse().unwrap(),
    );
    page.content = content;
    page
}

fn markdown(content: Vec<Block>) -> String {
    to_markdown(&page(content))
}

pub(crate) fn text(text: &str) -> Block {
    Block::Text {
        text: text.to_owned(),
    }
}

pub(crate) fn heading(text: &str) -> Block {
    Block::Heading {
        level: HeadingLevel::clamped(2),
        text: text.to_owned(),
    }
}

pub(crate) fn link(text: &str, path: &str) -> Block {
    Block::Link {
        url: format!("https://example.com/{path}").parse().unwrap(),
        text: text.to_owned(),
        rel: vec![],
    }
}

pub(crate) fn list(ordered: bool, items: &[&str]) -> Block {
    Block::List {
        ordered,
        items: items.iter().map(|item| (*item).to_owned()).collect(),
    }
}

pub(crate) fn table(rows: &[&[&str]]) -> Block {
    let row = |row: &&[&str]| row.iter().map(|cell| (*cell).to_owned()).collect();
    Block::Table {
        rows: rows.iter().map(row).collect(),
    }
}

pub(crate) fn quote(text: &str, citation: Option<&str>) -> Block {
    Block::Quote {
        text: text.to_owned(),
        citation: citation.map(str::to_owned),
    }
}

pub(crate) fn events(markdown: &str) -> impl Iterator<Item = Event<'_>> {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_TASKLISTS;
    Parser::new_ext(markdown, options)
}

/// The visible text of the Markdown, including item numbers, with single spaces.
pub(crate) fn seen(markdown: &str) -> String {
    seen_in(events(markdown))
}

/// The visible text of these events.
pub(crate) fn seen_in<'m>(events: impl Iterator<Item = Event<'m>>) -> String {
    let mut text = String::new();
    let mut numbers: Vec<Option<u64>> = Vec::new();
    for event in events {
        match event {
            Event::Text(piece) | Event::Code(piece) => text.push_str(&piece),
            Event::SoftBreak | Event::HardBreak => text.push(' '),
            Event::Start(Tag::Link { .. } | Tag::Image { .. })
            | Event::End(TagEnd::Link | TagEnd::Image) => {}
            Event::Start(Tag::List(first)) => numbers.push(first),
            Event::End(TagEnd::List(_)) => {
                numbers.pop();
            }
            Event::Start(Tag::Item) => {
                text.push(' ');
                if let Some(Some(number)) = numbers.last_mut() {
                    text.push_str(&format!(" {number}. "));
                    *number += 1;
                }
            }
            Event::Start(
                Tag::Paragraph
                | Tag::Heading { .. }
                | Tag::BlockQuote(_)
                | Tag::CodeBlock(_)
                | Tag::Table(_)
                | Tag::TableHead
                | Tag::TableRow
                | Tag::TableCell,
            )
            | Event::End(_) => text.push(' '),
            // No other markup is ever written.
            other => text.push_str(&format!(" !{other:?}! ")),
        }
    }
    words(&text)
}

/// Normalises white space, and replaces NUL as CommonMark does.
pub(crate) fn words(text: &str) -> String {
    let text = text.replace('\0', "\u{fffd}");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The URLs and texts of all links.
pub(crate) fn links(markdown: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut open = false;
    for event in events(markdown) {
        match event {
            Event::Start(Tag::Link { dest_url, .. }) => {
                found.push((dest_url.to_string(), String::new()));
                open = true;
            }
            Event::End(TagEnd::Link) => open = false,
            Event::Text(piece) if open => found.last_mut().unwrap().1.push_str(&piece),
            _ => {}
        }
    }
    found
}

/// All fenced code blocks, as language and code.
fn codes(markdown: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut open = false;
    for event in events(markdown) {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(language))) => {
                found.push((language.to_string(), String::new()));
                open = true;
            }
            Event::End(TagEnd::CodeBlock) => open = false,
            Event::Text(piece) if open => found.last_mut().unwrap().1.push_str(&piece),
            _ => {}
        }
    }
    found
}

/// Text with all kinds of markup characters, except for fences.
pub(crate) fn tricky() -> impl Strategy<Value = String> {
    let token = prop::sample::select(vec![
        "#",
        "## ",
        "- ",
        "-",
        "+ ",
        "+",
        "* ",
        "*",
        "**",
        "_",
        "__",
        "1. ",
        "12)",
        "1.",
        "3) ",
        "123456789. ",
        "> ",
        ">",
        "`",
        "``",
        "~",
        "~~",
        "~~~",
        "<b>",
        "</b>",
        "<",
        "<!--",
        "-->",
        "<a@b.c>",
        "<http://a.b>",
        "<?",
        "&amp;",
        "&#35;",
        "&",
        ";",
        "[a](b)",
        "![",
        "]",
        "[",
        "(",
        ")",
        "[^1]",
        "[^1]: ",
        "[x]: /y",
        "[ ] ",
        "[x] ",
        "|",
        "---",
        "***",
        "===",
        ":-:",
        "|-|",
        "--|--",
        ":",
        "\\",
        "\n",
        "\n\n",
        "\r",
        "\r\n",
        "\t",
        "    ",
        "  \n",
        " ",
        "www.x.y",
        "http://x.y/z_a",
        "a",
        "b",
        "word",
        "É",
        "漢",
        "\u{a0}",
        "\u{2003}",
        "\u{b}",
        "\u{c}",
        "\u{85}",
        "\u{200b}",
        "\0",
        "=",
        "{#id}",
        "$x$",
        "!",
        "\"",
        "'",
        "%",
        "/",
        ".",
        ",",
    ]);
    let any = prop_oneof![
        6 => prop::collection::vec(token, 0..14).prop_map(|tokens| tokens.concat()),
        1 => strategies::text(),
    ];
    any.prop_map(|mut text| {
        while text.contains("```") {
            text = text.replace("```", "``");
        }
        text
    })
}

/// An item of any depth: its depth, number, whether it continues an outer item, and text.
fn item() -> impl Strategy<Value = (usize, Option<u64>, bool, String)> {
    let number = prop::option::of(0u64..1_000);
    (0usize..4, number, prop::bool::weighted(0.1), tricky())
}

/// A list and its visible text.
fn any_list() -> impl Strategy<Value = (Block, String)> {
    (any::<bool>(), prop::collection::vec(item(), 0..6)).prop_map(|(ordered, drawn)| {
        let mut items = Vec::new();
        let mut expected = String::new();
        let mut count = 0;
        let mut deepest = 0;
        for (depth, number, continued, text) in drawn {
            let text = text.trim().to_owned();
            let depth = if text.is_empty() {
                0
            } else {
                depth.min(deepest)
            };
            let shown = if depth == 0 {
                if ordered {
                    count += 1;
                    expected.push_str(&format!(" {count}. "));
                }
                text.clone()
            } else if continued {
                // Begins with neither a marker nor the bracket of a task.
                format!("{}so {text}", "  ".repeat(depth))
            } else if let Some(number) = number {
                expected.push_str(&format!(" {number}. "));
                format!("{}{number}. {text}", "  ".repeat(depth))
            } else {
                format!("{}- {text}", "  ".repeat(depth))
            };
            let is_continued = depth > 0 && continued;
            expected.push_str(if is_continued { " so " } else { " " });
            expected.push_str(&text);
            deepest = if is_continued { depth } else { depth + 1 };
            items.push(shown);
        }
        (Block::List { ordered, items }, expected)
    })
}

/// A block and its visible text.
fn any_block() -> impl Strategy<Value = (Block, String)> {
    let cells = || prop::collection::vec(tricky(), 0..4);
    prop_oneof![
        4 => tricky().prop_map(|text| (Block::Text { text: text.clone() }, text)),
        2 => (1u8..=6, tricky()).prop_map(|(level, text)| {
            (Block::Heading { level: HeadingLevel::clamped(level), text: text.clone() }, text)
        }),
        1 => (strategies::url(), tricky()).prop_map(|(url, alt)| (Block::Image { url, alt: alt.clone() }, alt)),
        3 => any_list(),
        1 => (prop::option::of(tricky()), strategies::text())
            .prop_map(|(language, code)| (Block::Code { language, code: code.clone() }, code)),
        2 => prop::collection::vec(cells(), 0..4).prop_map(|rows| {
            let seen = rows.iter().flatten().fold(String::new(), |all, cell| all + " " + cell);
            (Block::Table { rows }, seen)
        }),
        2 => (tricky(), prop::option::of(tricky())).prop_map(|(text, citation)| {
            let by = citation.as_ref().map(|by| format!(" — {by}")).unwrap_or_default();
            let seen = format!("{text}{by}");
            (Block::Quote { text, citation }, seen)
        }),
        1 => (strategies::url(), tricky(), prop::option::of(tricky())).prop_map(|(url, name, transcript)| {
            let seen = format!("{name} {}", transcript.as_deref().unwrap_or_default());
            let video = Video {
                name,
                url: MediaUrl::One(url),
                duration: None,
                width: None,
                height: None,
                icon: None,
                summary: None,
                captions: vec![],
                chapters: vec![],
                transcript,
            };
            (Block::Video(video), seen)
        }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    /// No text of a page is lost or read as markup.
    #[test]
    fn rendered_text_equals_the_text_of_the_page(title in tricky(), drawn in prop::collection::vec(any_block(), 0..5)) {
        let (content, said): (Vec<Block>, Vec<String>) = drawn.into_iter().unzip();
        let mut page = page(content);
        page.title = title.clone();
        let written = to_markdown(&page);
        prop_assert_eq!(seen(&written), words(&format!("{title} {}", said.join(" "))), "{}", written);
    }

    /// Every link occurs once with its URL, and the text around it is unchanged.
    #[test]
    fn places_each_link_once_in_any_text(
        words_around in prop::collection::vec(tricky(), 1..5),
        linked in prop::collection::vec((tricky(), strategies::url(), any::<bool>()), 1..4),
        shape in 0u8..5,
    ) {
        let mut said = words_around[0].clone();
        let mut content = Vec::new();
        let mut expected = Vec::new();
        for (n, (text, url, inside)) in linked.iter().enumerate() {
            if words(text).is_empty() {
                continue;
            }
            let text = words(text);
            if *inside {
                said = format!("{said} {text} {}", words_around[n % words_around.len()]);
            }
            content.push(Block::Link { url: url.clone(), text: text.clone(), rel: vec![] });
            expected.push((url.as_str().to_owned(), text));
        }
        let holder = match shape {
            0 => text(&said),
            1 => heading(&said),
            2 => list(false, &["x", &said]),
            3 => table(&[&["x"], &[&said]]),
            _ => quote("x", Some(&said)),
        };
        content.insert(0, holder.clone());
        let written = markdown(content);
        let mut found = links(&written);
        for (_, text) in &mut found {
            *text = words(text);
        }
        found.sort();
        expected.sort();
        prop_assert_eq!(found, expected, "{}", written);
        // Links whose words are not found follow the text.
        let plain = seen(&markdown(vec![holder]));
        prop_assert!(seen(&written).starts_with(&plain), "{}", written);
    }

    #[test]
    fn keeps_code_exactly(code in "[ -~\n\t`]{0,60}", language in "[a-z+#]{0,6}") {
        let block = Block::Code { language: Some(language.clone()), code: code.clone() };
        let expected = format!("{}\n", code.strip_suffix('\n').unwrap_or(&code));
        prop_assert_eq!(codes(&markdown(vec![block])), [(language, expected)]);
    }
}

#[test]
fn escapes_text_that_looks_like_markup() {
    for (said, written) in [
        ("# no heading", "\\# no heading"),
        ("#hashtag", "#hashtag"),
        ("- no item", "\\- no item"),
        ("-5 degrees, +1", "-5 degrees, +1"),
        ("1. no item", "1\\. no item"),
        ("1.5 litres", "1.5 litres"),
        ("1986) was", "1986\\) was"),
        ("> no quote", "\\> no quote"),
        ("---", "\\---"),
        ("a\n===", "a\\\n\\==="),
        ("a | b\n:-: | :-:", "a | b\\\n\\:-: | :-:"),
        ("~5 to ~6, ~~7~~", "\\~5 to \\~6, \\~\\~7\\~\\~"),
        ("snake_case and _this_", "snake_case and \\_this\\_"),
        ("2 * 3 *4*", "2 * 3 \\*4\\*"),
        ("a < b <b>", "a < b \\<b>"),
        ("R&D, AT&T, &amp; &#35;", "R&D, AT&T, \\&amp; \\&#35;"),
        ("C:\\dir \\* \\", "C:\\dir \\\\\\* \\\\"),
        ("`code` [1]", "\\`code\\` \\[1\\]"),
        ("    no code", "no code"),
        ("a\r# b", "a\\\n\\# b"),
    ] {
        assert_eq!(markdown(vec![text(said)]), format!("{written}\n"));
        assert_eq!(seen(written), words(said));
    }
}

#[test]
fn keeps_line_breaks_and_paragraphs() {
    assert_eq!(markdown(vec![text("a\nb\n\nc")]), "a\\\nb\n\nc\n");
    assert_eq!(
        markdown(vec![quote("a\nb\n\nc", Some("d"))]),
        "> a\\\n> b\n>\n> c\n>\n> — d\n"
    );
}

#[test]
fn keeps_the_trailing_hash_of_a_heading() {
    assert_eq!(markdown(vec![heading("C#")]), "## C#\n");
    assert_eq!(markdown(vec![heading("issue #")]), "## issue \\#\n");
    assert_eq!(markdown(vec![heading("a ##")]), "## a #\\#\n");
    assert_eq!(markdown(vec![heading("#")]), "## \\#\n");
    assert_eq!(
        markdown(vec![heading("1. First\nthings")]),
        "## 1. First things\n"
    );
    assert_eq!(
        markdown(vec![heading("a #"), link("#", "x")]),
        "## a [#](https://example.com/x)\n"
    );
}

#[test]
fn omits_an_empty_heading() {
    assert_eq!(markdown(vec![heading(" \n"), text("a")]), "a\n");
}

#[test]
fn writes_nested_lists() {
    let items = ["a", "  - b", "    1. c", "    2. d", "  goes on", "e"];
    assert_eq!(
        markdown(vec![list(false, &items)]),
        "- a\n  - b\n    1. c\n    2. d\n\n  goes on\n- e\n"
    );
    // Below a number with two digits, a nested list needs a deeper indent.
    let mut many: Vec<String> = (1..=10).map(|n| format!("item {n}")).collect();
    many.push("  - within".to_owned());
    let items: Vec<&str> = many.iter().map(String::as_str).collect();
    assert!(markdown(vec![list(true, &items)]).ends_with("\n10. item 10\n    - within\n"));
}

#[test]
fn keeps_the_first_number_of_a_list() {
    assert_eq!(
        markdown(vec![list(false, &["4. a", "  - b", "5. c"])]),
        "4. a\n   - b\n5. c\n"
    );
    assert_eq!(
        markdown(vec![list(false, &["3. a", "1. b"])]),
        "- 3\\. a\n- 1\\. b\n"
    );
    assert_eq!(
        markdown(vec![list(true, &["a", "  3. b", "  7. c"])]),
        "1. a\n\n   3. b\n   7) c\n"
    );
}

#[test]
fn separates_two_lists_in_a_row() {
    let two = markdown(vec![
        list(true, &["a", "b"]),
        list(true, &["c"]),
        list(true, &["d"]),
    ]);
    assert_eq!(two, "1. a\n2. b\n\n1) c\n\n1. d\n");
    assert_eq!(seen(&two), "1. a 2. b 1. c 1. d");
    let lists = events(&two).filter(|event| matches!(event, Event::Start(Tag::List(_))));
    assert_eq!(lists.count(), 3);
}

#[test]
fn writes_fenced_code_within_a_list() {
    let items = ["run:\n````sh\n```\n\n  ls\n````\nthen look", "next"];
    let written = markdown(vec![list(true, &items)]);
    assert_eq!(
        written,
        "1. run:\n   ````sh\n   ```\n\n     ls\n   ````\n   then look\n2. next\n"
    );
    assert_eq!(
        codes(&written),
        [("sh".to_owned(), "```\n\n  ls\n".to_owned())]
    );
}

#[test]
fn writes_code_within_a_cell_inline() {
    let written = markdown(vec![table(&[&["a"], &["see\n```\nx | `y`\nz\n```"]])]);
    assert_eq!(written, "| a |\n| --- |\n| see ``x \\| `y` z`` |\n");
    assert_eq!(seen(&written), "a see x | `y` z");
}

#[test]
fn writes_fenced_code_within_text() {
    let written = markdown(vec![text("a\n\n```rust\nfn\n```\n\nb")]);
    assert_eq!(written, "a\n\n```rust\nfn\n```\n\nb\n");
}

#[test]
fn tables_have_a_header_and_all_columns() {
    assert_eq!(
        markdown(vec![table(&[&["a"], &["b | c", "d\ne"], &[]])]),
        "| a |  |\n| --- | --- |\n| b \\| c | d e |\n|  |\n"
    );
    assert_eq!(markdown(vec![table(&[&[], &[]])]), "");
}

#[test]
fn places_links_at_their_words() {
    let content = vec![
        text("The article is art. See art here!"),
        link("art", "a"),
        link("not there", "b"),
        link("here", "c"),
    ];
    assert_eq!(
        markdown(content),
        "The article is [art](https://example.com/a). See art [here](https://example.com/c)!\n\n\
         [not there](https://example.com/b)\n"
    );
    assert_eq!(
        markdown(vec![
            text("Call it .venv, with venv.py, using venv."),
            link("venv", "v")
        ]),
        "Call it .venv, with venv.py, using [venv](https://example.com/v).\n"
    );
    assert_eq!(
        markdown(vec![text("Look!Here"), link("Here", "a")]),
        "Look\\![Here](https://example.com/a)\n"
    );
}

#[test]
fn places_a_link_within_the_citation() {
    assert_eq!(
        markdown(vec![
            quote("To be", Some("Hamlet, act 3")),
            link("Hamlet", "h")
        ]),
        "> To be\n>\n> — [Hamlet](https://example.com/h), act 3\n"
    );
}

#[test]
fn writes_a_link_alone_on_a_line() {
    assert_eq!(
        markdown(vec![link("one", "1"), link("two", "2")]),
        "[one](https://example.com/1)\n\n[two](https://example.com/2)\n"
    );
}

#[test]
fn escapes_link_destinations() {
    for path in [
        "a(b",
        "a)b",
        "a_b*c",
        "a?b&amp;c=d",
        "a?x=1&copy=2",
        "~a",
        "a|b",
        "a%20b",
    ] {
        let url: HttpUrl = format!("https://example.com/{path}").parse().unwrap();
        let block = |text: &str| Block::Link {
            url: url.clone(),
            text: text.to_owned(),
            rel: vec![],
        };
        let said = "x".to_owned();
        let found = links(&markdown(vec![block("x")]));
        assert_eq!(found, [(url.as_str().to_owned(), said.clone())]);
        let found = links(&markdown(vec![table(&[&["h"], &["x"]]), block("x")]));
        assert_eq!(found, [(url.as_str().to_owned(), said)], "in a table");
    }
}

#[test]
fn writes_urls_as_the_callback_returns_them() {
    let mut page = page(vec![text("x"), link("x", "a b")]);
    page.content.push(Block::Image {
        url: "https://example.com/i.png".parse().unwrap(),
        alt: "[i]".to_owned(),
    });
    let relative = |url: &HttpUrl| url.as_str().replace("https://example.com/", "");
    assert_eq!(
        to_markdown_with(&page, &relative),
        "[x](<a b>)\n\n![\\[i\\]](i.png)\n"
    );
}

/// A table of contents whose words are not in the text must not take quadratic time.
#[test]
fn searches_for_many_missing_links_in_bounded_time() {
    let mut content = vec![text(&"some words ".repeat(50_000))];
    content.extend((0..20_000).map(|n| link(&format!("missing {n}"), &n.to_string())));
    let written = markdown(content);
    assert_eq!(links(&written).len(), 20_000);
}
