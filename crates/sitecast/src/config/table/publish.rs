use crate::config::kind::Kind;
use crate::config::setting::{Setting, Table, Usual};

pub(super) const TABLES: &[Table] = &[
    Table {
        key: "publish",
        about: "What `sitecast publish` makes, and of what. docs/publishing.md says more.",
        presence_counts: false,
        settings: &[
            Setting::new(
                "source",
                Kind::Path,
                Usual::Words("the current folder"),
                "The folder of built HTML, or a file of pages as JSON lines.",
                "\"public\"",
            )
            .flag("SOURCE"),
            Setting::new(
                "base_url",
                Kind::Base,
                Usual::Words("what the site's sitemap or homepage says"),
                "Where the site is on the web: the homepage's URL.",
                "\"https://example.com\"",
            )
            .flag("--base-url"),
            Setting::new(
                "out",
                Kind::Place,
                Usual::Words("the source folder"),
                "Where to publish: a folder, or a bucket as `s3://bucket/prefix`.",
                "\"s3://bucket/site\"",
            )
            .flag("--out"),
            Setting::new(
                "previous",
                Kind::Place,
                Usual::Words("the place of `out`"),
                "Where the last publication is read from: a folder, a bucket or the live site. Needed where a build empties the folder that is published into.",
                "\"https://example.com\"",
            )
            .flag("--previous"),
            Setting::new(
                "exclude",
                Kind::Globs,
                Usual::Value("[]"),
                "Leave out pages with these paths. The flag `--exclude` adds to them.",
                "[\"/internal/**\"]",
            ),
            Setting::new(
                "keep_out",
                Kind::Choice(&["any", "robots"]),
                Usual::Value("\"any\""),
                "Whose wishes keep a page out. `\"any\"`: whatever keeps it from one crawler or asks for a password, in the page, in `_headers` or in `.htaccess`. `\"robots\"`: what is said to all crawlers, by `<meta name=\"robots\">` and the group `*` of robots.txt.",
                "\"robots\"",
            ),
            Setting::new(
                "compression",
                Kind::Choices(&["zstd", "gzip", "none"]),
                Usual::Value("[\"zstd\", \"gzip\"]"),
                "How collections are compressed: one file for each.",
                "[\"zstd\"]",
            ),
            Setting::new(
                "collections",
                Kind::Folder,
                Usual::Value("\"scp\""),
                "The folder of collections, below the site.",
                "\"feeds/scp\"",
            ),
            Setting::new(
                "collections_url",
                Kind::Url,
                Usual::Words("that folder below `base_url`"),
                "Where the folder of collections is on the web, if it is served from elsewhere.",
                "\"https://cdn.example.com/scp/\"",
            ),
            Setting::new(
                "delta_share",
                Kind::Positive,
                Usual::Value("0.5"),
                "There is a new snapshot when the deltas add up to this share of its size.",
                "0.3",
            ),
            Setting::new(
                "cache",
                Kind::Path,
                Usual::Words("`sitecast` where the system keeps caches, such as `~/.cache`"),
                "Where to keep what makes the next run faster. Deleting it loses nothing.",
                "\".cache/sitecast\"",
            )
            .flag("--cache")
            .variables(&["SITECAST_CACHE"]),
            Setting::new(
                "all",
                Kind::Switch,
                Usual::Value("true"),
                "Make a section of all pages, beside those that are named.",
                "false",
            ),
        ],
    },
    Table {
        key: "publish.sections.<name>",
        about: "A part of the site that has collections of its own, for agents that want no more than that. Any number of them, each with a name of letters, digits, `-` and `_`.",
        presence_counts: true,
        settings: &[
            Setting::new(
                "paths",
                Kind::Globs,
                Usual::Words("all pages"),
                "Which pages belong to it, by their paths below `base_url`.",
                "[\"/blog/**\"]",
            ),
            Setting::new(
                "update_freq",
                Kind::Choice(&["hourly", "daily", "weekly", "monthly"]),
                Usual::Value("\"daily\""),
                "How often it changes. It decides when there is a new snapshot and how long collections are kept.",
                "\"weekly\"",
            ),
        ],
    },
    Table {
        key: "publish.artefacts",
        about: "What is made beside the collections.",
        presence_counts: false,
        settings: &[
            Setting::new(
                "sitemap",
                Kind::SwitchOr(&["separate"]),
                Usual::Value("true"),
                "`sitemap.xml`, made or extended. Without it nobody finds the collections. `separate` names them in `sitemap-scp.xml` instead, which `robots.txt` names, for sites whose other readers choke on elements that they do not know.",
                "\"separate\"",
            ),
            Setting::new(
                "robots_txt",
                Kind::Switch,
                Usual::Value("true"),
                "`Sitemap:` lines in `robots.txt`.",
                "false",
            ),
            Setting::new(
                "tct",
                Kind::Switch,
                Usual::Value("true"),
                "A machine page for each page, and `llm-sitemap.json` with their hashes.",
                "false",
            ),
            Setting::new(
                "html_links",
                Kind::Switch,
                Usual::Value("true"),
                "A `<link rel=\"alternate\">` to the machine page in the HTML, when publishing into the folder itself.",
                "false",
            ),
            Setting::new(
                "policy",
                Kind::Switch,
                Usual::Value("true"),
                "`llm-policy.json`: what `[policy]` says.",
                "false",
            ),
            Setting::new(
                "headers",
                Kind::Choices(&["netlify", "cloudflare", "apache", "nginx", "caddy"]),
                Usual::Value("[\"netlify\"]"),
                "Files that tell static hosts which headers to send. `netlify` and `cloudflare` write one file, `_headers`: the first is right on both, the second names each machine page's page on Cloudflare Pages, whatever their number.",
                "[\"nginx\"]",
            ),
            Setting::new(
                "llms_txt",
                Kind::Switch,
                Usual::Value("false"),
                "`llms.txt`: the site as a list for language models.",
                "true",
            ),
            Setting::new(
                "markdown",
                Kind::Switch,
                Usual::Value("false"),
                "A Markdown file beside each page.",
                "true",
            ),
            Setting::new(
                "template",
                Kind::Switch,
                Usual::Value("true"),
                "`sitecast-template.json`: what the pages have in common, so that a later run without a cache makes the same of the same HTML.",
                "false",
            ),
        ],
    },
    Table {
        key: "publish.storage",
        about: "Where a bucket is. Keys are only taken from the environment: `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN`.",
        presence_counts: false,
        settings: STORAGE,
    },
];

/// What is to be said of a bucket.
pub(super) const STORAGE: &[Setting] = &[
    Setting::new(
        "endpoint",
        Kind::Url,
        Usual::Words("Amazon's"),
        "The server, where it is not Amazon's.",
        "\"https://account.r2.cloudflarestorage.com\"",
    )
    .variables(&["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT"]),
    Setting::new(
        "region",
        Kind::Text,
        Usual::Words("`us-east-1`"),
        "The region of the bucket.",
        "\"eu-central-1\"",
    )
    .variables(&["AWS_REGION", "AWS_DEFAULT_REGION"]),
    Setting::new(
        "path_style",
        Kind::Switch,
        Usual::Words("`true` on other servers than Amazon's"),
        "Whether the bucket's name stands in the path or in the host's name. The variable says the opposite.",
        "true",
    )
    .variables(&["AWS_VIRTUAL_HOSTED_STYLE_REQUEST"]),
];
