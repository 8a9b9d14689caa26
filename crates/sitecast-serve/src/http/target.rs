//! Request targets: paths that are never served.

pub(crate) use sitecast_storage::{BadPath, decode_url_path as decode};

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
