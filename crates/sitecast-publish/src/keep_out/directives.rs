//! Robots directives of a page and of a header, for all crawlers and for named ones.

use sitecast_extract::robots_directive_has_value;
use sitecast_scp::Timestamp;

use super::date;
use crate::head::{Head, MOST_NAME_BYTES};
use crate::source::Raw;
use crate::{KeepOut, Reason};

/// Directives of one text that are looked at.
const MOST_DIRECTIVES: usize = 1_000;
const UNAVAILABLE: &str = "unavailable_after";

/// The joint result of all directives of a page.
#[derive(Debug, Default)]
pub(crate) struct Judgement {
    /// The first that keeps it out.
    pub(crate) reason: Option<Reason>,
    /// A date in them is still to come, and will keep it out then.
    pub(crate) has_date_to_come: bool,
}

impl Judgement {
    /// Hears what a head says to all crawlers, then to named ones, then the header of the page.
    pub(super) fn hear_head(&mut self, head: &Head, raw: &Raw, keep_out: KeepOut, now: Timestamp) {
        for content in &head.robots {
            self.hear(content, None, keep_out, now);
        }
        for (bot, content) in &head.bots {
            self.hear(content, Some(bot), keep_out, now);
        }
        for line in raw.robots.iter().flat_map(|header| header.lines()) {
            self.hear(line, None, keep_out, now);
        }
    }

    /// Hears a list of directives; those of a `<meta>` that names a crawler are for `bot`.
    pub(crate) fn hear(
        &mut self,
        text: &str,
        bot: Option<&str>,
        keep_out: KeepOut,
        now: Timestamp,
    ) {
        for said in read(text, bot) {
            if keep_out == KeepOut::Robots && !said.concerns_all_crawlers() {
                continue;
            }
            if let Directive::UnavailableAfter(time, _) = said.directive
                && time > now
            {
                self.has_date_to_come = true;
            } else if self.reason.is_none() {
                self.reason = Some(said.reason());
            }
        }
    }
}

