//! Rendering with inline markup as Markdown, checked with an independent CommonMark parser.

use std::ops::Range;

use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, TagEnd};
use sitecast_scp::{Block, Mark, MarkKind, Marks, to_marked_markdown};

use crate::markdown::{
    events, heading, link, links, list, page, quote, seen_in, table, text, tricky, words,
};
use crate::strategies;

const STYLES: [MarkKind; 4] = [
    MarkKind::Code,
    MarkKind::Emphasis,
    MarkKind::Strong,
    MarkKind::Deleted,
];

fn markdown(content: Vec<Block>, marks: Vec<Vec<Mark>>) -> String {
    to_marked_markdown(&page(content), &Marks::new(marks), &|url| {
        url.as_str().to_owned()
    })
}

/// The Markdown of one block.
fn written(block: Block, marks: Vec<Mark>) -> String {
    markdown(vec![block], vec![marks])
}

fn mark(kind: MarkKind, range: Range<usize>) -> Mark {
    Mark {
        kind,
        text: 0,
        range,
    }
}

/// The Markdown of a paragraph, whose marks are given as elements: `<c>`, `<e>`, `<s>`, `<d>`, `<f>`.
fn paragraph(said: &str) -> String {
    let (said, marks) = read(said);
    written(text(&said), marks)
}

/// Parses a text with elements into the plain text and its marks.
fn read(said: &str) -> (String, Vec<Mark>) {
    let (mut text, mut marks, mut open) = (String::new(), Vec::new(), Vec::new());
    let mut rest = said;
    while let Some(c) = rest.chars().next() {
        let kind = |name| match name {
            Some("c") => MarkKind::Code,
            Some("e") => MarkKind::Emphasis,
            Some("s") => MarkKind::Strong,
            Some("d") => MarkKind::Deleted,
            Some("f") => MarkKind::Formula,
            name => panic!("{name:?}"),
        };
        if rest.starts_with("</") {
            marks.push(mark(kind(rest.get(2..3)), open.pop().unwrap()..text.len()));
            rest = rest.get(4..).unwrap();
        } else if c == '<' && rest.get(2..3) == Some(">") {
            open.push(text.len());
            rest = rest.get(3..).unwrap();
        } else {
            text.push(c);
            rest = rest.get(c.len_utf8()..).unwrap();
        }
    }
    (text, marks)
}

/// The visible text of the Markdown, ignoring emphasis.
fn seen(markdown: &str) -> String {
    let is_style = |event: &Event<'_>| {
        let tag = match event {
            Event::Start(tag) => tag.to_end(),
            Event::End(tag) => *tag,
            _ => return false,
        };
        style(tag).is_some()
    };
    seen_in(events(markdown).filter(|event| !is_style(event)))
}

/// The index of an element in [`STYLES`].
fn style(tag: TagEnd) -> Option<usize> {
    match tag {
        TagEnd::Emphasis => Some(1),
        TagEnd::Strong => Some(2),
        TagEnd::Strikethrough => Some(3),
        _ => None,
    }
}

/// Each visible character, and a flag for each of [`STYLES`].
type Styled = Vec<(char, [bool; 4])>;

fn styled(markdown: &str) -> Styled {
    let mut all = Vec::new();
    let mut depth = [0; 4];
    for event in events(markdown) {
        match event {
            Event::Start(tag) => {
                if let Some(style) = style(tag.to_end()) {
                    depth[style] += 1;
                }
            }
            Event::End(tag) => {
                if let Some(style) = style(tag) {
                    depth[style] -= 1;
                }
            }
            Event::Text(said) => push(&mut all, &said, depth.map(|depth| depth > 0)),
            Event::Code(said) => {
                let mut has = depth.map(|depth| depth > 0);
                has[0] = true;
                push(&mut all, &said, has);
            }
            _ => {}
        }
    }
    all
}

fn push(all: &mut Styled, said: &str, has: [bool; 4]) {
    let said = said.replace('\0', "\u{fffd}");
    let seen = said.chars().filter(|c| !c.is_whitespace());
    all.extend(seen.map(|c| (c, has)));
}

/// The expected result of [`styled`] for a text.
fn expected(text: &str, marks: &[Mark]) -> Styled {
    let mut all = Vec::new();
    for (at, c) in text.char_indices() {
        let has = STYLES.map(|style| {
            let mut marks = marks.iter().filter(|mark| mark.kind == style);
            marks.any(|mark| mark.range.contains(&at))
        });
        push(&mut all, c.encode_utf8(&mut [0; 4]), has);
    }
    all
}

