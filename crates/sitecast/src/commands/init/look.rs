//! What a folder is: a project, a built site, or neither.

use std::fs;
use std::path::{Path, PathBuf};

use sitecast_publish::BaseUrl;

use super::generator::{GENERATORS, Generator, USUAL_OUTPUTS};
use super::peek::Peek;
use crate::failure::Failure;

/// What was found in a folder.
#[derive(Default)]
pub(super) struct Found {
    /// What builds the site, and by what that was seen.
    pub(super) generator: Option<(&'static Generator, String)>,
    /// The folder of built pages: there, or where it will be.
    pub(super) source: Option<PathBuf>,
    /// Whether pages are there.
    pub(super) is_built: bool,
    /// Where the project says that the site is, and the file that says so.
    pub(super) base: Option<(BaseUrl, String)>,
}

/// Looks at a folder.
pub(super) fn look(folder: &Path) -> Result<Found, Failure> {
    let name = folder.display().to_string();
    fs::read_dir(folder).map_err(|error| Failure::cannot_read(&name, &error))?;
    if let Some(found) = project(folder) {
        return Ok(found);
    }
    if has_pages(folder) {
        return Ok(built(folder));
    }
    let usual = USUAL_OUTPUTS.iter().map(|output| join(folder, output));
    let other = usual.into_iter().find(|output| has_pages(output));
    if let Some(output) = other {
        return Ok(built(&output));
    }
    // Not even a homepage, but folders with pages in them.
    let inner = fs::read_dir(folder).into_iter().flatten().flatten();
    let inner = inner.filter(|entry| !entry.file_name().to_string_lossy().starts_with('.'));
    if inner.into_iter().any(|entry| has_pages(&entry.path())) {
        return Ok(built(folder));
    }
    Ok(Found::default())
}

/// A project, if one of the known programs has a file there.
fn project(folder: &Path) -> Option<Found> {
    for generator in GENERATORS {
        for (mark, key) in generator.marks {
            let path = join(folder, mark);
            let Some(peek) = Peek::open(&path).filter(|peek| peek.has(key)) else {
                continue;
            };
            let home = home(folder, &path);
            let source = output(generator, folder, &home, &peek);
            let is_built = source.as_deref().is_some_and(has_pages);
            return Some(Found {
                generator: Some((generator, (*mark).to_owned())),
                source,
                is_built,
                base: base(generator, &peek).map(|base| (base, (*mark).to_owned())),
            });
        }
    }
    None
}

/// The folder that a project's paths are relative to: that of its file, or the one around it if that is only for
/// settings or sources.
fn home(folder: &Path, file: &Path) -> PathBuf {
    let mut home = file.parent().unwrap_or(folder);
    if home.ends_with("config/_default") {
        return folder.to_owned();
    }
    if home != folder && home.ends_with("source") {
        home = home.parent().unwrap_or(home);
    }
    match home.as_os_str().is_empty() {
        true => folder.to_owned(),
        false => home.to_owned(),
    }
}

/// Where a project builds to.
fn output(generator: &Generator, folder: &Path, home: &Path, peek: &Peek) -> Option<PathBuf> {
    if let Some(output) = peek.text(generator.output_key) {
        return Some(join(home, &output));
    }
    let outputs = generator.outputs.iter();
    let places = outputs.flat_map(|output| [join(home, output), join(folder, output)]);
    let places: Vec<PathBuf> = places.collect();
    let built = places.iter().find(|place| has_pages(place));
    built.or(places.first()).cloned()
}

/// Where a project says that its site is.
fn base(generator: &Generator, peek: &Peek) -> Option<BaseUrl> {
    let (url, path) = generator.base_keys.split_first()?;
    let url = peek.text(url)?;
    let path = path
        .first()
        .and_then(|key| peek.text(key))
        .unwrap_or_default();
    let base = format!(
        "{}/{}",
        url.trim_end_matches('/'),
        path.trim_start_matches('/')
    );
    base.parse().ok().filter(is_public)
}

/// Whether a URL may be where a site is: pages are often built for a test host.
pub(super) fn is_public(base: &BaseUrl) -> bool {
    match base.as_url().host() {
        Some(url::Host::Domain(name)) => name != "localhost" && !name.ends_with(".localhost"),
        Some(url::Host::Ipv4(address)) => !address.is_loopback() && !address.is_unspecified(),
        Some(url::Host::Ipv6(address)) => !address.is_loopback() && !address.is_unspecified(),
        None => false,
    }
}

/// A folder of built pages.
fn built(folder: &Path) -> Found {
    let seen = GENERATORS.iter().find_map(|generator| {
        let group = generator
            .built
            .iter()
            .find(|group| group.iter().all(|name| folder.join(name).exists()))?;
        Some((generator, (*group.first()?).to_owned()))
    });
    Found {
        generator: seen,
        source: Some(join(folder, "")),
        is_built: true,
        base: None,
    }
}

/// What pages say they were made with, by what most of them say.
pub(super) fn by_meta(text: &str) -> Option<&'static Generator> {
    let lower = text.to_lowercase();
    let known = |generator: &&Generator| !generator.meta.is_empty();
    GENERATORS
        .iter()
        .filter(known)
        .find(|generator| lower.starts_with(generator.meta))
}

