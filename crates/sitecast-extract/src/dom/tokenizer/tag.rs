//! Tags with their attributes.

use html5ever::{Attribute, LocalName, QualName, ns};
use memchr::memchr;

use super::source::Source;
use crate::dom::Tag;
use crate::dom::attribute::kept;

/// A tag as it was read, start or end tag.
pub(super) struct ReadTag {
    pub(super) tag: Tag,
    pub(super) name: LocalName,
    /// Those that are kept, each once.
    pub(super) attributes: Vec<Attribute>,
    pub(super) self_closing: bool,
}

/// Whether anyone wants to know the attributes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    Attributes,
    NameOnly,
}

/// Reads the tag whose name begins at `at`, and tells where it ends; `None` if the input ends
/// before it does. HTML, "Tag name state" and those that follow.
pub(super) fn read_tag(
    source: &Source<'_>,
    mut at: usize,
    wanted: Wanted,
    scratch: &mut String,
) -> Option<(ReadTag, usize)> {
    let start = at;
    while !matches!(
        source.byte(at)?,
        b' ' | b'\n' | b'\t' | b'\x0c' | b'/' | b'>'
    ) {
        at += 1;
    }
    let (tag, name) = Tag::read(source.text(start..at));
    let mut read = ReadTag {
        tag,
        name,
        attributes: Vec::new(),
        self_closing: false,
    };
    loop {
        match source.byte(at)? {
            b' ' | b'\n' | b'\t' | b'\x0c' => at += 1,
            b'>' => return Some((read, at + 1)),
            b'/' => {
                at += 1;
                if source.byte(at)? == b'>' {
                    read.self_closing = true;
                    return Some((read, at + 1));
                }
            }
            _ => at = attribute(source, at, wanted, &mut read.attributes, scratch)?,
        }
    }
}

/// Reads an attribute, and tells where what follows it begins.
fn attribute(
    source: &Source<'_>,
    start: usize,
    wanted: Wanted,
    attributes: &mut Vec<Attribute>,
    scratch: &mut String,
) -> Option<usize> {
    // The first may be `=`.
    let mut at = start + 1;
    while !matches!(
        source.byte(at)?,
        b'=' | b' ' | b'\n' | b'\t' | b'\x0c' | b'/' | b'>'
    ) {
        at += 1;
    }
    let name = start..at;
    at = skip_space(source, at)?;
    let (value, after) = if source.byte(at)? == b'=' {
        value(source, at + 1)?
    } else {
        (at..at, at)
    };
    if wanted == Wanted::Attributes
        && let Some(name) = kept_name(source.bytes_from(name.start).get(..name.len())?)
        && attributes.iter().all(|other| other.name.local != *name)
    {
        attributes.push(Attribute {
            name: QualName::new(None, ns!(), name.clone()),
            value: source.value(value, scratch),
        });
    }
    Some(after)
}

/// Where the value is that comes after `=`, and what follows it.
fn value(source: &Source<'_>, at: usize) -> Option<(std::ops::Range<usize>, usize)> {
    let mut at = skip_space(source, at)?;
    let start = at;
    match source.byte(at)? {
        quote @ (b'"' | b'\'') => {
            let length = memchr(quote, source.bytes_from(at + 1))?;
            let end = at + 1 + length;
            Some((at + 1..end, end + 1))
        }
        _ => {
            while !matches!(source.byte(at)?, b' ' | b'\n' | b'\t' | b'\x0c' | b'>') {
                at += 1;
            }
            Some((start..at, at))
        }
    }
}

fn skip_space(source: &Source<'_>, mut at: usize) -> Option<usize> {
    while matches!(source.byte(at)?, b' ' | b'\n' | b'\t' | b'\x0c') {
        at += 1;
    }
    Some(at)
}

/// Names in capitals longer than this are none that are kept.
const LONGEST_NAME: usize = 32;

fn kept_name(name: &[u8]) -> Option<&'static LocalName> {
    kept(name).or_else(|| {
        if !name.iter().any(u8::is_ascii_uppercase) {
            return None;
        }
        let mut lower = [0; LONGEST_NAME];
        let lower = lower.get_mut(..name.len())?;
        lower.copy_from_slice(name);
        lower.make_ascii_lowercase();
        kept(lower)
    })
}
