//! Validation of page lines.

use std::borrow::Cow;

use super::block::{BlockMember, check_block};
use super::slots::{Member, Slots, lookup, members};
use super::{BlockView, excerpt};
use crate::json::{Expected, Kind, Scanner, Value};
use crate::values::{LanguageTag, UrlForm, classify_url};
use crate::{
    Block, HttpUrl, JsonObject, Limits, LineProblem, Page, Rejection, Timestamp, WarningKind,
};

members! {
    /// Members of a page.
    PageMember {
        Url = "url",
        Title = "title",
        Description = "description",
        Modified = "modified",
        Language = "language",
        Content = "content",
        Author = "author",
        Published = "published",
        Canonical = "canonical",
        Schema = "schema",
        Robots = "robots",
    }
}

/// Members that every page must have.
const REQUIRED: [PageMember; 6] = [
    PageMember::Url,
    PageMember::Title,
    PageMember::Description,
    PageMember::Modified,
    PageMember::Language,
    PageMember::Content,
];

/// The verdict on a line that is a page.
#[derive(Debug)]
pub(crate) enum Verdict<'a> {
    Kept(PageView<'a>),
    Rejected {
        url: Option<Cow<'a, str>>,
        rejection: Rejection,
    },
}

/// A page whose members have been checked, as slices of its line.
#[derive(Debug)]
pub(crate) struct PageView<'a> {
    pub(crate) url: Cow<'a, str>,
    pub(crate) modified: Timestamp,
    /// The number of usable blocks.
    pub(crate) blocks: usize,
    pub(crate) title: Value<'a>,
    description: Value<'a>,
    author: Option<Value<'a>>,
    published: Option<Timestamp>,
    pub(crate) language: Cow<'a, str>,
    canonical: Option<Cow<'a, str>>,
    schema: Option<Value<'a>>,
    robots: Option<Value<'a>>,
}

/// The state of the walk over a line.
struct Walk<'a> {
    members: Slots<'a, PageMember>,
    blocks: usize,
    dropped_blocks: usize,
}

/// Checks one line. An error is fatal for the whole file. Passes the usable blocks to `on_block` in
/// order, before the verdict on the page is known.
pub(crate) fn check_page<'a>(
    line: &'a str,
    limits: &Limits,
    warnings: &mut Vec<WarningKind>,
    on_block: impl FnMut(BlockView<'a>),
) -> Result<Verdict<'a>, LineProblem> {
    if line.len() > limits.page_bytes {
        let (bytes, limit) = (line.len() as u64, limits.page_bytes);
        return Ok(Verdict::Rejected {
            url: None,
            rejection: Rejection::TooLong { bytes, limit },
        });
    }
    let mut scanner = Scanner::new(line, limits.depth);
    match scanner.peek() {
        Some(b'{') => {}
        None => return Err(LineProblem::Empty),
        Some(_) => {
            let json = scanner.value(0).and_then(|_| scanner.end());
            return Err(json.map_or_else(
                |error| not_json(error, &scanner),
                |()| LineProblem::NotAnObject,
            ));
        }
    }
    let mut walk = Walk {
        members: Slots::new(),
        blocks: 0,
        dropped_blocks: 0,
    };
    walk_page(&mut scanner, limits, &mut walk, warnings, on_block)
        .map_err(|expected| not_json(expected, &scanner))?;
    judge(&walk, &scanner, limits, warnings)
}

fn not_json(expected: Expected, scanner: &Scanner<'_>) -> LineProblem {
    LineProblem::NotJson {
        at: scanner.position() + 1,
        expected: expected.text(),
    }
}

fn walk_page<'a>(
    scanner: &mut Scanner<'a>,
    limits: &Limits,
    walk: &mut Walk<'a>,
    warnings: &mut Vec<WarningKind>,
    mut on_block: impl FnMut(BlockView<'a>),
) -> Result<(), Expected> {
    scanner.begin_object(0)?;
    let mut first = true;
    while let Some(key) = scanner.next_key(first)? {
        first = false;
        let member = lookup(&key);
        let seen_before = walk.members.get(PageMember::Content).is_some();
        let value = if member == Some(PageMember::Content)
            && !seen_before
            && scanner.peek() == Some(b'[')
        {
            walk_content(scanner, limits, walk, warnings, &mut on_block)?;
            // The blocks have been checked; the later checks need only the kind of the value.
            Value {
                kind: Kind::Mixed,
                raw: "",
            }
        } else {
            scanner.value(1)?
        };
        if let Some(member) = member {
            walk.members.set(member, value);
        }
    }
    scanner.end()
}

