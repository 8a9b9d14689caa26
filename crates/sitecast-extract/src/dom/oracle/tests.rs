#![allow(clippy::print_stderr)]

use proptest::prelude::*;

use super::*;

fn same(html: &str) {
    let [ours, theirs] = outlines(html, &Limits::default());
    assert_eq!(ours, theirs, "{html:?}");
}

#[test]
fn handwritten_cases_make_the_same_tree() {
    for html in [
        "",
        "\u{feff}text",
        "a<b",
        "a<",
        "a</",
        "a< b <3 <= <é",
        "</>a</ b>c</é>d",
        "<?xml version='1.0'?>a<?b",
        "<!a>b<!-c>d<!>e<!",
        "<!--a--!>b<!-->c<!--->d<!----!>e<!-- -- -->f<!-- <!-- --> -->g<!--h",
        "<!doctype html><p><table>",
        "<p><table>",
        "<!DOCTYPE html PUBLIC '-//W3C//DTD HTML 4.01//EN' ><p><table>",
        "<!DOCTYPE html PUBLIC '-//W3C//DTD HTML 3.2//EN' ><p><table>",
        "<!DOCTYPE html PUBLIC '-//W3C//DTD HTML 3.2//EN><p><table>",
        "<!DOCTYPE html SYSTEM \"about:legacy-compat\"><p><table>",
        "<!DOCTYPEhtml><p><table>",
        "<!doctype",
        "<!doctype html",
        "<p class=a class=b CLASS=c id>x",
        "<p =class=a '\"id=b <id=c / id = 'd' id=/e>x",
        "<p class='a&amp;b&copy=1&copy;2&copyx' id=a&lt;b title=\"&#38;&#x26;&\">x",
        "<p class=\"a\0b\r\nc\rd\" i\0d=x>x",
        "<p class=a/>x<p class='b'/>y<br/><p/class=c/>z",
        "<p class=>x<p class= >y<p class = \n'z'id=q>",
        "<p class='a",
        "<p class",
        "<p\0>a</p\0><P\u{130}>b</p\u{130}>",
        "a&amp;b&ampc&notit;&notin;&unknown;&;& &#65;&#x41&#0;&#x80;&#xD800;&#1114112;&#;&#x;",
        "&am\rp;&\n&#\r\n&#x\0",
        "a\0b<p>\0</p><table>\0x<td>\0<svg>\0<title>\0</title>\0",
        "a\r\nb\rc\r\r\nd\n\re",
        "<pre>\n\na</pre><pre>\r\n\r\nb</pre><pre>&#10;\nc</pre><pre>\0\nd",
        "<textarea>\n&lt;a></textareax></TEXTAREA\n>b",
        "<title>a&amp;</b></title x='>'>c",
        "<title>a</title",
        "<title>a</title x",
        "<title>a\0b",
        "<xmp>&amp;<b></xmp><noembed><p></noembed><iframe><a></iframe>",
        "<plaintext>a</plaintext>\0&amp;<b>",
        "<script>a<!--<script></script>--></script>b",
        "<script>a<!--<script></script></script>b",
        "<script>a<!-- <scriptx </script>b",
        "<script>a<!-- <script/</script ></script>b",
        "<script><!-->\0<script></script>b",
        "<script><!--</scriptx></script\t>b",
        "<script>a</script",
        "<style>a<!--</style>b--></style>c",
        "<noscript><p>a</noscript>b",
        "<svg><![CDATA[a<b>&amp;\0]]]>c<p>d<![CDATA[e]]>f",
        "<svg><![CDATA[a",
        "<svg><style><b>a</style></svg><svg><title><![CDATA[b]]></svg>",
        "<math><annotation-xml encoding='text/html'><p>a</math><font color=x>",
        "<svg><font color=x>a</svg><svg><font>b</svg>",
        "<svg><a xlink:href=x xml:lang=y>b",
        "<table><input type=hidden><input type=HIDDEN name=x><input>",
        "<html lang=a><html lang=b class=c><body id=a><body id=b class=c>",
        "<b><p><i></b>x</i>",
        "<template><td>a</template><template shadowrootmode=open>b",
        "<select><option>a<option>b<p>c</select>",
        "<frameset><frame></frameset><noframes><p></noframes>",
        " <!-- --> <head> <title>a</title> </head> <body> b",
    ] {
        same(html);
    }
}

