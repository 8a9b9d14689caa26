//! Matching of paths with the patterns of rules.

use memchr::memmem;

/// The path of a rule: `*` matches any characters, and `$` at the end matches the end of the path.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Pattern {
    /// The normalised pattern without a `$` at its end.
    normal: Vec<u8>,
    /// True if the pattern ended with `$`.
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

    /// The length of the normalised pattern: the longest matching rule decides.
    pub(super) fn len(&self) -> usize {
        self.length
    }

    /// Returns true if the pattern matches a normalised path. The time is linear in both lengths, because no
    /// backtracking is needed: the first match of the text between two stars leaves the most for the rest.
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

/// Normalises a path to compare it with patterns: `*` and `$` are escaped, as rules write them if they mean the character.
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

/// Normalises a path or pattern: resolves escapes of characters that need none, writes
/// the others in upper case, and escapes characters that are not allowed in a URL.
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
    // `from_str_radix` would accept a sign.
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

/// Returns the part of a URL that rules match: path and query, without the fragment. A text that begins with
/// a slash is such a part already.
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