fn walk_content<'a>(
    scanner: &mut Scanner<'a>,
    limits: &Limits,
    walk: &mut Walk<'a>,
    warnings: &mut Vec<WarningKind>,
    on_block: &mut impl FnMut(BlockView<'a>),
) -> Result<(), Expected> {
    let mut members = Slots::<BlockMember>::new();
    let mut number = 0;
    scanner.begin_array(1)?;
    while scanner.next_element(number == 0)? {
        number += 1;
        // A page with too many blocks is rejected as a whole, but the rest of its blocks must still be JSON.
        if number > limits.page_blocks {
            scanner.value(2)?;
            continue;
        }
        match check_block(scanner, &mut members, number, warnings)? {
            Some(view) => {
                // Structured data of draft one belongs to the page, not to its content.
                walk.dropped_blocks += usize::from(matches!(view, BlockView::Structured { .. }));
                on_block(view);
            }
            None => walk.dropped_blocks += 1,
        }
    }
    walk.blocks = number;
    Ok(())
}

/// Decides on the page after all of its members have been read.
fn judge<'a>(
    walk: &Walk<'a>,
    scanner: &Scanner<'a>,
    limits: &Limits,
    warnings: &mut Vec<WarningKind>,
) -> Result<Verdict<'a>, LineProblem> {
    let members = &walk.members;
    for member in REQUIRED {
        if members.get(member).is_none() {
            return Err(LineProblem::Missing {
                member: member.name(),
            });
        }
    }
    // Check for duplicates before the types, because it is undefined which of two values counts.
    if let Some(member) = members.repeated() {
        return Ok(rejected(
            members,
            Rejection::DuplicateMember {
                member: member.name(),
            },
        ));
    }
    for member in REQUIRED {
        let value = members.value(member);
        let (is_right, expected) = match member {
            PageMember::Content => (value.is_array(), "an array"),
            _ => (value.is_string(), "a string"),
        };
        if !is_right {
            let (member, found) = (member.name(), value.kind.name());
            return Err(LineProblem::WrongType {
                member,
                found,
                expected,
            });
        }
    }
    Ok(match view(walk, scanner, limits, warnings) {
        Ok(view) => Verdict::Kept(view),
        Err(rejection) => rejected(members, rejection),
    })
}

fn rejected<'a>(members: &Slots<'a, PageMember>, rejection: Rejection) -> Verdict<'a> {
    // An unusable URL does not identify the page.
    let url = match rejection {
        Rejection::Url { member: "url", .. } => None,
        _ => members.value(PageMember::Url).text(),
    };
    Verdict::Rejected { url, rejection }
}

/// Returns the page, if it is usable. The caller has checked that the required members exist and have the right types.
fn view<'a>(
    walk: &Walk<'a>,
    scanner: &Scanner<'a>,
    limits: &Limits,
    warnings: &mut Vec<WarningKind>,
) -> Result<PageView<'a>, Rejection> {
    use PageMember as M;

    if scanner.saw_lone_surrogate() {
        return Err(Rejection::LoneSurrogate);
    }
    if scanner.was_too_deep() {
        return Err(Rejection::TooDeep {
            limit: limits.depth,
        });
    }
    if walk.blocks > limits.page_blocks {
        return Err(Rejection::TooManyBlocks {
            blocks: walk.blocks,
            limit: limits.page_blocks,
        });
    }
    let members = &walk.members;
    let url = page_link(M::Url, members.value(M::Url), warnings)?;
    let modified = timestamp(M::Modified, members.value(M::Modified))?;
    let published = optional(
        members,
        M::Published,
        "a string",
        Value::is_string,
        warnings,
    )
    .map(|value| timestamp(M::Published, value))
    .transpose()?;
    let language = check_language(members.value(M::Language), warnings)?;
    let canonical = optional(
        members,
        M::Canonical,
        "a string",
        Value::is_string,
        warnings,
    )
    .map(|value| page_link(M::Canonical, value, warnings))
    .transpose()?;
    if walk.blocks == 0 {
        warnings.push(WarningKind::EmptyContent);
    }
    Ok(PageView {
        url,
        modified,
        blocks: walk.blocks - walk.dropped_blocks,
        title: members.value(M::Title),
        description: members.value(M::Description),
        author: optional(members, M::Author, "a string", Value::is_string, warnings),
        published,
        language,
        canonical,
        schema: optional(
            members,
            M::Schema,
            "an object",
            |value| value.kind == Kind::Object,
            warnings,
        ),
        robots: optional(
            members,
            M::Robots,
            "a list of strings",
            Value::is_string_list,
            warnings,
        ),
    })
}

