//! Splitting titles such as `Page – Section | Site`, and removing the name of the site.

use super::site_name::{NameMatch, SiteNames};
use super::text::{fold, squeeze};

/// A title as parts and the separators between them: `parts.len() == separators.len() + 1`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SplitTitle<'t> {
    pub(super) parts: Vec<&'t str>,
    separators: Vec<&'t str>,
}

/// Returns true for characters that separate parts if spaces surround them.
fn separates_in_spaces(c: char) -> bool {
    matches!(
        c,
        '|' | '–'
            | '—'
            | '-'
            | '·'
            | '•'
            | '»'
            | '›'
            | '«'
            | '‹'
            | '~'
            | '/'
            | '⋆'
            | '∙'
            | '⋅'
            | ':'
            | '｜'
            | '−'
            | '⎯'
    )
}

/// Returns true for characters that separate parts with or without spaces.
fn separates_alone(c: char) -> bool {
    matches!(c, '|' | '»' | '•' | '｜')
}

impl<'t> SplitTitle<'t> {
    /// Splits a title, whose only white space is single spaces.
    pub(super) fn of(title: &'t str) -> Self {
        let mut split = Self {
            parts: Vec::new(),
            separators: Vec::new(),
        };
        let mut start = 0;
        let mut at = 0;
        while let Some(rest) = title.get(at..).filter(|rest| !rest.is_empty()) {
            let length = separator_length(title.get(start..at).unwrap_or_default(), rest);
            if length == 0 {
                at += rest.chars().next().map_or(1, char::len_utf8);
                continue;
            }
            split.parts.push(title.get(start..at).unwrap_or_default());
            split
                .separators
                .push(title.get(at..at + length).unwrap_or_default());
            at += length;
            start = at;
        }
        split.parts.push(title.get(start..).unwrap_or_default());
        split
    }

    /// Joins the parts `from..to` with their separators.
    pub(super) fn join(&self, from: usize, to: usize) -> String {
        let mut out = String::new();
        for (at, part) in self.parts.iter().enumerate().take(to).skip(from) {
            out.push_str(part);
            if at + 1 < to {
                out.push_str(self.separators.get(at).copied().unwrap_or_default());
            }
        }
        out
    }
}

/// Returns the length in bytes of the separator at the start of `text`, or 0. `2026 / 2027` has no separator.
fn separator_length(before: &str, text: &str) -> usize {
    let mut chars = text.chars();
    let may_separate = match chars.next() {
        Some(' ') => chars.next().is_some_and(separates_in_spaces),
        Some(c) => separates_alone(c),
        None => false,
    };
    if !may_separate {
        return 0;
    }
    let spaced = text.strip_prefix(' ');
    let body = spaced.unwrap_or(text);
    let run = body.find(|c| !separates_in_spaces(c)).unwrap_or(body.len());
    let after = body.get(run..).unwrap_or_default();
    let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let range = matches!(body.get(..run), Some("/" | "-" | "–"))
        && is_digit(before.chars().next_back())
        && is_digit(after.trim_start().chars().next());
    if run > 0 && !range && spaced.is_some() && after.starts_with(' ') {
        return 1 + run + 1;
    }
    match body.chars().next() {
        Some(c) if separates_alone(c) => {
            let after = body.get(c.len_utf8()..).unwrap_or_default();
            usize::from(spaced.is_some()) + c.len_utf8() + usize::from(after.starts_with(' '))
        }
        _ => 0,
    }
}

/// Returns the title of the front page. Only a name of the site in the last part is removed, and only if a title remains.
pub(super) fn front_page_title(title: &str, site: &SiteNames) -> String {
    let title = squeeze(title);
    let split = SplitTitle::of(&title);
    let rest = split.join(0, split.parts.len().saturating_sub(1));
    let names_site = |part: &&str| site.is_site(part, NameMatch::Close);
    match split.parts.last().filter(|last| names_site(last)) {
        Some(_) if !rest.is_empty() && !super::title::is_generic_heading(&fold(&rest)) => rest,
        _ => title,
    }
}

/// Removes the name of the site before or after a title.
pub(super) fn without_site(title: &str, site: &SiteNames) -> String {
    let title = squeeze(title);
    let split = SplitTitle::of(&title);
    let part = |at: usize| split.parts.get(at).copied().unwrap_or_default();
    let (mut from, mut to) = (0, split.parts.len());
    while to - from > 1 {
        if site.is_site(part(to - 1), NameMatch::Close) {
            to -= 1;
        } else if (to - from > 2 && site.is_site(part(from), NameMatch::Exact))
            || is_view(part(from))
        {
            from += 1;
        } else {
            break;
        }
    }
    let mut kept = if to - from == 2 && site.is_site(part(from), NameMatch::Exact) {
        split.join(from, to)
    } else {
        part(from).to_owned()
    };
    if let Some(after) = after_site_and_colon(&kept, site) {
        kept = after.to_owned();
    }
    if let Some(before) = before_site_and_stop(&kept, site) {
        kept = before.to_owned();
    }
    let kept = kept.trim();
    if kept.is_empty() {
        title
    } else {
        kept.to_owned()
    }
}

/// Returns true for labels that forum software puts before every title.
fn is_view(part: &str) -> bool {
    matches!(
        part,
        "View topic" | "View forum" | "Viewing topic" | "View Single Post"
    )
}

/// Returns `Real title` of `Site: Real title`.
fn after_site_and_colon<'t>(title: &'t str, site: &SiteNames) -> Option<&'t str> {
    let (at, _) = title
        .match_indices([':', '.'])
        .filter(|(at, _)| {
            title
                .get(at + 1..)
                .is_some_and(|rest| rest.starts_with(' ') && rest.len() > 1)
        })
        .find(|(at, _)| {
            title
                .get(..*at)
                .is_some_and(|name| name.chars().count() >= 3)
        })?;
    let name = title.get(..at)?;
    (name.chars().count() <= 40 && site.is_stated_closely(name)).then(|| title.get(at + 2..))?
}

/// Returns `Real title` of `Real title. Site`.
fn before_site_and_stop<'t>(title: &'t str, site: &SiteNames) -> Option<&'t str> {
    let (at, name) = title
        .match_indices([':', '.', ','])
        .filter(|(at, _)| *at > 0)
        .filter_map(|(at, _)| Some((at, title.get(at + 1..)?.strip_prefix(' ')?)))
        .find(|(_, name)| (3..=41).contains(&name.chars().count()) && !name.starts_with(' '))?;
    site.is_stated(name).then(|| title.get(..at))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_and_joins_titles() {
        for (title, parts) in [
            ("One", vec!["One"]),
            ("One - Two", vec!["One", "Two"]),
            ("One|Two | Three", vec!["One", "Two", "Three"]),
            ("well-known 3/4", vec!["well-known 3/4"]),
            ("Key: value", vec!["Key: value"]),
            ("A :: B — C", vec!["A", "B", "C"]),
            ("A » B", vec!["A", "B"]),
            ("| A", vec!["", "A"]),
            (
                "Soups of 2026 / 2027 - A",
                vec!["Soups of 2026 / 2027", "A"],
            ),
            ("", vec![""]),
        ] {
            let split = SplitTitle::of(title);
            assert_eq!(split.parts, parts, "{title}");
            assert_eq!(split.join(0, split.parts.len()), title);
        }
        assert_eq!(SplitTitle::of("A | B - C | D").join(1, 3), "B - C");
    }
}
