//! `.htaccess` of Apache: passwords, refusals and `X-Robots-Tag` for a folder.
//!
//! Only what keeps readers out is understood. A condition that this program cannot decide (`<If>`, a file test of another
//! dialect) counts as fulfilled for what keeps a page out, and as not fulfilled for what lets it in, so that a page is left
//! out rather than published by mistake. Two are not judged so strictly, since nearly every site has them: what lets
//! readers in counts within `<IfModule>`, and a header that is sent under a condition (`env=`, `expr=`) keeps nothing out,
//! but the owner is told of it.

use globset::{GlobBuilder, GlobMatcher};
use regex::bytes::{Regex, RegexBuilder};
use serde::{Serialize, Serializer};
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
#[derive(Debug, Serialize)]
pub(super) struct AccessRules {
    rules: Vec<Rule>,
    /// Lines with a header that would keep pages out, and is sent under a condition.
    conditional: Vec<u64>,
}

#[derive(Debug, Serialize)]
struct Rule {
    /// The tests that the name of a file has to pass; none: all files of the folder.
    files: Vec<FileTest>,
    says: Says,
}

#[derive(Debug, Clone, Serialize)]
enum FileTest {
    #[serde(serialize_with = "glob_text")]
    Glob(GlobMatcher),
    #[serde(serialize_with = "regex_text")]
    Regex(Regex),
    /// It cannot be decided.
    Unknown,
}

fn glob_text<S: Serializer>(glob: &GlobMatcher, out: S) -> Result<S::Ok, S::Error> {
    out.collect_str(glob.glob().regex())
}

fn regex_text<S: Serializer>(regex: &Regex, out: S) -> Result<S::Ok, S::Error> {
    out.collect_str(regex.as_str())
}

/// Lets readers in, or keeps them out.
type Said = Result<(), Reason>;

/// A directive, by the module of Apache that it is for. Readers have to pass all of them.
#[derive(Debug, Clone, Serialize)]
enum Says {
    /// `Require`, `AuthType`.
    Require(Said),
    /// `Allow`, `Deny`.
    Allow(Said),
    /// `X-Robots-Tag`.
    Robots(Said),
}

/// The joint result of several rules.
#[derive(Debug, Default)]
pub(super) struct Verdict {
    require: Option<Said>,
    allow: Option<Said>,
    robots: Option<Said>,
}

impl Verdict {
    /// Takes over what a file further down says.
    pub(super) fn join(&mut self, other: Self) {
        self.require = other.require.or_else(|| self.require.take());
        self.allow = other.allow.or_else(|| self.allow.take());
        self.robots = other.robots.or_else(|| self.robots.take());
    }

    pub(super) fn reason(self) -> Option<Reason> {
        let all = [self.require, self.allow, self.robots];
        all.into_iter().flatten().find_map(Result::err)
    }

    fn take(&mut self, says: &Says) {
        let (place, said) = match says {
            Says::Require(said) => (&mut self.require, said),
            Says::Allow(said) => (&mut self.allow, said),
            Says::Robots(said) => (&mut self.robots, said),
        };
        // Within one file a restriction stands, whatever else is there.
        if !matches!(place, Some(Err(_))) {
            *place = Some(said.clone());
        }
    }
}

impl AccessRules {
    /// The rules of a file that cannot be read: it keeps its whole folder out.
    pub(super) fn unknown(path: &str, why: &str) -> Self {
        Self {
            rules: vec![Rule {
                files: Vec::new(),
                says: Says::Require(Err(Reason::Access {
                    file: path.to_owned(),
                    line: 0,
                    says: why.to_owned(),
                })),
            }],
            conditional: Vec::new(),
        }
    }

