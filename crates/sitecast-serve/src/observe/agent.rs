//! Which program asks, as it says itself.

/// Known names, as they stand in `User-Agent`. The list is fixed so that nobody can fill the
/// server's memory with names.
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

/// The last of the names: none of the others, or nothing said.
const OTHER: usize = NAMES.len() - 1;

/// The place of the agent's name in [`NAMES`]. Browsers and many crawlers begin with `Mozilla`, so that
/// is looked for last.
pub(crate) fn of(user_agent: Option<&[u8]>) -> usize {
    let Some(text) = user_agent else { return OTHER };
    let text = text.get(..256).unwrap_or(text);
    NAMES
        .iter()
        .take(OTHER)
        .position(|name| contains(text, name.as_bytes()))
        .unwrap_or(OTHER)
}

fn contains(text: &[u8], name: &[u8]) -> bool {
    text.windows(name.len())
        .any(|part| part.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_are_told_by_their_names() {
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
        ] {
            assert_eq!(NAMES[of(Some(agent.as_bytes()))], expected, "{agent}");
        }
        assert_eq!(of(None), OTHER);
    }
}
