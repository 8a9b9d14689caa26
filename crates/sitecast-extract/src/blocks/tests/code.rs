use super::page;

#[test]
fn preserves_white_space_and_detects_the_language() {
    assert_eq!(
        page(
            "<p>Run</p><pre><code class=\"language-rust\">\nfn a() {\n\tb();\n    c\n}\n\n</code></pre>"
        ),
        ["Run", "code rust: fn a() {\n\tb();\n    c\n}"]
    );
    assert_eq!(page("<pre>  a\n b</pre>"), ["code ?:   a\n b"]);
    assert_eq!(page("<xmp>a <b>\n c</xmp>"), ["code ?: a <b>\n c"]);
}

#[test]
fn keeps_inline_code_in_its_text() {
    assert_eq!(
        page("<p>Use <code>a  b</code>, not <code>c</code>."),
        ["Use a b, not c."]
    );
    assert_eq!(page("<p><code class=language-sh>ls</code>"), ["ls"]);
}

#[test]
fn finds_languages_where_generators_put_them() {
    for (html, language) in [
        ("<pre><code class='hljs python'>x</code></pre>", "python"),
        (
            "<pre><code class='javascript hljs'>x</code></pre>",
            "javascript",
        ),
        ("<pre class='lang-js prettyprint'>x</pre>", "js"),
        ("<pre class='brush: php; toolbar: false'>x</pre>", "php"),
        ("<pre class='brush:ruby'>x</pre>", "ruby"),
        (
            "<div class=sourceCode><pre class='sourceCode haskell'><code>x</code></pre></div>",
            "haskell",
        ),
        ("<pre><code data-lang=go>x</code></pre>", "go"),
        ("<pre data-language=tsx><code>x</code></pre>", "tsx"),
        (
            "<div class='highlight highlight-source-shell'><pre>x</pre></div>",
            "shell",
        ),
        (
            "<div class='highlight-python notranslate'><div class=highlight><pre><span></span>x</pre></div></div>",
            "python",
        ),
        (
            "<div class='language-ruby highlighter-rouge'><div class=highlight><pre class=highlight><code>x</code></pre></div></div>",
            "ruby",
        ),
        (
            "<div class='language-yaml highlight'><pre><span></span><code>x</code></pre></div>",
            "yaml",
        ),
        (
            "<div class=org-src-container><pre class='src src-emacs-lisp'>x</pre></div>",
            "emacs-lisp",
        ),
        ("<pre lang=sql>x</pre>", "sql"),
        ("<div lang=en><pre lang=en>x</pre></div>", "?"),
        ("<pre><code class='language-plaintext'>x</code></pre>", "?"),
        ("<body class=lang-en><pre>x</pre>", "?"),
    ] {
        assert_eq!(page(html), [format!("code {language}: x")], "{html}");
    }
}

#[test]
fn reads_pygments_with_line_numbers_in_a_table() {
    assert_eq!(
        page(
            "<div class='highlight-python notranslate'><table class=highlighttable><tr>\
             <td class=linenos><div class=linenodiv><pre><span class=normal>1</span>\n<span class=normal>2</span></pre></div></td>\
             <td class=code><div><pre><span></span><span class=k>def</span> <span class=nf>f</span>():\n    <span class=k>pass</span>\n</pre></div></td>\
             </tr></table></div>"
        ),
        ["code python: def f():\n    pass"]
    );
}

#[test]
fn reads_pygments_with_line_numbers_in_the_line() {
    assert_eq!(
        page(
            "<div class=highlight><pre><span></span><span class=linenos>1</span>a\n<span class=linenos>2</span>b\n</pre></div>"
        ),
        ["code ?: a\nb"]
    );
}

