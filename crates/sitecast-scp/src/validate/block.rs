//! Validation of blocks.

use std::borrow::Cow;

use super::excerpt;
use super::media::{check_audio, check_video};
use super::slots::{Member, Slots, members};
use crate::json::{Expected, Kind, Scanner, Value};
use crate::values::{HttpUrl, UrlForm, classify_url};
use crate::{Audio, Block, BlockProblem, HeadingLevel, Video, WarningKind};

members! {
    /// Members of blocks of all types, in all drafts.
    BlockMember {
        Type = "type",
        Text = "text",
        Url = "url",
        Level = "level",
        Items = "items",
        Ordered = "ordered",
        Alt = "alt",
        Code = "code",
        Language = "language",
        Rows = "rows",
        Rel = "rel",
        Citation = "citation",
        Name = "name",
        Duration = "duration",
        Width = "width",
        Height = "height",
        Icon = "icon",
        Summary = "summary",
        Captions = "captions",
        Chapters = "chapters",
        Transcript = "transcript",
        AttributedTo = "attributedTo",
        PartOf = "partOf",
        Sources = "sources",
        Title = "title",
        Poster = "poster",
        Description = "description",
        Embed = "embed",
        Artist = "artist",
        Album = "album",
        CoverArt = "coverArt",
        Format = "format",
        Data = "data",
    }
}

/// A usable block, as slices of its line.
#[derive(Debug)]
pub(crate) enum BlockView<'a> {
    Text {
        text: Value<'a>,
    },
    Heading {
        level: u8,
        text: Value<'a>,
    },
    Link {
        url: Cow<'a, str>,
        text: Value<'a>,
        rel: Option<Value<'a>>,
    },
    Image {
        url: Cow<'a, str>,
        alt: Value<'a>,
    },
    List {
        ordered: bool,
        items: Value<'a>,
    },
    Code {
        language: Option<Value<'a>>,
        code: Value<'a>,
    },
    Table {
        rows: Value<'a>,
    },
    Quote {
        text: Value<'a>,
        citation: Option<Value<'a>>,
    },
    /// Media blocks are built at once, because they are rare and nested.
    Video(Box<Video>),
    Audio(Box<Audio>),
    /// Structured data of draft one, which belongs to the page.
    Structured {
        data: Value<'a>,
    },
}

/// The reason why a block is dropped.
pub(super) enum Defect {
    Problem(BlockProblem),
    Url {
        url: String,
        problem: crate::UrlProblem,
    },
}

impl From<BlockProblem> for Defect {
    fn from(problem: BlockProblem) -> Self {
        Self::Problem(problem)
    }
}

/// Checks the next block. Returns `None` if it is unusable. `members` is a buffer to reuse.
pub(super) fn check_block<'a>(
    scanner: &mut Scanner<'a>,
    members: &mut Slots<'a, BlockMember>,
    number: usize,
    warnings: &mut Vec<WarningKind>,
) -> Result<Option<BlockView<'a>>, Expected> {
    if scanner.peek() != Some(b'{') {
        scanner.value(2)?;
        let problem = BlockProblem::NotAnObject;
        warnings.push(WarningKind::MalformedBlock {
            block: number,
            problem,
        });
        return Ok(None);
    }
    // Most blocks of most sites are paragraphs written exactly like this. Recognizing them
    // makes reading a collection an eighth faster.
    if let Some(text) = scanner.object_of_one_string(r#"{"type":"text","text":"#, 2)? {
        return Ok(Some(BlockView::Text { text }));
    }
    members.fill(scanner, 2)?;
    let mut check = BlockCheck {
        members,
        number,
        warnings,
        spelling_noted: false,
    };
    match check.block() {
        Ok(view) => Ok(view),
        Err(defect) => {
            check.warnings.push(match defect {
                Defect::Problem(problem) => WarningKind::MalformedBlock {
                    block: number,
                    problem,
                },
                Defect::Url { url, problem } => WarningKind::BlockUrl {
                    block: number,
                    url,
                    problem,
                },
            });
            Ok(None)
        }
    }
}