/// Pages that the direct builder must not give up on, rule by rule.
#[test]
fn direct_builder_handles_ordinary_pages() {
    let mut given_up = Vec::new();
    for html in [
        // Tags around the body that may be omitted.
        "",
        " ",
        "a",
        " <html> <head> <title>a</title> </head> <body> b </body> c </html> d",
        "<title>a</title><p>b",
        "<head><noscript><link><style>a</style></noscript><p>b",
        "<head><noscript><head><noscript>a",
        "<head><head></p></head></head><head><body>",
        "<p><head><caption><tr><td>a",
        "<html lang=a>a<html class=b>c<body id=d>e<body class=f id=g>h<body id=i>j",
        "</p><!doctype html>a",
        // Blocks, paragraphs, headings, items.
        "<p>a<p>b<div>c</p>d</div>e<ul><p>f</ul>g</p>h",
        "<p><button><p>a</button>b<button>c<button>d",
        "<h1>a<h2>b</h1>c</h2>d<h3><div>e</h4>f",
        "<ul><li>a<li>b<ul><li>c</ul><li><div><li>d</ul>e</li>",
        "<ul><li>a<p>b</li>c<ol></li></ol></ul>",
        "<dl><dt>a<dd>b<dt>c<p>d<dd>e<div></dd>f</div></dt></dl>",
        "<pre>\na</pre><pre>\n\nb</pre><textarea>\nc</textarea><pre>&#10;d</pre>",
        "<p>a<hr>b<pre>c<p>d</pre><xmp><b></xmp>e<iframe><p></iframe>f",
        "<div>a</span>b</p>c</div></div>d</body>e<x-y>f<X-Z>g</x-y>h</x-z>",
        "<span>a<label>b</span>c</label><address>d<p>e</address>f",
        "a</br>b<b>c<p></br>d</b>e</p>f</br>",
        // Forms, and forms that end before elements in them.
        "<form>a<form>b</form>c</form>d<form>e</form>",
        "<div><form><p>a</form>b</div>c<form>d",
        "<form><div>a</form>b<span>c</div>d</span>e<form><i>f</form>g</i>h",
        "<form><div><form></form><form>a</div>b</form>c",
        "<form><ul><li></form><li>a</ul>b<p>c",
        "<object><form></object></form>a",
        // Choices, ruby, objects.
        "<select><option>a<option>b<optgroup><option>c<optgroup>d<hr></select>e",
        "<option>a<option>b<optgroup>c<p><option>d",
        "<ruby>a<rp>(<rt>b<rp>)</ruby>c<rt>d<rt>e",
        "<b><object>a<b>b</object>c</b>d<applet><p>e</applet>f",
        // Formatting elements.
        "<b>a<p>b<i>c</b>d</i>e",
        "<p><b><i>a<p>b</i>c</b>d<p>e",
        "<b><b><b><b>a<p>b",
        "<b class=x><b class=x><b class=x><b class=x><b id=y>a<p>b",
        "<a>a<a>b<p>c<a>d</a>e",
        "<nobr>a<nobr>b</nobr>c",
        "<b><div>a</b>b</div>c<i><p>d</i>e<p>f",
        "<a href=x><div>a<p>b</a>c</div>d",
        "</b>a<code>b</i>c</code>d",
        // Tables.
        "<!doctype html><p>a<table><td>b</table>c",
        "<table> <caption>a<b>b</caption> <col> <colgroup><col> </colgroup> <tr> <td>c</table>d",
        "<table><thead><tr><th>a<th>b<tbody><tr><td>c<tr><td>d<tfoot><td>e</table>",
        "<table><tr><td><b>a<td>b</td></tr></tbody></table>c",
        "<table><td><table><tr><td>a</table>b</table>c",
        "<table><caption><p>a<tr><td>b</caption>c</td></th></body></table>d",
        "<table><td>a</tfoot></table>b<table><tr></td></table><table><tbody></tr></tbody></table>c",
        "<table><tr><script>a</script><style>b</style><td>c</table>d",
        // Templates.
        "<template>a<p>b</template>c",
        "<head><template><title>a</title><p>b</template><title>c</title>d",
        "<head><template>a",
        "<template></p></br>a</div><div></p></br>b</template>c</template>",
        "<b><template>a<b>b</template>c<p>d",
        "<div><template><template><li>a</template></p>b<li>c</template></p>d",
        "<p><template><p>a<div>b</template>c<p>d",
        "<form><template><form>a<form>b</form>c</template>d</form>e",
        "<template></form><form><div>a</form>b</template><form>c",
        "<template><table><tr><td>a</table>b<td>c</template>d",
        "<template><table><tr><td><b>a</template>b",
        "<table><template>a</template><colgroup><template></template><tr><template>b</template><td>c",
        "<template></body></html>a</template>b",
        "<ul><li><template><li>a</template><li>b</ul>",
    ] {
        let limits = Limits::default();
        let direct = tokenize(
            html,
            DirectBuilder::new(&limits, html),
            UnreadElements::Keep,
        );
        if direct.is_none() {
            given_up.push(html);
        }
        same(html);
    }
    assert!(given_up.is_empty(), "{given_up:#?}");
}

