use proptest::prelude::*;

use super::*;

fn head(html: &str) -> Head {
    scan_head(html.as_bytes())
}

fn canonical(html: &str) -> Option<String> {
    head(html).canonical
}

#[test]
fn everything_that_a_head_says() {
    let read = head(
        "\u{feff}<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n<title> Tea &amp; more\n</title>\
         <base href=\"/shop/\"><meta name=generator content=\"Hugo 0.120\">\
         <meta name=\"robots\" content=\"noarchive\"><META NAME=Robots CONTENT='noindex, follow'>\
         <meta name=googlebot content=nosnippet>\
         <meta http-equiv=Refresh content=\"0; url=/tea/?a=1&amp;b=2\">\
         <link rel=canonical href=https://example.com/tea/?a=1&amp;b=2>\n</head><body>text</body></html>",
    );
    assert_eq!(
        read,
        Head {
            canonical: Some("https://example.com/tea/?a=1&b=2".to_owned()),
            refresh: Some(Refresh {
                seconds: 0,
                url: Some("/tea/?a=1&b=2".to_owned())
            }),
            robots: vec!["noarchive".to_owned(), "noindex, follow".to_owned()],
            bots: vec![("googlebot".to_owned(), "nosnippet".to_owned())],
            generator: Some("Hugo 0.120".to_owned()),
            title: Some("Tea & more".to_owned()),
            base: Some("/shop/".to_owned()),
            language: Some("en".to_owned()),
        }
    );
}

#[test]
fn spellings_of_canonical() {
    for html in [
        "<link rel=canonical href=/x>",
        "<link rel='canonical' href='/x'>",
        "<LINK HREF=\" /x \" REL=\"Canonical\"/>",
        "<link rel=\"shortlink canonical\" href=/x>",
        "<link\n\trel=canonical\n\thref=/x\n>",
        "<link rel=canonical href=/&#120;>",
        "<link rel=canonical href=''><link rel=canonical href=/x>",
        "<link rel=canonical href=/x><link rel=canonical href=/y>",
        "<link rel=canonical href=/x href=/y>",
        "<head><link rel=canonical href=/x></head>",
        "<html><head></meta></p><link rel=canonical href=/x>",
        "<script>var a = \"</head><body>\";</script><link rel=canonical href=/x>",
        "<script><!-- <script> </script> --></script><link rel=canonical href=/x>",
        "<style>a > b { }</style><link rel=canonical href=/x>",
        "<title>a <b> </head> c</title><link rel=canonical href=/x>",
        "<noscript><img src=p.gif></noscript><link rel=canonical href=/x>",
        "<template><div>a</div></template><link rel=canonical href=/x>",
        "<!-- a > b --><link rel=canonical href=/x>",
        "<meta content='a > b'><link rel=canonical href=/x>",
        // Browsers have begun the body, but that is not what was meant.
        "<head><div></div><link rel=canonical href=/x></head>",
        "<head>text<link rel=canonical href=/x></head>",
        "<head><svg><title>a</title></svg><link rel=canonical href=/x></head>",
    ] {
        assert_eq!(canonical(html).as_deref(), Some("/x"), "{html}");
    }
}

#[test]
fn what_is_not_in_the_head_does_not_count() {
    for html in [
        "<!-- <link rel=canonical href=/x> -->",
        "<script><link rel=canonical href=/x></script>",
        "<style><link rel=canonical href=/x></style>",
        "<noscript><link rel=canonical href=/x></noscript>",
        "<template><link rel=canonical href=/x></template>",
        "<template><template></template><link rel=canonical href=/x></template>",
        "<title><link rel=canonical href=/x></title>",
        "<title><link rel=canonical href=/x>",
        "<body><link rel=canonical href=/x>",
        "<head></head><link rel=canonical href=/x>",
        "<html><title>x</title></html><link rel=canonical href=/x>",
        "<p><link rel=canonical href=/x>",
        "text <link rel=canonical href=/x>",
        "<html><div></div><link rel=canonical href=/x></html>",
        "<head><template><link rel=canonical href=/x></head>",
        "<link rel=alternate href=/x>",
        "<link rel=canonical-ish href=/x>",
        "<link rel=canonical>",
        "<link rel=canonical href=/x",
        "<a title='<link rel=canonical href=/x>'>",
    ] {
        assert_eq!(canonical(html), None, "{html}");
    }
}