/// The members of a block, and the list to which warnings about them are added.
pub(super) struct BlockCheck<'a, 'c> {
    members: &'c Slots<'a, BlockMember>,
    number: usize,
    warnings: &'c mut Vec<WarningKind>,
    spelling_noted: bool,
}

impl<'a> BlockCheck<'a, '_> {
    fn block(&mut self) -> Result<Option<BlockView<'a>>, Defect> {
        use BlockMember as M;

        let Some(block_type) = self.get(M::Type).and_then(|value| value.text()) else {
            self.warnings.push(WarningKind::UnknownBlock {
                block: self.number,
                block_type: None,
            });
            return Ok(None);
        };
        if let Some(member) = self.members.repeated() {
            return Err(BlockProblem::DuplicateMember {
                member: member.name(),
            }
            .into());
        }
        let view = match block_type.as_ref() {
            "text" => BlockView::Text {
                text: self.string(M::Text)?,
            },
            "heading" => BlockView::Heading {
                level: self.level()?,
                text: self.string(M::Text)?,
            },
            "link" => BlockView::Link {
                url: self.url(M::Url)?,
                text: self.string(M::Text)?,
                rel: self.optional(M::Rel, "a list of strings", Value::is_string_list),
            },
            "image" => BlockView::Image {
                url: self.url(M::Url)?,
                alt: self.string(M::Alt)?,
            },
            "list" => BlockView::List {
                ordered: self.ordered()?,
                items: self.items()?,
            },
            "code" => BlockView::Code {
                language: self.optional_string(M::Language),
                code: self.string(M::Code)?,
            },
            "table" => BlockView::Table { rows: self.rows()? },
            "quote" => BlockView::Quote {
                text: self.string(M::Text)?,
                citation: self.optional_string(M::Citation),
            },
            "video" => BlockView::Video(Box::new(check_video(self)?)),
            "audio" => BlockView::Audio(Box::new(check_audio(self)?)),
            "structured" => {
                let data =
                    self.required(M::Data, "an object", |value| value.kind == Kind::Object)?;
                self.string(M::Format)?;
                self.warnings
                    .push(WarningKind::LegacyStructured { block: self.number });
                BlockView::Structured { data }
            }
            unknown => {
                let block_type = Some(excerpt(unknown));
                self.warnings.push(WarningKind::UnknownBlock {
                    block: self.number,
                    block_type,
                });
                return Ok(None);
            }
        };
        Ok(Some(view))
    }

    pub(super) fn get(&self, member: BlockMember) -> Option<Value<'a>> {
        self.members.get(member)
    }

    pub(super) fn required(
        &self,
        member: BlockMember,
        expected: &'static str,
        is_right: impl Fn(&Value<'a>) -> bool,
    ) -> Result<Value<'a>, Defect> {
        let member_name = member.name();
        let value = self.get(member).ok_or(BlockProblem::Missing {
            member: member_name,
        })?;
        if is_right(&value) {
            Ok(value)
        } else {
            Err(BlockProblem::WrongType {
                member: member_name,
                expected,
            }
            .into())
        }
    }

    pub(super) fn string(&self, member: BlockMember) -> Result<Value<'a>, Defect> {
        self.required(member, "a string", Value::is_string)
    }

    /// The text of a required string. A page with a lone surrogate in it is rejected in `page.rs`.
    pub(super) fn text(&self, member: BlockMember) -> Result<String, Defect> {
        self.string(member)
            .map(|value| value.text().unwrap_or_default().into_owned())
    }

    pub(super) fn optional(
        &mut self,
        member: BlockMember,
        expected: &'static str,
        is_right: impl Fn(&Value<'a>) -> bool,
    ) -> Option<Value<'a>> {
        let value = self.get(member)?;
        if is_right(&value) {
            return Some(value);
        }
        self.ignore(member, expected);
        None
    }

    fn optional_string(&mut self, member: BlockMember) -> Option<Value<'a>> {
        self.optional(member, "a string", Value::is_string)
    }

    pub(super) fn optional_text(&mut self, member: BlockMember) -> Option<String> {
        self.optional_string(member)?.text().map(Cow::into_owned)
    }

    /// Adds the warning that an optional member is ignored.
    pub(super) fn ignore(&mut self, member: BlockMember, expected: &'static str) {
        let (block, member) = (Some(self.number), member.name());
        self.warnings.push(WarningKind::IgnoredMember {
            block,
            member,
            expected,
        });
    }

    pub(super) fn legacy_media(&mut self) {
        self.warnings
            .push(WarningKind::LegacyMedia { block: self.number });
    }

    fn url(&mut self, member: BlockMember) -> Result<Cow<'a, str>, Defect> {
        let value = self.string(member)?;
        self.link(value)
    }

    /// Checks a URL of the block. The block is dropped if it is not an http(s) URL.
    pub(super) fn link(&mut self, value: Value<'a>) -> Result<Cow<'a, str>, Defect> {
        let url = value.text().unwrap_or_default();
        match classify_url(&url) {
            Ok(UrlForm::Strict) => Ok(url),
            Ok(UrlForm::Loose) => {
                // One warning per block, because a video can have any number of links.
                if !std::mem::replace(&mut self.spelling_noted, true) {
                    let (block, url) = (Some(self.number), excerpt(&url));
                    self.warnings.push(WarningKind::UrlSpelling { block, url });
                }
                Ok(url)
            }
            Err(problem) => Err(Defect::Url {
                url: excerpt(&url),
                problem,
            }),
        }
    }

    fn level(&mut self) -> Result<u8, Defect> {
        let value = self.required(BlockMember::Level, "a number", |value| {
            value.kind == Kind::Number
        })?;
        // The usual form, a single digit, needs no arithmetic.
        if let [digit @ b'1'..=b'6'] = value.raw.as_bytes() {
            return Ok(digit - b'0');
        }
        let number = value.number().unwrap_or(1.0);
        let used = number.clamp(1.0, 6.0).round() as u8;
        if f64::from(used) != number {
            let level = excerpt(value.raw);
            self.warnings.push(WarningKind::HeadingLevel {
                block: self.number,
                level,
                used,
            });
        }
        Ok(used)
    }

    fn ordered(&self) -> Result<bool, Defect> {
        let value = self.required(BlockMember::Ordered, "true or false", |value| {
            matches!(value.kind, Kind::True | Kind::False)
        })?;
        Ok(value.kind == Kind::True)
    }

    fn items(&self) -> Result<Value<'a>, Defect> {
        self.required(
            BlockMember::Items,
            "a list of strings",
            Value::is_string_list,
        )
    }

    fn rows(&self) -> Result<Value<'a>, Defect> {
        self.required(BlockMember::Rows, "a list of lists of strings", |value| {
            matches!(value.kind, Kind::Rows | Kind::EmptyArray)
        })
    }
}

