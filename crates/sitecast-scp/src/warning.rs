//! Warnings: problems that do not make the whole collection unusable.

use std::fmt;
use std::sync::Arc;

/// A problem that was tolerated: a value was corrected, or a block or page was dropped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// The line of the uncompressed file, from 1.
    pub line: u64,
    /// The page's URL, if the line has one, cut after 2048 characters.
    pub url: Option<Arc<str>>,
    /// The problem.
    pub kind: WarningKind,
}

impl Warning {
    /// A short, stable name of the kind for programs, such as `unknown-block`.
    pub fn code(&self) -> &'static str {
        self.kind.code()
    }
}

/// Writes the line number, the page's URL if known, and the problem.
impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}", self.line)?;
        if let Some(url) = &self.url {
            write!(f, ", {url}")?;
        }
        write!(f, ": {}", self.kind)
    }
}

/// The kinds of warnings. Blocks are numbered from 1 within their page.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum WarningKind {
    /// The minor version of the file is newer than this library's; its additions are ignored.
    NewerVersion {
        /// The declared version.
        version: crate::Version,
    },
    /// The file has no metadata line, and the caller accepts that.
    MissingMetadata,
    /// The `since` of a delta is later than its `generated`.
    SinceAfterGenerated,
    /// Some of a delta's `deleted` are not usable URLs; these are ignored.
    DeletedUrls {
        /// The number of unusable URLs.
        unusable: usize,
        /// The number of all URLs in `deleted`.
        given: usize,
    },
    /// The whole page is dropped.
    PageRejected(Rejection),
    /// Another line has the same URL; the page with the newer `modified` counts.
    DuplicateUrl {
        /// The number of the other line.
        other_line: u64,
        /// True if this page is the newer one and replaces the other.
        supersedes: bool,
    },
    /// The limit of tracked URLs is reached; other URLs are no longer compared.
    DuplicatesNoLongerTracked {
        /// [`Limits::tracked_urls`](crate::Limits::tracked_urls).
        urls: usize,
    },
    /// The page has no blocks, which the schema does not allow.
    EmptyContent,
    /// The language tag is well-formed, but does not match the pattern of the schema.
    LanguageSpelling {
        /// The tag.
        tag: String,
    },
    /// A URL is usable, but not a URI as RFC 3986 and the schema require.
    UrlSpelling {
        /// The block with the URL, or `None` for the page or collection itself.
        block: Option<usize>,
        /// The URL.
        url: String,
    },
    /// An optional member has the wrong type or form and is ignored.
    IgnoredMember {
        /// The block with the member, or `None` for the page or collection itself.
        block: Option<usize>,
        /// The name of the member.
        member: &'static str,
        /// The expected value.
        expected: &'static str,
    },
    /// A block has an unknown type or none; the block is dropped.
    UnknownBlock {
        /// The number of the block.
        block: usize,
        /// The type, if it is a string.
        block_type: Option<String>,
    },
    /// A block lacks a required member, or has one of the wrong type; the block is dropped.
    MalformedBlock {
        /// The number of the block.
        block: usize,
        /// The problem with the block.
        problem: BlockProblem,
    },
    /// A block has a URL that is not an absolute http(s) URL; the block is dropped.
    BlockUrl {
        /// The number of the block.
        block: usize,
        /// The URL.
        url: String,
        /// The reason why the URL is not usable.
        problem: crate::UrlProblem,
    },
    /// The level of a heading is not one of 1 to 6; the nearest of these is used.
    HeadingLevel {
        /// The number of the block.
        block: usize,
        /// The level as written.
        level: String,
        /// The level used instead.
        used: u8,
    },
    /// A video or audio block in the form of draft one; it is converted to the current form.
    LegacyMedia {
        /// The number of the block.
        block: usize,
    },
    /// A `structured` block of draft one; it becomes the page's `schema` if the page has none.
    LegacyStructured {
        /// The number of the block.
        block: usize,
    },
}