#[test]
fn robots_count_in_the_head_only() {
    let html = "<head><div>mistake</div><meta name=robots content=noindex></head>";
    assert_eq!(head(html).robots, ["noindex"]);
    for html in [
        "<head></head><body><meta name=robots content=noindex>",
        "<head><template><meta name=robots content=noindex></template></head>",
        "<head><noscript><meta name=robots content=noindex></noscript></head>",
        "<head><!--<meta name=robots content=noindex>--></head>",
        "<head><body><meta name=robots content=noindex>",
    ] {
        assert_eq!(head(html).robots, [""; 0], "{html}");
    }
}

#[test]
fn of_several_refreshes_the_first_that_works_counts() {
    let html = "<meta http-equiv=refresh content=now><meta http-equiv=refresh content='1;url=a'>\
        <meta http-equiv=refresh content='0;url=b'>";
    let refresh = head(html).refresh.unwrap();
    assert_eq!((refresh.seconds, refresh.url.as_deref()), (1, Some("a")));
}

// As Hugo 0.115 and jekyll-redirect-from 0.16 write them.
#[test]
fn redirect_stubs_of_generators() {
    let target = "https://example.com/new/";
    for html in [
        "<!DOCTYPE html>\n<html lang=\"en\">\n  <head>\n    <title>https://example.com/new/</title>\n    \
         <link rel=\"canonical\" href=\"https://example.com/new/\">\n    <meta name=\"robots\" content=\"noindex\">\n    \
         <meta charset=\"utf-8\">\n    <meta http-equiv=\"refresh\" content=\"0; url=https://example.com/new/\">\n  </head>\n</html>\n",
        "<!doctype html><html lang=de><head><title>https://example.com/new/</title>\
         <link rel=canonical href=https://example.com/new/><meta name=robots content=\"noindex\"><meta charset=utf-8>\
         <meta http-equiv=refresh content=\"0; url=https://example.com/new/\"></head></html>",
        "<!DOCTYPE html>\n<html lang=\"en-US\">\n  <meta charset=\"utf-8\">\n  <title>Redirecting&hellip;</title>\n  \
         <link rel=\"canonical\" href=\"https://example.com/new/\">\n  <script>location=\"https://example.com/new/\"</script>\n  \
         <meta http-equiv=\"refresh\" content=\"0; url=https://example.com/new/\">\n  <meta name=\"robots\" content=\"noindex\">\n  \
         <h1>Redirecting&hellip;</h1>\n  <a href=\"https://example.com/new/\">Click here if you are not redirected.</a>\n</html>\n",
    ] {
        let read = head(html);
        assert_eq!(read.canonical.as_deref(), Some(target), "{html}");
        let refresh = read.refresh.unwrap();
        assert_eq!(refresh.url.as_deref(), Some(target), "{html}");
        assert_eq!(refresh.seconds, 0, "{html}");
        assert_eq!(read.robots, ["noindex"], "{html}");
    }
}

#[test]
fn titles() {
    for (html, title) in [
        ("<title>a</title>", Some("a")),
        ("<title>a</title><title>b</title>", Some("a")),
        ("<title> a &lt;b&gt; &#228; </title>", Some("a <b> ä")),
        ("<title>a <b>c</b></title>", Some("a <b>c</b>")),
        ("<title></title>", None),
        ("<title> \n </title>", None),
        ("<svg><title>a</title></svg>", None),
        ("<head><svg><title>a</title></svg></head>", None),
        ("<body><title>a</title>", None),
    ] {
        assert_eq!(head(html).title.as_deref(), title, "{html}");
    }
}

