//! Paths and the patterns that match them.

use memchr::memmem;

/// The path of a rule: `*` stands for anything, a `$` at the end for the end.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Pattern {
    normal: Vec<u8>,
    anchored: bool,
    length: usize,
}

impl Pattern {
    pub(super) fn new(path: &[u8]) -> Self {
        let mut normal = normalize(path);
        if !matches!(normal.first(), Some(b'/' | b'*')) {
            normal.insert(0, b'/');
        }
        let length = normal.len();
        let anchored = normal.last() == Some(&b'$');
        if anchored {
            normal.pop();
        }
        Self {
            normal: escape_specials(normal, b"$"),
            anchored,
            length,
        }
    }

    /// How much it says: the longest of the rules that match decides.
    pub(super) fn len(&self) -> usize {
        self.length
    }

    /// Whether it matches a normalised path. Takes time in proportion to both, whatever they are:
    /// between two stars the first place that fits leaves the most for what follows.
    pub(super) fn matches(&self, path: &[u8]) -> bool {
        let anchored = self.anchored;
        let mut pieces = self.normal.split(|&byte| byte == b'*');
        let first = pieces.next().unwrap_or_default();
        let Some(mut rest) = path.strip_prefix(first) else {
            return false;
        };
        let mut pieces = pieces.peekable();
        if pieces.peek().is_none() {
            return !anchored || rest.is_empty();
        }
        while let Some(piece) = pieces.next() {
            if anchored && pieces.peek().is_none() {
                return rest.ends_with(piece);
            }
            match memmem::find(rest, piece) {
                Some(at) => rest = rest.get(at + piece.len()..).unwrap_or_default(),
                None => return false,
            }
        }
        true
    }
}

/// A path as patterns see it: a star in it is written as rules write one that is meant as such.
pub(super) fn normalize_path(path: &[u8]) -> Vec<u8> {
    escape_specials(normalize(path), b"*$")
}

fn escape_specials(path: Vec<u8>, specials: &[u8]) -> Vec<u8> {
    if !path.iter().any(|byte| specials.contains(byte)) {
        return path;
    }
    let mut escaped = Vec::with_capacity(path.len() + 8);
    for byte in path {
        if specials.contains(&byte) {
            push_escaped(&mut escaped, byte);
        } else {
            escaped.push(byte);
        }
    }
    escaped
}

/// Brings a path and a pattern to one spelling: escapes of characters that need none are resolved,
/// all others are in capitals, and what cannot stand in a URL is escaped.
pub(super) fn normalize(path: &[u8]) -> Vec<u8> {
    let mut normal = Vec::with_capacity(path.len());
    let mut at = 0;
    while let Some(&byte) = path.get(at) {
        match byte {
            b'%' => match escaped(path.get(at + 1..at + 3)) {
                Some(byte) => {
                    if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
                        normal.push(byte);
                    } else {
                        push_escaped(&mut normal, byte);
                    }
                    at += 2;
                }
                None => normal.push(b'%'),
            },
            byte if byte.is_ascii_graphic() => normal.push(byte),
            byte => push_escaped(&mut normal, byte),
        }
        at += 1;
    }
    normal
}

fn escaped(digits: Option<&[u8]>) -> Option<u8> {
    let digits = std::str::from_utf8(digits?).ok()?;
    // `from_str_radix` alone would take a sign.
    digits
        .bytes()
        .all(|digit| digit.is_ascii_hexdigit())
        .then(|| u8::from_str_radix(digits, 16).ok())
        .flatten()
}

fn push_escaped(normal: &mut Vec<u8>, byte: u8) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    let digit = |value: u8| DIGITS.get(usize::from(value)).copied().unwrap_or(b'0');
    normal.extend([b'%', digit(byte >> 4), digit(byte & 15)]);
}

/// What of a URL the rules are about: path and query, without the fragment. A text that begins with
/// a slash is taken as that already.
pub(super) fn path_and_query(url: &str) -> String {
    let url = url.split('#').next().unwrap_or_default();
    let url = url.trim();
    if url.starts_with('/') && !url.starts_with("//") {
        return url.to_owned();
    }
    let after_scheme = match url.find("://") {
        Some(at) if !url.get(..at).unwrap_or_default().contains(['/', '?']) => {
            url.get(at + 3..).unwrap_or_default()
        }
        _ => url.strip_prefix("//").unwrap_or(url),
    };
    match after_scheme.find(['/', '?']) {
        None => "/".to_owned(),
        Some(at) => {
            let path = after_scheme.get(at..).unwrap_or_default();
            if path.starts_with('/') {
                path.to_owned()
            } else {
                format!("/{path}")
            }
        }
    }
}
