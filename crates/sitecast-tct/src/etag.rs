//! Entity tags and conditional requests (RFC 9110 §8.8.3, §13).

use std::fmt;

/// An entity tag: `"abc"`, or `W/"abc"` if it is weak.
///
/// ```
/// use sitecast_tct::EntityTag;
///
/// let strong = EntityTag::parse("\"sha256-ab\"").unwrap();
/// let weak = EntityTag::parse("W/\"sha256-ab\"").unwrap();
/// assert!(strong.weak_eq(&weak) && !strong.strong_eq(&weak));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct EntityTag<'t> {
    weak: bool,
    opaque: &'t str,
}

impl<'t> EntityTag<'t> {
    /// Parses an entity tag. Spaces and tabs around it are allowed.
    pub fn parse(text: &'t str) -> Option<Self> {
        let (tag, rest) = Self::take(text.trim_matches([' ', '\t']))?;
        rest.is_empty().then_some(tag)
    }

    /// Builds a strong tag; `None` if `opaque` contains a character that a tag must not have.
    pub fn strong(opaque: &'t str) -> Option<Self> {
        opaque.chars().all(is_tag_character).then_some(Self {
            weak: false,
            opaque,
        })
    }

    /// Splits a tag from the start of a list.
    fn take(text: &'t str) -> Option<(Self, &'t str)> {
        let (weak, rest) = match text.strip_prefix("W/") {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (opaque, rest) = rest.strip_prefix('"')?.split_once('"')?;
        let tag = Self { weak, opaque };
        opaque.chars().all(is_tag_character).then_some((tag, rest))
    }

    /// Returns true for a weak tag.
    pub fn is_weak(&self) -> bool {
        self.weak
    }

    /// Returns the text between the quotes.
    pub fn opaque(&self) -> &'t str {
        self.opaque
    }

    /// Strong comparison (`If-Match`, `If-Range`): both tags are strong and equal.
    pub fn strong_eq(&self, other: &EntityTag<'_>) -> bool {
        !self.weak && !other.weak && self.opaque == other.opaque
    }

    /// Weak comparison (`If-None-Match`): the tags are equal, weak or not.
    pub fn weak_eq(&self, other: &EntityTag<'_>) -> bool {
        self.opaque == other.opaque
    }
}

impl fmt::Display for EntityTag<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = if self.weak { "W/" } else { "" };
        write!(f, "{mark}\"{}\"", self.opaque)
    }
}

/// `etagc` of RFC 9110 §8.8.3: visible ASCII except the quote, and all characters beyond ASCII.
fn is_tag_character(c: char) -> bool {
    c == '!' || ('#'..='~').contains(&c) || c >= '\u{80}'
}

/// Removes the quotes and the `W/` that intermediaries add. Sitemaps and payloads contain tags in this form.
///
/// ```
/// use sitecast_tct::clean_etag;
///
/// assert_eq!(clean_etag("\"sha256-ab\""), "sha256-ab");
/// assert_eq!(clean_etag("W/\"sha256-ab\""), "sha256-ab");
/// assert_eq!(clean_etag("sha256-ab"), "sha256-ab");
/// ```
pub fn clean_etag(value: &str) -> &str {
    let value = value.trim();
    let value = value.strip_prefix("W/").unwrap_or(value);
    value
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'))
        .unwrap_or(value)
}

/// The value of `If-None-Match` or `If-Match`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TagList<'h> {
    /// `*`: matches any representation.
    Any,
    /// Matches any of these tags.
    Tags(Vec<EntityTag<'h>>),
}

/// The most tags that are read from a list, against attacks with endless lists.
const MAX_TAGS: usize = 256;

impl<'h> TagList<'h> {
    /// Parses the value of the header. Join several headers of the same name with commas. Parsing ends at the first
    /// malformed tag; the tags before it count.
    ///
    /// ```
    /// use sitecast_tct::{EntityTag, TagList};
    ///
    /// let list = TagList::parse("\"a\", W/\"b,c\" , \"d\"");
    /// assert!(list.matches_weak(&EntityTag::parse("\"b,c\"").unwrap()));
    /// assert!(!list.matches_strong(&EntityTag::parse("\"b,c\"").unwrap()));
    /// ```
    pub fn parse(value: &'h str) -> Self {
        let mut rest = value.trim_matches([' ', '\t', ',']);
        if rest == "*" {
            return Self::Any;
        }
        let mut tags = Vec::new();
        while tags.len() < MAX_TAGS
            && let Some((tag, after)) = EntityTag::take(rest)
        {
            tags.push(tag);
            let next = after.trim_start_matches([' ', '\t']);
            if !next.starts_with(',') {
                break;
            }
            rest = next.trim_start_matches([' ', '\t', ',']);
        }
        Self::Tags(tags)
    }

    /// Returns true if a tag of the list matches by weak comparison: `If-None-Match` is then answered with 304.
    pub fn matches_weak(&self, tag: &EntityTag<'_>) -> bool {
        match self {
            Self::Any => true,
            Self::Tags(tags) => tags.iter().any(|other| other.weak_eq(tag)),
        }
    }

    /// Returns true if a tag of the list matches by strong comparison, as `If-Match` requires.
    pub fn matches_strong(&self, tag: &EntityTag<'_>) -> bool {
        match self {
            Self::Any => true,
            Self::Tags(tags) => tags.iter().any(|other| other.strong_eq(tag)),
        }
    }
}

