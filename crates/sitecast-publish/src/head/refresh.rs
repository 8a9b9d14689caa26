use std::str::Chars;

/// A `<meta http-equiv="refresh">`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refresh {
    /// After how many seconds; parts of a second do not count.
    pub(crate) seconds: u32,
    /// The target, not resolved; `None` for the page itself.
    pub(crate) url: Option<String>,
}

impl Refresh {
    /// Reads the `content` as browsers do (HTML, "shared declarative refresh steps"); `None` where they would
    /// do nothing.
    pub(super) fn parse(content: &str) -> Option<Self> {
        let mut rest = content.trim_start_matches(is_space).chars();
        let digits = take_while(&mut rest, |c| c.is_ascii_digit());
        if digits.is_empty() && !rest.as_str().starts_with('.') {
            return None;
        }
        let seconds = if digits.is_empty() {
            0
        } else {
            digits.parse().unwrap_or(u32::MAX)
        };
        take_while(&mut rest, |c| c.is_ascii_digit() || c == '.');
        let rest = rest.as_str();
        if !rest.is_empty() && !rest.starts_with(|c| is_space(c) || matches!(c, ';' | ',')) {
            return None;
        }
        let rest = rest.trim_start_matches(is_space);
        let rest = rest.strip_prefix([';', ',']).unwrap_or(rest);
        let url = unquoted(without_label(rest.trim_start_matches(is_space))).trim_matches(is_space);
        Some(Self {
            seconds,
            url: (!url.is_empty()).then(|| url.to_owned()),
        })
    }
}

/// The white space of HTML.
fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\x0c' | '\r')
}

fn take_while<'t>(chars: &mut Chars<'t>, wanted: impl Fn(char) -> bool) -> &'t str {
    let text = chars.as_str();
    let end = text.find(|c| !wanted(c)).unwrap_or(text.len());
    let (taken, rest) = text.split_at_checked(end).unwrap_or((text, ""));
    *chars = rest.chars();
    taken
}

/// Returns the text after `url=`, or all of it without one.
fn without_label(text: &str) -> &str {
    let labelled = || {
        let (label, rest) = text.split_at_checked(3)?;
        if !label.eq_ignore_ascii_case("url") {
            return None;
        }
        let rest = rest.trim_start_matches(is_space).strip_prefix('=')?;
        Some(rest.trim_start_matches(is_space))
    };
    labelled().unwrap_or(text)
}

/// Returns the text within quotes, or all of it without any.
fn unquoted(text: &str) -> &str {
    for quote in ['"', '\''] {
        if let Some(rest) = text.strip_prefix(quote) {
            return rest.split_once(quote).map_or(rest, |(url, _)| url);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_that_browsers_follow() {
        for (content, seconds, url) in [
            ("0;url=/x", 0, Some("/x")),
            ("0; url=/x", 0, Some("/x")),
            ("0; URL='/x'", 0, Some("/x")),
            ("0;URL=\"/x\"", 0, Some("/x")),
            ("0 ; Url = /x ", 0, Some("/x")),
            ("0, url=/x", 0, Some("/x")),
            ("0 url=/x", 0, Some("/x")),
            ("0; /x", 0, Some("/x")),
            ("0; '/x'", 0, Some("/x")),
            ("0;url='/x", 0, Some("/x")),
            ("0;url='/x' ignored", 0, Some("/x")),
            ("0;url=/x?a='b'", 0, Some("/x?a='b'")),
            ("0;urls", 0, Some("urls")),
            ("5", 5, None),
            (" 5 ", 5, None),
            ("5;", 5, None),
            ("5;url=", 5, None),
            ("5;url=''", 5, None),
            ("1.9;url=/x", 1, Some("/x")),
            (".5;url=/x", 0, Some("/x")),
            ("99999999999;url=/x", u32::MAX, Some("/x")),
            ("\n0;\turl=\r/ä", 0, Some("/ä")),
        ] {
            let url = url.map(str::to_owned);
            assert_eq!(
                Refresh::parse(content),
                Some(Refresh { seconds, url }),
                "{content}"
            );
        }
    }

    #[test]
    fn forms_that_browsers_ignore() {
        for content in [
            "",
            "url=/x",
            "; url=/x",
            "x",
            "-1; url=/x",
            "0x;url=/x",
            "5s",
        ] {
            assert_eq!(Refresh::parse(content), None, "{content}");
        }
    }
}
