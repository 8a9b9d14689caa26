use std::fmt;

use serde::{Deserialize, Serialize};

use crate::head::readable;

/// Why a page is not published.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Reason {
    /// It says `noindex` or `none`.
    NoIndex,
    /// It keeps a crawler out that it names: `<meta name="googlebot" content="noindex">`.
    NamedCrawler {
        /// The crawler.
        bot: String,
        /// What is said to it.
        directive: String,
    },
    /// It says `noai`.
    NoAi,
    /// It says `nosnippet`, or marks parts with `data-nosnippet` that cannot be cut out.
    NoSnippet,
    /// It says `unavailable_after` with this date, which is past.
    Unavailable(String),
    /// A file of the site sends it with this `X-Robots-Tag`.
    Header {
        /// The file.
        file: String,
        /// Its line.
        line: u64,
        /// The header's value.
        value: String,
    },
    /// A file of the site asks for a password, or refuses readers.
    Access {
        /// The file.
        file: String,
        /// Its line; 0 if it is about all of the file.
        line: u64,
        /// The directive, or why the file is not understood.
        says: String,
    },
    /// robots.txt forbids it to everyone.
    RobotsTxt,
    /// It is not finished.
    Draft,
    /// It asks for a password.
    Protected,
    /// It is what a server shows when something is missing.
    ErrorPage,
    /// It leads on to another page at once.
    Redirect(String),
    /// It names another page as the one to be known.
    Canonical(String),
    /// The settings exclude it.
    Settings,
    /// It is a proof of ownership for a search engine, not a page.
    Verification,
    /// It is not HTML, whatever its name says.
    NotHtml,
    /// It is a link that leads out of the folder.
    OutsideLink,
    /// It is a link that leads to nothing, or in a circle.
    DanglingLink,
    /// It is a folder, a pipe, a socket or a device.
    NotAFile,
    /// It was there when the folder was listed, and gone when its turn came.
    Vanished,
    /// It is a page of another site.
    OtherSite,
    /// The server answered with a status that is not one of success.
    Status(u16),
    /// Nothing can be made of it.
    Unusable(String),
}

impl Reason {
    /// Whether it is about this moment and not about the file's bytes: the next run looks again.
    pub(crate) fn may_pass(&self) -> bool {
        matches!(
            self,
            Self::OutsideLink | Self::DanglingLink | Self::NotAFile | Self::Vanished
        )
    }

    /// A name for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NoIndex => "noindex",
            Self::NamedCrawler { .. } => "named-crawler",
            Self::NoAi => "noai",
            Self::NoSnippet => "nosnippet",
            Self::Unavailable(_) => "unavailable",
            Self::Header { .. } => "header",
            Self::Access { .. } => "access",
            Self::RobotsTxt => "robots-txt",
            Self::Draft => "draft",
            Self::Protected => "protected",
            Self::ErrorPage => "error-page",
            Self::Redirect(_) => "redirect",
            Self::Canonical(_) => "canonical",
            Self::Settings => "settings",
            Self::Verification => "verification",
            Self::NotHtml => "not-html",
            Self::OutsideLink => "outside-link",
            Self::DanglingLink => "dangling-link",
            Self::NotAFile => "not-a-file",
            Self::Vanished => "vanished",
            Self::OtherSite => "other-site",
            Self::Status(_) => "status",
            Self::Unusable(_) => "unusable",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoIndex => f.write_str("it says `noindex`"),
            Self::NamedCrawler { bot, directive } => write!(f, "it says `{directive}` to `{bot}`"),
            Self::NoAi => f.write_str("it says `noai`"),
            Self::NoSnippet => f.write_str("it says `nosnippet`"),
            Self::Unavailable(date) => write!(f, "it says `unavailable_after: {date}`"),
            Self::Header { file, line, value } => {
                write!(f, "`{file}` says `X-Robots-Tag: {value}` in line {line}")
            }
            Self::Access {
                file,
                line: 0,
                says,
            } => {
                write!(f, "`{file}` may protect it and cannot be used: {says}")
            }
            Self::Access { file, line, says } => {
                write!(f, "`{file}` protects it in line {line}: `{says}`")
            }
            Self::RobotsTxt => f.write_str("robots.txt disallows it for all"),
            Self::Draft => f.write_str("it is a draft"),
            Self::Protected => f.write_str("it is protected by a password"),
            Self::ErrorPage => f.write_str("it is an error page"),
            Self::Redirect(to) => write!(f, "it redirects to {to}"),
            Self::Canonical(to) => write!(f, "its canonical page is {to}"),
            Self::Settings => f.write_str("the settings exclude it"),
            Self::Verification => f.write_str("it only proves ownership to a search engine"),
            Self::NotHtml => f.write_str("it is not HTML"),
            Self::OutsideLink => f.write_str("it is a link out of the folder"),
            Self::DanglingLink => f.write_str("it is a link that leads nowhere"),
            Self::NotAFile => f.write_str("it is no regular file"),
            Self::Vanished => f.write_str("it vanished while the folder was being published"),
            Self::OtherSite => f.write_str("it belongs to another site"),
            Self::Status(status) => write!(f, "the server answered {status}"),
            Self::Unusable(why) => write!(f, "it cannot be used: {why}"),
        }
    }
}

