//! `.htaccess` of Apache: passwords, refusals and `X-Robots-Tag` for a folder.
//!
//! Only what keeps readers out is understood. Conditions that this program cannot decide (`<If>`, `<IfModule>`, `env=`)
//! count as fulfilled, so that a page is left out rather than published by mistake.

use globset::{GlobBuilder, GlobMatcher};
use regex::bytes::{Regex, RegexBuilder};
use sitecast_scp::Timestamp;

use super::headers_file::header_reason;
use crate::Reason;

/// Sections within sections; deeper ones count as not understood.
const MOST_DEPTH: usize = 32;
/// Rules of one file; of more, the whole folder is left out.
const MOST_RULES: usize = 1_000;
/// Memory for one regular expression.
const MOST_REGEX_BYTES: usize = 64 << 10;

/// The rules of one file.
#[derive(Debug)]
pub(super) struct AccessRules {
    rules: Vec<Rule>,
}

#[derive(Debug)]
struct Rule {
    /// The tests that the name of a file has to pass; none: all files of the folder.
    files: Vec<FileTest>,
    says: Says,
}

#[derive(Debug, Clone)]
enum FileTest {
    Glob(GlobMatcher),
    Regex(Regex),
    /// It cannot be decided.
    Unknown,
}

#[derive(Debug, Clone)]
enum Says {
    Restricted(Reason),
    Granted,
    Robots(Reason),
    NoRobots,
}

/// What all rules that were looked at come to.
#[derive(Debug, Default)]
pub(super) struct Verdict {
    access: Option<Result<(), Reason>>,
    robots: Option<Result<(), Reason>>,
}

impl Verdict {
    /// Takes over what a file further down says.
    pub(super) fn join(&mut self, other: Self) {
        self.access = other.access.or_else(|| self.access.take());
        self.robots = other.robots.or_else(|| self.robots.take());
    }

    pub(super) fn reason(self) -> Option<Reason> {
        let access = self.access.and_then(Result::err);
        access.or_else(|| self.robots.and_then(Result::err))
    }

    fn take(&mut self, says: &Says) {
        let (place, said) = match says {
            Says::Restricted(reason) => (&mut self.access, Err(reason)),
            Says::Granted => (&mut self.access, Ok(())),
            Says::Robots(reason) => (&mut self.robots, Err(reason)),
            Says::NoRobots => (&mut self.robots, Ok(())),
        };
        // Within one file a restriction stands, whatever else is there.
        if !matches!(place, Some(Err(_))) {
            *place = Some(said.map_err(Clone::clone));
        }
    }
}

impl AccessRules {
    /// The rules of a file that cannot be read: nobody may have the folder.
    pub(super) fn unknown(path: &str, why: &str) -> Self {
        Self {
            rules: vec![Rule {
                files: Vec::new(),
                says: Says::Restricted(Reason::Access {
                    file: path.to_owned(),
                    line: 0,
                    says: why.to_owned(),
                }),
            }],
        }
    }

    pub(super) fn parse(path: &str, bytes: &[u8], now: Timestamp) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let mut sections: Vec<Section> = Vec::new();
        let mut rules = Vec::new();
        for (number, line) in logical_lines(&text) {
            let line = line.trim();
            if line.starts_with("</") {
                sections.pop();
            } else if let Some(head) = line.strip_prefix('<') {
                if sections.len() == MOST_DEPTH {
                    return Self::unknown(path, "its sections are nested too deeply");
                }
                sections.push(Section::open(head.strip_suffix('>').unwrap_or(head)));
            } else if let Some(says) = says(path, line, number, now)
                && !sections
                    .iter()
                    .any(|section| matches!(section, Section::Ignored))
            {
                if rules.len() == MOST_RULES {
                    return Self::unknown(path, "it has too many rules");
                }
                let files = sections.iter().filter_map(|section| match section {
                    Section::Files(test) => Some(test.clone()),
                    Section::Open | Section::Ignored => None,
                });
                rules.push(Rule {
                    files: files.collect(),
                    says,
                });
            }
        }
        Self { rules }
    }

    pub(super) fn len(&self) -> usize {
        self.rules.len()
    }

    /// What is said of a file of this name: by the rules for the whole folder, or by those for single files.
    pub(super) fn verdict(&self, name: &str, of_files: bool) -> Verdict {
        let mut verdict = Verdict::default();
        for rule in &self.rules {
            let applies = rule.files.iter().all(|test| test.matches(name));
            if rule.files.is_empty() != of_files && applies {
                verdict.take(&rule.says);
            }
        }
        verdict
    }
}