#[test]
fn line_ends_and_references_at_token_boundaries_make_the_same_tree() {
    for a in [
        "\r", "\n", "&", "&#", "&am", "<", "</", "<!", "<!-", "<p ", "<p a", "<p a=",
    ] {
        for b in ["\r", "\n", "p;", "x", ">", "'", "/", "\0", "-", "é"] {
            for c in ["\n", "&lt", "<b>", "'>", "-->", ""] {
                same(&format!("x{a}{b}{c}y<i>z"));
            }
        }
    }
}

/// Tag soup: sequences of strings that change the state of a tokenizer.
fn tag_soup() -> impl Strategy<Value = String> {
    let pieces = vec![
        "<",
        ">",
        "</",
        "/>",
        "/",
        "=",
        "'",
        "\"",
        "&",
        ";",
        "#",
        "x",
        "!",
        "-",
        "--",
        "-->",
        "--!>",
        "<!",
        "<!--",
        "<!-->",
        "<!doctype",
        " html",
        " PUBLIC ",
        " SYSTEM ",
        "<![CDATA[",
        "]]>",
        "]",
        "<?",
        "\0",
        "\r",
        "\n",
        "\r\n",
        "\t",
        "\x0c",
        " ",
        "é",
        "\u{feff}",
        "&amp",
        "&amp;",
        "&not",
        "in;",
        "&#",
        "&#x",
        "41",
        "0",
        "&nbsp;",
        "a",
        "B",
        "text",
        "<a>",
        "<a ",
        "</a>",
        "<b>",
        "</b>",
        "<p>",
        "</p>",
        "<div ",
        "<DIV>",
        "</div>",
        "<table>",
        "<tr>",
        "<td>",
        "</table>",
        "<pre>",
        "<textarea>",
        "</textarea>",
        "<title>",
        "</title>",
        "</title ",
        "<script>",
        "<script",
        "</script>",
        "</script",
        "<style>",
        "</style>",
        "<xmp>",
        "</xmp>",
        "<iframe>",
        "</iframe>",
        "<noscript>",
        "</noscript>",
        "<plaintext>",
        "<svg>",
        "</svg>",
        "<svg/>",
        "<math>",
        "<mi>",
        "</math>",
        "<foreignObject>",
        "<desc>",
        "<annotation-xml encoding=text/html>",
        "<template>",
        "</template>",
        "<select>",
        "<option>",
        "</select>",
        "<frameset>",
        "<html ",
        "<body ",
        "<head>",
        "<input type=hidden>",
        "<br>",
        "</br>",
        "<li>",
        "<form>",
        "</form>",
        "<h1>",
        "<nobr>",
        "<button>",
        "<font ",
        "class",
        "class=",
        "id=",
        "ID='",
        "color=\"",
        "href=",
        "onclick=",
        "data-src='",
    ];
    prop::collection::vec(prop::sample::select(pieces), 0..40).prop_map(|pieces| pieces.concat())
}