#[test]
fn reads_rouge_and_hexo_tables() {
    assert_eq!(
        page(
            "<div class='language-js highlighter-rouge'><div class=highlight><code><table class=rouge-table><tbody><tr>\
             <td class='rouge-gutter gl'><pre class=lineno>1\n2\n</pre></td><td class=rouge-code><pre>a\nb\n</pre></td>\
             </tr></tbody></table></code></div></div>"
        ),
        ["code js: a\nb"]
    );
    assert_eq!(
        page(
            "<figure class='highlight js'><table><tr><td class=gutter><pre><span class=line>1</span><br><span class=line>2</span><br></pre></td>\
             <td class=code><pre><span class=line>a</span><br><span class=line>b</span><br></pre></td></tr></table></figure>"
        ),
        ["code js: a\nb"]
    );
}

#[test]
fn reads_hugo_chroma_with_and_without_a_table() {
    assert_eq!(
        page(
            "<div class=highlight><div class=chroma><table class=lntable><tr><td class=lntd><pre tabindex=0 class=chroma><code>\
             <span class=lnt>1\n</span><span class=lnt>2\n</span></code></pre></td><td class=lntd><pre tabindex=0 class=chroma>\
             <code class=language-go data-lang=go><span class=line><span class=cl>a\n</span></span><span class=line><span class=cl>b\n</span></span></code></pre></td></tr></table></div></div>"
        ),
        ["code go: a\nb"]
    );
    assert_eq!(
        page(
            "<pre class=chroma><code class=language-go><span class=line><span class=ln>1</span><span class=cl>a\n</span></span>\
             <span class=line><span class=ln>2</span><span class=cl>b\n</span></span></code></pre>"
        ),
        ["code go: a\nb"]
    );
}

#[test]
fn reads_prism_line_numbers() {
    assert_eq!(
        page(
            "<pre class='line-numbers language-css'><code class=language-css>a\nb<span aria-hidden=true class=line-numbers-rows>\
             <span></span><span></span></span></code></pre>"
        ),
        ["code css: a\nb"]
    );
}

#[test]
fn reads_highlight_js_line_numbers() {
    assert_eq!(
        page(
            "<pre><code class='hljs language-c'><table class=hljs-ln><tbody>\
             <tr><td class='hljs-ln-line hljs-ln-numbers' data-line-number=1><div class=hljs-ln-n data-line-number=1>1</div></td>\
             <td class='hljs-ln-line hljs-ln-code' data-line-number=1>int a;</td></tr>\
             <tr><td class='hljs-ln-line hljs-ln-numbers' data-line-number=2><div class=hljs-ln-n data-line-number=2>2</div></td>\
             <td class='hljs-ln-line hljs-ln-code' data-line-number=2>  int b;</td></tr></tbody></table></code></pre>"
        ),
        ["code c: int a;\n  int b;"]
    );
}

#[test]
fn reads_the_file_view_of_github() {
    assert_eq!(
        page(
            "<table class='highlight tab-size js-file-line-container'>\n<tr>\n<td class='blob-num js-line-number' data-line-number=1></td>\n\
             <td class='blob-code blob-code-inner js-file-line'>a {</td>\n</tr>\n<tr>\n<td class=blob-num data-line-number=2></td>\n\
             <td class='blob-code'>  b</td>\n</tr>\n</table>"
        ),
        ["code ?: a {\n  b"]
    );
}

#[test]
fn ends_docusaurus_lines_at_breaks_and_drops_the_button() {
    assert_eq!(
        page(
            "<div class='language-jsx codeBlockContainer_x theme-code-block'><div class=codeBlockContent_y>\
             <pre class='prism-code language-jsx'><code class=codeBlockLines_z><span class=token-line style='color:#fff'>\
             <span class='token plain'>a</span><br></span><span class=token-line><span class='token plain' style='display:inline-block'></span><br></span>\
             <span class=token-line><span class='token plain'>  b</span><br></span></code></pre>\
             <div class=buttonGroup><button type=button aria-label='Copy code to clipboard'>Copy</button></div></div></div>"
        ),
        ["code jsx: a\n\n  b"]
    );
}

