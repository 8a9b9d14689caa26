//! Parser for the lines of a robots.txt.

/// The bytes of a line that are read, as in Google's parser: eight times the longest URL that
/// Internet Explorer supported.
const LONGEST_LINE: usize = 2_083 * 8 - 1;

/// The directive of a line, with its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Directive<'l> {
    UserAgent(&'l [u8]),
    Allow(&'l [u8]),
    Disallow(&'l [u8]),
    CrawlDelay(&'l [u8]),
    Sitemap(&'l [u8]),
}

/// A problem with a line of a robots.txt.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RobotsProblem {
    /// The line is neither a comment nor `name: value`.
    #[error("neither a comment nor `name: value`; ignored")]
    NotADirective,
    /// The name is unknown. Many directives are in use that only some crawlers support.
    #[error("unknown directive `{0}`; ignored")]
    Unknown(String),
    /// The name is misspelled.
    #[error("`{0}` is read as `{1}`")]
    Misspelled(String, &'static str),
    /// The line has white space instead of the colon.
    #[error("`:` is missing after `{0}`")]
    NoColon(String),
    /// A rule or delay comes before the first `User-agent`.
    #[error("before the first `User-agent`, so it applies to no agent; ignored")]
    OutsideOfGroup,
    /// A `User-agent` has no name.
    #[error("`User-agent` without a name; it matches no agent")]
    NoAgent,
    /// A path begins with neither `/` nor `*`.
    #[error("the path does not begin with `/` or `*`; read with a `/` before it")]
    PathWithoutSlash,
    /// A `Crawl-delay` is not a number.
    #[error("`Crawl-delay` is not a number of seconds; ignored")]
    CrawlDelay,
    /// A `Sitemap` is not an absolute URL.
    #[error("`Sitemap` is not an absolute http(s) URL")]
    SitemapUrl,
    /// The file is UTF-16.
    #[error("the file is UTF-16; it must be UTF-8")]
    Encoding,
    /// The line is not UTF-8.
    #[error("not UTF-8; compared byte by byte")]
    NotUtf8,
    /// The line is too long, and its end is ignored.
    #[error("the line is longer than {LONGEST_LINE} bytes; the rest is ignored")]
    LineTooLong,
    /// The file is too large, and its end is ignored.
    #[error(
        "the file is larger than {} bytes; the rest is ignored",
        super::MAX_ROBOTS_BYTES
    )]
    TooLarge,
}

impl RobotsProblem {
    /// A short, stable name for programs, such as `unknown-directive`.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotADirective => "not-a-directive",
            Self::Unknown(_) => "unknown-directive",
            Self::Misspelled(..) => "misspelled-directive",
            Self::NoColon(_) => "no-colon",
            Self::OutsideOfGroup => "outside-of-group",
            Self::NoAgent => "no-agent",
            Self::PathWithoutSlash => "path-without-slash",
            Self::CrawlDelay => "crawl-delay",
            Self::SitemapUrl => "sitemap-url",
            Self::Encoding => "encoding",
            Self::NotUtf8 => "not-utf8",
            Self::LineTooLong => "line-too-long",
            Self::TooLarge => "too-large",
        }
    }
}

type Build = for<'l> fn(&'l [u8]) -> Directive<'l>;

/// The names of the directives: the correct name first, then common misspellings.
const SPELLINGS: [(&[&str], Build); 5] = [
    (&["user-agent", "useragent", "user agent"], |value| {
        Directive::UserAgent(value)
    }),
    (&["allow"], |value| Directive::Allow(value)),
    (
        &[
            "disallow",
            "dissallow",
            "dissalow",
            "disalow",
            "diasllow",
            "disallaw",
        ],
        |value| Directive::Disallow(value),
    ),
    (&["crawl-delay", "crawldelay", "crawl delay"], |value| {
        Directive::CrawlDelay(value)
    }),
    (&["sitemap", "site-map", "site map"], |value| {
        Directive::Sitemap(value)
    }),
];

/// The result of parsing a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Line<'l> {
    pub(super) directive: Option<Directive<'l>>,
    pub(super) problem: Option<RobotsProblem>,
}

impl<'l> Line<'l> {
    pub(super) fn parse(line: &'l [u8]) -> Self {
        let too_long = line.len() > LONGEST_LINE;
        let line = line.get(..LONGEST_LINE).unwrap_or(line);
        let line = line.split(|&byte| byte == b'#').next().unwrap_or_default();
        let line = line.trim_ascii();
        if line.is_empty() {
            return Self {
                directive: None,
                problem: None,
            };
        }
        let (directive, problem) = match memchr::memchr(b':', line) {
            Some(colon) => {
                let (name, value) = line.split_at_checked(colon).unwrap_or_default();
                let value = value.get(1..).unwrap_or_default();
                Self::named(name.trim_ascii(), value.trim_ascii())
            }
            None => Self::without_colon(line),
        };
        Self {
            directive,
            problem: problem.or(too_long.then_some(RobotsProblem::LineTooLong)),
        }
    }

    fn named(name: &[u8], value: &'l [u8]) -> (Option<Directive<'l>>, Option<RobotsProblem>) {
        for (spellings, build) in SPELLINGS {
            let found = spellings
                .iter()
                .position(|spelling| spelling.as_bytes().eq_ignore_ascii_case(name));
            if let (Some(at), Some(right)) = (found, spellings.first()) {
                let problem = (at > 0).then(|| RobotsProblem::Misspelled(excerpt(name), right));
                return (Some(build(value)), problem);
            }
        }
        (None, Some(RobotsProblem::Unknown(excerpt(name))))
    }

    /// Parses `Disallow /path`, which crawlers accept.
    fn without_colon(line: &'l [u8]) -> (Option<Directive<'l>>, Option<RobotsProblem>) {
        let words = line.iter().position(u8::is_ascii_whitespace);
        let (name, value) = words
            .and_then(|at| line.split_at_checked(at))
            .unwrap_or_default();
        let value = value.trim_ascii();
        match Self::named(name, value) {
            (Some(directive), _) if !value.contains(&b' ') => {
                (Some(directive), Some(RobotsProblem::NoColon(excerpt(name))))
            }
            _ => (None, Some(RobotsProblem::NotADirective)),
        }
    }
}

fn excerpt(name: &[u8]) -> String {
    String::from_utf8_lossy(name).chars().take(60).collect()
}

/// Splits a text into lines, which end with CR, LF or both, and numbers them.
pub(super) fn lines(text: &[u8]) -> impl Iterator<Item = (u64, &[u8])> {
    let mut rest = text;
    let mut number = 0;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
        let (line, after) = rest.split_at_checked(end)?;
        rest = after
            .strip_prefix(b"\r\n")
            .or_else(|| after.get(1..))
            .unwrap_or_default();
        number += 1;
        Some((number, line))
    })
}