/// Whole tags, of elements most of which are closed, so that the direct builder handles many of these pages.
fn mostly_balanced_tags() -> impl Strategy<Value = String> {
    let names = vec![
        "a",
        "a",
        "b",
        "i",
        "code",
        "font color=x",
        "nobr",
        "p",
        "p",
        "div",
        "div",
        "span",
        "ul",
        "ol",
        "li",
        "li",
        "dl",
        "dt",
        "dd",
        "h1",
        "h2",
        "table",
        "table",
        "caption",
        "colgroup",
        "col",
        "thead",
        "tbody",
        "tr",
        "tr",
        "td",
        "td",
        "th",
        "form",
        "button",
        "select",
        "option",
        "optgroup",
        "ruby",
        "rt",
        "rp",
        "object",
        "pre",
        "textarea",
        "article",
        "section",
        "address",
        "noscript",
        "x-y",
        "X-Y",
        "label",
        "br",
        "hr",
        "img",
        "input",
        "link",
        "title",
        "html lang=x",
        "head",
        "body id=x",
        "body class=y",
        "a class=x",
        "b class=x",
        "xmp",
        "iframe",
        "script",
        "style",
        "blockquote",
        "dialog",
        "search",
        "template",
        "svg",
        "meta",
        "param",
        "image",
        "center",
        "applet",
        "rb",
    ];
    let piece = (prop::sample::select(names), 0..12u8).prop_map(|(name, kind)| {
        let bare = name.split(' ').next().unwrap_or_default();
        match kind {
            0..5 => format!("<{name}>"),
            5..9 => format!("</{bare}>"),
            9 => format!("<{name}>text</{bare}>"),
            10 => "text".to_owned(),
            _ => "\n ".to_owned(),
        }
    });
    let start = prop::sample::select(vec!["", "<!doctype html>", "<!doctype html><body>"]);
    (start, prop::collection::vec(piece, 0..40))
        .prop_map(|(start, pieces)| start.to_owned() + &pieces.concat())
}

/// The direct builder saves time only if it rarely gives up.
#[test]
fn direct_builder_handles_most_real_pages() {
    let mut all = 0;
    let mut direct = 0;
    for (_, html) in real_pages(50) {
        let page = preprocessed(&html);
        let limits = Limits::default();
        all += 1;
        let dom = tokenize(
            &page,
            DirectBuilder::new(&limits, &page),
            UnreadElements::Skip,
        );
        direct += usize::from(dom.is_some());
    }
    assert!(direct * 10 >= all * 9, "{direct} of {all}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    #[test]
    fn whole_tags_make_the_same_tree(html in mostly_balanced_tags()) {
        let [ours, theirs] = outlines(&html, &Limits::default());
        prop_assert_eq!(ours, theirs);
    }

    #[test]
    fn whole_tags_make_the_same_tree_at_limits(html in mostly_balanced_tags()) {
        let limits = Limits { depth: 8, nodes: 30, ..Limits::default() };
        let [ours, theirs] = outlines(&html, &limits);
        prop_assert_eq!(ours, theirs);
    }

    #[test]
    fn tag_soup_makes_the_same_tree(html in tag_soup()) {
        let [ours, theirs] = outlines(&html, &Limits::default());
        prop_assert_eq!(ours, theirs);
    }

    #[test]
    fn tag_soup_makes_the_same_tree_at_limits(html in tag_soup()) {
        let limits = Limits { depth: 5, nodes: 12, ..Limits::default() };
        let [ours, theirs] = outlines(&html, &limits);
        prop_assert_eq!(ours, theirs);
    }

    #[test]
    fn any_characters_make_the_same_tree(html in "[<>/!&;#=a-z'\"\\-\\[\\]\0\r\n ]{0,60}") {
        let [ours, theirs] = outlines(&html, &Limits::default());
        prop_assert_eq!(ours, theirs);
    }
}

const CORPUS: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../../shared/corpora/wcxb/html"
);