#[test]
fn writes_each_line_once() {
    for html in [
        // Shiki
        "<pre class=shiki><code><span class=line>a</span>\n<span class=line></span>\n<span class=line> b</span></code></pre>",
        "<pre><code><span class=line>a</span><span class=line></span><span class=line> b</span></code></pre>",
        "<pre><code>a</code><code></code><code> b</code></pre>",
        "<pre><code>a</code>\n<code></code>\n<code> b</code></pre>",
        "<pre><div>a</div><div><br></div><div> b</div></pre>",
        "<pre><ol><li class=li1><div class=de1>a</div></li><li class=li1><div class=de1></div></li>\n<li class=li1><div class=de1> b</div></li></ol></pre>",
        "<pre>a<br><br> b</pre>",
        "<pre><span data-line=1>a</span>\n<span data-line=2></span>\n<span data-line=3> b</span></pre>",
    ] {
        assert_eq!(page(html), ["code ?: a\n\n b"], "{html}");
    }
}

#[test]
fn reads_highlighters_without_pre() {
    assert_eq!(
        page(
            "<div><div id=h class='syntaxhighlighter jscript'><table><tbody><tr><td class=gutter><div class='line number1'>1</div>\
             <div class='line number2'>2</div></td><td class=code><div class=container><div class='line number1'>\
             <code class='js plain'>var</code> <code class='js plain'>a;</code></div><div class='line number2'>\
             <code class='js spaces'>&nbsp;&nbsp;</code><code class='js plain'>b;</code></div></div></td></tr></tbody></table></div></div>"
        ),
        ["code jscript: var a;\n  b;"]
    );
    assert_eq!(
        page(
            "<div class=CodeMirror-code><div><div class=CodeMirror-gutter-wrapper><div class=CodeMirror-linenumber>1</div></div>\
             <pre class=CodeMirror-line><span>a</span></pre></div><div><pre class=CodeMirror-line><span>  b</span></pre></div></div>"
        ),
        ["code ?: a\n  b"]
    );
    assert_eq!(
        page("<code class='hljs language-sql'>select 1\nfrom a</code>"),
        ["code sql: select 1\nfrom a"]
    );
}

#[test]
fn drops_labels_gutters_and_buttons_around_code() {
    // VitePress
    assert_eq!(
        page(
            "<div class='language-ts line-numbers-mode'><button title='Copy Code' class=copy></button><span class=lang>ts</span>\
             <pre class=shiki><code><span class=line>a</span></code></pre><div class=line-numbers-wrapper aria-hidden=true>\
             <span class=line-number>1</span><br></div></div>"
        ),
        ["code ts: a"]
    );
    // GitHub, sphinx-copybutton, and a number with `user-select: none`
    assert_eq!(
        page(
            "<div class='highlight highlight-source-js'><pre>a<span style='user-select: none'>1</span></pre>\
             <div class=zeroclipboard-container><clipboard-copy aria-label=Copy>Copy</clipboard-copy></div></div>\
             <div class=highlight><pre>b</pre><button class='copybtn o-tooltip--left'>Copy</button></div>"
        ),
        ["code js: a", "code ?: b"]
    );
}

#[test]
fn puts_links_of_code_after_it() {
    assert_eq!(
        page(
            "<pre class='rust item-decl'><code>fn a(b: <a href='struct.B.html'>B</a>)</code></pre>"
        ),
        ["code ?: fn a(b: B)", "link: B -> /docs/struct.B.html"]
    );
}

