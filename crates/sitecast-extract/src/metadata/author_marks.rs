//! Classes and links that mark the names of authors.

use super::text::first_chars;

/// Returns true if a class, in lower case, marks the name of an author.
pub(super) fn is_author_class(class: &str) -> bool {
    class.contains("author")
        || class.contains("byline")
        || class.contains("by-line")
        || ["posted-by", "user-name", "submitted-by"]
            .iter()
            .any(|name| class.split_whitespace().any(|word| word.contains(name)))
        || class
            .split(|c: char| c.is_whitespace() || c == '_' || c == '-')
            .map(|word| word.strip_suffix('s').unwrap_or(word))
            .any(|word| {
                matches!(
                    word,
                    "writer"
                        | "creator"
                        | "username"
                        | "contributor"
                        | "poster"
                        | "auteur"
                        | "autor"
                        | "submittedby"
                )
            })
}

/// Returns true if a class, in any case, has one of a few letter pairs. Every class that [`is_author_class`] accepts has one:
/// this check is cheap and rules out most classes.
pub(super) fn may_be_author_class(class: &str) -> bool {
    let mut previous = 0;
    class.bytes().any(|byte| {
        let byte = byte.to_ascii_lowercase();
        matches!(
            (std::mem::replace(&mut previous, byte), byte),
            (b'e' | b'o' | b'u', b'r') | (b'b', b'y')
        )
    })
}

/// Returns true if a link leads to a page about an author.
pub(super) fn leads_to_author(href: &str) -> bool {
    if href.is_empty() || href.len() > 500 {
        return false;
    }
    let asks_for_author = memchr::memchr_iter(b'=', href.as_bytes()).any(|at| {
        let before = href.get(at.saturating_sub("?author".len())..at);
        before.is_some_and(|name| {
            name.eq_ignore_ascii_case("?author") || name.eq_ignore_ascii_case("&author")
        })
    });
    if asks_for_author {
        return true;
    }
    let path = href.strip_suffix('/').unwrap_or(href);
    split_last(path).is_some_and(|(before, last)| {
        split_last(before).is_some_and(|(_, part)| is_people(part))
            && !last.is_empty()
            && !last.contains(['?', '#'])
            && !is_source_file(last)
    })
}

/// Returns true for names of source files: `writer/RecordWriter.java`.
fn is_source_file(name: &str) -> bool {
    const ENDINGS: &[&str] = &[
        "c", "cc", "cpp", "cs", "css", "go", "h", "hpp", "java", "js", "json", "kt", "md", "mjs",
        "py", "rb", "rs", "rst", "scala", "sh", "sql", "swift", "toml", "ts", "tsx", "xml", "yaml",
        "yml",
    ];
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    ending.is_some_and(|ending| {
        ENDINGS
            .iter()
            .any(|known| ending.eq_ignore_ascii_case(known))
    })
}

/// Splits a path at its last slash.
fn split_last(path: &str) -> Option<(&str, &str)> {
    let slash = path.bytes().rposition(|byte| byte == b'/')?;
    Some((path.get(..slash)?, path.get(slash + 1..)?))
}

/// Returns true for path segments above pages about authors.
fn is_people(part: &str) -> bool {
    let names: &[&str] = match part.len() {
        2 => &["by"],
        4 => &["team"],
        5 => &["autor", "staff"],
        6 => &["author", "writer", "auteur", "people", "expert", "editor"],
        7 => &["authors", "writers", "autoren", "experts", "editors"],
        8 => &["reporter"],
        9 => &["columnist", "reporters"],
        10 => &["columnists", "journalist"],
        11 => &["contributor"],
        12 => &["contributors"],
        _ => &[],
    };
    names.iter().any(|name| part.eq_ignore_ascii_case(name))
}

/// Returns true if a link leads to the profile of a forum member.
pub(super) fn leads_to_user(href: &str) -> bool {
    let href = first_chars(href, 500).to_lowercase();
    ["member.php", "memberlist.php", "profile.php"]
        .iter()
        .any(|page| href.contains(page))
        || [
            "/user/",
            "/users/",
            "/member/",
            "/members/",
            "/u/",
            "/profile/",
            "/profiles/",
        ]
        .iter()
        .any(|part| href.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognizes_author_classes() {
        for class in [
            "author",
            "post-author-name",
            "entry__byline",
            "by-line",
            "writer",
            "posted-by x",
            "username",
            "autor",
        ] {
            assert!(is_author_class(class), "{class}");
            assert!(may_be_author_class(&class.to_uppercase()), "{class}");
        }
        for class in ["typewriter", "post", "creators2", ""] {
            assert!(!is_author_class(class), "{class}");
        }
    }

    #[test]
    fn recognizes_links_to_authors() {
        for href in [
            "/author/jane",
            "https://x.example/Authors/jane/",
            "/people/jane",
            "/people/jane.html",
            "/people/jane.doe",
            "/?author=3",
            "/x?a=b&author=3",
        ] {
            assert!(leads_to_author(href), "{href}");
        }
        for href in [
            "",
            "/authors/",
            "/author",
            "author/jane",
            "/author/jane/posts",
            "/author/#x",
            "/sink/writer/ElementConverter.java",
            "/blog/jane",
        ] {
            assert!(!leads_to_author(href), "{href}");
        }
        assert!(
            leads_to_user("/u/jane") && leads_to_user("member.php?u=1") && !leads_to_user("/about")
        );
    }
}
