//! Words that labels, buttons and fine print are made of.

use foldhash::HashMap;
use std::sync::OnceLock;

use crate::names::Names;

/// Bytes of the longest of the words.
const LONGEST: usize = 14;

/// Kinds of short text, with the words that give them away.
pub(super) const PHRASES: [(&str, &[&str]); 11] = [
    (
        "share",
        &[
            "share",
            "tweet",
            "facebook",
            "twitter",
            "linkedin",
            "pinterest",
            "whatsapp",
            "instagram",
            "youtube",
            "reddit",
            "follow",
            "teilen",
            "partager",
            "compartir",
            "print",
            "copy",
            "tiktok",
            "x",
        ],
    ),
    (
        "subscribe",
        &[
            "subscribe",
            "newsletter",
            "newsletters",
            "inbox",
            "signup",
            "email",
            "abonnieren",
            "unsubscribe",
            "updates",
            "join",
            "suscribirse",
            "abonner",
        ],
    ),
    (
        "legal",
        &[
            "copyright",
            "rights",
            "reserved",
            "privacy",
            "terms",
            "cookies",
            "cookie",
            "policy",
            "datenschutz",
            "impressum",
            "disclaimer",
            "accessibility",
            "sitemap",
            "llc",
            "inc",
            "ltd",
            "affiliate",
            "commission",
        ],
    ),
    (
        "login",
        &[
            "login",
            "log",
            "sign",
            "account",
            "register",
            "password",
            "logout",
            "anmelden",
            "connexion",
            "member",
        ],
    ),
    (
        "comment",
        &[
            "comment",
            "comments",
            "reply",
            "replies",
            "kommentar",
            "kommentare",
            "commentaires",
            "comentarios",
            "discuss",
            "respond",
            "quote",
            "report",
            "like",
            "likes",
            "upvote",
        ],
    ),
    (
        "related",
        &[
            "related",
            "recommended",
            "popular",
            "recent",
            "trending",
            "latest",
            "similar",
            "next",
            "previous",
            "prev",
            "older",
            "newer",
            "articles",
            "posts",
            "stories",
            "reading",
            "explore",
            "also",
            "browse",
            "discover",
            "categories",
            "tags",
            "topics",
            "archives",
        ],
    ),
    (
        "shop",
        &[
            "cart",
            "add",
            "buy",
            "wishlist",
            "checkout",
            "shipping",
            "sale",
            "price",
            "qty",
            "quantity",
            "stock",
            "off",
            "free",
            "warenkorb",
            "shop",
            "delivery",
            "returns",
            "sku",
        ],
    ),
    (
        "go",
        &[
            "read",
            "learn",
            "more",
            "view",
            "see",
            "click",
            "here",
            "get",
            "started",
            "start",
            "show",
            "load",
            "find",
            "watch",
            "download",
            "continue",
            "skip",
            "menu",
            "close",
            "open",
            "back",
            "top",
            "weiterlesen",
            "all",
            "now",
            "today",
            "book",
            "contact",
            "call",
            "try",
            "demo",
            "schedule",
            "request",
            "learnmore",
        ],
    ),
    (
        "byline",
        &[
            "by",
            "posted",
            "published",
            "updated",
            "author",
            "written",
            "min",
            "minutes",
            "ago",
            "reviewed",
            "edited",
            "von",
            "par",
            "views",
            "editor",
            "staff",
            "joined",
            "messages",
            "hours",
            "days",
        ],
    ),
    (
        "month",
        &[
            "january",
            "february",
            "march",
            "april",
            "may",
            "june",
            "july",
            "august",
            "september",
            "october",
            "november",
            "december",
            "jan",
            "feb",
            "mar",
            "apr",
            "jun",
            "jul",
            "aug",
            "sep",
            "sept",
            "oct",
            "nov",
            "dec",
        ],
    ),
    (
        "search",
        &[
            "search", "filter", "filters", "sort", "results", "clear", "reset", "select", "apply",
            "refine", "showing", "page", "items",
        ],
    ),
];

/// The kinds that each word gives away, as bits.
fn kinds() -> &'static Names<u16> {
    static TABLE: OnceLock<Names<u16>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut table: HashMap<&str, u16> = HashMap::default();
        for (kind, (_, words)) in PHRASES.iter().enumerate() {
            for word in *words {
                *table.entry(word).or_default() |= 1 << kind;
            }
        }
        Names::new(table.into_iter())
    })
}

/// How many words of the text are of each kind.
pub(super) fn phrases_in(text: &str) -> [f32; PHRASES.len()] {
    let mut counts = [0.0; PHRASES.len()];
    let mut lower = String::with_capacity(LONGEST);
    for word in text.split(|c: char| !c.is_alphanumeric()) {
        if word.is_empty() || word.len() > LONGEST {
            continue;
        }
        lower.clear();
        lower.push_str(word);
        lower.make_ascii_lowercase();
        if let Some(found) = kinds().get(lower.as_bytes()) {
            for (kind, count) in counts.iter_mut().enumerate() {
                if found & (1 << kind) != 0 {
                    *count += 1.0;
                }
            }
        }
    }
    counts
}