/// The reason why a page is dropped.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rejection {
    /// The line is longer than the limit.
    TooLong {
        /// The length of the line in bytes.
        bytes: u64,
        /// [`Limits::page_bytes`](crate::Limits::page_bytes).
        limit: usize,
    },
    /// The page has more blocks than the limit.
    TooManyBlocks {
        /// The number of blocks.
        blocks: usize,
        /// [`Limits::page_blocks`](crate::Limits::page_blocks).
        limit: usize,
    },
    /// The line is nested deeper than the limit.
    TooDeep {
        /// [`Limits::depth`](crate::Limits::depth).
        limit: usize,
    },
    /// A URL of the page is not an absolute http(s) URL.
    Url {
        /// `url` or `canonical`.
        member: &'static str,
        /// The URL.
        url: String,
        /// The reason why the URL is not usable.
        problem: crate::UrlProblem,
    },
    /// A timestamp is invalid.
    Timestamp {
        /// `modified` or `published`.
        member: &'static str,
        /// The timestamp as written.
        text: String,
    },
    /// The language tag is invalid.
    Language {
        /// The tag as written.
        tag: String,
    },
    /// A member occurs twice. Parsers disagree on which one counts.
    DuplicateMember {
        /// The name of the member.
        member: &'static str,
    },
    /// A string has an escape for half of a surrogate pair, which is not Unicode text.
    LoneSurrogate,
}

/// A problem with a block.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum BlockProblem {
    /// The block is not an object.
    NotAnObject,
    /// A required member is missing.
    Missing {
        /// The name of the member.
        member: &'static str,
    },
    /// A required member has the wrong type or form.
    WrongType {
        /// The name of the member.
        member: &'static str,
        /// The expected value.
        expected: &'static str,
    },
    /// A member occurs twice.
    DuplicateMember {
        /// The name of the member.
        member: &'static str,
    },
}

impl WarningKind {
    /// A short, stable name for programs, such as `unknown-block`.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NewerVersion { .. } => "newer-version",
            Self::MissingMetadata => "missing-metadata",
            Self::SinceAfterGenerated => "since-after-generated",
            Self::DeletedUrls { .. } => "deleted-urls",
            Self::PageRejected(rejection) => rejection.code(),
            Self::DuplicateUrl { .. } => "duplicate-url",
            Self::DuplicatesNoLongerTracked { .. } => "duplicates-not-tracked",
            Self::EmptyContent => "empty-content",
            Self::LanguageSpelling { .. } => "language-spelling",
            Self::UrlSpelling { .. } => "url-spelling",
            Self::IgnoredMember { .. } => "ignored-member",
            Self::UnknownBlock { .. } => "unknown-block",
            Self::MalformedBlock { .. } => "malformed-block",
            Self::BlockUrl { .. } => "block-url",
            Self::HeadingLevel { .. } => "heading-level",
            Self::LegacyMedia { .. } => "legacy-media",
            Self::LegacyStructured { .. } => "legacy-structured",
        }
    }
}

impl Rejection {
    fn code(&self) -> &'static str {
        match self {
            Self::TooLong { .. } => "page-too-long",
            Self::TooManyBlocks { .. } => "too-many-blocks",
            Self::TooDeep { .. } => "page-too-deep",
            Self::Url { .. } => "page-url",
            Self::Timestamp { .. } => "page-timestamp",
            Self::Language { .. } => "page-language",
            Self::DuplicateMember { .. } => "duplicate-member",
            Self::LoneSurrogate => "lone-surrogate",
        }
    }
}

