//! Checks whether a text looks like the name of an author.

use super::text::fold;

/// Returns true if a text can be a name: not a placeholder, a URL or template syntax.
pub(super) fn is_plausible(name: &str) -> bool {
    let chars = name.chars().count();
    (2..=90).contains(&chars)
        && name.chars().any(char::is_alphabetic)
        && !is_placeholder(&fold(name))
        && name
            .split_whitespace()
            .any(|word| !is_connecting_word(word))
        && !name.contains("http:")
        && !name.contains("https:")
        && !name.contains("www.")
        && !name.contains(['{', '}', '<', '>', '='])
        && !name.starts_with("page.")
        && !name.contains("head.")
}

fn is_placeholder(folded: &str) -> bool {
    matches!(
        folded,
        "admin"
            | "administrator"
            | "editor"
            | "editors"
            | "webmaster"
            | "user"
            | "guest"
            | "author"
            | "staff"
            | "anonymous"
            | "unknown"
            | "null"
            | "none"
            | "undefined"
            | "root"
            | "superadmin"
            | "siteadmin"
            | "wpadmin"
            | "wpengine"
            | "default"
            | "system"
            | "marketing"
            | "content"
            | "n a"
            | "author name"
            | "about the author"
            | "view all posts"
            | "follow"
            | "share"
            | "posted"
            | "no author"
            | "test"
            | "super user"
            | "the author"
            | "by"
            | "share this"
            | "read more"
            | "sign in"
            | "log in"
            | "click here"
            | "category"
            | "request demo"
            | "learn more"
            | "subscribe"
            | "the"
    )
}

/// Returns true if a text is written like the names of people.
pub(super) fn is_like_person(name: &str) -> bool {
    let words: Vec<&str> = name.split_whitespace().collect();
    (1..=14).contains(&words.len())
        && name.chars().count() <= 80
        && !name
            .contains(|c: char| c.is_numeric() || matches!(c, '?' | '!' | ':' | ';' | '"' | '“'))
        && words.iter().all(|word| {
            word.starts_with(char::is_uppercase)
                || !word
                    .starts_with(|c: char| c.is_alphabetic() && (c.is_lowercase() || c.is_ascii()))
                    && word.starts_with(char::is_alphabetic)
                || is_particle(&word.to_lowercase())
        })
        && !has_sentence(&words)
}

/// Returns true for words between or before names that are not names themselves. `Van` and `Dan` with a capital are names.
fn is_connecting_word(word: &str) -> bool {
    is_particle(word)
        || matches!(
            word,
            "And"
                | "AND"
                | "The"
                | "or"
                | "with"
                | "by"
                | "By"
                | "und"
                | "mit"
                | "et"
                | "avec"
                | "par"
                | "och"
                | "og"
                | "oraz"
                | "és"
                | "și"
                | "и"
                | "та"
        )
}

fn is_particle(word: &str) -> bool {
    matches!(
        word,
        "and"
            | "de"
            | "van"
            | "von"
            | "der"
            | "la"
            | "the"
            | "of"
            | "&"
            | "di"
            | "del"
            | "da"
            | "bin"
            | "al"
            | "le"
    )
}

/// Returns true if a sentence begins in the text: `Jane Doe. Photos by`.
fn has_sentence(words: &[&str]) -> bool {
    words.windows(3).any(|window| {
        let [end, first, second] = window else {
            return false;
        };
        end.ends_with('.')
            && first.len() > 1
            && first.starts_with(|c: char| c.is_ascii_uppercase())
            && first.chars().skip(1).all(|c| c.is_ascii_lowercase())
            && second.chars().all(|c| c.is_ascii_lowercase())
    })
}

/// Returns true if a text can be a user name of a forum.
pub(super) fn is_like_user(name: &str) -> bool {
    (2..=40).contains(&name.chars().count())
        && name.split_whitespace().count() <= 4
        && !name.contains(['?', '!', '"', '“', ':', ';'])
        && name.chars().any(char::is_alphabetic)
}

/// Returns true if a text looks like a login name, which counts only if there is no other name.
pub(super) fn is_login(name: &str) -> bool {
    !name.contains(' ')
        && (!name.chars().any(char::is_uppercase)
            || name.contains(|c: char| c.is_ascii_digit())
            || name.contains('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognizes_names() {
        for name in [
            "Jane Doe",
            "Ludwig van Beethoven",
            "Jane Doe and John Roe",
            "山田太郎",
        ] {
            assert!(is_like_person(name), "{name}");
        }
        for text in [
            "jane",
            "How to cook",
            "Jane Doe, 32",
            "What?",
            "Jane Doe. Photos by others",
        ] {
            assert!(!is_like_person(text), "{text}");
        }
        for text in ["and", "And", "van der", "von &", "und", "et", "и"] {
            assert!(!is_plausible(text), "{text}");
            assert!(is_plausible(&format!("{text} Jane")), "{text}");
        }
        assert!(is_plausible("Van") && is_plausible("dan"));
        for text in ["admin", "N/A", "https://x", "{{author}}", "42", "x"] {
            assert!(!is_plausible(text), "{text}");
        }
        assert!(is_login("jdoe") && is_login("Jane99") && !is_login("Jane"));
    }
}