fn optional<'a>(
    members: &Slots<'a, PageMember>,
    member: PageMember,
    expected: &'static str,
    is_right: impl Fn(&Value<'a>) -> bool,
    warnings: &mut Vec<WarningKind>,
) -> Option<Value<'a>> {
    let value = members.get(member)?;
    if is_right(&value) {
        return Some(value);
    }
    warnings.push(WarningKind::IgnoredMember {
        block: None,
        member: member.name(),
        expected,
    });
    None
}

fn page_link<'a>(
    member: PageMember,
    value: Value<'a>,
    warnings: &mut Vec<WarningKind>,
) -> Result<Cow<'a, str>, Rejection> {
    let url = value.text().ok_or(Rejection::LoneSurrogate)?;
    match classify_url(&url) {
        Ok(UrlForm::Strict) => {}
        Ok(UrlForm::Loose) => warnings.push(WarningKind::UrlSpelling {
            block: None,
            url: excerpt(&url),
        }),
        Err(problem) => {
            return Err(Rejection::Url {
                member: member.name(),
                url: excerpt(&url),
                problem,
            });
        }
    }
    Ok(url)
}

fn timestamp(member: PageMember, value: Value<'_>) -> Result<Timestamp, Rejection> {
    let text = value.text().ok_or(Rejection::LoneSurrogate)?;
    text.parse().map_err(|_| Rejection::Timestamp {
        member: member.name(),
        text: excerpt(&text),
    })
}

fn check_language<'a>(
    value: Value<'a>,
    warnings: &mut Vec<WarningKind>,
) -> Result<Cow<'a, str>, Rejection> {
    let tag = value.text().ok_or(Rejection::LoneSurrogate)?;
    if !LanguageTag::is_well_formed(&tag) {
        return Err(Rejection::Language { tag: excerpt(&tag) });
    }
    if !LanguageTag::is_schema_spelling(&tag) {
        warnings.push(WarningKind::LanguageSpelling { tag: excerpt(&tag) });
    }
    Ok(tag)
}

impl PageView<'_> {
    /// Builds the page with the given content. `structured` is the data of a draft-one block; it becomes the `schema`
    /// of a page that has none.
    pub(crate) fn to_page(
        &self,
        content: Vec<Block>,
        structured: Option<JsonObject>,
    ) -> Result<Page, Rejection> {
        let text = |value: &Value<'_>| {
            value
                .text()
                .map(Cow::into_owned)
                .ok_or(Rejection::LoneSurrogate)
        };
        let url = |member: &'static str, url: &str| {
            HttpUrl::new(url).map_err(|_| Rejection::Url {
                member,
                url: excerpt(url),
                problem: crate::UrlProblem::NotHttp,
            })
        };
        let own_schema = self
            .schema
            .map(|schema| JsonObject::from_checked(schema.raw));
        Ok(Page {
            url: url("url", &self.url)?,
            title: text(&self.title)?,
            description: text(&self.description)?,
            author: self.author.as_ref().map(text).transpose()?,
            published: self.published,
            modified: self.modified,
            language: LanguageTag::new(self.language.as_ref()).map_err(|_| {
                Rejection::Language {
                    tag: excerpt(&self.language),
                }
            })?,
            canonical: self
                .canonical
                .as_deref()
                .map(|canonical| url("canonical", canonical))
                .transpose()?,
            schema: own_schema.or(structured),
            content,
            robots: self
                .robots
                .and_then(|robots| serde_json::from_str(robots.raw).ok())
                .unwrap_or_default(),
        })
    }
}
