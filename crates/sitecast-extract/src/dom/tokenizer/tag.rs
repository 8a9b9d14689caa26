//! Reading tags with their attributes.

use memchr::memchr;

use super::source::Source;
use crate::dom::Tag;
use crate::dom::attribute::{Name, kept};
use crate::dom::builder::{Builder, SourceText};

/// A start or end tag, as it was read.
pub(super) struct ReadTag<'a> {
    pub(super) tag: Tag,
    /// The name in the case of the source.
    pub(super) name: &'a str,
    pub(super) self_closing: bool,
}

/// The parts of a tag that the builder gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    Attributes,
    NameOnly,
}

/// Reads the tag whose name begins at `at`, passes its attributes to `builder`, and returns it with its end; `None` if the input
/// ends before the tag does. HTML, "Tag name state" and the states after it.
pub(super) fn read_tag<'a>(
    source: Source<'a>,
    mut at: usize,
    wanted: Wanted,
    builder: &mut impl Builder,
) -> Option<(ReadTag<'a>, usize)> {
    let start = at;
    while !matches!(
        source.byte(at)?,
        b' ' | b'\n' | b'\t' | b'\x0c' | b'/' | b'>'
    ) {
        at += 1;
    }
    let name = source.text(start..at);
    let tag = Tag::read(name);
    if wanted == Wanted::Attributes {
        builder.begin(tag, name);
    }
    let read = |self_closing| ReadTag {
        tag,
        name,
        self_closing,
    };
    loop {
        match source.byte(at)? {
            b' ' | b'\n' | b'\t' | b'\x0c' => at += 1,
            b'>' => return Some((read(false), at + 1)),
            b'/' => {
                at += 1;
                if source.byte(at)? == b'>' {
                    return Some((read(true), at + 1));
                }
            }
            _ => at = attribute(source, at, wanted, builder)?,
        }
    }
}

/// Reads an attribute and returns the offset after it.
fn attribute(
    source: Source<'_>,
    start: usize,
    wanted: Wanted,
    builder: &mut impl Builder,
) -> Option<usize> {
    // HTML takes an `=` at the beginning for a part of the name.
    let mut at = start + 1;
    while !matches!(
        source.byte(at)?,
        b'=' | b' ' | b'\n' | b'\t' | b'\x0c' | b'/' | b'>'
    ) {
        at += 1;
    }
    let name = source.bytes_from(start).get(..at - start)?;
    at = skip_space(source, at)?;
    let (value, after) = if source.byte(at)? == b'=' {
        value(source, at + 1)?
    } else {
        (at..at, at)
    };
    if wanted == Wanted::Attributes
        && let Some(name) = kept_name(name)
    {
        let at = value.start;
        let text = source.text(value);
        builder.attribute(name, SourceText { text, at });
    }
    Some(after)
}

/// Returns the range of the value after `=`, and the offset after it.
fn value(source: Source<'_>, at: usize) -> Option<(std::ops::Range<usize>, usize)> {
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

fn skip_space(source: Source<'_>, mut at: usize) -> Option<usize> {
    while matches!(source.byte(at)?, b' ' | b'\n' | b'\t' | b'\x0c') {
        at += 1;
    }
    Some(at)
}

/// No kept name is longer, in bytes.
const MAX_NAME_BYTES: usize = 32;

fn kept_name(name: &[u8]) -> Option<Name> {
    kept(name).or_else(|| {
        if !name.iter().any(u8::is_ascii_uppercase) {
            return None;
        }
        let mut lower = [0; MAX_NAME_BYTES];
        let lower = lower.get_mut(..name.len())?;
        lower.copy_from_slice(name);
        lower.make_ascii_lowercase();
        kept(lower)
    })
}