/// Returns true if a conditional GET or HEAD is to be answered with 304.
///
/// `If-Modified-Since` counts only if there is no `If-None-Match` (RFC 9110 §13.1.3). Times are in whole seconds since
/// 1970, the precision of HTTP dates.
pub fn is_not_modified(
    etag: &EntityTag<'_>,
    modified: Option<i64>,
    if_none_match: Option<&str>,
    if_modified_since: Option<i64>,
) -> bool {
    match if_none_match {
        Some(value) => TagList::parse(value).matches_weak(etag),
        None => {
            matches!((modified, if_modified_since), (Some(modified), Some(since)) if modified <= since)
        }
    }
}

/// Returns true if the `If-Range` of a request holds: its entity tag matches by strong comparison, or its time is exactly
/// that of the last change. Otherwise the server ignores `Range` and sends the whole representation.
///
/// `since` is `value` as a time in seconds since 1970, if it is an HTTP date.
pub fn if_range_holds(
    value: &str,
    since: Option<i64>,
    etag: &EntityTag<'_>,
    modified: Option<i64>,
) -> bool {
    match EntityTag::parse(value) {
        Some(tag) => tag.strong_eq(etag),
        None => since.is_some() && since == modified,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tag(text: &str) -> EntityTag<'_> {
        EntityTag::parse(text).unwrap()
    }

    #[test]
    fn etags_must_be_quoted_strings() {
        for text in ["\"\"", "\"a\"", "W/\"a\"", "\"!#~\"", " \"é\" "] {
            assert_eq!(tag(text).to_string(), text.trim(), "{text}");
        }
        for text in [
            "",
            "a",
            "\"a",
            "a\"",
            "w/\"a\"",
            "\"a\"b",
            "\"a b\"",
            "\"a\tb\"",
            "W/ \"a\"",
            "\"\u{7f}\"",
        ] {
            assert_eq!(EntityTag::parse(text), None, "{text}");
        }
        assert_eq!(EntityTag::strong("a\"b"), None);
        assert_eq!(EntityTag::strong("a").unwrap().to_string(), "\"a\"");
    }

    /// The table of RFC 9110 §8.8.3.2.
    #[test]
    fn strong_and_weak_comparison() {
        for (a, b, strong, weak) in [
            ("W/\"1\"", "W/\"1\"", false, true),
            ("W/\"1\"", "W/\"2\"", false, false),
            ("W/\"1\"", "\"1\"", false, true),
            ("\"1\"", "\"1\"", true, true),
        ] {
            assert_eq!(
                (tag(a).strong_eq(&tag(b)), tag(a).weak_eq(&tag(b))),
                (strong, weak),
                "{a} {b}"
            );
        }
    }

    #[test]
    fn lists_of_if_none_match() {
        for (list, matching) in [
            ("*", "any"),
            (" * ", "any"),
            ("\"a\"", "a"),
            ("W/\"a\"", "a"),
            ("\"x\",\"a\"", "a x"),
            ("\"x\" ,, \"a\" , ", "a x"),
            (",\"a\"", "a"),
            ("\"x,y\", \"a\"", "a x,y"),
            ("\"x\" \"a\"", "x"),
            ("\"x\", oops, \"a\"", "x"),
            ("a", ""),
            ("", ""),
            ("\"*\"", "*"),
            ("*, \"a\"", ""),
        ] {
            let list = TagList::parse(list);
            for opaque in ["a", "x", "x,y", "*"] {
                let text = format!("\"{opaque}\"");
                let expected = matching == "any" || matching.split(' ').any(|m| m == opaque);
                assert_eq!(
                    list.matches_weak(&tag(&text)),
                    expected,
                    "{list:?} {opaque}"
                );
            }
        }
        let endless = "\"a\",".repeat(100_000);
        assert!(matches!(TagList::parse(&endless), TagList::Tags(tags) if tags.len() == MAX_TAGS));
    }

    #[test]
    fn range_must_be_ignored_if_the_if_range_validator_is_weak_or_different() {
        let etag = tag("\"a\"");
        assert!(if_range_holds("\"a\"", None, &etag, None));
        assert!(!if_range_holds("W/\"a\"", None, &etag, None));
        assert!(!if_range_holds("\"a\"", None, &tag("W/\"a\""), None));
        assert!(!if_range_holds("\"b\"", None, &etag, Some(5)));
        let date = "Wed, 21 Oct 2025 07:28:00 GMT";
        assert!(if_range_holds(date, Some(5), &etag, Some(5)));
        assert!(!if_range_holds(date, Some(6), &etag, Some(5)));
        assert!(!if_range_holds("rubbish", None, &etag, None));
    }

    #[test]
    fn if_none_match_must_take_precedence_over_if_modified_since() {
        let etag = tag("\"a\"");
        // The tag does not match, so the page is modified, whatever the date says. The draft's step 3 differs.
        assert!(!is_not_modified(&etag, Some(10), Some("\"b\""), Some(20)));
        assert!(is_not_modified(&etag, Some(10), Some("\"a\""), Some(5)));
        assert!(is_not_modified(&etag, Some(10), None, Some(10)));
        assert!(!is_not_modified(&etag, Some(11), None, Some(10)));
        assert!(!is_not_modified(&etag, None, None, Some(10)));
        assert!(!is_not_modified(&etag, Some(10), None, None));
    }
}