impl BlockView<'_> {
    /// Builds an owned block. Returns `None` for structured data, which is not a block in the current draft.
    pub(crate) fn into_block(self) -> Option<Block> {
        // Unescaping fails only for lone surrogates, and a page with one is rejected.
        let text = |value: Value<'_>| value.text().unwrap_or_default().into_owned();
        let strings = |value: Value<'_>| serde_json::from_str(value.raw).unwrap_or_default();
        Some(match self {
            Self::Text { text: value } => Block::Text { text: text(value) },
            Self::Heading { level, text: value } => Block::Heading {
                level: HeadingLevel::clamped(level),
                text: text(value),
            },
            Self::Link {
                url,
                text: value,
                rel,
            } => Block::Link {
                url: HttpUrl::new(url).ok()?,
                text: text(value),
                rel: rel.map(strings).unwrap_or_default(),
            },
            Self::Image { url, alt } => Block::Image {
                url: HttpUrl::new(url).ok()?,
                alt: text(alt),
            },
            Self::List { ordered, items } => Block::List {
                ordered,
                items: strings(items),
            },
            Self::Code { language, code } => Block::Code {
                language: language.map(text),
                code: text(code),
            },
            Self::Table { rows } => Block::Table {
                rows: serde_json::from_str(rows.raw).unwrap_or_default(),
            },
            Self::Quote {
                text: value,
                citation,
            } => Block::Quote {
                text: text(value),
                citation: citation.map(text),
            },
            Self::Video(video) => Block::Video(*video),
            Self::Audio(audio) => Block::Audio(*audio),
            Self::Structured { .. } => return None,
        })
    }
}
