//! Validation of the metadata line.

use std::ops::Range;

use super::excerpt;
use super::slots::{Member, Slots, lookup, members, strings};
use crate::json::{Expected, Scanner};
use crate::{
    Collection, CollectionKind, HttpUrl, Limits, LineProblem, MetadataProblem, NoMetadata,
    ReadError, Timestamp, Version, WarningKind,
};

members! {
    /// Members of a collection's metadata.
    CollectionMember {
        Id = "id",
        Section = "section",
        Type = "type",
        Generated = "generated",
        Since = "since",
        Checksum = "checksum",
        Version = "version",
        Deleted = "deleted",
    }
}

use CollectionMember as M;

/// The byte range of line 1 that the checksum does not cover.
pub(crate) type ChecksumCut = Range<usize>;

/// The metadata on line 1.
#[derive(Debug)]
pub(crate) struct Metadata {
    pub(crate) collection: Collection,
    pub(crate) cut: Option<ChecksumCut>,
}

/// Checks line 1 as a collection's metadata. Returns `Ok(None)` if it has no `collection`, so that it
/// may be a page.
pub(crate) fn check_metadata(
    line: &str,
    limits: &Limits,
    warnings: &mut Vec<WarningKind>,
) -> Result<Option<Metadata>, ReadError> {
    let mut scanner = Scanner::new(line, limits.depth);
    let walked = match scanner.peek() {
        Some(b'{') => walk_line(&mut scanner).map_err(|expected| syntax(expected, &scanner))?,
        None => {
            return Err(ReadError::Line {
                line: 1,
                problem: LineProblem::Empty,
            });
        }
        Some(_) if line.starts_with('\u{feff}') => {
            return Err(ReadError::NoMetadata(NoMetadata::ByteOrderMark));
        }
        Some(_) => {
            let json = scanner.value(0).and_then(|_| scanner.end());
            json.map_err(|expected| syntax(expected, &scanner))?;
            return Err(ReadError::NoMetadata(NoMetadata::NotAnObject));
        }
    };
    let Some(walk) = walked else {
        return Ok(None);
    };
    if scanner.was_too_deep() {
        return Err(ReadError::NoMetadata(NoMetadata::TooDeep {
            limit: limits.depth,
        }));
    }
    if scanner.saw_lone_surrogate() {
        return Err(MetadataProblem::LoneSurrogate.into());
    }
    if walk.repeated {
        return Err(MetadataProblem::DuplicateMember("collection").into());
    }
    let members = walk.members.ok_or(MetadataProblem::NotAnObject)?;
    let collection = check_collection(&members, warnings)?;
    Ok(Some(Metadata {
        collection,
        cut: walk.cut,
    }))
}

fn syntax(expected: Expected, scanner: &Scanner<'_>) -> ReadError {
    let problem = LineProblem::NotJson {
        at: scanner.position() + 1,
        expected: expected.text(),
    };
    ReadError::Line { line: 1, problem }
}

struct Walk<'a> {
    /// The members of `collection`, if that is an object.
    members: Option<Slots<'a, M>>,
    repeated: bool,
    cut: Option<ChecksumCut>,
}

/// Reads line 1. Returns `None` if it has no member `collection`.
fn walk_line<'a>(scanner: &mut Scanner<'a>) -> Result<Option<Walk<'a>>, Expected> {
    let mut walk = None;
    let mut first = true;
    scanner.begin_object(0)?;
    while let Some(key) = scanner.next_key(first)? {
        first = false;
        if key.text().as_deref() != Some("collection") {
            scanner.value(1)?;
            continue;
        }
        let repeated = walk.is_some();
        walk = Some(if scanner.peek() == Some(b'{') {
            let (members, cut) = walk_collection(scanner)?;
            Walk {
                members: Some(members),
                repeated,
                cut,
            }
        } else {
            scanner.value(1)?;
            Walk {
                members: None,
                repeated,
                cut: None,
            }
        });
    }
    scanner.end()?;
    Ok(walk)
}

