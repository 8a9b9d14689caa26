//! Paths of URLs: decoding them, and refusing those that no published file has.
//!
//! A path may contain `.` and `..`, also as `%2e`; an escaped slash or backslash; NUL and other control characters;
//! bytes that are not UTF-8; broken escapes. No published file has such a path, so it is refused before any store or
//! file system sees it.

use std::borrow::Cow;

/// The reason why [`decode_url_path`] refuses a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BadPath {
    /// A path that no resource could have: 400.
    Malformed,
    /// A well-formed path that no published resource has: 404.
    NotFound,
}

/// Decodes the path of a URL. The result begins with `/`, has no empty segment but the last, and no segment with a
/// meaning for a file system.
pub fn decode_url_path(path: &str) -> Result<Cow<'_, str>, BadPath> {
    let Some(rest) = path.strip_prefix('/') else {
        return Err(BadPath::Malformed);
    };
    let decoded: Cow<'_, str> = if path.contains('%') {
        Cow::Owned(unescape(path)?)
    } else {
        Cow::Borrowed(path)
    };
    if decoded.chars().any(|c| c.is_control() || c == '\\') {
        return Err(BadPath::Malformed);
    }
    let parts = decoded.strip_prefix('/').unwrap_or(rest);
    let mut parts = parts.split('/').peekable();
    while let Some(part) = parts.next() {
        match part {
            "." | ".." => return Err(BadPath::Malformed),
            "" if parts.peek().is_some() => return Err(BadPath::NotFound),
            _ => {}
        }
    }
    Ok(decoded)
}

fn unescape(path: &str) -> Result<String, BadPath> {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || char::from(rest.next()?).to_digit(16);
        let (Some(high), Some(low)) = (digit(), digit()) else {
            return Err(BadPath::Malformed);
        };
        match u8::try_from(high * 16 + low) {
            // An escaped slash is part of a name, and file names cannot contain one.
            Ok(b'/') => return Err(BadPath::NotFound),
            Ok(byte) => bytes.push(byte),
            Err(_) => return Err(BadPath::Malformed),
        }
    }
    String::from_utf8(bytes).map_err(|_| BadPath::Malformed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_paths_once() {
        for (path, expected) in [
            ("/", "/"),
            ("/a/b", "/a/b"),
            ("/a/", "/a/"),
            ("/k%C3%A4se%20b/", "/käse b/"),
            ("/a%25b", "/a%b"),
            ("/%252e%252e/", "/%2e%2e/"),
            ("/...", "/..."),
            ("/a..b", "/a..b"),
        ] {
            assert_eq!(decode_url_path(path).as_deref(), Ok(expected), "{path}");
        }
    }

    #[test]
    fn rejects_paths_that_could_leave_the_root() {
        for path in [
            "",
            "a",
            "*",
            "/..",
            "/../etc/passwd",
            "/a/../b",
            "/.",
            "/./a",
            "/%2e%2e/x",
            "/%2E./x",
            "/a\\b",
            "/a%5cb",
            "/a%00",
            "/%0a",
            "/%",
            "/%2",
            "/%zz",
            "/%ff",
            "/%c0%ae%c0%ae/",
            "/a%7f",
        ] {
            assert_eq!(decode_url_path(path), Err(BadPath::Malformed), "{path}");
        }
        for path in [
            "//",
            "//evil.example/",
            "/a//b",
            "/a%2fb",
            "/..%2f..%2fetc/passwd",
            "/a%2F",
        ] {
            assert_eq!(decode_url_path(path), Err(BadPath::NotFound), "{path}");
        }
    }
}
