//! Cues: hints at the purpose of an element in its class, id or role.
//!
//! Authors use much the same words everywhere. These are the words of common themes and design systems; none is
//! particular to one site.

use foldhash::HashMap;
use std::sync::OnceLock;

use crate::names::NameMap;

/// A set of [`Cue`]s.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Cues(pub(crate) u64);

impl Cues {
    pub(crate) fn has(self, cue: Cue) -> bool {
        self.0 & (1 << cue as u32) != 0
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

macro_rules! cues {
    ($($name:ident: $($word:literal)*;)*) => {
        /// A possible purpose of an element.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(u8)]
        pub(crate) enum Cue {
            $(#[doc = stringify!($name)] $name,)*
        }

        impl Cue {
            pub(crate) const ALL: [Self; [$(stringify!($name)),*].len()] = [$(Self::$name,)*];

            pub(crate) fn name(self) -> &'static str {
                match self {
                    $(Self::$name => stringify!($name),)*
                }
            }
        }

        const WORDS: &[(Cue, &[&str])] = &[$((Cue::$name, &[$($word),*]),)*];
    };
}

cues! {
    Navigation: "nav" "navbar" "navigation" "menu" "submenu" "megamenu" "topnav" "subnav" "sidenav" "offcanvas" "hamburger" "drawer" "topbar" "masthead" "toolbar" "navheader" "navfooter";
    Footer: "footer" "foot" "colophon" "copyright" "legal" "contentinfo" "bottom" "siteinfo";
    Header: "header" "head" "banner" "topper" "titlebar";
    Sidebar: "sidebar" "aside" "side" "rail" "secondary" "complementary" "widget" "widgets" "rightcol" "leftcol" "sidecol";
    Related: "related" "recommended" "recommendations" "recommendation" "recommend" "similar" "trending" "popular" "more" "upnext" "also" "suggested" "suggestions" "latest" "recent" "outbrain" "taboola" "recirc" "recirculation" "readnext" "upsell" "upsells" "crosssell" "cross";
    Comment: "comment" "comments" "disqus" "respond" "reply" "replies" "discussion" "commentlist" "reactions";
    Share: "share" "sharing" "social" "socials" "facebook" "twitter" "linkedin" "pinterest" "whatsapp" "addtoany" "sharedaddy" "follow" "sharebar" "addthis" "jssocials";
    Cookie: "cookie" "cookies" "consent" "gdpr" "onetrust" "cookiebot" "ccpa" "privacy";
    Newsletter: "newsletter" "subscribe" "subscription" "signup" "optin" "mailchimp" "mailing" "hubspot" "email" "klaviyo";
    Promotion: "promo" "promotion" "ad" "ads" "advert" "advertisement" "advertising" "sponsor" "sponsored" "banner" "adsense" "dfp" "gpt" "adslot" "affiliate" "upgrade";
    CallToAction: "cta" "btn" "button" "buttons" "action" "actions" "readmore" "download";
    Breadcrumb: "breadcrumb" "breadcrumbs" "crumb" "crumbs" "trail";
    Tags: "tag" "tags" "category" "categories" "topics" "topic" "taxonomy" "taglist" "label" "labels" "badge" "chip" "keyword" "keywords" "cat" "cats" "terms" "term";
    Meta: "meta" "byline" "postmeta" "info" "details" "stats" "metadata" "credits" "dateline";
    Author: "author" "bio" "writer" "authorbox" "profile" "avatar" "contributor" "vcard" "about" "username" "user" "member" "poster";
    Date: "date" "time" "timestamp" "published" "updated" "datetime" "posted" "modified" "readtime" "reading";
    Caption: "caption" "figcaption" "credit" "legend" "attribution" "wpcaption";
    Contents: "toc" "contents" "outline" "onthispage" "tableofcontents" "scrollspy" "jump" "anchors";
    Overlay: "modal" "popup" "overlay" "dialog" "lightbox" "tooltip" "popover" "dropdown" "toast" "notification" "alert" "notice" "flyout" "interstitial" "exit";
    Rating: "rating" "ratings" "review" "reviews" "stars" "star" "testimonial" "testimonials" "vote" "votes" "score" "likes" "feedback" "helpful";
    Price: "price" "prices" "pricing" "amount" "cost" "sale" "discount" "currency" "msrp" "savings";
    Cart: "cart" "basket" "checkout" "quantity" "qty" "wishlist" "addtocart" "minicart" "buy" "purchase" "stock" "availability" "shipping" "delivery" "variant" "variants" "swatch" "swatches" "sku";
    Product: "product" "products" "pdp" "woocommerce" "shop" "item" "goods";
    Card: "card" "cards" "teaser" "tile" "tiles" "thumb" "thumbnail" "grid" "loop" "feed" "archive" "listing" "listings" "result" "results" "excerpt" "carousel" "slider" "slide" "swiper" "slick" "gallery" "splide";
    Content: "content" "contents" "main" "maincontent" "pagecontent" "primary" "container" "inner" "region";
    Article: "article" "post" "entry" "story" "blog" "single" "articlebody" "postcontent" "entrycontent" "postbody" "hentry" "blogpost" "news" "longform";
    Body: "body" "text" "copy" "prose" "richtext" "rte" "wysiwyg" "markdown" "md" "rst" "paragraph" "editor" "formatted" "html" "typography" "textblock" "rich";
    Description: "description" "desc" "summary" "intro" "lead" "lede" "abstract" "overview" "subtitle" "standfirst" "dek" "deck" "subheading" "synopsis" "tagline" "blurb" "excerpt";
    Title: "title" "headline" "heading" "pagetitle" "posttitle" "entrytitle" "hero" "jumbotron" "name";
    Question: "faq" "faqs" "accordion" "question" "questions" "answer" "answers" "collapse" "collapsible" "toggle" "panel" "tab" "tabs" "tabpanel" "tabcontent" "expandable";
    Search: "search" "searchform" "filter" "filters" "facet" "facets" "sort" "sorting" "autocomplete" "refine";
    Login: "login" "signin" "register" "account" "password" "auth" "paywall" "subscriber" "premium" "member" "membership";
    Pagination: "pagination" "pager" "paging" "prev" "next" "previous" "pagenav" "page" "older" "newer" "loadmore";
    Thread: "thread" "message" "messages" "msg" "forum" "topic" "postbody" "posts" "bbwrapper" "bbcode" "conversation" "reply" "usertext" "cooked" "lia" "postcell";
    Signature: "signature" "sig" "siggy" "usertitle" "userinfo" "joined" "badge" "badges" "reputation" "karma" "postcount";
    Documentation: "doc" "docs" "documentation" "document" "docutils" "rst" "sphinx" "mdbook" "docusaurus" "mkdocs" "api" "guide" "readme" "markdown" "wiki" "reference" "manual" "tutorial" "doctree";
    Code: "highlight" "code" "codehilite" "hljs" "prism" "syntax" "sourcecode" "snippet" "codeblock" "language" "console" "terminal" "shiki";
    Table: "table" "specs" "spec" "specifications" "attributes" "features" "feature" "datasheet" "properties" "nutrition";
    Form: "form" "field" "input" "contact" "captcha" "checkbox" "select" "contactform" "wpcf7" "fieldset";
    Media: "image" "img" "photo" "video" "player" "media" "figure" "picture" "embed" "audio" "icon" "logo" "logos" "svg" "iframe";
    Hidden: "hidden" "hide" "invisible" "sr" "screenreader" "visuallyhidden" "offscreen" "noprint" "none" "assistive" "skip" "skiplink" "a11y" "clip" "mobile" "mobileonly";
    Reference: "reference" "references" "footnote" "footnotes" "citation" "citations" "bibliography" "reflist" "sources" "endnotes" "notes" "source";
    Edit: "edit" "editsection" "permalink" "headerlink" "anchor" "copy" "clipboard" "print" "feedback" "github" "improve" "version";
    Recipe: "recipe" "ingredients" "ingredient" "instructions" "directions" "steps" "wprm" "tasty" "nutrition" "servings";
    Location: "address" "location" "locations" "map" "hours" "phone" "contact" "directions" "office";
    People: "team" "staff" "people" "speaker" "speakers" "leadership" "employee" "partner" "partners" "client" "clients" "customer" "customers" "press" "award" "awards";
    Section: "section" "block" "row" "wrapper" "module" "component" "layout" "column" "col" "wp" "elementor" "vc" "et" "wix" "sqs" "shopify" "stack";
}

/// Stems to search in long words (`articlefooterlinks`).
const STEMS: &[(&str, Cue)] = &[
    ("sidebar", Cue::Sidebar),
    ("comment", Cue::Comment),
    ("breadcrumb", Cue::Breadcrumb),
    ("related", Cue::Related),
    ("recommend", Cue::Related),
    ("newsletter", Cue::Newsletter),
    ("subscri", Cue::Newsletter),
    ("cookie", Cue::Cookie),
    ("consent", Cue::Cookie),
    ("footer", Cue::Footer),
    ("header", Cue::Header),
    ("navig", Cue::Navigation),
    ("navbar", Cue::Navigation),
    ("menu", Cue::Navigation),
    ("share", Cue::Share),
    ("social", Cue::Share),
    ("content", Cue::Content),
    ("article", Cue::Article),
    ("product", Cue::Product),
    ("price", Cue::Price),
    ("review", Cue::Rating),
    ("testimonial", Cue::Rating),
    ("author", Cue::Author),
    ("description", Cue::Description),
    ("promo", Cue::Promotion),
    ("advert", Cue::Promotion),
    ("sponsor", Cue::Promotion),
    ("pagination", Cue::Pagination),
    ("modal", Cue::Overlay),
    ("popup", Cue::Overlay),
    ("tooltip", Cue::Overlay),
    ("carousel", Cue::Card),
    ("teaser", Cue::Card),
    ("caption", Cue::Caption),
    ("accordion", Cue::Question),
    ("richtext", Cue::Body),
    ("markdown", Cue::Body),
    ("title", Cue::Title),
    ("headline", Cue::Title),
    ("search", Cue::Search),
    ("filter", Cue::Search),
    ("widget", Cue::Sidebar),
    ("button", Cue::CallToAction),
    ("message", Cue::Thread),
    ("signature", Cue::Signature),
    ("ingredient", Cue::Recipe),
    ("post", Cue::Article),
];

fn words() -> &'static NameMap<Cues> {
    static TABLE: OnceLock<NameMap<Cues>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut table: HashMap<&str, Cues> = HashMap::default();
        for (cue, words) in WORDS {
            for word in *words {
                table.entry(word).or_default().add(Cues(1 << *cue as u32));
            }
        }
        NameMap::new(table.into_iter())
    })
}