/// A directive that keeps a page out of a collection.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Directive {
    NoIndex(&'static str),
    NoAi,
    NoSnippet(&'static str),
    UnavailableAfter(Timestamp, String),
}

impl Directive {
    fn of(word: &str) -> Option<Self> {
        Some(match word {
            "noindex" => Self::NoIndex("noindex"),
            "none" => Self::NoIndex("none"),
            "noai" => Self::NoAi,
            "nosnippet" => Self::NoSnippet("nosnippet"),
            "max-snippet:0" => Self::NoSnippet("max-snippet:0"),
            _ => return None,
        })
    }
}

/// A directive, and whom it is for; no name: all crawlers.
#[derive(Debug, PartialEq, Eq)]
struct Said {
    bot: Option<String>,
    directive: Directive,
}

impl Said {
    /// Returns true if it keeps every crawler from the page itself.
    fn concerns_all_crawlers(&self) -> bool {
        self.bot.is_none()
            && matches!(
                self.directive,
                Directive::NoIndex(_) | Directive::UnavailableAfter(..)
            )
    }

    fn reason(self) -> Reason {
        let Some(bot) = self.bot else {
            return match self.directive {
                Directive::NoIndex(_) => Reason::NoIndex,
                Directive::NoAi => Reason::NoAi,
                Directive::NoSnippet(_) => Reason::NoSnippet,
                Directive::UnavailableAfter(_, date) => Reason::Unavailable(date),
            };
        };
        let directive = match self.directive {
            Directive::NoIndex(word) | Directive::NoSnippet(word) => word.to_owned(),
            Directive::NoAi => "noai".to_owned(),
            Directive::UnavailableAfter(_, date) => format!("{UNAVAILABLE}: {date}"),
        };
        Reason::NamedCrawler { bot, directive }
    }
}

/// The directives of a list that keep a page out. What follows the name of a crawler is for it alone, up to the next name.
fn read(text: &str, bot: Option<&str>) -> Vec<Said> {
    let lower = text.to_ascii_lowercase();
    let mut bot = bot.map(|bot| bot.trim().to_owned());
    let mut found = Vec::new();
    let mut pieces = lower
        .split([',', ';'])
        .map(str::trim)
        .filter(|piece| !piece.is_empty())
        .take(MOST_DIRECTIVES)
        .peekable();
    while let Some(mut piece) = pieces.next() {
        while let Some((name, rest)) = piece.split_once(':')
            && !robots_directive_has_value(name.trim())
        {
            let name = name.trim();
            bot = (!matches!(name, "*" | "robots") && name.len() <= MOST_NAME_BYTES)
                .then(|| name.to_owned());
            piece = rest.trim();
        }
        let mut add = |directive| {
            found.push(Said {
                bot: bot.clone(),
                directive,
            });
        };
        if let Some((name, value)) = piece.split_once(':')
            && name.trim() == UNAVAILABLE
        {
            let mut value = value.trim().to_owned();
            let mut time = date::parse(&value);
            // `Wed, Jun 25, 2025 15:00:00 GMT` was cut to pieces.
            while time.is_none()
                && let Some(rest) = pieces.next_if(|next| date::goes_on(next))
            {
                value = format!("{value}, {rest}");
                time = date::parse(&value);
            }
            if let Some(time) = time {
                add(Directive::UnavailableAfter(time, value));
            }
            continue;
        }
        let joined: String = piece.split_whitespace().collect();
        if let Some(directive) = Directive::of(&joined) {
            add(directive);
            continue;
        }
        // `noindex nofollow` is two.
        piece
            .split_whitespace()
            .filter_map(Directive::of)
            .for_each(add);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(text: &str, bot: Option<&str>, keep_out: KeepOut) -> Judgement {
        let mut judgement = Judgement::default();
        let now = "2025-06-01T12:00:00Z".parse().unwrap();
        judgement.hear(text, bot, keep_out, now);
        judgement
    }

    fn code(text: &str, bot: Option<&str>) -> Option<&'static str> {
        judge(text, bot, KeepOut::Any)
            .reason
            .map(|reason| reason.code())
    }

    #[test]
    fn lists_are_split_in_every_usual_way() {
        for (text, expected) in [
            ("noindex", Some("noindex")),
            ("NOINDEX;nofollow", Some("noindex")),
            ("nofollow; NoIndex", Some("noindex")),
            ("nofollow noindex", Some("noindex")),
            ("none", Some("noindex")),
            ("noai", Some("noai")),
            ("noimageai", None),
            ("nosnippet", Some("nosnippet")),
            ("max-snippet: 0", Some("nosnippet")),
            ("max-snippet:-1, max-image-preview:large", None),
            ("index, follow", None),
            ("noindexed", None),
            ("googlebot: noindex", Some("named-crawler")),
            ("googlebot: nofollow, noindex", Some("named-crawler")),
            ("googlebot: nofollow, *: noindex", Some("noindex")),
            ("unavailable_after: 2025-05-31", Some("unavailable")),
            (
                "unavailable_after: Sat, 31 May 2025 15:00:00 GMT, noarchive",
                Some("unavailable"),
            ),
            (
                "unavailable_after: Jun 25, 2020 15:00:00 PST, noarchive",
                Some("unavailable"),
            ),
            (
                "unavailable_after: Thursday, June 25, 2020 15:00:00",
                Some("unavailable"),
            ),
            ("unavailable_after: whenever, noindex", Some("noindex")),
            ("unavailable_after: 2025-06-02", None),
            ("unavailable_after: whenever", None),
            (
                "bot: unavailable_after: 31-May-25 15:00:00 GMT",
                Some("named-crawler"),
            ),
            ("", None),
            (":;,:", None),
        ] {
            assert_eq!(code(text, None), expected, "{text}");
        }
        assert_eq!(code("noindex", Some("GPTBot")), Some("named-crawler"));
    }

    #[test]
    fn a_date_to_come_is_told() {
        let judgement = judge("unavailable_after: 2025-06-02", None, KeepOut::Any);
        assert!(judgement.has_date_to_come && judgement.reason.is_none());
    }

    #[test]
    fn the_setting_leaves_only_what_concerns_all_crawlers() {
        for (text, expected) in [
            ("noindex;nofollow", Some(Reason::NoIndex)),
            ("nosnippet, noai, googlebot: noindex", None),
        ] {
            assert_eq!(
                judge(text, None, KeepOut::Robots).reason,
                expected,
                "{text}"
            );
        }
        assert_eq!(
            judge("noindex", Some("bingbot"), KeepOut::Robots).reason,
            None
        );
    }
}