impl FileTest {
    fn matches(&self, name: &str) -> bool {
        match self {
            Self::Glob(glob) => glob.is_match(name),
            Self::Regex(regex) => regex.is_match(name.as_bytes()),
            Self::Unknown => true,
        }
    }

    fn glob(text: &str) -> Self {
        let glob = GlobBuilder::new(text).backslash_escape(true).build();
        glob.map_or(Self::Unknown, |glob| Self::Glob(glob.compile_matcher()))
    }

    fn regex(text: &str) -> Self {
        let regex = RegexBuilder::new(text)
            .unicode(false)
            .size_limit(MOST_REGEX_BYTES)
            .dfa_size_limit(MOST_REGEX_BYTES)
            .build();
        regex.map_or(Self::Unknown, Self::Regex)
    }
}

/// A section that is open.
enum Section {
    /// What is in it counts as if it stood outside.
    Open,
    /// What is in it keeps no reader out.
    Ignored,
    Files(FileTest),
}

impl Section {
    fn open(head: &str) -> Self {
        let words = words(head);
        let mut words = words.iter().map(String::as_str);
        let name = words.next().unwrap_or_default().to_ascii_lowercase();
        let has_get = || words.clone().any(|word| word.eq_ignore_ascii_case("get"));
        match name.as_str() {
            "limit" if !has_get() => Self::Ignored,
            "limitexcept" if has_get() => Self::Ignored,
            // What is refused in it is what is meant to be let through by it.
            "requirenone" => Self::Ignored,
            "files" => match (words.next(), words.next()) {
                (Some("~"), Some(regex)) => Self::Files(FileTest::regex(regex)),
                (Some(glob), None) => Self::Files(FileTest::glob(glob)),
                _ => Self::Files(FileTest::Unknown),
            },
            "filesmatch" => Self::Files(match (words.next(), words.next()) {
                (Some(regex), None) => FileTest::regex(regex),
                _ => FileTest::Unknown,
            }),
            _ => Self::Open,
        }
    }
}

/// What a directive says of readers; `None` for one of another kind.
fn says(path: &str, line: &str, number: u64, now: Timestamp) -> Option<Says> {
    let words = words(line);
    let lower: Vec<String> = words.iter().map(|word| word.to_ascii_lowercase()).collect();
    let lower: Vec<&str> = lower.iter().map(String::as_str).collect();
    let restricted = || {
        Some(Says::Restricted(Reason::Access {
            file: path.to_owned(),
            line: number,
            says: line.chars().take(200).collect(),
        }))
    };
    match lower.as_slice() {
        ["require", "all", "granted"] | ["allow", "from", "all"] => Some(Says::Granted),
        // A `not` lets all others in, and a method says nothing of readers.
        ["require", "not" | "method", ..] => None,
        ["require", _, ..] | ["deny", "from", "all", ..] => restricted(),
        ["authtype", "none"] => None,
        ["authtype", _, ..] => restricted(),
        ["header", rest @ ..] => {
            let skipped = usize::from(matches!(rest, ["always" | "onsuccess", ..]));
            let rest = rest.get(skipped..)?;
            let [action, header, ..] = rest else {
                return None;
            };
            if header.trim_end_matches(':') != "x-robots-tag" {
                return None;
            }
            let value = words
                .get(skipped + 3)
                .map(String::as_str)
                .unwrap_or_default();
            match (*action, header_reason(path, number, value, now)) {
                ("unset", _) | ("set", None) => Some(Says::NoRobots),
                (_, reason) => reason.map(Says::Robots),
            }
        }
        _ => None,
    }
}

/// Lines without comments, those that end in a backslash joined with the next; each with the number of its first.
fn logical_lines(text: &str) -> impl Iterator<Item = (u64, String)> {
    let mut lines = (1..).zip(text.lines());
    std::iter::from_fn(move || {
        loop {
            let (number, line) = lines.next()?;
            if line.trim_start().starts_with('#') {
                continue;
            }
            let mut whole = line.trim_end().to_owned();
            while whole.ends_with('\\') {
                whole.pop();
                match lines.next() {
                    Some((_, more)) => whole.push_str(more.trim_end()),
                    None => break,
                }
            }
            return Some((number, whole));
        }
    })
}