#[test]
fn puts_a_title_before_its_code_and_drops_line_numbers() {
    for html in [
        // MkDocs Material, with line numbers in a table and without
        "<div class='language-py highlight'><table class=highlighttable><tr><th colspan=2 class=filename><span class=filename>hawk.py</span></th></tr>\
         <tr><td class=linenos><div class=linenodiv><pre><span></span><span class=normal><a href=#l-1>1</a></span>\n<span class=normal>2</span></pre></div></td>\
         <td class=code><div><pre><span></span><code>fly()\nland()\n</code></pre></div></td></tr></table></div>",
        "<div class='language-py highlight'><span class=filename>hawk.py</span><pre><span></span><code><span id=l-1><a id=c name=c href=#c></a>fly()\n</span>land()\n</code></pre></div>",
        // Sphinx
        "<div class='literal-block-wrapper docutils container' id=id1><div class=code-block-caption><span class=caption-text>hawk.py</span>\
         <a class=headerlink href=#id1 title='Link to this code'>¶</a></div><div class='highlight-py notranslate'><div class=highlight>\
         <pre><span></span><span class=linenos>1</span>fly()\n<span class=linenos>2</span>land()\n</pre></div></div></div>",
        // Docusaurus
        "<div class='language-py codeBlockContainer_Ckt0 theme-code-block'><div class=codeBlockTitle_Ktv7>hawk.py</div><div class=codeBlockContent_biex>\
         <pre class='prism-code language-py'><code class='codeBlockLines_e6Vv codeBlockLinesWithNumbering_o6Pm'><span class='token-line codeLine_lJS_'>\
         <span class=codeLineNumber_Tfdd>1</span><span class=codeLineContent_feaV>fly()</span></span><br>\
         <span class='token-line codeLine_lJS_'><span class=codeLineNumber_Tfdd>2</span><span>land()</span></span></code></pre></div></div>",
        // Hugo
        "<p>hawk.py</p><div class=highlight><table class=lntable><tr><td class=lntd><pre class=chroma><code><span class=lnt>1\n</span><span class=lnt>2\n</span></code></pre></td>\
         <td class=lntd><pre class=chroma><code class=language-py data-lang=py><span class=line><span class=cl>fly()\n</span></span><span class=line><span class=cl>land()\n</span></span></code></pre></td></tr></table></div>",
        // Jekyll
        "<p>hawk.py</p><div class='language-py highlighter-rouge'><table class=rouge-table><tbody><tr><td class='gutter gl'><pre class=lineno>1\n2\n</pre></td>\
         <td class=code><pre>fly()\nland()\n</pre></td></tr></tbody></table></div>",
        // VitePress
        "<p>hawk.py</p><div class='language-py line-numbers-mode'><button title='Copy Code' class=copy></button><span class=lang>py</span>\
         <pre class=shiki><code><span class=line><span>fly()</span></span>\n<span class=line>land()</span></code></pre><div class=line-numbers-wrapper aria-hidden=true><span class=line-number>1</span><br><span class=line-number>2</span></div></div>",
    ] {
        assert_eq!(page(html), ["hawk.py", "code py: fly()\nland()"], "{html}");
    }
}

#[test]
fn reads_a_diagram_as_code_in_its_language() {
    for html in [
        "<pre class=mermaid><code>graph LR\n  A --&gt; B;</code></pre>",
        "<pre class=mermaid>graph LR\n  A --&gt; B;</pre>",
        "<div class=mermaid>\ngraph LR\n  A --&gt; B;\n</div>",
        "<pre><code class=language-mermaid>graph LR\n  A --&gt; B;</code></pre>",
    ] {
        assert_eq!(page(html), ["code mermaid: graph LR\n  A --> B;"], "{html}");
    }
}

#[test]
fn reads_a_doxygen_listing_line_by_line() {
    assert_eq!(
        page(
            "<div class=fragment><div class=line><a name=l00001></a><span class=lineno>    1</span>&#160;<span class=keyword>struct</span> Hawk {</div>\n\
             <div class=line><a name=l00002></a><span class=lineno>    2</span>&#160;  <span class=keywordtype>int</span> wings;</div>\n\
             <div class=line><a name=l00003></a><span class=lineno>    3</span>&#160; </div>\n\
             <div class=line><a name=l00004></a><span class=lineno>    4</span>&#160;};</div>\n\
             <div class=ttc id=a><div class=ttname><a href=hawk.html>Hawk</a></div><div class=ttdoc>A bird.</div></div>\n\
             </div><!-- fragment -->"
        ),
        ["code ?: struct Hawk {\n  int wings;\n \n};"]
    );
    assert_eq!(
        page("<div class=fragment><p>A piece of an old book</p></div>"),
        ["A piece of an old book"]
    );
}