/// A block with the given text in it, the marks adapted to the block, and the visible text before it.
fn held(said: &str, marks: Vec<Mark>, shape: u8) -> (Block, Vec<Mark>, &'static str) {
    let (block, text, start, before) = match shape {
        0 => (text(said), 0, 0, ""),
        1 => (quote(said, None), 0, 0, ""),
        2 => (list(false, &["x", &format!("y {said}")]), 1, 2, "x y "),
        3 => (table(&[&["x"], &[said]]), 1, 0, "x "),
        _ => (heading(said), 0, 0, ""),
    };
    let marks = marks.into_iter().map(|Mark { kind, range, .. }| Mark {
        kind,
        text,
        range: range.start + start..range.end + start,
    });
    (block, marks.collect(), before)
}

/// A text with marks at random ranges.
fn any_marked() -> impl Strategy<Value = (String, Vec<Mark>)> {
    let piece = prop_oneof![3 => tricky(), 2 => "[a-z]{1,5}", 1 => Just(" ".to_owned())];
    let text = prop::collection::vec(piece, 0..5).prop_map(|pieces| {
        let mut text = pieces.concat();
        while text.contains("```") {
            text = text.replace("```", "``");
        }
        text
    });
    let drawn = (any::<prop::sample::Index>(), any::<prop::sample::Index>());
    let drawn = (prop::sample::select(STYLES.to_vec()), drawn);
    (text, prop::collection::vec(drawn, 0..6)).prop_map(|(text, drawn)| {
        let edges: Vec<usize> = text
            .char_indices()
            .map(|(at, _)| at)
            .chain([text.len()])
            .collect();
        let marks = drawn.into_iter().map(|(kind, (one, other))| {
            let (one, other) = (*one.get(&edges), *other.get(&edges));
            mark(kind, one.min(other)..one.max(other))
        });
        let marks = marks.collect();
        (text, marks)
    })
}

