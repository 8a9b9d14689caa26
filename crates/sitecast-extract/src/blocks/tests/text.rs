use super::{page, page_without_x};

#[test]
fn separates_blocks_but_not_inline_elements() {
    assert_eq!(page("<p><b>a</b>b <i> c</i> d<p>e"), ["ab c d", "e"]);
    assert_eq!(page("<div>a<div>b</div>c</div>d"), ["a", "b", "c", "d"]);
    assert_eq!(
        page("<span>O</span><span>nce</span> <b>up</b><b>on</b>"),
        ["Once upon"]
    );
    assert_eq!(
        page("<span class=a>4 stars</span><span class=b>12 reviews</span><a href=/x>all</a>"),
        ["4 stars 12 reviews all", "link: all -> /x"]
    );
    assert_eq!(
        page("<em>class</em><span class=w> </span><b>A</b><i></i>B<u>\u{200b}</u>C"),
        ["class ABC"]
    );
    assert_eq!(page("a<hr>b"), ["a", "b"]);
    assert_eq!(page("a<div></div>b"), ["a", "b"]);
}

#[test]
fn collapses_white_space_and_drops_ignorable_characters() {
    assert_eq!(
        page("<p>  a\u{a0}\u{a0}b\u{200b}c\n\td&nbsp; e\u{ad}f \u{feff} </p><p>&nbsp;\u{200b}</p>"),
        ["a bc d ef"]
    );
}

#[test]
fn ends_a_paragraph_at_two_line_breaks() {
    assert_eq!(page("<p>a <br> b<br>c"), ["a\nb\nc"]);
    assert_eq!(page("<p>a<br>\n<br>b<br /><br /><br />c"), ["a", "b", "c"]);
    assert_eq!(page("<p><br>a<br></p><br><br>"), ["a"]);
}

#[test]
fn separates_the_neighbours_of_dropped_text() {
    assert_eq!(page_without_x("<p>a <b>x</b> b</p><p>x</p>"), ["a b"]);
    assert_eq!(page_without_x("a<div>x</div>b<b>x</b>c"), ["a", "b c"]);
    assert_eq!(
        page_without_x("<h2>x</h2><ul><li>x<li>a</ul><blockquote>x</blockquote><pre>x</pre>"),
        ["ul: a"]
    );
    assert_eq!(
        page_without_x("<img src=/a.png alt=x><img src=/b.png alt=b>"),
        ["image: b /b.png"]
    );
}

#[test]
fn reads_summaries_buttons_and_addresses_as_text() {
    assert_eq!(
        page(
            "<details><summary>More</summary><p>Inside</p></details><button>Go</button>\
             <address>Main St<br>Town</address><p><abbr title=x>HTML</abbr> <kbd>Ctrl</kbd>+<kbd>C</kbd>"
        ),
        ["More", "Inside", "Go", "Main St\nTown", "HTML Ctrl+C"]
    );
}

#[test]
fn keeps_deleted_text() {
    assert_eq!(
        page("<p><del>$20</del> <ins>$15</ins> <s>old</s>"),
        ["$20 $15 old"]
    );
}

#[test]
fn reads_custom_elements_in_sentences_as_inline() {
    assert_eq!(page("<p>a <x-tip>b</x-tip>, c"), ["a b, c"]);
    assert_eq!(page("<my-card>a</my-card><my-card>b</my-card>"), ["a", "b"]);
    assert_eq!(page("<p>Yes <g-emoji>🎉</g-emoji></p>"), ["Yes 🎉"]);
}

#[test]
fn writes_ruby_in_brackets() {
    assert_eq!(
        page("<p><ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp>字<rt>ji</rt></ruby>です"),
        ["漢(kan)字(ji)です"]
    );
}