impl fmt::Display for WarningKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NewerVersion { version } => write!(
                f,
                "version {version} is newer than {}; what it added is ignored",
                crate::Version::CURRENT
            ),
            Self::MissingMetadata => {
                f.write_str("there is no metadata line; the pages cannot be verified")
            }
            Self::SinceAfterGenerated => f.write_str("`since` is later than `generated`"),
            Self::DeletedUrls { unusable, given } => {
                write!(
                    f,
                    "left out {unusable} of {given} URLs in `deleted`: not absolute http or https URLs"
                )
            }
            Self::PageRejected(rejection) => write!(f, "page rejected: {rejection}"),
            Self::DuplicateUrl {
                other_line,
                supersedes: true,
            } => {
                write!(
                    f,
                    "same URL as line {other_line}; this page is newer and replaces it"
                )
            }
            Self::DuplicateUrl {
                other_line,
                supersedes: false,
            } => {
                write!(
                    f,
                    "same URL as line {other_line}, which counts; this page is left out"
                )
            }
            Self::DuplicatesNoLongerTracked { urls } => {
                write!(
                    f,
                    "after {urls} different URLs, other URLs are no longer checked for duplicates"
                )
            }
            Self::EmptyContent => f.write_str("`content` has no blocks"),
            Self::LanguageSpelling { tag } => write!(
                f,
                "language `{tag}` should begin with a lower-case language of two or three letters"
            ),
            Self::UrlSpelling { block, url } => {
                write_block(f, *block)?;
                write!(
                    f,
                    "URL `{url}` is not spelled as a URI: lower-case scheme, ASCII, the rest percent-encoded"
                )
            }
            Self::IgnoredMember {
                block,
                member,
                expected,
            } => {
                write_block(f, *block)?;
                write!(f, "`{member}` is not {expected}; ignored")
            }
            Self::UnknownBlock {
                block,
                block_type: Some(name),
            } => {
                write!(f, "block {block}: unknown type `{name}`; block left out")
            }
            Self::UnknownBlock {
                block,
                block_type: None,
            } => {
                write!(
                    f,
                    "block {block}: `type` is missing or not a string; block left out"
                )
            }
            Self::MalformedBlock { block, problem } => {
                write!(f, "block {block}: {problem}; block left out")
            }
            Self::BlockUrl {
                block,
                url,
                problem,
            } => {
                write!(f, "block {block}: URL `{url}` {problem}; block left out")
            }
            Self::HeadingLevel { block, level, used } => {
                write!(
                    f,
                    "block {block}: heading level {level} is not one of 1 to 6; read as {used}"
                )
            }
            Self::LegacyMedia { block } => {
                write!(
                    f,
                    "block {block}: media with `sources`, as in draft one; read as `url`"
                )
            }
            Self::LegacyStructured { block } => {
                write!(
                    f,
                    "block {block}: `structured`, as in draft one; such data belongs in the page's `schema`"
                )
            }
        }
    }
}

fn write_block(f: &mut fmt::Formatter<'_>, block: Option<usize>) -> fmt::Result {
    block.map_or(Ok(()), |block| write!(f, "block {block}: "))
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong { bytes, limit } => write!(f, "{bytes} bytes, the limit is {limit}"),
            Self::TooManyBlocks { blocks, limit } => {
                write!(f, "{blocks} blocks, the limit is {limit}")
            }
            Self::TooDeep { limit } => write!(f, "nested deeper than {limit} levels"),
            Self::Url {
                member,
                url,
                problem,
            } => write!(f, "`{member}` is `{url}`, which {problem}"),
            Self::Timestamp { member, text } => {
                write!(
                    f,
                    "`{member}` is `{text}`, not an RFC 3339 date-time such as `2025-01-15T10:00:00Z`"
                )
            }
            Self::Language { tag } => write!(f, "`language` is `{tag}`, not a BCP 47 language tag"),
            Self::DuplicateMember { member } => write!(f, "`{member}` occurs twice"),
            Self::LoneSurrogate => {
                f.write_str("a string contains half of a surrogate pair (`\\ud800` to `\\udfff`)")
            }
        }
    }
}

impl fmt::Display for BlockProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAnObject => f.write_str("not an object"),
            Self::Missing { member } => write!(f, "no `{member}`"),
            Self::WrongType { member, expected } => write!(f, "`{member}` is not {expected}"),
            Self::DuplicateMember { member } => write!(f, "`{member}` occurs twice"),
        }
    }
}
