//! The robots directives of a page, from `meta` elements and the HTTP header `X-Robots-Tag`.

use super::head::Head;

/// Further directives are ignored.
const MAX_DIRECTIVES: usize = 50;

/// Returns the directives for all crawlers, from `<meta name="robots">` and then from the HTTP header `X-Robots-Tag`, in lower
/// case, each once.
pub(super) fn robots(head: &Head, header: Option<&str>) -> Vec<String> {
    let mut found = Directives::default();
    for content in head.all_meta("robots") {
        found.read(content);
    }
    // Each line is a header of its own.
    for line in header.unwrap_or_default().lines() {
        found.read(line);
    }
    found.list
}

#[derive(Default)]
struct Directives {
    list: Vec<String>,
}

impl Directives {
    fn read(&mut self, text: &str) {
        let text = text.to_lowercase();
        // Directives after the name of a bot apply only to it, up to the next name.
        let mut for_all = true;
        let mut pieces = text
            .split([',', ';'])
            .map(str::trim)
            .filter(|piece| !piece.is_empty())
            .peekable();
        while let Some(piece) = pieces.next() {
            let mut directive = piece;
            if let Some((name, value)) = piece.split_once(':') {
                let name = name.trim();
                if name == "unavailable_after" {
                    let mut value = value.trim().to_owned();
                    // The value may contain commas: `Wed, 25 Jun 2025 15:00:00 GMT`. No directive begins with a digit.
                    while let Some(rest) =
                        pieces.next_if(|next| next.starts_with(|c: char| c.is_ascii_digit()))
                    {
                        value = format!("{value}, {rest}");
                    }
                    if for_all {
                        self.add(&format!("{name}: {value}"));
                    }
                    continue;
                }
                if !robots_directive_has_value(name) {
                    for_all = matches!(name, "*" | "robots");
                    directive = value.trim();
                }
            }
            if for_all {
                self.add_words(directive);
            }
        }
    }

    /// Adds a directive, or several without commas, such as `noindex nofollow`, if all are known.
    fn add_words(&mut self, directive: &str) {
        if directive.contains(' ') && directive.split_whitespace().all(is_robots_directive) {
            for word in directive.split_whitespace() {
                self.add(word);
            }
        } else {
            let joined: String = directive.split_whitespace().collect();
            let kept = if robots_directive_has_value(joined.split(':').next().unwrap_or_default()) {
                &joined
            } else {
                directive
            };
            self.add(kept);
        }
    }

    fn add(&mut self, directive: &str) {
        if !directive.is_empty()
            && directive.len() <= 100
            && self.list.len() < MAX_DIRECTIVES
            && !self.list.iter().any(|other| other == directive)
        {
            self.list.push(directive.to_owned());
        }
    }
}

/// Returns true for robots directives without a value, in lower case: `noindex`.
pub fn is_robots_directive(word: &str) -> bool {
    matches!(
        word,
        "all"
            | "index"
            | "follow"
            | "noindex"
            | "nofollow"
            | "none"
            | "noarchive"
            | "nosnippet"
            | "noimageindex"
            | "notranslate"
            | "nocache"
            | "noodp"
            | "noydir"
            | "noai"
            | "noimageai"
            | "indexifembedded"
    )
}

/// Returns true for the names of robots directives with a value, in lower case: `max-snippet` of `max-snippet:0`.
pub fn robots_directive_has_value(name: &str) -> bool {
    matches!(
        name,
        "max-snippet" | "max-image-preview" | "max-video-preview" | "unavailable_after"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use crate::dom::parse;
    use crate::metadata::metadata_elements::MetadataElements;

    fn directives(html: &str, header: Option<&str>) -> Vec<String> {
        let dom = parse(html, &Limits::default());
        robots(&Head::of(&dom, &MetadataElements::of(&dom)), header)
    }

    #[test]
    fn reads_directives_of_meta_and_header() {
        for (html, header, expected) in [
            (
                "<meta name=robots content='NOINDEX, nofollow'>",
                None,
                vec!["noindex", "nofollow"],
            ),
            (
                "<meta name=ROBOTS content='noindex nofollow'>",
                None,
                vec!["noindex", "nofollow"],
            ),
            (
                "<meta name=robots content='index,follow, index,,'>",
                None,
                vec!["index", "follow"],
            ),
            (
                "<meta name=robots content=all><meta name=robots content=noarchive>",
                None,
                vec!["all", "noarchive"],
            ),
            (
                "<meta name=robots content='max-snippet: -1, max-image-preview:large'>",
                None,
                vec!["max-snippet:-1", "max-image-preview:large"],
            ),
            ("<meta name=googlebot content=noindex>", None, vec![]),
            ("", Some("noindex"), vec!["noindex"]),
            (
                "<meta name=robots content=noindex>",
                Some("NoIndex, noarchive"),
                vec!["noindex", "noarchive"],
            ),
            ("", Some("googlebot: noindex, nofollow"), vec![]),
            ("", Some("noarchive, googlebot: noindex"), vec!["noarchive"]),
            (
                "",
                Some("googlebot: noindex, *: nosnippet"),
                vec!["nosnippet"],
            ),
            ("", Some("googlebot: noindex\nnofollow"), vec!["nofollow"]),
            ("", Some("googlebot: max-snippet:10"), vec![]),
            (
                "",
                Some("unavailable_after: Wed, 25 Jun 2025 15:00:00 GMT, noarchive"),
                vec![
                    "unavailable_after: wed, 25 jun 2025 15:00:00 gmt",
                    "noarchive",
                ],
            ),
            (
                "<meta name=robots content='unavailable_after: Jun 25, 2025 15:00:00 PST; noindex;nofollow'>",
                None,
                vec![
                    "unavailable_after: jun 25, 2025 15:00:00 pst",
                    "noindex",
                    "nofollow",
                ],
            ),
            ("", None, vec![]),
        ] {
            assert_eq!(directives(html, header), expected, "{html} {header:?}");
        }
    }

    #[test]
    fn limits_number_of_directives() {
        let many: String = (0..10_000).map(|n| format!("d{n},")).collect();
        assert_eq!(directives("", Some(&many)).len(), MAX_DIRECTIVES);
    }
}