/// Words with marks that begin and end at word boundaries.
fn marked_words() -> impl Strategy<Value = (String, Vec<Mark>)> {
    let kind = || prop::sample::select(STYLES.to_vec());
    let word = ("[a-z]{1,4}", prop::collection::vec(kind(), 0..3));
    prop::collection::vec(
        (prop::collection::vec(word, 1..4), prop::option::of(kind())),
        1..4,
    )
    .prop_map(|groups| {
        let (mut text, mut marks) = (String::new(), Vec::new());
        for (words, around) in groups {
            let before = text.len();
            for (word, kinds) in words {
                let start = text.len();
                text.push_str(&word);
                marks.extend(kinds.into_iter().map(|kind| mark(kind, start..text.len())));
                text.push(' ');
            }
            marks.extend(around.map(|kind| mark(kind, before..text.len() - 1)));
        }
        (text, marks)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    /// With any marks in any text, the text stays, code stays code, and no other text becomes emphasised.
    #[test]
    fn marks_do_not_change_the_text((said, marks) in any_marked(), shape in 0u8..5) {
        let said_and_marked = expected(&said, &marks);
        let (block, marks, before) = held(&said, marks, shape);
        let mut expected = expected(before, &[]);
        expected.extend(said_and_marked);
        let written = written(block, marks);
        prop_assert_eq!(seen(&written), words(&format!("{before}{said}")), "{}", written);
        let found = styled(&written);
        for (found, expected) in found.iter().zip(&expected) {
            prop_assert_eq!(found.0, expected.0);
            prop_assert_eq!(found.1[0], expected.1[0], "code at {:?} in {}", found.0, written);
            for style in 1..4 {
                prop_assert!(found.1[style] <= expected.1[style], "{:?} in {}", found.0, written);
            }
        }
    }

    /// Marks of whole words are all read back.
    #[test]
    fn keeps_all_marks_of_whole_words((said, marks) in marked_words(), shape in 0u8..4) {
        let said_and_marked = expected(&said, &marks);
        let (block, marks, before) = held(&said, marks, shape);
        let mut expected = expected(before, &[]);
        expected.extend(said_and_marked);
        let written = written(block, marks);
        // Code has no emphasis.
        let code_within = |all: &Styled| -> Styled {
            all.iter().map(|(c, has)| (*c, if has[0] { [true, false, false, false] } else { *has })).collect()
        };
        prop_assert_eq!(code_within(&styled(&written)), code_within(&expected), "{}", written);
    }

    /// Links are the same with and without marks.
    #[test]
    fn marks_do_not_remove_links(
        (said, marks) in any_marked(),
        (start, end) in (any::<prop::sample::Index>(), any::<prop::sample::Index>()),
        url in strategies::url(),
        shape in 0u8..5,
    ) {
        let edges: Vec<usize> = said.char_indices().map(|(at, _)| at).chain([said.len()]).collect();
        let (one, other) = (*start.get(&edges), *end.get(&edges));
        let linked = said.get(one.min(other)..one.max(other)).unwrap().trim().to_owned();
        let (block, marks, _) = held(&said, marks, shape);
        let link = Block::Link { url, text: linked, rel: vec![] };
        let plain = markdown(vec![block.clone(), link.clone()], vec![]);
        let marked = markdown(vec![block, link], vec![marks]);
        prop_assert_eq!(seen(&marked), seen(&plain), "{}", marked);
        let urls = |markdown: &str| -> Vec<String> {
            links(markdown).into_iter().map(|(url, _)| url).collect()
        };
        prop_assert_eq!(urls(&marked), urls(&plain), "{}", marked);
    }

    /// Parsers with formulas read exactly the given formula, and none in the text around it.
    #[test]
    fn keeps_formulas(
        before in tricky(),
        tex in prop::sample::select(vec!["x", "E = mc^2", "a_1 * b_2", "\\frac{a}{b}", "a<b>c", "x | y", "[1](2)", "\\\\ \\{"]),
        after in tricky(),
        is_display in any::<bool>(),
        shape in 0u8..5,
    ) {
        let (open, close) = if is_display { ("\\[", "\\]") } else { ("\\(", "\\)") };
        let said = format!("{before} {open}{tex}{close} {after}");
        let start = before.len() + 1;
        let kind = if is_display { MarkKind::DisplayFormula } else { MarkKind::Formula };
        let range = start..said.len() - after.len() - 1;
        let (block, marks, _) = held(&said, vec![mark(kind, range)], shape);
        let written = written(block, marks);
        let options = Options::ENABLE_TABLES | Options::ENABLE_MATH;
        let mut found = Vec::new();
        for event in Parser::new_ext(&written, options) {
            match event {
                Event::InlineMath(tex) => found.push((false, tex.replace("< ", "<"))),
                Event::DisplayMath(tex) => found.push((true, tex.replace("< ", "<"))),
                _ => {}
            }
        }
        prop_assert_eq!(found, [(is_display, tex.to_owned())], "{}", written);
    }
}

#[test]
fn writes_marks_as_markdown() {
    for (said, written) in [
        ("run <c>make</c> now", "run `make` now"),
        ("<c>a`b</c> <c>`</c> <c> </c>", "``a`b`` `` ` ``"),
        (
            "an <e>old</e> <s>bold</s> <d>cold</d> word",
            "an *old* **bold** ~~cold~~ word",
        ),
        ("<e>so <s>very</s> old</e>", "*so **very** old*"),
        (
            "<e><s>both</s></e> <s><e>a</e> b</s>",
            "***both*** ***a* b**",
        ),
        ("<s>the <c>key</c></s>", "**the `key`**"),
        ("<e> a </e>b", "*a* b"),
        ("un<e>fortunate</e>ly", "un*fortunate*ly"),
        ("<c>*args</c> and *args", "`*args` and \\*args"),
    ] {
        assert_eq!(paragraph(said), format!("{written}\n"));
    }
}

#[test]
fn omits_marks_that_parsers_would_not_read() {
    for (said, written) in [
        ("a<e>(b)</e>c", "a(b)c"),
        ("これは<s>「強調」</s>です", "これは「強調」です"),
        ("<e>a</e><s>b</s>", "*a*b"),
        ("<e>a</e><e>b</e>", "*ab*"),
        ("a <e></e>b <s> </s>c", "a b  c"),
        ("<e>a <e>b</e> c</e>", "*a b c*"),
        ("<c>a <e>b</e></c>", "`a b`"),
        ("price<e>€5</e>", "price€5"),
    ] {
        assert_eq!(paragraph(said), format!("{written}\n"));
    }
}

#[test]
fn ends_marks_at_line_ends() {
    assert_eq!(
        paragraph("<e>a\nb</e>\n\n<c>c\n\nd</c>"),
        "*a*\\\n*b*\n\n`c`\n\n`d`\n"
    );
    let (said, marks) = read("<s>a</s>:\n```sh\n<s>ls</s>\n```\n<s>b</s>");
    assert_eq!(
        written(text(&said), marks),
        "**a**:\n```sh\nls\n```\n**b**\n"
    );
}

#[test]
fn applies_marks_to_items_and_cells() {
    let code = |text, range| Mark {
        kind: MarkKind::Code,
        text,
        range,
    };
    let nested = list(true, &["a b", "  - c d", "  e f", "4. g h"]);
    let marks = vec![code(0, 2..3), code(1, 6..7), code(2, 4..5), code(3, 5..6)];
    assert_eq!(
        written(nested, marks),
        "1. a `b`\n   - c `d`\n\n   e `f`\n2. 4\\. g `h`\n"
    );
    let rows = table(&[&["a", "b"], &["c\n  d", "x|y"]]);
    let marks = vec![code(1, 0..1), code(2, 0..5), code(3, 0..3)];
    assert_eq!(
        written(rows, marks),
        "| a | `b` |\n| --- | --- |\n| `c d` | `x\\|y` |\n"
    );
    let (said, marks) = read("to <e>be</e>");
    assert_eq!(
        written(quote(&said, Some("x")), marks),
        "> to *be*\n>\n> — x\n"
    );
}

#[test]
fn writes_code_but_no_emphasis_in_headings() {
    let (said, marks) = read("<s>The <c>#</c></s> <e>of</e> C <d>#</d>");
    assert_eq!(written(heading(&said), marks), "## The `#` of C ~~#~~\n");
}

#[test]
fn nests_links_and_marks() {
    let linked = |said: &str, words: &str| {
        let (said, marks) = read(said);
        markdown(vec![text(&said), link(words, "x")], vec![marks])
    };
    for (said, words, written) in [
        (
            "see <c>Hawk</c>!",
            "Hawk",
            "see [`Hawk`](https://example.com/x)!",
        ),
        (
            "see <c>Vec<Hawk></c>",
            "Hawk",
            "see `Vec<`[`Hawk`](https://example.com/x)`>`",
        ),
        (
            "<e>see the hawk now</e>",
            "the hawk",
            "*see [the hawk](https://example.com/x) now*",
        ),
        (
            "see <s>the</s> hawk",
            "the hawk",
            "see [**the** hawk](https://example.com/x)",
        ),
        (
            "<e>see the</e> hawk",
            "the hawk",
            "see [the hawk](https://example.com/x)",
        ),
        // With the code, parsers would read a definition of `aaa[x`.
        (
            "aaa[<c>x]: /</c>y",
            "aaa[x]: /",
            "[aaa\\[x\\]: /](https://example.com/x)y",
        ),
    ] {
        assert_eq!(linked(said, words), format!("{written}\n"));
    }
}

#[test]
fn writes_formulas_between_dollars() {
    for (said, written) in [
        (
            "so <f>\\(E = mc^2\\)</f>, for $5",
            "so $E = mc^2$, for \\$5",
        ),
        ("so <f>a_{1} * b_{2}</f>.", "so $a_{1} * b_{2}$."),
        ("<e>so <f>\\[x\\]</f></e>", "*so $$x$$*"),
        // A formula that parsers would not read is written as text.
        (
            "<f>\\(a\\)</f>2, <f>\\(\\$5\\)</f>",
            "\\\\(a\\\\)2, \\\\(\\\\\\$5\\\\)",
        ),
        ("<f>\\(a\\)</f><f>\\(b\\)</f>", "$a$\\\\(b\\\\)"),
    ] {
        assert_eq!(paragraph(said), format!("{written}\n"));
    }
    // Without formulas, dollar signs are not escaped.
    assert_eq!(paragraph("<c>x</c> for $5"), "`x` for $5\n");
}

#[test]
fn ignores_marks_outside_the_text() {
    let marks = vec![
        mark(MarkKind::Code, 1..9),
        mark(
            MarkKind::Strong,
            Range {
                start: usize::MAX,
                end: 1,
            },
        ),
        mark(MarkKind::Formula, 1..2),
        Mark {
            kind: MarkKind::Code,
            text: 4,
            range: 0..1,
        },
    ];
    assert_eq!(written(text("é"), marks), "é\n");
}

/// Thousands of adjacent or nested marks must not take quadratic time.
#[test]
fn writes_many_marks_in_bounded_time() {
    let said = "a*b ".repeat(50_000);
    let beside = (0..50_000).map(|at| mark(STYLES[at % 4], at * 4..at * 4 + 3));
    assert!(written(text(&said), beside.collect()).len() > said.len());
    let touching = (0..200_000).map(|at| mark(STYLES[at % 3 + 1], at..at + 1));
    assert!(written(text(&said), touching.collect()).len() >= said.len());
    let within = (0..100_000).map(|at| mark(STYLES[at % 4], at..200_000 - at));
    assert!(written(text(&said), within.collect()).len() > said.len());
    let lines = "a\n".repeat(50_000);
    let each = (0..50_000).map(|at| mark(MarkKind::Strong, at * 2..at * 2 + 1));
    assert!(written(text(&lines), each.collect()).len() > lines.len());
}
