use super::page;

#[test]
fn puts_images_before_or_after_their_paragraph() {
    assert_eq!(
        page("<p><img src=a.png alt=A>text <img src='//cdn.example/b.png' alt=' B  b '>more</p>"),
        [
            "image: A /docs/a.png",
            "text more",
            "image: B b https://cdn.example/b.png"
        ]
    );
    assert_eq!(
        page("<img src='data:image/png;base64,AAAA' alt=x><img alt=y><img src=blob:x>"),
        [""; 0]
    );
}

#[test]
fn finds_lazy_images() {
    for img in [
        "<img src='data:image/gif;base64,R0l' data-src=/a.jpg alt=a>",
        "<img src=/img/placeholder.png data-original=/a.jpg alt=a>",
        "<img src=/1x1.gif data-lazy-src=/a.jpg alt=a>",
        "<img src=/blank.gif data-srcset='/s.jpg 300w, /a.jpg 900w' alt=a>",
        "<img src=/s.jpg data-lazy-srcset='/s.jpg 1x, /a.jpg 2x' alt=a>",
        "<img src=/s.jpg srcset='/s.jpg 480w,/a.jpg 1080w, /m.jpg 800w' alt=a>",
        "<picture><source srcset='/a.jpg 1200w, /s.jpg 600w'><img src=/s.jpg alt=a></picture>",
        "<picture><source data-srcset='/a.jpg 2x'><img src='data:x' alt=a></picture>",
        "<amp-img src=/a.jpg alt=a></amp-img>",
        "<img src='data:x' alt=a><noscript><img src=/a.jpg alt=a></noscript>",
    ] {
        assert_eq!(page(img), ["image: a /a.jpg"], "{img}");
    }
    assert_eq!(
        page("<img src=/placeholder.jpg alt=a>"),
        ["image: a /placeholder.jpg"]
    );
}

#[test]
fn ignores_the_noscript_twin_of_an_image() {
    for html in [
        "<img class=lazy src='data:x' data-src=/a.jpg alt=a><noscript><img src=/a-300.jpg alt=a></noscript>",
        "<p><noscript><img src=/a-300.jpg alt=a></noscript><img src='data:x' data-src=/a.jpg alt=a>",
        "<picture><img src=/a.jpg alt=a></picture> <noscript><picture><img src=/b.jpg alt=a></picture></noscript>",
    ] {
        assert_eq!(page(html), ["image: a /a.jpg"], "{html}");
    }
}

#[test]
fn drops_pixels_and_bullets() {
    for html in [
        "<img src=/t.gif width=1 height=1>",
        "<img src=/t.gif width=1 height=1 alt=stats>",
        "<img src=/t.gif style='width:1px;height:1px' alt=''>",
        "<img src=/t.gif style='display:none' alt=a>",
        "<img src=/spacer.gif>",
        "<img src=/arrow.png width=16 height=16 alt=''>",
        "<noscript><img height=1 width=1 style='display:none' src='https://www.facebook.com/tr?id=1'></noscript>",
    ] {
        assert_eq!(page(html), [""; 0], "{html}");
    }
    assert_eq!(
        page("<img src=/a.png width=100% alt=a>"),
        ["image: a /a.png"]
    );
}

#[test]
fn reads_emoji_as_characters() {
    assert_eq!(
        page(
            "<p>Hi <img class=emoji alt=👋 src='https://s.w.org/images/core/emoji/15/svg/1f44b.svg'>! \
             <img class=wp-smiley src=/s.png alt=':)'> x<img class=latex alt='x^2' src=/l.png></p>"
        ),
        ["Hi 👋! :) xx^2"]
    );
}

#[test]
fn puts_captions_after_their_figure() {
    assert_eq!(
        page(
            "<figure class=wp-block-image><a href=/big.jpg><img src=/a.jpg alt=a></a>\
             <figcaption>What <a href=/w>it</a> is</figcaption></figure>"
        ),
        [
            "image: a /a.jpg",
            "link: a -> /big.jpg",
            "What it is",
            "link: it -> /w"
        ]
    );
    assert_eq!(
        page("<figure><img src=/a.jpg><figcaption>C</figcaption></figure>"),
        ["image:  /a.jpg", "C"]
    );
    assert_eq!(
        page("<figure><figcaption>Listing 1</figcaption><pre>a</pre></figure>"),
        ["Listing 1", "code ?: a"]
    );
}

#[test]
fn drops_loading_indicators() {
    assert_eq!(
        page("<p>a<p><img src=/img/loading.svg alt=Chair><p>b<p><img src=/loading.jpg alt=Dock>"),
        ["a", "b", "image: Dock /loading.jpg"]
    );
    assert_eq!(
        page("<p>a<p><img src=/placeholder.gif data-src=/chair.jpg alt=Chair>"),
        ["a", "image: Chair /chair.jpg"]
    );
}