/// Returns every `every`-th page of the corpus as path and text; no page if the corpus is missing.
fn real_pages(every: usize) -> impl Iterator<Item = (String, String)> {
    let Ok(folder) = std::fs::read_dir(CORPUS) else {
        eprintln!("skipped: there is no corpus at {CORPUS}");
        return Vec::new().into_iter().map(read_page);
    };
    let mut files: Vec<_> = folder.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let sample: Vec<_> = files.into_iter().step_by(every).collect();
    sample.into_iter().map(read_page)
}

fn read_page(path: std::path::PathBuf) -> (String, String) {
    let mut bytes = Vec::new();
    let file = std::fs::File::open(&path).unwrap();
    std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(file), &mut bytes).unwrap();
    let html = String::from_utf8_lossy(&bytes).into_owned();
    (path.display().to_string(), html)
}

fn compare_real_pages(every: usize) {
    for (path, html) in real_pages(every) {
        let [ours, theirs] = outlines(&html, &Limits::default());
        let differing = ours.lines().zip(theirs.lines()).find(|(a, b)| a != b);
        assert_eq!(differing, None, "{path}");
        assert_eq!(ours.len(), theirs.len(), "{path}");
    }
}

#[test]
fn a_sample_of_real_pages_makes_the_same_trees() {
    compare_real_pages(50);
}

#[test]
#[ignore = "reads 400 MB"]
fn all_real_pages_make_the_same_trees() {
    compare_real_pages(1);
}

/// Returns elements and text in order, without the elements that the tokenizer skips.
fn read_parts(dom: &Dom) -> String {
    let mut parts = String::new();
    let mut step = Some(Step::Enter(NodeId::ROOT));
    while let Some(now) = step {
        let mut into = true;
        match now {
            Step::Leave(id) if is_unread(dom, id) || dom.text(id).is_some() => {}
            Step::Leave(_) => parts.push_str("</>"),
            Step::Enter(id) if is_unread(dom, id) => into = false,
            Step::Enter(id) => match dom.text(id) {
                Some(text) => parts.push_str(text),
                None => parts.push_str(&format!("<{:?}>", dom.tag(id))),
            },
        }
        step = dom.step(NodeId::ROOT, now, into);
    }
    parts
}

fn is_unread(dom: &Dom, id: NodeId) -> bool {
    let is_json_ld = |id| {
        dom.attribute(id, "type")
            .is_some_and(|kind| kind.eq_ignore_ascii_case("application/ld+json"))
    };
    match dom.tag(id) {
        Tag::Style | Tag::Svg => true,
        Tag::Script => !is_json_ld(id),
        _ => false,
    }
}

#[test]
fn skipping_elements_does_not_change_the_rest() {
    for html in [
        "a<script>b</script>c<style>d</style>e<svg><path/></svg>f",
        "<script>a<!--<script></script>--></script>b",
        "<script>a</script x='>'>b<style>c</style y=\"</p>\">d",
        "<script>a</script",
        "<p>a<svg><g><title>b</title></g></svg>c<p>d",
        "<svg>a<p>b</svg>c",
        "<svg><style/>a</svg>b<svg><script/><foreignObject>c</foreignObject></svg>d",
        "<table><tr><script>a</script><td>b<style>c</style></table>d",
        "<ul><li>a<script>b</script><li>c</ul><select><option>d<script>e</script></select>",
        "<head><script>a</script><title>b</title><style>c</style></head><body>d",
        "<script type=application/ld+json>{}</script>a<script type=module>b</script>c",
        "<textarea><script>a</script></textarea><title><svg></title>b",
        "<b><script></b></script>a</b>c",
    ] {
        let limits = Limits::default();
        let built = |unread| tokenize(html, Guard::new(&limits, html), unread);
        let built = [built(UnreadElements::Skip), built(UnreadElements::Keep)]
            .map(|dom| read_parts(&dom.unwrap()));
        assert_eq!(built[0], built[1], "{html}");
        let direct = |unread| tokenize(html, DirectBuilder::new(&limits, html), unread);
        if let Some(dom) = direct(UnreadElements::Skip) {
            assert_eq!(read_parts(&dom), built[0], "{html}");
        }
    }
}