    pub(super) fn parse(path: &str, bytes: &[u8], now: Timestamp) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let mut sections: Vec<Section> = Vec::new();
        let mut found = Self {
            rules: Vec::new(),
            conditional: Vec::new(),
        };
        for (number, line) in logical_lines(&text) {
            let line = line.trim();
            if line.starts_with("</") {
                if let Some(section) = sections.pop() {
                    found.close(section);
                }
                continue;
            }
            if let Some(head) = line.strip_prefix('<') {
                if sections.len() == MOST_DEPTH {
                    return Self::unknown(path, "its sections are nested too deeply");
                }
                let head = head.strip_suffix('>').unwrap_or(head);
                sections.push(Section::open(head, found.rules.len()));
                continue;
            }
            if sections.iter().any(|s| matches!(s, Section::Ignored)) {
                continue;
            }
            match directive(path, line, number, now) {
                Directive::Other => {}
                Directive::Conditional => found.conditional.push(number),
                Directive::Says(says) => found.add(says, &mut sections),
            }
            if found.len() > MOST_RULES {
                return Self::unknown(path, "it has too many rules");
            }
        }
        found
    }

    fn add(&mut self, says: Says, sections: &mut [Section]) {
        let is_grant = match &says {
            Says::Require(said) | Says::Allow(said) | Says::Robots(said) => said.is_ok(),
        };
        if is_grant && matches!(says, Says::Require(_)) {
            let mut groups = sections.iter_mut().rev();
            let group = groups.find(|s| matches!(s, Section::All | Section::Any { .. }));
            if let Some(Section::Any { is_granted, .. }) = group {
                *is_granted = true;
            }
        }
        let is_doubtful = |section: &Section| {
            matches!(
                section,
                Section::Doubtful | Section::Files(FileTest::Unknown)
            )
        };
        if is_grant && sections.iter().any(is_doubtful) {
            return;
        }
        let files = sections.iter().filter_map(|section| match section {
            Section::Files(test) => Some(test.clone()),
            _ => None,
        });
        self.rules.push(Rule {
            files: files.collect(),
            says,
        });
    }

    /// If one of several requirements is enough, and one lets every reader in, the others have no effect.
    fn close(&mut self, section: Section) {
        if let Section::Any {
            first,
            is_granted: true,
        } = section
        {
            let within = self.rules.split_off(first.min(self.rules.len()));
            let is_refusal = |rule: &Rule| matches!(rule.says, Says::Require(Err(_)));
            self.rules
                .extend(within.into_iter().filter(|rule| !is_refusal(rule)));
        }
    }

    /// The number of rules, with those that have no effect.
    pub(super) fn len(&self) -> usize {
        self.rules.len() + self.conditional.len()
    }

    /// A note for the owner about headers that are sent under a condition.
    pub(super) fn note(&self, path: &str) -> Option<String> {
        let lines: Vec<String> = self.conditional.iter().map(u64::to_string).collect();
        let plural = if lines.len() > 1 { "s" } else { "" };
        (!lines.is_empty()).then(|| {
            format!(
                "`{path}` sends `X-Robots-Tag` under a condition in line{plural} {}, which keeps no page out here: leave \
                 out with `exclude` what it is for",
                lines.join(", ")
            )
        })
    }

    /// Returns the verdict about a file of this name: by the rules for the whole folder, or by those for single files.
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
    /// Its directives count as if they stood outside.
    Open,
    /// Its directives keep no reader out.
    Ignored,
    /// Only Apache knows whether what is in it holds.
    Doubtful,
    /// Each requirement has to be met.
    All,
    /// One requirement is enough.
    Any {
        /// The number of rules before it.
        first: usize,
        /// One of them is met by everybody.
        is_granted: bool,
    },
    Files(FileTest),
}

impl Section {
    fn open(head: &str, rules: usize) -> Self {
        let words = words(head);
        let mut words = words.iter().map(String::as_str);
        let name = words.next().unwrap_or_default().to_ascii_lowercase();
        let has_get = || words.clone().any(|word| word.eq_ignore_ascii_case("get"));
        match name.as_str() {
            "limit" if !has_get() => Self::Ignored,
            "limitexcept" if has_get() => Self::Ignored,
            "limit" | "limitexcept" | "ifmodule" | "ifversion" => Self::Open,
            // A refusal within it lets the reader through.
            "requirenone" => Self::Ignored,
            "requireall" => Self::All,
            "requireany" => Self::Any {
                first: rules,
                is_granted: false,
            },
            "files" => match (words.next(), words.next()) {
                (Some("~"), Some(regex)) => Self::Files(FileTest::regex(regex)),
                (Some(glob), None) => Self::Files(FileTest::glob(glob)),
                _ => Self::Files(FileTest::Unknown),
            },
            "filesmatch" => Self::Files(match (words.next(), words.next()) {
                (Some(regex), None) => FileTest::regex(regex),
                _ => FileTest::Unknown,
            }),
            _ => Self::Doubtful,
        }
    }
}