/// What the name of a file says against it.
pub(crate) fn by_name(path: &str) -> Option<Reason> {
    let lower = path.to_ascii_lowercase();
    let mut parts = lower.rsplit('/');
    let file = parts.next().unwrap_or_default();
    let folder = parts.next().unwrap_or_default();
    // `post?id=1.html` of a mirror: which URL it was fetched from is not certain, and none leads to such a file.
    if lower.contains('?') {
        let why =
            "its name has a `?`, so that its URL is not known; publish it as a line with its `url`";
        return Some(Reason::Unusable(why.to_owned()));
    }
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let stem = if stem == "index" { folder } else { stem };
    if matches!(
        stem,
        "400" | "401" | "403" | "404" | "410" | "500" | "502" | "503" | "50x"
    ) {
        return Some(Reason::ErrorPage);
    }
    let is_hex = |text: &str| text.len() == 16 && text.bytes().all(|b| b.is_ascii_hexdigit());
    let verifies = stem.strip_prefix("google").is_some_and(is_hex)
        || stem.strip_prefix("yandex_").is_some_and(is_hex);
    if verifies {
        return Some(Reason::Verification);
    }
    lower
        .split('/')
        .any(|part| matches!(part, "_drafts" | "drafts"))
        .then_some(Reason::Draft)
}

/// What the page itself says against it, beside its robots directives.
pub(crate) fn by_markup(html: &[u8]) -> Option<Reason> {
    // WordPress's form in place of a protected post; StatiCrypt's page around an encrypted one. What both end
    // with is looked for: one way through the page.
    let marks: [&[u8]; 2] = [b"class=\"post-password-form\"", b"id=\"staticrypt-form\""];
    let end = b"-form\"";
    let html = &*readable(html);
    memchr::memmem::find_iter(html, end)
        .filter_map(|at| html.get(..at + end.len()))
        .any(|until| marks.iter().any(|mark| until.ends_with(mark)))
        .then_some(Reason::Protected)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_pages_drafts_and_proofs_are_known_by_their_names() {
        for (path, reason) in [
            ("404.html", Some(Reason::ErrorPage)),
            ("zh/404/index.html", Some(Reason::ErrorPage)),
            ("googleabcdef0123456789.html", Some(Reason::Verification)),
            ("blog/_drafts/new.html", Some(Reason::Draft)),
            ("drafts/new/index.html", Some(Reason::Draft)),
            ("about-404.html", None),
            ("google.html", None),
            ("index.html", None),
            ("overdrafts/index.html", None),
        ] {
            assert_eq!(by_name(path), reason, "{path}");
        }
    }

    #[test]
    fn files_of_a_mirror_with_a_query_in_their_names_are_refused() {
        for path in ["post?id=1.html", "a?b/index.html"] {
            let reason = by_name(path).unwrap();
            assert!(
                reason.to_string().contains("its URL is not known"),
                "{path}: {reason}"
            );
        }
    }

    #[test]
    fn a_form_for_a_password_protects() {
        let html = b"<form class=\"post-password-form\" method=post>";
        assert_eq!(by_markup(html), Some(Reason::Protected));
        let html = b"<p>-form\"<form id=\"staticrypt-form\">";
        assert_eq!(by_markup(html), Some(Reason::Protected));
        assert_eq!(by_markup(b"<form class=login>"), None);
    }
}
