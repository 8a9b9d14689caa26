//! `<meta>` elements that speak to one crawler.

use sitecast_extract::{is_robots_directive, robots_directive_has_value};

/// The bytes of the longest name that is taken for a crawler's.
pub(crate) const MOST_NAME_BYTES: usize = 100;

/// Crawlers whose names do not say that they are one.
const BOTS: [&str; 24] = [
    "ai2bot-dolma",
    "anthropic-ai",
    "applebot-extended",
    "baidu",
    "bing",
    "chatgpt-user",
    "claude-user",
    "claude-web",
    "cohere-ai",
    "daum",
    "duckduckgo",
    "google",
    "google-extended",
    "ia_archiver",
    "img2dataset",
    "meta-externalagent",
    "msn",
    "naver",
    "omgili",
    "perplexity-user",
    "teoma",
    "webzio-extended",
    "yandex",
    "yeti",
];

/// Names of `<meta>` whose content is text, in which such words are no directives.
const TEXTS: [&str; 9] = [
    "abstract",
    "author",
    "category",
    "description",
    "keywords",
    "news_keywords",
    "subject",
    "tags",
    "title",
];

/// Returns true if a `<meta>` of this name speaks to a crawler. Crawlers may have any name: if the name does not look
/// like one, the whole content has to be directives, and `none` is not enough, since other settings have it, too.
pub(crate) fn is_for_bots(name: &str, content: &str) -> bool {
    if name.len() > MOST_NAME_BYTES || name.contains(':') {
        return false;
    }
    let name = name.to_ascii_lowercase();
    let looks_like_a_bot = name.split(['-', '_', '.', ' ']).any(|part| {
        ["bot", "bots", "crawler", "spider", "slurp"]
            .iter()
            .any(|end| part.ends_with(end))
    });
    if looks_like_a_bot || BOTS.contains(&name.as_str()) {
        return true;
    }
    if TEXTS.contains(&name.as_str()) || content.len() > 1_000 {
        return false;
    }
    let content = content.to_ascii_lowercase();
    let mut words = content
        .split([',', ';', ' '])
        .filter(|word| !word.is_empty());
    words
        .clone()
        .any(|word| matches!(word, "noindex" | "noai" | "nosnippet"))
        && words.all(is_known)
}

fn is_known(word: &str) -> bool {
    let has_value = |(name, _): (&str, &str)| robots_directive_has_value(name);
    word.split_once(':').is_some_and(has_value) || is_robots_directive(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crawlers_are_told_from_other_names() {
        for (name, content, expected) in [
            ("googlebot", "noindex", true),
            ("Googlebot-News", "nosnippet", true),
            ("GPTBot", "none", true),
            ("Bytespider", "x", true),
            ("slurp", "noindex", true),
            ("my-new-agent", "noindex, nofollow", true),
            ("my-new-agent", "none", false),
            ("format-detection", "none", false),
            ("msapplication-config", "none", false),
            ("description", "noindex", false),
            ("keywords", "noindex, nofollow", false),
            ("og:title", "noindex", false),
            ("summary", "How noindex works", false),
            ("bottom-color", "none", false),
        ] {
            assert_eq!(is_for_bots(name, content), expected, "{name} {content}");
        }
    }
}
