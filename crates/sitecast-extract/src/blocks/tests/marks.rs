//! Inline markup of blocks, as the Markdown made from it.

use proptest::prelude::*;
use sitecast_scp::{Block, Marks, Page, to_marked_markdown};

use super::{Everything, base, parse};
use crate::blocks::{Delimiters, MarkedBlock, Marking, blocks};

fn marked_blocks(html: &str, delimiters: Delimiters) -> Vec<MarkedBlock> {
    blocks(
        &parse(html),
        &Everything,
        &base(),
        Marking::Inline(delimiters),
    )
}

fn markdown_with(html: &str, delimiters: Delimiters) -> String {
    let found = marked_blocks(html, delimiters);
    let (content, marks): (Vec<Block>, Vec<_>) = found
        .into_iter()
        .map(|found| (found.block, found.marks))
        .unzip();
    let url = "https://example.com/docs/page".parse().unwrap();
    let modified = "2025-01-15T09:00:00Z".parse().unwrap();
    let mut page = Page::new(url, "", modified, "en".parse().unwrap());
    page.content = content;
    to_marked_markdown(&page, &Marks::new(marks), &|url| {
        url.as_str().replace("https://example.com", "")
    })
}

fn markdown(html: &str) -> String {
    markdown_with(html, Delimiters::None)
}

#[test]
fn marks_inline_elements() {
    for (html, written) in [
        (
            "Run <code>make -j</code> or <tt>ninja</tt>.",
            "Run `make -j` or `ninja`.",
        ),
        (
            "Press <kbd>Ctrl</kbd>+<kbd>C</kbd>: <samp>^C</samp>",
            "Press `Ctrl`+`C`: `^C`",
        ),
        (
            "<em>so</em> <i>it</i> <strong>is</strong> <b>now</b>",
            "*so* *it* **is** **now**",
        ),
        (
            "<del>20</del> <s>15</s> <strike>12</strike> 10",
            "~~20~~ ~~15~~ ~~12~~ 10",
        ),
        ("an<em> old </em>word", "an *old* word"),
        (
            "<strong>the <em>very <code>key</code></em></strong>",
            "**the *very `key`***",
        ),
        ("<code>a <b>b</b> <em>c</em></code>", "`a b c`"),
        (
            "<code><span class=pre>a</span> <span class=pre>b</span></code>",
            "`a b`",
        ),
        ("<b><b>a</b> b</b>", "**a b**"),
        (
            "<b style='font-weight: normal'>a <i style='font-style:normal'>b</i></b>",
            "a b",
        ),
        ("<em></em>a<b> </b>b<i class=icon></i>", "a b"),
        ("<em>he says <q>no</q></em>", "*he says “no”*"),
        ("<em>a<br>b</em>", "*a*\\\n*b*"),
        ("see <a href=/x><code>Hawk</code></a>", "see [`Hawk`](/x)"),
        (
            "<code>Vec&lt;<a href=/x>Hawk</a>></code>",
            "`Vec<`[`Hawk`](/x)`>`",
        ),
        (
            "<em>see <a href=/x>the hawk</a></em>",
            "*see [the hawk](/x)*",
        ),
    ] {
        assert_eq!(
            markdown(&format!("<p>{html}</p>")),
            format!("{written}\n"),
            "{html}"
        );
    }
}

#[test]
fn marks_text_in_all_blocks() {
    for (html, written) in [
        ("<b><p>a</p><p>b</p></b>", "**a**\n\n**b**\n"),
        (
            "<h2>The <em>new</em> <code>run()</code></h2>",
            "## The new `run()`\n",
        ),
        (
            "<ol start=4><li><b>a</b> x<ul><li>b <code>c</code><p>d</ul>e <i>f</i><li><b>g</b></ol>",
            "4. **a** x\n   - b `c`\\\n     d\n\n   e *f*\n5. **g**\n",
        ),
        (
            "<dl><dt><code>-v</code><dd>Says <em>more</em>.</dl>",
            "- `-v`: Says *more*.\n",
        ),
        (
            "<table><caption>The <b>key</b></caption><tr><th>a<th><code>b</code>\
             <tr><td rowspan=2><code>c|d</code><td>e<tr><td><em>f</em></table>",
            "The **key**\n\n| a | `b` |\n| --- | --- |\n| `c\\|d` | e |\n| `c\\|d` | *f* |\n",
        ),
        (
            "<blockquote><p><em>a</em> b<ul><li>c <code>d</code></ul><p>— <b>Who</b></blockquote>",
            "> *a* b\n>\n> \\- c `d`\n>\n> — Who\n",
        ),
        (
            "<figure><img src=/a.png alt=A><figcaption>An <em>A</em></figcaption></figure>",
            "![A](/a.png)\n\nAn *A*\n",
        ),
        (
            "<b>a</b><pre><b>b</b> *c*</pre>",
            "**a**\n\n```\nb *c*\n```\n",
        ),
        (
            "<dl><dt class=sig><em>class</em> <b>Hawk</b><dd>A <b>bird</b>.</dl>",
            "- class Hawk: A **bird**.\n",
        ),
    ] {
        assert_eq!(markdown(html), written, "{html}");
    }
}

