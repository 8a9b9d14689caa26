//! What sites are built with, and how that is seen.

/// A program that builds sites.
#[derive(Debug)]
pub(super) struct Generator {
    pub(super) name: &'static str,
    /// Files of a project, and a key that has to be in them where others have a file of that name.
    pub(super) marks: &'static [(&'static str, &'static str)],
    /// Where it builds to, if the project does not say otherwise.
    pub(super) outputs: &'static [&'static str],
    /// The project's key for where it builds to.
    pub(super) output_key: &'static str,
    /// The project's keys for where the site is: a URL, and a path below it.
    pub(super) base_keys: &'static [&'static str],
    /// How to build.
    pub(super) build: &'static str,
    /// Whether a build empties the folder.
    pub(super) empties: bool,
    /// How its `<meta name="generator">` begins, in small letters.
    pub(super) meta: &'static str,
    /// Files and folders that only its sites have: all of one group.
    pub(super) built: &'static [&'static [&'static str]],
    /// Pages that nobody reads, and their files.
    pub(super) exclude: &'static [(&'static str, &'static str)],
}

const NONE: Generator = Generator {
    name: "",
    marks: &[],
    outputs: &[],
    output_key: "",
    base_keys: &[],
    build: "",
    empties: false,
    meta: "",
    built: &[],
    exclude: &[],
};

/// All that are known. Where two have a file of the same name, the one that is surer comes first.
pub(super) const GENERATORS: &[Generator] = &[
    Generator {
        name: "Hugo",
        marks: &[
            ("hugo.toml", ""),
            ("hugo.yaml", ""),
            ("hugo.yml", ""),
            ("hugo.json", ""),
            ("config/_default/hugo.toml", ""),
            ("config/_default/hugo.yaml", ""),
            ("config/_default/config.toml", "baseURL"),
            ("config/_default/config.yaml", "baseURL"),
            ("config.toml", "baseURL"),
            ("config.yaml", "baseURL"),
            ("config.yml", "baseURL"),
        ],
        outputs: &["public"],
        output_key: "publishDir",
        base_keys: &["baseURL"],
        build: "hugo",
        meta: "hugo",
        ..NONE
    },
    Generator {
        name: "Zola",
        marks: &[("zola.toml", ""), ("config.toml", "base_url")],
        outputs: &["public"],
        output_key: "output_dir",
        base_keys: &["base_url"],
        build: "zola build",
        empties: true,
        meta: "zola",
        ..NONE
    },
    Generator {
        name: "Hexo",
        marks: &[("_config.yml", "public_dir")],
        outputs: &["public"],
        output_key: "public_dir",
        base_keys: &["url"],
        build: "hexo generate",
        meta: "hexo",
        ..NONE
    },
    Generator {
        name: "Jekyll",
        marks: &[("_config.yml", ""), ("_config.yaml", "")],
        outputs: &["_site"],
        output_key: "destination",
        base_keys: &["url", "baseurl"],
        build: "jekyll build",
        empties: true,
        meta: "jekyll",
        ..NONE
    },
    Generator {
        name: "mdBook",
        marks: &[
            ("book.toml", ""),
            ("docs/book.toml", ""),
            ("book/book.toml", ""),
        ],
        outputs: &["book", "book/html"],
        output_key: "build.build-dir",
        build: "mdbook build",
        empties: true,
        built: &[
            &["print.html", "book.js"],
            &["print.html", "toc.html"],
            &["print.html", "ayu-highlight.css"],
        ],
        ..NONE
    },
    Generator {
        name: "Docusaurus",
        marks: &[
            ("docusaurus.config.js", ""),
            ("docusaurus.config.ts", ""),
            ("docusaurus.config.mjs", ""),
            ("docusaurus.config.cjs", ""),
            ("website/docusaurus.config.js", ""),
            ("website/docusaurus.config.ts", ""),
        ],
        outputs: &["build"],
        base_keys: &["url", "baseUrl"],
        build: "npm run build",
        empties: true,
        meta: "docusaurus",
        ..NONE
    },
    Generator {
        name: "MkDocs",
        marks: &[("mkdocs.yml", ""), ("mkdocs.yaml", "")],
        outputs: &["site"],
        output_key: "site_dir",
        base_keys: &["site_url"],
        build: "mkdocs build",
        empties: true,
        meta: "mkdocs",
        built: &[&["search/search_index.json"]],
        ..NONE
    },
    Generator {
        name: "Sphinx",
        marks: &[
            ("conf.py", ""),
            ("docs/conf.py", ""),
            ("docs/source/conf.py", ""),
            ("doc/conf.py", ""),
            ("source/conf.py", ""),
        ],
        outputs: &[
            "_build/html",
            "build/html",
            "docs/_build/html",
            "docs/build/html",
            "doc/_build/html",
            "doc/build/html",
            "_build/dirhtml",
            "build/dirhtml",
        ],
        base_keys: &["html_baseurl"],
        build: "make html",
        meta: "sphinx",
        built: &[
            &["objects.inv", "genindex.html"],
            &["searchindex.js", "_static"],
        ],
        exclude: &[
            ("genindex.html", "/genindex.html"),
            ("py-modindex.html", "/py-modindex.html"),
            ("search.html", "/search.html"),
            ("_modules", "/_modules/**"),
        ],
        ..NONE
    },
    Generator {
        name: "Astro",
        marks: &[
            ("astro.config.mjs", ""),
            ("astro.config.js", ""),
            ("astro.config.ts", ""),
        ],
        outputs: &["dist"],
        output_key: "outDir",
        base_keys: &["site", "base"],
        build: "npm run build",
        empties: true,
        meta: "astro",
        built: &[&["_astro"]],
        ..NONE
    },
    Generator {
        name: "Eleventy",
        marks: &[
            (".eleventy.js", ""),
            ("eleventy.config.js", ""),
            ("eleventy.config.mjs", ""),
            ("eleventy.config.cjs", ""),
        ],
        outputs: &["_site"],
        build: "npx @11ty/eleventy",
        meta: "eleventy",
        ..NONE
    },
    Generator {
        name: "Next.js",
        marks: &[
            ("next.config.js", ""),
            ("next.config.mjs", ""),
            ("next.config.ts", ""),
        ],
        outputs: &["out"],
        build: "npm run build",
        empties: true,
        meta: "next.js",
        built: &[&["_next"]],
        ..NONE
    },
    Generator {
        name: "WordPress",
        marks: &[("wp-config.php", ""), ("wp-load.php", "")],
        meta: "wordpress",
        built: &[&["wp-content"], &["wp-includes"]],
        ..NONE
    },
];

/// Where other programs build to.
pub(super) const USUAL_OUTPUTS: &[&str] = &[
    "public", "dist", "_site", "build", "out", "site", "html", "www", "htdocs", "output",
];
