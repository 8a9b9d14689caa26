//! Request targets: decoding and validating the path.
//!
//! A target may contain `.` and `..`, also as `%2e`; an escaped slash or backslash; NUL and other control characters;
//! bytes that are not UTF-8; broken escapes. No published resource has such a path, so the request is refused before
//! any store or file system sees it.

use std::borrow::Cow;

/// The reason why a path is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BadPath {
    /// A path that no resource could have: 400.
    Malformed,
    /// A well-formed path that no published resource has: 404.
    NotFound,
}

/// Decodes the path of a URL. The result begins with `/`, has no empty segment but the last, and no segment with a
/// meaning for a file system.
pub(crate) fn decode(path: &str) -> Result<Cow<'_, str>, BadPath> {
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

/// Returns true for files that are never served: hidden files, configuration of other servers, backups of editors, and
/// the settings, which may contain tokens and be in any folder. `path` is relative to the site's base.
pub(crate) fn is_private(path: &str) -> bool {
    const AT_THE_TOP: [&str; 4] = [
        "_headers",
        "_redirects",
        "sitecast.nginx.conf",
        "sitecast.caddy",
    ];
    let is_hidden = |part: &str| part.starts_with('.') && part != ".well-known";
    // Some file systems ignore case.
    let is_settings = |part: &str| starts_with_ignore_case(part, SETTINGS);
    let path = path.trim_start_matches('/');
    path.split('/')
        .any(|part| is_hidden(part) || is_settings(part) || is_backup(part))
        || AT_THE_TOP
            .iter()
            .any(|name| path.eq_ignore_ascii_case(name))
}

/// The settings and copies of them with anything added to the name: `sitecast.toml.2`, `sitecast.toml (copy)`.
const SETTINGS: &str = "sitecast.toml";

/// Suffixes of the copies that editors, patches and people leave beside a file.
const BACKUP_ENDINGS: [&str; 10] = [
    "~", ".bak", ".backup", ".old", ".orig", ".rej", ".save", ".swp", ".swo", ".swn",
];

/// Returns true for backups: `page.html~`, `page.html.bak`, `#page.html#`, and numbered ones (`page.html.save.1`,
/// `page.html.bak2`).
fn is_backup(name: &str) -> bool {
    // The shortest one is `#a#`.
    if name.len() > 2 && name.starts_with('#') && name.ends_with('#') {
        return true;
    }
    let unnumbered = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let unnumbered = unnumbered.strip_suffix('.').unwrap_or(unnumbered);
    [name, unnumbered].into_iter().any(|name| {
        BACKUP_ENDINGS
            .iter()
            .any(|ending| name.len() > ending.len() && ends_with_ignore_case(name, ending))
    })
}

fn starts_with_ignore_case(text: &str, start: &str) -> bool {
    text.get(..start.len())
        .is_some_and(|begin| begin.eq_ignore_ascii_case(start))
}

fn ends_with_ignore_case(text: &str, ending: &str) -> bool {
    text.len()
        .checked_sub(ending.len())
        .and_then(|at| text.get(at..))
        .is_some_and(|end| end.eq_ignore_ascii_case(ending))
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
            assert_eq!(decode(path).as_deref(), Ok(expected), "{path}");
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
            assert_eq!(decode(path), Err(BadPath::Malformed), "{path}");
        }
        for path in [
            "//",
            "//evil.example/",
            "/a//b",
            "/a%2fb",
            "/..%2f..%2fetc/passwd",
            "/a%2F",
        ] {
            assert_eq!(decode(path), Err(BadPath::NotFound), "{path}");
        }
    }

    #[test]
    fn treats_hidden_files_and_files_of_other_servers_as_private() {
        for path in [
            "/.git/config",
            "/a/.env",
            "/.htaccess",
            "/_headers",
            "/sitecast.nginx.conf",
            "sitecast.nginx.conf",
            "_Headers",
            "/sitecast.toml",
            "a/Sitecast.TOML",
        ] {
            assert!(is_private(path), "{path}");
        }
        for path in ["/.well-known/x", "/a/_headers", "/a.b"] {
            assert!(!is_private(path), "{path}");
        }
    }

    #[test]
    fn treats_backups_of_editors_as_private() {
        for path in [
            "/sitecast.toml~",
            "/a/sitecast.toml.2026",
            "/sitecast.toml (copy)",
            "/index.html~",
            "/index.html.~1~",
            "/index.html.bak",
            "/INDEX.HTML.BAK",
            "/index.html.bak2",
            "/a/style.css.orig",
            "/a/style.css.save",
            "/a/style.css.save.1",
            "/a/style.css.rej",
            "/a/style.css.swp",
            "/a/#style.css#",
            "/old.bak/page.html",
        ] {
            assert!(is_private(path), "{path}");
        }
        for path in [
            "/~user/",
            "/bak",
            "/threshold",
            "/c#",
            "/#",
            "/swp.html",
            "/release-1.0",
            "/original",
            "/a.2026",
        ] {
            assert!(!is_private(path), "{path}");
        }
    }
}
