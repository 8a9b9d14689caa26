//! Words of labels, buttons and fine print.

use foldhash::HashMap;
use std::sync::OnceLock;

use super::words::WordFilter;
use crate::names::NameMap;

/// Bytes of the longest word.
const LONGEST: usize = 14;

/// Kinds of short text, with the words that indicate them.
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

/// The words of [`PHRASES`], for lookup.
pub(super) struct Phrases {
    filter: WordFilter,
    /// Bit mask of the kinds that each word indicates.
    kinds: NameMap<u16>,
}

impl Phrases {
    pub(super) fn known() -> &'static Self {
        static KNOWN: OnceLock<Phrases> = OnceLock::new();
        KNOWN.get_or_init(|| {
            let mut filter = WordFilter::default();
            let mut kinds: HashMap<&str, u16> = HashMap::default();
            for (kind, (_, words)) in PHRASES.iter().enumerate() {
                for word in *words {
                    filter.add(word.as_bytes());
                    *kinds.entry(word).or_default() |= 1 << kind;
                }
            }
            Self {
                filter,
                kinds: NameMap::new(kinds.into_iter()),
            }
        })
    }

    /// Adds the kinds that a word indicates to the counts.
    #[inline]
    pub(super) fn count(&self, word: &[u8], counts: &mut [f32; PHRASES.len()]) {
        if self.filter.may_have(word) {
            self.count_known(word, counts);
        }
    }

    fn count_known(&self, word: &[u8], counts: &mut [f32; PHRASES.len()]) {
        let mut lower = [0; LONGEST];
        let Some(lower) = lower.get_mut(..word.len()) else {
            return;
        };
        lower.copy_from_slice(word);
        lower.make_ascii_lowercase();
        let mut kinds = self.kinds.get(lower).copied().unwrap_or(0);
        while kinds != 0 {
            if let Some(count) = counts.get_mut(kinds.trailing_zeros() as usize) {
                *count += 1.0;
            }
            kinds &= kinds - 1;
        }
    }
}

/// Counts the words of a text by kind.
#[cfg(test)]
pub(super) fn phrases_in(text: &str) -> [f32; PHRASES.len()] {
    let mut counts = [0.0; PHRASES.len()];
    for word in text.split(|c: char| !c.is_alphanumeric()) {
        Phrases::known().count(word.as_bytes(), &mut counts);
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_words_by_kind() {
        let longest = PHRASES
            .iter()
            .flat_map(|(_, words)| *words)
            .map(|word| word.len())
            .max();
        assert!(longest <= Some(LONGEST));
        for (text, share, print, month) in [
            ("Share on Facebook", 2.0, 0.0, 0.0),
            ("TWEET, print; shares", 2.0, 0.0, 0.0),
            ("May 5 \u{2013} Mayo \u{e9}may may", 0.0, 0.0, 2.0),
            ("Privacy\u{a0}Policy", 0.0, 2.0, 0.0),
            ("", 0.0, 0.0, 0.0),
        ] {
            let counts = phrases_in(text);
            assert_eq!(
                (counts[0], counts[2], counts[9]),
                (share, print, month),
                "{text}"
            );
        }
    }
}