/// Reads the members, and the range of the checksum: from the comma before it to its end, or, if
/// it is the first member, to the next member. The range includes the white space between the comma and the member,
/// so that the rest is what a program would write without a checksum.
fn walk_collection<'a>(
    scanner: &mut Scanner<'a>,
) -> Result<(Slots<'a, M>, Option<ChecksumCut>), Expected> {
    let mut members = Slots::new();
    let mut cut: Option<ChecksumCut> = None;
    let mut first = true;
    let mut cut_is_first = false;
    scanner.begin_object(1)?;
    loop {
        // White space before the comma, or before the first member, stays.
        scanner.peek();
        let from = scanner.position();
        let Some(key) = scanner.next_key(first)? else {
            return Ok((members, cut));
        };
        if cut_is_first {
            // The previous member, the first one, was the checksum: the cut ends where this member begins.
            let key_from = scanner.offset_of(key);
            cut = cut.map(|cut| cut.start..key_from);
            cut_is_first = false;
        }
        let value = scanner.value(2)?;
        if let Some(member) = lookup(&key) {
            members.set(member, value);
            if member == M::Checksum {
                cut = Some(from..scanner.position());
                cut_is_first = first;
            }
        }
        first = false;
    }
}

fn check_collection(
    members: &Slots<'_, M>,
    warnings: &mut Vec<WarningKind>,
) -> Result<Collection, ReadError> {
    // Check the version first, because the other members may have a different meaning in a later major version.
    let version: Version = required(members, M::Version)?;
    if version.major > Version::CURRENT.major {
        return Err(ReadError::UnsupportedVersion { version });
    }
    if version > Version::CURRENT {
        warnings.push(WarningKind::NewerVersion { version });
    }
    if let Some(member) = members.repeated() {
        return Err(MetadataProblem::DuplicateMember(member.name()).into());
    }
    let generated = required(members, M::Generated)?;
    let since: Option<Timestamp> = optional(members, M::Since)?;
    let kind = match string(members, M::Type)?.as_deref() {
        None => return Err(MetadataProblem::Missing("type").into()),
        Some("snapshot") => CollectionKind::Snapshot,
        Some("delta") => CollectionKind::Delta {
            since: since.ok_or(MetadataProblem::DeltaWithoutSince)?,
        },
        Some(other) => return Err(MetadataProblem::UnknownType(excerpt(other)).into()),
    };
    if kind.since().is_some_and(|since| since > generated) {
        warnings.push(WarningKind::SinceAfterGenerated);
    }
    Ok(Collection {
        id: required(members, M::Id)?,
        section: required(members, M::Section)?,
        kind,
        generated,
        checksum: optional(members, M::Checksum)?,
        version,
        deleted: deleted(members, kind, warnings),
    })
}

fn string<'a>(
    members: &Slots<'a, M>,
    member: M,
) -> Result<Option<std::borrow::Cow<'a, str>>, MetadataProblem> {
    let Some(value) = members.get(member) else {
        return Ok(None);
    };
    let not_a_string = MetadataProblem::NotAString {
        member: member.name(),
        found: value.kind.name(),
    };
    value.text().ok_or(not_a_string).map(Some)
}

fn optional<T>(members: &Slots<'_, M>, member: M) -> Result<Option<T>, MetadataProblem>
where
    T: std::str::FromStr<Err = crate::InvalidValue>,
{
    string(members, member)?
        .map(|text| text.parse())
        .transpose()
        .map_err(|problem| MetadataProblem::Value {
            member: member.name(),
            problem,
        })
}

fn required<T>(members: &Slots<'_, M>, member: M) -> Result<T, MetadataProblem>
where
    T: std::str::FromStr<Err = crate::InvalidValue>,
{
    optional(members, member)?.ok_or(MetadataProblem::Missing(member.name()))
}

/// Reads the URLs of deleted pages. As `deleted` is an extension of Sitecast, errors in it are only warned about.
fn deleted(
    members: &Slots<'_, M>,
    kind: CollectionKind,
    warnings: &mut Vec<WarningKind>,
) -> Vec<HttpUrl> {
    let Some(value) = members.get(M::Deleted) else {
        return Vec::new();
    };
    let mut ignore = |expected| {
        let member = M::Deleted.name();
        warnings.push(WarningKind::IgnoredMember {
            block: None,
            member,
            expected,
        });
        Vec::new()
    };
    if kind == CollectionKind::Snapshot {
        return ignore("used in snapshots, which simply omit deleted pages");
    }
    if !value.is_string_list() {
        return ignore("a list of URLs");
    }
    let mut given = 0;
    let mut urls: Vec<HttpUrl> = Vec::new();
    strings(value, |text| {
        given += 1;
        urls.extend(HttpUrl::new(text));
    });
    // One warning for all unusable URLs, because the length of the list is not limited.
    if urls.len() < given {
        warnings.push(WarningKind::DeletedUrls {
            unusable: given - urls.len(),
            given,
        });
    }
    if let Some(url) = urls.iter().find(|url| !url.is_strict()) {
        warnings.push(WarningKind::UrlSpelling {
            block: None,
            url: excerpt(url.as_str()),
        });
    }
    urls
}
