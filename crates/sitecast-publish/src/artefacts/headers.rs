//! Header files for hosts that serve the folder without Sitecast: `Link`, `ETag`, `Cache-Control` and
//! `Content-Type` are right there, too.
//!
//! | host | file | what it can do |
//! |---|---|---|
//! | Netlify, Cloudflare Pages | `_headers` in the folder | all rules that match apply together; Cloudflare reads 100 rules and no more, Netlify ignores `Content-Encoding`. By their documentation; not tried, and whether they answer `304` by our entity tags is not known |
//! | Apache | `.htaccess` in the folder | everything, but it is read again for each request |
//! | nginx | a file to be included in the `server` block | everything; the most exact `location` alone applies |
//! | Caddy | a file to be imported into the site's block | everything |
//!
//! Where the server does not look at headers that are added to a response before it answers `If-None-Match`
//! (seen with nginx 1.22, Apache 2.4 and Caddy 2.6), the file says itself when to answer `304`.
//!
//! Ours stands between two marker lines; the rest of a file that is there already is not touched.

use std::borrow::Cow;
use std::collections::HashSet;

mod apache;
mod caddy;
mod netlify;
mod nginx;
mod rules;

#[cfg(test)]
use rules::rules;
use rules::{Rule, Target};

use super::machine_url::decode;

/// A file and the headers that it is to be served with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HostedFile {
    /// The path of its URL, percent-encoded, from `/` on.
    pub(crate) path: String,
    /// Names and values. A name that comes twice is one header with both values, which is right for lists, of which
    /// `Link` is one.
    pub(crate) headers: Vec<(&'static str, String)>,
}

/// Whose format the file is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostKind {
    /// `_headers`, for Netlify and for Cloudflare Pages.
    Netlify,
    /// `.htaccess`.
    Apache,
    /// To be included in a `server` block.
    Nginx,
    /// To be imported into a site's block.
    Caddy,
}

impl HostKind {
    /// All of them.
    pub(crate) const ALL: [Self; 4] = [Self::Netlify, Self::Apache, Self::Nginx, Self::Caddy];
}

const LAST_MODIFIED: &str = "Last-Modified";

const BEGIN: &str = "# sitecast: begin";
const END: &str = "# sitecast: end";

/// The file with our part in it: in place of the last one, or at the end. Without files to name, our part goes. `None`
/// where nothing changes.
pub(crate) fn merge(
    kind: HostKind,
    existing: Option<&[u8]>,
    files: &[HostedFile],
) -> Option<Vec<u8>> {
    let text = existing.unwrap_or_default();
    let (before, after) = around(text);
    let mut files = distinct(files);
    if matches!(kind, HostKind::Netlify | HostKind::Apache) {
        // They compare with the file's own time, and cannot be told another one to compare with.
        for file in &mut files {
            file.headers.retain(|(name, _)| *name != LAST_MODIFIED);
        }
        files.retain(|file| !file.headers.is_empty());
    }
    let ours = if files.is_empty() {
        String::new()
    } else {
        let body = match kind {
            HostKind::Netlify => netlify::write(&files, &[before, &after]),
            HostKind::Apache => apache::write(&files),
            HostKind::Nginx => nginx::write(&files),
            HostKind::Caddy => caddy::write(&files),
        };
        format!("{BEGIN}\n{body}{END}\n")
    };
    let mut merged = before.to_vec();
    if !ours.is_empty() {
        // A lone return at the end is half of a line end.
        let halved = before.ends_with(b"\r");
        let line_end = if halved || memchr::memmem::find(text, b"\r\n").is_some() {
            "\r\n"
        } else {
            "\n"
        };
        if halved {
            merged.push(b'\n');
        } else if !before.is_empty() && !before.ends_with(b"\n") {
            merged.extend_from_slice(line_end.as_bytes());
        }
        merged.extend_from_slice(ours.replace('\n', line_end).as_bytes());
    }
    merged.extend_from_slice(&after);
    (merged != text).then_some(merged)
}

/// What is before and after our part, and after others of ours that a copy has brought. A beginning whose end is gone
/// is not ours any more: nobody knows how far it would go.
fn around(text: &[u8]) -> (&[u8], Vec<u8>) {
    let mut before = None;
    let mut after = Vec::new();
    let mut begin = None;
    let mut position = 0;
    // How far the text is before, after, or ours.
    let mut taken = 0;
    for line in text.split_inclusive(|&b| b == b'\n') {
        let start = position;
        position += line.len();
        let line = line.trim_ascii();
        if line == BEGIN.as_bytes() {
            begin = Some(start);
        } else if line == END.as_bytes()
            && let Some(begin) = begin.take()
        {
            let between = text.get(taken..begin).unwrap_or_default();
            match before {
                None => before = Some(between),
                Some(_) => after.extend_from_slice(between),
            }
            taken = position;
        }
    }
    let rest = text.get(taken..).unwrap_or_default();
    match before {
        None => (rest, after),
        Some(before) => {
            after.extend_from_slice(rest);
            (before, after)
        }
    }
}

/// A file whose path and headers are ready to be written.
struct Entry<'f> {
    path: &'f str,
    /// The path as a server compares it.
    decoded: Cow<'f, str>,
    /// Each name once.
    headers: Vec<(&'static str, String)>,
}

impl Entry<'_> {
    /// Whether none of the values, nor the path as it is given, has such a character.
    fn is_free_of(&self, characters: &[char]) -> bool {
        !self.decoded.contains(characters)
            && !self
                .headers
                .iter()
                .any(|(_, value)| value.contains(characters))
    }
}

/// Each file once. Those that hold control characters could be anything in the file, and are left out, as are
/// those whose paths cannot be decoded.
fn distinct(files: &[HostedFile]) -> Vec<Entry<'_>> {
    let mut seen = HashSet::new();
    files
        .iter()
        .filter_map(|file| {
            let is_path = file.path.starts_with('/') && !file.path.contains(char::is_whitespace);
            let decoded = decode(&file.path)?;
            let headers = joined(&file.headers);
            let is_safe = !decoded.contains(char::is_control)
                && !headers
                    .iter()
                    .any(|(_, value)| value.contains(char::is_control));
            (is_path && is_safe && !headers.is_empty() && seen.insert(&file.path)).then_some(
                Entry {
                    path: &file.path,
                    decoded: Cow::Owned(decoded),
                    headers,
                },
            )
        })
        .collect()
}

/// Each name once, in the order of their first.
fn joined(headers: &[(&'static str, String)]) -> Vec<(&'static str, String)> {
    let mut joined: Vec<(&'static str, String)> = Vec::new();
    for (name, value) in headers {
        match joined
            .iter_mut()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
        {
            Some((_, values)) => {
                values.push_str(", ");
                values.push_str(value);
            }
            None => joined.push((name, value.clone())),
        }
    }
    joined
}

/// A comment on what is not in the file, if anything.
fn left_out(number: usize) -> String {
    match number {
        0 => String::new(),
        1 => "# One file is left out: its path or headers cannot be written here.\n".to_owned(),
        _ => format!(
            "# {number} files are left out: their paths or headers cannot be written here.\n"
        ),
    }
}

/// A comment on files beyond the number that is sensible in this format.
fn too_many(number: usize, most: usize, why: &str) -> String {
    if number == 0 {
        return String::new();
    }
    format!(
        "# {number} more files are not named, only matched by the patterns: more than {most} {why}. \
         `sitecast serve` has no such limit.\n"
    )
}

/// The text as part of a regular expression that matches nothing else.
fn regex_escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii_punctuation() && !matches!(c, '/' | '-' | '_') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

#[cfg(test)]
mod tests;