/// Whether there are pages right in a folder, or a homepage.
fn has_pages(folder: &Path) -> bool {
    let Ok(entries) = fs::read_dir(folder) else {
        return false;
    };
    let names = entries.flatten().map(|entry| entry.file_name());
    names.into_iter().any(|name| {
        let path = Path::new(&name);
        let end = path.extension().and_then(|end| end.to_str());
        end.is_some_and(|end| end.eq_ignore_ascii_case("html") || end.eq_ignore_ascii_case("htm"))
    })
}

/// A path in a folder, without what says nothing.
fn join(folder: &Path, inner: &str) -> PathBuf {
    let inner = inner.trim_end_matches('/');
    let joined = if folder == Path::new(".") {
        PathBuf::from(inner)
    } else {
        folder.join(inner)
    };
    // `./public` is `public`.
    let parts: PathBuf = joined
        .components()
        .filter(|part| *part != std::path::Component::CurDir)
        .collect();
    if parts.as_os_str().is_empty() {
        PathBuf::from(".")
    } else {
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with these files.
    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }

    /// What is built with, where to, whether it is there, and where the site is.
    fn seen(files: &[(&str, &str)]) -> (String, String, bool, String) {
        let folder = folder(files);
        let found = look(folder.path()).unwrap();
        let source = found.source.map(|source| {
            let below = source.strip_prefix(folder.path()).unwrap().to_owned();
            below.display().to_string()
        });
        (
            found
                .generator
                .map_or(String::new(), |(generator, _)| generator.name.to_owned()),
            source.unwrap_or_else(|| "-".to_owned()),
            found.is_built,
            found
                .base
                .map_or(String::new(), |(base, _)| base.to_string()),
        )
    }

    #[test]
    fn projects_are_recognised_with_their_output_and_base() {
        let html = "<p>";
        for (files, generator, source, is_built, base) in [
            (
                vec![("config/_default/hugo.toml", "baseURL = 'https://a.example'")],
                "Hugo",
                "public",
                false,
                "https://a.example/",
            ),
            (
                vec![
                    ("hugo.toml", "baseURL = 'https://a.example/x/'"),
                    ("public/index.html", html),
                ],
                "Hugo",
                "public",
                true,
                "https://a.example/x/",
            ),
            (
                vec![(
                    "config.toml",
                    "baseurl = 'https://a.example'\npublishDir = 'docs'",
                )],
                "Hugo",
                "docs",
                false,
                "https://a.example/",
            ),
            (
                vec![("config.toml", "base_url = 'https://a.example'")],
                "Zola",
                "public",
                false,
                "https://a.example/",
            ),
            (
                vec![
                    ("_config.yml", "url: https://a.example\nbaseurl: /b\n"),
                    ("index.html", html),
                    ("_site/index.html", html),
                ],
                "Jekyll",
                "_site",
                true,
                "https://a.example/b/",
            ),
            (
                vec![("_config.yml", "url: https://a.example\npublic_dir: out\n")],
                "Hexo",
                "out",
                false,
                "https://a.example/",
            ),
            (
                vec![
                    ("book.toml", "[book]\ntitle = 'x'"),
                    ("book/index.html", html),
                ],
                "mdBook",
                "book",
                true,
                "",
            ),
            (
                vec![("book.toml", ""), ("book/html/index.html", html)],
                "mdBook",
                "book/html",
                true,
                "",
            ),
            (
                vec![
                    (
                        "docusaurus.config.js",
                        "url: 'https://a.example',\nbaseUrl: '/b/',",
                    ),
                    ("build/index.html", html),
                ],
                "Docusaurus",
                "build",
                true,
                "https://a.example/b/",
            ),
            (
                vec![
                    ("website/docusaurus.config.ts", "url: 'https://a.example',"),
                    ("website/build/index.html", html),
                ],
                "Docusaurus",
                "website/build",
                true,
                "https://a.example/",
            ),
            (
                vec![(
                    "mkdocs.yml",
                    "site_url: https://a.example/b/\nsite_dir: out/\n",
                )],
                "MkDocs",
                "out",
                false,
                "https://a.example/b/",
            ),
            (
                vec![
                    ("docs/conf.py", "html_baseurl = 'https://a.example/'"),
                    ("docs/_build/html/index.html", html),
                ],
                "Sphinx",
                "docs/_build/html",
                true,
                "https://a.example/",
            ),
            (
                vec![
                    ("docs/source/conf.py", ""),
                    ("docs/build/html/index.html", html),
                ],
                "Sphinx",
                "docs/build/html",
                true,
                "",
            ),
            (
                vec![
                    ("next.config.js", "module.exports = { output: 'export' }"),
                    ("out/index.html", html),
                ],
                "Next.js",
                "out",
                true,
                "",
            ),
            (
                vec![("astro.config.mjs", "site: 'https://a.example', base: '/b'")],
                "Astro",
                "dist",
                false,
                "https://a.example/b/",
            ),
            (
                vec![(".eleventy.js", ""), ("_site/index.html", html)],
                "Eleventy",
                "_site",
                true,
                "",
            ),
            (
                vec![("wp-config.php", "<?php")],
                "WordPress",
                "-",
                false,
                "",
            ),
        ] {
            let expected = (
                generator.to_owned(),
                source.to_owned(),
                is_built,
                base.to_owned(),
            );
            assert_eq!(seen(&files), expected, "{files:?}");
        }
    }

    #[test]
    fn built_sites_are_recognised_by_what_only_they_have() {
        for (file, generator) in [
            ("objects.inv", ""),
            ("_next/static/a.js", "Next.js"),
            ("wp-content/themes/a.css", "WordPress"),
            ("search/search_index.json", "MkDocs"),
        ] {
            let (name, source, is_built, _) = seen(&[("index.html", "<p>"), (file, "")]);
            assert_eq!(
                (name.as_str(), source.as_str(), is_built),
                (generator, "", true),
                "{file}"
            );
        }
        let (name, ..) = seen(&[
            ("index.html", ""),
            ("objects.inv", ""),
            ("genindex.html", ""),
        ]);
        assert_eq!(name, "Sphinx");
        let (name, ..) = seen(&[("index.html", ""), ("print.html", ""), ("book.js", "")]);
        assert_eq!(name, "mdBook");
        assert_eq!(
            by_meta("Hugo 0.120.4").map(|generator| generator.name),
            Some("Hugo")
        );
        assert_eq!(
            by_meta("Jekyll v4.3").map(|generator| generator.name),
            Some("Jekyll")
        );
        assert!(by_meta("Something else").is_none());
    }

    #[test]
    fn a_folder_of_unknown_origin_and_an_empty_one() {
        let (name, source, is_built, _) =
            seen(&[("dist/index.html", "<p>"), ("package.json", "{}")]);
        assert_eq!(
            (name.as_str(), source.as_str(), is_built),
            ("", "dist", true)
        );
        let (name, source, is_built, _) = seen(&[("posts/a.html", "<p>")]);
        assert_eq!((name.as_str(), source.as_str(), is_built), ("", "", true));
        let (name, source, is_built, _) = seen(&[("notes.txt", "")]);
        assert_eq!((name.as_str(), source.as_str(), is_built), ("", "-", false));
    }

    #[test]
    fn a_test_host_is_not_where_a_site_is() {
        for url in [
            "http://localhost:1313/",
            "http://127.0.0.1:8000/",
            "http://[::1]/",
        ] {
            assert!(!is_public(&url.parse().unwrap()), "{url}");
        }
        assert!(is_public(&"https://example.com".parse().unwrap()));
        let (.., base) = seen(&[("hugo.toml", "baseURL = 'http://localhost:1313/'")]);
        assert_eq!(base, "");
    }

    #[test]
    fn paths_are_as_short_as_they_can_be() {
        let joined =
            |folder: &str, inner: &str| join(Path::new(folder), inner).display().to_string();
        assert_eq!(joined(".", "public/"), "public");
        assert_eq!(joined(".", "./public"), "public");
        assert_eq!(joined("site", "public"), "site/public");
        assert_eq!(joined("./site/", "../out"), "site/../out");
        assert_eq!(joined(".", "."), ".");
    }
}