#[test]
fn numbers_only_the_outer_list() {
    assert_eq!(
        markdown("<ol><li>Take it.<li>Fly it:<ul><li>over land<li>over sea</ul><li>Land.</ol>"),
        "1. Take it.\n2. Fly it:\n   - over land\n   - over sea\n3. Land.\n"
    );
}

#[test]
fn marks_formulas_in_elements() {
    let katex = |around: &str| {
        format!(
            "<p>So <span class={around}><span class=katex><span class=katex-mathml><math><semantics><mrow><mi>E</mi></mrow>\
             <annotation encoding=application/x-tex>E = mc^2</annotation></semantics></math></span>\
             <span class=katex-html aria-hidden=true>E=mc2</span></span></span> it is.</p>"
        )
    };
    assert_eq!(markdown(&katex("x")), "So $E = mc^2$ it is.\n");
    assert_eq!(
        markdown(&katex("katex-display")),
        "So $$E = mc^2$$ it is.\n"
    );
    assert_eq!(
        markdown(
            "<p>So <span class=MathJax_Preview>a_1</span><script type=math/tex>a_1</script> it is.</p>"
        ),
        "So $a_1$ it is.\n"
    );
    // Without TeX, a line of characters.
    assert_eq!(
        markdown("<p>So <math><msub><mi>a</mi><mn>1</mn></msub></math> it is.</p>"),
        "So a_1 it is.\n"
    );
}

#[test]
fn marks_formulas_in_text_only_on_pages_with_a_script() {
    let html =
        "<p>So \\(a_1 * b\\) and \\[x\\] for $5, <code>\\(no\\)</code></p><pre>\\(no\\)</pre>";
    assert_eq!(
        markdown_with(html, Delimiters::Brackets),
        "So $a_1 * b$ and $$x$$ for \\$5, `\\(no\\)`\n\n```\n\\(no\\)\n```\n"
    );
    assert_eq!(
        markdown(html),
        "So \\\\(a_1 * b\\\\) and \\\\\\[x\\\\\\] for $5, `\\(no\\)`\n\n```\n\\(no\\)\n```\n"
    );
    assert_eq!(
        Delimiters::of(
            b"",
            &parse("<p>a <span class='math notranslate'>\\(b\\)</span>")
        ),
        Delimiters::Brackets
    );
    assert_eq!(
        Delimiters::of(b"", &parse("<p class=maths>a")),
        Delimiters::None
    );
}

fn piece() -> impl Strategy<Value = String> {
    let tags = vec![
        "<b>",
        "</b>",
        "<em>",
        "</em>",
        "<code>",
        "</code>",
        "<del>",
        "</del>",
        "<a href=/x>",
        "</a>",
        "<p>",
        "<br>",
        "<ul><li>",
        "<ol start=3><li>",
        "</ul>",
        "<li>",
        "<table><tr><td>",
        "<td>",
        "<tr><td rowspan=2>",
        "</table>",
        "<blockquote>",
        "</blockquote>",
        "<h2>",
        "</h2>",
        "<pre>x</pre>",
        "<dl><dt>",
        "<dd>",
        "<q>",
        "</q>",
        "<figure><figcaption>",
        "</figure>",
        "<sup>2</sup>",
        " \\(a\\) ",
        "$b$",
        "<math><annotation encoding=tex>c</math>",
        "<div class=admonition><p class=admonition-title>",
        "</div>",
        "<span>",
        "</span>",
        "<table class=memname><tr><td>",
    ];
    prop_oneof![2 => prop::sample::select(tags).prop_map(str::to_owned), 1 => "[a-zé*_`—]{1,3} ?"]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// Marks are ranges beside the texts.
    #[test]
    fn marks_do_not_change_blocks(pieces in prop::collection::vec(piece(), 0..40)) {
        let html = pieces.concat();
        let plain = super::blocks_of(&html);
        let marked = marked_blocks(&html, Delimiters::Dollars);
        for found in &marked {
            let texts: Vec<&str> = match &found.block {
                Block::Text { text } | Block::Heading { text, .. } | Block::Quote { text, .. } => vec![text],
                Block::List { items, .. } => items.iter().map(String::as_str).collect(),
                Block::Table { rows } => rows.iter().flatten().map(String::as_str).collect(),
                _ => vec![],
            };
            for mark in &found.marks {
                let words = texts[mark.text].get(mark.range.clone());
                prop_assert!(words.is_some_and(|words| !words.is_empty() && words.trim() == words), "{:?} of {}", found, html);
            }
        }
        let marked: Vec<Block> = marked.into_iter().map(|found| found.block).collect();
        prop_assert_eq!(marked, plain, "{}", html);
    }
}