/// A line that opens or closes no section.
enum Directive {
    Says(Says),
    /// A header that may keep pages out, under a condition.
    Conditional,
    /// It says nothing of readers.
    Other,
}

fn directive(path: &str, line: &str, number: u64, now: Timestamp) -> Directive {
    let words = words(line);
    let lower: Vec<String> = words.iter().map(|word| word.to_ascii_lowercase()).collect();
    let lower: Vec<&str> = lower.iter().map(String::as_str).collect();
    let refusal = || {
        Err(Reason::Access {
            file: path.to_owned(),
            line: number,
            says: line.chars().take(200).collect(),
        })
    };
    let says = match lower.as_slice() {
        ["require", "all", "granted"] => Says::Require(Ok(())),
        ["allow", "from", "all"] => Says::Allow(Ok(())),
        // A `not` lets all others in, and a method says nothing of readers.
        ["require", "not" | "method", ..] | ["authtype", "none"] => return Directive::Other,
        ["require" | "authtype", _, ..] => Says::Require(refusal()),
        ["deny", "from", "all", ..] => Says::Allow(refusal()),
        ["header", rest @ ..] => {
            let skipped = usize::from(matches!(rest, ["always" | "onsuccess", ..]));
            let Some([action, header, values @ ..]) = rest.get(skipped..) else {
                return Directive::Other;
            };
            if header.trim_end_matches(':') != "x-robots-tag" {
                return Directive::Other;
            }
            let value = words
                .get(skipped + 3)
                .map(String::as_str)
                .unwrap_or_default();
            let reason = header_reason(path, number, value, now);
            let is_conditional = values
                .iter()
                .any(|value| value.starts_with("env=") || value.starts_with("expr="));
            match (*action, reason) {
                (_, Some(_)) if is_conditional => return Directive::Conditional,
                // A value that is computed may be any.
                ("set", None) if value.starts_with("expr=") => return Directive::Conditional,
                _ if is_conditional => return Directive::Other,
                ("unset", _) | ("set", None) => Says::Robots(Ok(())),
                (_, Some(reason)) => Says::Robots(Err(reason)),
                (_, None) => return Directive::Other,
            }
        }
        _ => return Directive::Other,
    };
    Directive::Says(says)
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
            // A condition that only Apache can decide lets no reader in.
            "Require all denied\n<FilesMatch \"^(?!secret).*$\">\nRequire all granted\n</FilesMatch>",
            "Deny from all\n<Files a b>\nAllow from all\n</Files>",
            "<RequireAll>\nRequire all granted\nRequire valid-user\n</RequireAll>",
            "<RequireAny>\n<RequireAll>\nRequire all granted\nRequire ip 10.0.0.1\n</RequireAll>\nRequire user x\n</RequireAny>",
            "<RequireAny>\nRequire all granted\n</RequireAny>\nDeny from all",
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
            "<RequireAny>\nRequire valid-user\nRequire all granted\n</RequireAny>",
            "<If \"x\">\n<RequireAny>\nRequire user x\nRequire all granted\n</RequireAny>\n</If>",
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
            "Header set X-Robots-Tag noindex\n<Files *.html>\nHeader unset X-Robots-Tag env=OPEN\n</Files>",
        ] {
            assert_eq!(code(text), Some("header"), "{text}");
        }
    }

    #[test]
    fn a_header_under_a_condition_keeps_nothing_out_and_is_told() {
        for header in [
            "Header set X-Robots-Tag noindex env=IS_PDF",
            "Header always set X-Robots-Tag \"noindex\" \"expr=%{REQUEST_URI} =~ /pdf/\"",
            "Header set X-Robots-Tag \"expr=%{env:ROBOTS}\"",
        ] {
            assert_eq!(code(header), None, "{header}");
            let now = "2025-06-01T12:00:00Z".parse().unwrap();
            let text = format!("Options -Indexes\n{header}\n");
            let note = AccessRules::parse("a/.htaccess", text.as_bytes(), now).note("a/.htaccess");
            let note = note.unwrap_or_default();
            assert!(
                note.contains("`a/.htaccess`") && note.contains("line 2,"),
                "{note}"
            );
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
