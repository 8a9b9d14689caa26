//! What a request asks for, before anything is looked up.
//!
//! What can come, and what becomes of it: `..` and `.`, also as `%2e`; a slash or backslash in
//! disguise; NUL and other control characters; bytes that are no UTF-8; broken escapes. None of
//! these names anything that is published, so the request is refused as bad, and no file system
//! ever sees it.

use std::borrow::Cow;

/// Why a path names nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BadPath {
    /// Not a path that anything could have: 400.
    Malformed,
    /// A path that nothing here has: 404.
    Nothing,
}

/// Decodes the path of a URL. It begins with `/`, has no empty part but the last one, and no part
/// that means something to a file system.
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
            "" if parts.peek().is_some() => return Err(BadPath::Nothing),
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
            // It is part of a name, and names of files have none.
            Ok(b'/') => return Err(BadPath::Nothing),
            Ok(byte) => bytes.push(byte),
            Err(_) => return Err(BadPath::Malformed),
        }
    }
    String::from_utf8(bytes).map_err(|_| BadPath::Malformed)
}

/// Names that are there but not for visitors: hidden files, what other servers read, what editors leave behind, and the
/// settings, which may hold tokens and lie in any folder. `path` is from the site's base on: what lies at its top lies
/// below a path for visitors.
pub(crate) fn is_private(path: &str) -> bool {
    const AT_THE_TOP: [&str; 4] = [
        "_headers",
        "_redirects",
        "sitecast.nginx.conf",
        "sitecast.caddy",
    ];
    let is_hidden = |part: &str| part.starts_with('.') && part != ".well-known";
    // Some file systems do not look at the case of letters.
    let is_settings = |part: &str| starts_with_ignore_case(part, SETTINGS);
    let path = path.trim_start_matches('/');
    path.split('/')
        .any(|part| is_hidden(part) || is_settings(part) || is_backup(part))
        || AT_THE_TOP
            .iter()
            .any(|name| path.eq_ignore_ascii_case(name))
}

/// The settings, and copies of them whatever was added to the name: `sitecast.toml.2`, `sitecast.toml (copy)`.
const SETTINGS: &str = "sitecast.toml";

/// Endings of the copies that editors, patches and careful people leave beside a file.
const BACKUP_ENDINGS: [&str; 10] = [
    "~", ".bak", ".backup", ".old", ".orig", ".rej", ".save", ".swp", ".swo", ".swn",
];

/// Names of the copies that editors keep beside a file: `page.html~`, `page.html.bak`, `#page.html#`, and numbered ones
/// (`page.html.save.1`, `page.html.bak2`).
fn is_backup(name: &str) -> bool {
    // Three letters are enough to be `#a#`, and fewer are no copy of anything.
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
    fn paths_are_decoded_once() {
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
    fn what_could_lead_elsewhere_is_refused() {
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
            assert_eq!(decode(path), Err(BadPath::Nothing), "{path}");
        }
    }

    #[test]
    fn hidden_files_and_files_of_other_servers_are_private() {
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
    fn backups_of_editors_are_private() {
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
