//! Classification of requests by `User-Agent`.

use std::sync::LazyLock;

/// Bytes of the header that are examined.
const MAX_BYTES: usize = 256;

/// Known names as they appear in `User-Agent`. The list is fixed, so that clients cannot fill the memory with metric
/// labels.
pub(crate) const NAMES: [&str; 28] = [
    "sitecast",
    "GPTBot",
    "OAI-SearchBot",
    "ChatGPT-User",
    "ClaudeBot",
    "Claude-User",
    "Claude-SearchBot",
    "Googlebot",
    "Google-Extended",
    "GoogleOther",
    "bingbot",
    "CCBot",
    "PerplexityBot",
    "Perplexity-User",
    "Amazonbot",
    "Applebot",
    "Bytespider",
    "meta-externalagent",
    "DuckDuckBot",
    "YandexBot",
    "Baiduspider",
    "MistralAI-User",
    "cohere-ai",
    "Diffbot",
    "curl",
    "python-requests",
    "Mozilla",
    "other",
];

/// Index of the name for all other agents and requests without the header.
const OTHER: usize = NAMES.len() - 1;

/// For each byte, the set of names that begin with it, as bits; case is ignored.
static BEGINNINGS: LazyLock<[u32; 256]> = LazyLock::new(|| {
    let mut table = [0; 256];
    for (place, name) in NAMES.iter().take(OTHER).enumerate() {
        for first in name.bytes().take(1) {
            for letter in [first.to_ascii_lowercase(), first.to_ascii_uppercase()] {
                if let Some(names) = table.get_mut(usize::from(letter)) {
                    *names |= 1 << place;
                }
            }
        }
    }
    table
});

/// Returns the index of the agent's name in [`NAMES`]. Browsers and many crawlers begin with `Mozilla`, so the first
/// name of the list wins, wherever it appears in the header. Runs for each request, hence a single pass over the text.
pub(crate) fn of(user_agent: Option<&[u8]>) -> usize {
    let Some(text) = user_agent else { return OTHER };
    let text = text.get(..MAX_BYTES).unwrap_or(text);
    let beginnings = &*BEGINNINGS;
    let mut found = OTHER;
    for (start, &byte) in text.iter().enumerate() {
        let mut names = beginnings.get(usize::from(byte)).copied().unwrap_or(0);
        while names != 0 {
            let place = names.trailing_zeros() as usize;
            if place >= found {
                break;
            }
            names &= names - 1;
            let name = NAMES.get(place).map_or(&[][..], |name| name.as_bytes());
            let part = text.get(start..start + name.len());
            if part.is_some_and(|part| part.eq_ignore_ascii_case(name)) {
                found = place;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognizes_agents_by_name() {
        for (agent, expected) in [
            ("sitecast/0.1.0 (+https://example.com)", "sitecast"),
            (
                "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)",
                "GPTBot",
            ),
            ("mozilla/5.0 (compatible; CLAUDEBOT/1.0)", "ClaudeBot"),
            ("Mozilla/5.0 (X11; Linux x86_64)", "Mozilla"),
            ("curl/8.0", "curl"),
            ("", "other"),
            ("Mozilla/5.0 (curious; cur", "Mozilla"),
            ("curl/8.0 sitecast", "sitecast"),
            ("GPTBo", "other"),
        ] {
            assert_eq!(NAMES[of(Some(agent.as_bytes()))], expected, "{agent}");
        }
        assert_eq!(of(None), OTHER);
    }
}