/// Returns the stems with the same first two letters as a text. At most places in most words there are none.
fn stems_like(text: &[u8]) -> &'static [(&'static str, Cue)] {
    static TABLE: OnceLock<Vec<Vec<(&str, Cue)>>> = OnceLock::new();
    let table = TABLE.get_or_init(|| {
        let mut table = vec![Vec::new(); LETTERS * LETTERS];
        for stem in STEMS {
            let place = first_two(stem.0.as_bytes()).and_then(|at| table.get_mut(at));
            if let Some(place) = place {
                place.push(*stem);
            }
        }
        table
    });
    first_two(text)
        .and_then(|at| table.get(at))
        .map_or(&[], Vec::as_slice)
}

const LETTERS: usize = 26;

/// Returns the first two letters of a text as an index.
fn first_two(text: &[u8]) -> Option<usize> {
    let number = |letter: &u8| letter.checked_sub(b'a').map(usize::from);
    let (first, second) = (number(text.first()?)?, number(text.get(1)?)?);
    (first < LETTERS && second < LETTERS).then_some(first * LETTERS + second)
}

/// Returns the cues in a class, an id, a role or a similar attribute.
pub(crate) fn cues_of_name(name: &str) -> Cues {
    let mut cues = Cues::default();
    let mut word = [0u8; 32];
    let mut length = 0;
    let mut before_lower = false;
    for byte in name.bytes().chain(std::iter::once(b' ')) {
        let lower = byte.to_ascii_lowercase();
        let begins = byte.is_ascii_uppercase() && before_lower;
        if !byte.is_ascii_alphabetic() || begins {
            cues.add(cues_of_word(&word, length));
            length = 0;
        }
        if byte.is_ascii_alphabetic() {
            if let Some(slot) = word.get_mut(length) {
                *slot = lower;
            }
            length += 1;
        }
        before_lower = byte.is_ascii_lowercase();
    }
    cues
}

fn cues_of_word(buffer: &[u8; 32], length: usize) -> Cues {
    let Some(word) = buffer.get(..length).filter(|word| word.len() > 1) else {
        return Cues::default();
    };
    if let Some(cues) = words().get(word) {
        return *cues;
    }
    let mut cues = Cues::default();
    if word.len() > 6 {
        for at in 0..word.len() {
            let rest = word.get(at..).unwrap_or_default();
            for (stem, cue) in stems_like(rest) {
                if rest.starts_with(stem.as_bytes()) {
                    cues.add(Cues(1 << *cue as u32));
                }
            }
        }
    }
    cues
}