#[test]
fn encodings() {
    let read =
        scan_head(b"<meta charset=iso-8859-1><title>caf\xe9</title><link rel=canonical href=/x>");
    assert_eq!(read.title.as_deref(), Some("café"));
    assert_eq!(read.canonical.as_deref(), Some("/x"));
    let read = scan_head(b"<meta charset=shift_jis><title>\x93\xfa\x96{</title>");
    assert_eq!(read.title.as_deref(), Some("日本"));
    let units = "\u{feff}<link rel=canonical href=/x>".encode_utf16();
    let utf16: Vec<u8> = units.flat_map(u16::to_be_bytes).collect();
    assert_eq!(scan_head(&utf16).canonical.as_deref(), Some("/x"));
}

#[test]
fn no_more_than_the_limit_is_read() {
    let style = format!("<style>{}</style>", "a{}".repeat(LIMIT / 3));
    let html = format!("<link rel=canonical href=/x>{style}<meta name=robots content=none>");
    let read = head(&html);
    assert_eq!(read.canonical.as_deref(), Some("/x"));
    assert_eq!(read.robots, [""; 0]);
}

/// Pieces that meet in unforeseen ways.
pub(crate) fn soup() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop::sample::select(vec![
        "<!doctype html>",
        "<html>",
        "<html xmlns='http://www.w3.org/1999/xhtml'>",
        "</html>",
        "<head>",
        "</head>",
        "<head a='>'>",
        "<body>",
        "</body>",
        "<title>",
        "</title>",
        "<meta charset=utf-8>",
        "<meta charset=shift_jis>",
        "<link rel=canonical href=/x>",
        "<script>",
        "</script>",
        "<noscript>",
        "</noscript>",
        "<template>",
        "</template>",
        "<style>",
        "</style>",
        "<!--",
        "-->",
        "<![CDATA[",
        "]]>",
        "<p>",
        "</p>",
        "</br>",
        "text",
        " ",
        "\n",
        "<svg>",
        "</svg>",
        "<math>",
        "<mi>",
        "<foreignObject>",
        "</foreignObject>",
        "<annotation-xml encoding=text/html>",
        "<select>",
        "<textarea>",
        "<plaintext>",
        "<frameset>",
        "<table>",
        "<link rel=alternate type=application/json href=/llm.json>",
        "<link rel=alternate type=application/json href='https://example.com/a.llm.json'/>",
        "<link rel=alternate type=application/json href=/wp-json/>",
        "<base href=/b/>",
        "<",
        ">",
        "'",
        "\"",
        "<a href=\"",
        "&amp",
        "\0",
        "<?xml version='1.0'?>",
        "<x",
        "/>",
        "ä",
    ]);
    // Only there is it a mark; elsewhere it becomes one when all before it is taken away.
    let mark = prop::sample::select(vec!["", "\u{feff}"]);
    let pieces = prop::collection::vec(
        prop_oneof![
            8 => piece.prop_map(|text| text.as_bytes().to_vec()),
            1 => prop::collection::vec(any::<u8>(), 0..4),
        ],
        0..25,
    );
    (mark, pieces).prop_map(|(mark, pieces)| [mark.as_bytes(), &pieces.concat()].concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_markup_is_read(html in soup()) {
        scan_head(&html);
        looks_like_html(&html);
    }

    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        scan_head(&bytes);
        looks_like_html(&bytes);
    }

    #[test]
    fn what_follows_the_head_changes_nothing(rest in soup()) {
        let html = b"<!doctype html><head><link rel=canonical href=/x><title>t</title></head>";
        let whole = [&html[..], &rest].concat();
        prop_assert_eq!(scan_head(&whole), scan_head(html));
    }
}