/// The words of a line, quotes taken off.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut chars = line.chars().peekable();
    loop {
        while chars.next_if(|c| c.is_whitespace()).is_some() {}
        let Some(first) = chars.peek().copied() else {
            return words;
        };
        let quote = matches!(first, '"' | '\'').then_some(first);
        if quote.is_some() {
            chars.next();
        }
        let mut word = String::new();
        while let Some(next) = chars.next_if(|c| quote.is_some() || !c.is_whitespace()) {
            match (next, quote) {
                (_, Some(quote)) if next == quote => break,
                // Only a quote is escaped: regular expressions have backslashes of their own.
                ('\\', Some(quote)) if chars.peek() == Some(&quote) => word.extend(chars.next()),
                _ => word.push(next),
            }
        }
        words.push(word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(text: &str, name: &str) -> Option<Reason> {
        let now = "2025-06-01T12:00:00Z".parse().unwrap();
        let rules = AccessRules::parse(".htaccess", text.as_bytes(), now);
        let mut verdict = Verdict::default();
        verdict.join(rules.verdict(name, false));
        verdict.join(rules.verdict(name, true));
        verdict.reason()
    }

    fn code(text: &str) -> Option<&'static str> {
        reason(text, "page.html").map(|reason| reason.code())
    }

    #[test]
    fn passwords_and_refusals_keep_out() {
        for text in [
            "Require valid-user",
            "require user anna bert",
            "  AuthType \"Basic\"\n",
            "Require all denied",
            "Order deny,allow\nDeny from all",
            "Require \\\n  valid-user",
            "Require ip 10.0.0.0/8",
            "<IfModule mod_authz_core.c>\nRequire all denied\n</IfModule>",
            "<RequireAny>\nRequire group staff\n</RequireAny>",
            "<Limit GET POST>\nRequire valid-user\n</Limit>",
            "<LimitExcept POST>\nRequire valid-user\n</LimitExcept>",
            "<Files \"*.html\">\nRequire valid-user\n</Files>",
            "<Files ~ \"^page\">\nDeny from all\n</Files>",
            "<FilesMatch \"\\.(html|pdf)$\">\nDeny from all\n</FilesMatch>",
            // Apache's expressions know more than ours.
            "<FilesMatch \"^(?!index).*$\">\nDeny from all\n</FilesMatch>",
            "Require all denied\n<Files index.html>\nRequire all granted\n</Files>",
        ] {
            assert_eq!(code(text), Some("access"), "{text}");
        }
    }

    #[test]
    fn what_lets_readers_in_keeps_nothing_out() {
        for text in [
            "",
            "Options -Indexes",
            "# Require valid-user",
            "Require all granted",
            "Allow from all",
            "AuthType None",
            "<RequireAll>\nRequire all granted\nRequire not ip 10.1.2.3\n</RequireAll>",
            "<RequireNone>\nRequire ip 10.1.2.3\n</RequireNone>",
            "<LimitExcept GET HEAD>\nRequire all denied\n</LimitExcept>",
            "<Limit PUT DELETE>\nRequire valid-user\n</Limit>",
            "<Files .htaccess>\nRequire all denied\n</Files>",
            "<FilesMatch \"(^#.*#|\\.(bak|conf|log|sql|sw[op])|~)$\">\nRequire all denied\n</FilesMatch>",
            "Require all denied\n<Files page.html>\nRequire all granted\n</Files>",
            "Header set Cache-Control \"noindex\"",
            "Header set X-Robots-Tag \"index\"",
            "Header set X-Robots-Tag noindex\n<Files *.html>\nHeader unset X-Robots-Tag\n</Files>",
            "<Files *.pdf>\nHeader set X-Robots-Tag noindex\n</Files>",
        ] {
            assert_eq!(code(text), None, "{text}");
        }
    }

    #[test]
    fn robots_headers_keep_out() {
        for text in [
            "Header set X-Robots-Tag \"noindex, nofollow\"",
            "Header always append x-robots-tag 'googlebot: noindex'",
            "<If \"%{HTTP_HOST} != 'x'\">\nHeader set X-Robots-Tag noindex\n</If>",
        ] {
            assert_eq!(code(text), Some("header"), "{text}");
        }
    }

    #[test]
    fn any_text_is_read() {
        for text in [
            "</x>\n</y>",
            "<",
            "<>",
            "<Files",
            "Header",
            "\\",
            "\"",
            "<Files \"[\">\nDeny from all",
        ] {
            let _ = reason(text, "x");
        }
        assert_eq!(code(&"<If x>\n".repeat(100)), Some("access"));
        assert_eq!(
            code(&"Require user x\n".repeat(MOST_RULES + 1)),
            Some("access")
        );
    }
}
