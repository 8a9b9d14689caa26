//! What is wrong with a collection without making the whole of it unusable.

use std::fmt;
use std::sync::Arc;

/// Something that was put right, dropped or rejected while the rest was read on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// The line of the uncompressed file, from 1.
    pub line: u64,
    /// The page's URL, where the line has one; of an absurdly long one, the beginning.
    pub url: Option<Arc<str>>,
    /// What happened.
    pub kind: WarningKind,
}

impl Warning {
    /// A short stable name of the kind, for programs: `unknown-block`.
    pub fn code(&self) -> &'static str {
        self.kind.code()
    }
}

/// The line, the page where known, and what happened.
impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}", self.line)?;
        if let Some(url) = &self.url {
            write!(f, ", {url}")?;
        }
        write!(f, ": {}", self.kind)
    }
}

/// What happened. Blocks are counted from 1 within their page.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum WarningKind {
    /// The file's minor version is above ours; what it added is ignored.
    NewerVersion {
        /// As declared.
        version: crate::Version,
    },
    /// There is no metadata line, and the caller allowed that.
    MissingMetadata,
    /// A delta says it begins after it was made.
    SinceAfterGenerated,
    /// Some of what a delta lists as deleted are no usable URLs; they are left out.
    DeletedUrls {
        /// How many are not.
        unusable: usize,
        /// How many there are in all.
        given: usize,
    },
    /// The whole page is left out.
    PageRejected(Rejection),
    /// Another line has the same URL; the page with the newer `modified` counts.
    DuplicateUrl {
        /// The other line that has it.
        other_line: u64,
        /// Whether this page is the newer one, and takes the other one's place.
        supersedes: bool,
    },
    /// Enough different URLs have been seen that later ones are no longer compared.
    DuplicatesNoLongerTracked {
        /// How many are remembered.
        urls: usize,
    },
    /// The page has no block, against the schema.
    EmptyContent,
    /// The language tag is well-formed, but not as the schema spells it.
    LanguageSpelling {
        /// As written.
        tag: String,
    },
    /// A URL that everyone understands, but not spelled as RFC 3986 and the schema want it.
    UrlSpelling {
        /// The block that has it, or `None` for the page itself.
        block: Option<usize>,
        /// The URL.
        url: String,
    },
    /// An optional member of the wrong type or form, read as if it were not there.
    IgnoredMember {
        /// The block that has it, or `None` for the page or collection itself.
        block: Option<usize>,
        /// Its name.
        member: &'static str,
        /// What it should have been.
        expected: &'static str,
    },
    /// A block of a type this version does not know, or of none; the block is left out.
    UnknownBlock {
        /// Which block.
        block: usize,
        /// Its type, if it is a string.
        block_type: Option<String>,
    },
    /// A block without a member it needs, or with one of the wrong type; the block is left out.
    MalformedBlock {
        /// Which block.
        block: usize,
        /// What is wrong.
        problem: BlockProblem,
    },
    /// A block with a URL that is not absolute http(s); the block is left out.
    BlockUrl {
        /// Which block.
        block: usize,
        /// The URL.
        url: String,
        /// Why it is not usable.
        problem: crate::UrlProblem,
    },
    /// A heading whose level is not one of 1 to 6; the nearest of these is used.
    HeadingLevel {
        /// Which block.
        block: usize,
        /// As written.
        level: String,
        /// As used.
        used: u8,
    },
    /// A video or audio block in the form of draft one; read as its present form.
    LegacyMedia {
        /// Which block.
        block: usize,
    },
    /// A `structured` block of draft one; read as the page's `schema` if it has none.
    LegacyStructured {
        /// Which block.
        block: usize,
    },
}

/// Why a page is left out.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rejection {
    /// The line is longer than the limit.
    TooLong {
        /// Its length in bytes.
        bytes: u64,
        /// The limit.
        limit: usize,
    },
    /// More blocks than the limit.
    TooManyBlocks {
        /// How many.
        blocks: usize,
        /// The limit.
        limit: usize,
    },
    /// Nested deeper than the limit.
    TooDeep {
        /// The limit.
        limit: usize,
    },
    /// A page URL that is not absolute http(s).
    Url {
        /// `url` or `canonical`.
        member: &'static str,
        /// The URL.
        url: String,
        /// Why it is not usable.
        problem: crate::UrlProblem,
    },
    /// A timestamp that does not parse.
    Timestamp {
        /// `modified` or `published`.
        member: &'static str,
        /// As written.
        text: String,
    },
    /// A language tag that does not parse.
    Language {
        /// As written.
        tag: String,
    },
    /// The same member twice: readers would disagree on which counts.
    DuplicateMember {
        /// Its name.
        member: &'static str,
    },
    /// An escape for half of a surrogate pair, which is no Unicode text.
    LoneSurrogate,
}

/// What is wrong with a block of a known type.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum BlockProblem {
    /// It is no object.
    NotAnObject,
    /// A required member is not there.
    Missing {
        /// Its name.
        member: &'static str,
    },
    /// A required member is of the wrong type or form.
    WrongType {
        /// Its name.
        member: &'static str,
        /// What it should have been.
        expected: &'static str,
    },
    /// The same member twice.
    DuplicateMember {
        /// Its name.
        member: &'static str,
    },
}

impl WarningKind {
    /// A short stable name, for programs.
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
                    "{unusable} of {given} in `deleted` are not absolute http or https URLs; left out"
                )
            }
            Self::PageRejected(rejection) => write!(f, "page rejected: {rejection}"),
            Self::DuplicateUrl {
                other_line,
                supersedes: true,
            } => {
                write!(
                    f,
                    "same URL as line {other_line}; this page is newer and takes its place"
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
                    "after {urls} different URLs, later ones are not checked for duplicates"
                )
            }
            Self::EmptyContent => f.write_str("`content` has no block"),
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
                    "block {block}: no `type` that is a string; block left out"
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
            Self::DuplicateMember { member } => write!(f, "`{member}` is there twice"),
            Self::LoneSurrogate => {
                f.write_str("a string holds half of a surrogate pair (`\\ud800` to `\\udfff`)")
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
            Self::DuplicateMember { member } => write!(f, "`{member}` is there twice"),
        }
    }
}