#[test]
fn writes_superscript_digits_as_powers_but_not_footnotes() {
    assert_eq!(
        page("<p>10<sup>2</sup> m<sup>−1</sup> H<sub>2</sub>O 1<sup>st</sup>"),
        ["10^2 m^−1 H2O 1st"]
    );
    assert_eq!(
        page("<p>A fact.<sup><a href='#fn1'>[1]</a></sup> Next"),
        ["A fact.[1] Next"]
    );
    for reference in [
        "<sup><a href='#fn1'>1</a></sup>",
        "<a href='#fn1' class=footnote-ref role=doc-noteref><sup>1</sup></a>",
        "<a class='footnote-reference brackets' href='#fn1'><span class=fn-bracket>[</span>1<span class=fn-bracket>]</span></a>",
    ] {
        assert_eq!(
            page(&format!("<p>A word.{reference} Next")),
            ["A word.[1] Next"]
        );
    }
}

#[test]
fn writes_quotation_marks_of_the_language() {
    assert_eq!(page("<p>He said <q>no </q> twice"), ["He said “no” twice"]);
    assert_eq!(page("<html lang=de-AT><p><q>Nein</q>."), ["„Nein“."]);
    assert_eq!(
        page("<html lang=fr><p>Il dit : <q>non</q>"),
        ["Il dit : «non»"]
    );
}

#[test]
fn writes_tex_formulas_once() {
    // KaTeX
    assert_eq!(
        page(
            "<p>Let <span class=katex><span class=katex-mathml><math><semantics><mrow><mi>E</mi>\
             </mrow><annotation encoding='application/x-tex'>E = mc^2</annotation></semantics></math>\
             </span><span class=katex-html aria-hidden=true><span>E</span><span>=mc2</span></span></span> be"
        ),
        ["Let E = mc^2 be"]
    );
    // MathJax 3
    assert_eq!(
        page(
            "<p><mjx-container class=MathJax><mjx-math aria-hidden=true><mjx-c>x</mjx-c></mjx-math>\
             <mjx-assistive-mml><math><mi>x</mi></math></mjx-assistive-mml></mjx-container>"
        ),
        ["x"]
    );
    // MathJax 2
    assert_eq!(
        page(
            "<p>a <span class=MathJax_Preview>junk</span><span class=MathJax><nobr aria-hidden=true>\
             <span>y</span></nobr><span class=MJX_Assistive_MathML><math><mi>y</mi></math></span></span>"
        ),
        ["a y"]
    );
    // MediaWiki
    assert_eq!(
        page(
            "<p>so <span class=mwe-math-element><span class='mwe-math-mathml-inline mwe-math-mathml-a11y'>\
             <math alttext='x'><semantics><mi>x</mi><annotation encoding='application/x-tex'>\
             {\\displaystyle x^{2}}</annotation></semantics></math></span><img src=/m.svg \
             class=mwe-math-fallback-image-inline aria-hidden=true alt='{\\displaystyle x^{2}}'></span> is"
        ),
        ["so x^{2} is"]
    );
}

#[test]
fn writes_formulas_without_tex_as_characters() {
    assert_eq!(
        page(
            "<p><math><msup><mi>a</mi><mn>2</mn></msup><mo>+</mo><mfrac><mrow><mi>b</mi><mo>-</mo>\
             <mn>1</mn></mrow><msub><mi>c</mi><mi>i</mi></msub></mfrac><msqrt><mi>d</mi></msqrt></math>"
        ),
        ["a^2+(b-1)/c_i√d"]
    );
}

#[test]
fn drops_scripts_styles_and_form_values() {
    assert_eq!(
        page(
            "<title>t</title><p>a<script>s</script><svg><text>v</text></svg>\
             <select><option>o</select><noscript>Please enable scripts</noscript>b"
        ),
        ["ab"]
    );
}

#[test]
fn joins_words_around_a_hidden_element() {
    assert_eq!(
        page_without_x(
            "<p>hawk@<span style='display: none;'>.x@m.</span>ne<span hidden>x</span>st.org is <b>x</b>here</p>"
        ),
        ["hawk@nest.org is here"]
    );
}
