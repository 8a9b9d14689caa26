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
    let (name, source, is_built, _) = seen(&[("dist/index.html", "<p>"), ("package.json", "{}")]);
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
    let joined = |folder: &str, inner: &str| join(Path::new(folder), inner).display().to_string();
    assert_eq!(joined(".", "public/"), "public");
    assert_eq!(joined(".", "./public"), "public");
    assert_eq!(joined("site", "public"), "site/public");
    assert_eq!(joined("./site/", "../out"), "site/../out");
    assert_eq!(joined(".", "."), ".");
}
