use std::fmt;

use serde::{Deserialize, Serialize};

/// The reason not to publish a page.
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
        /// The directive.
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
    /// Returns true for a reason that is not in the file's bytes: the next run looks again.
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
