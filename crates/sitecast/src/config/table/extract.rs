use crate::config::kind::Kind;
use crate::config::setting::{Setting, Table, Usual};

const fn selectors(name: &'static str, about: &'static str, example: &'static str) -> Setting {
    Setting::new(name, Kind::Selectors, Usual::Value("[]"), about, example)
}

pub(super) const TABLES: &[Table] = &[
    Table {
        key: "extract",
        about: "What becomes a page of HTML; for `publish`, `extract` and pages that `sync` makes of HTML.",
        presence_counts: false,
        settings: &[Setting::new(
            "comments",
            Kind::Choice(&["exclude", "include"]),
            Usual::Value("\"exclude\""),
            "What to do with the comments of readers below an article. Posts of a forum are content all the same.",
            "\"include\"",
        )],
    },
    Table {
        key: "extract.rules[]",
        about: "Which parts of your pages are content, by CSS selectors; for `publish` and `extract`. Any number of them, and all that fit a page hold. docs/extraction.md says which selectors there are, and what else in a page is heard.",
        presence_counts: true,
        settings: &[
            Setting::new(
                "path",
                Kind::Glob,
                Usual::Words("all pages"),
                "The pages that it is for, by their paths below `publish.base_url`.",
                "\"/blog/**\"",
            ),
            selectors(
                "content",
                "The content is what these match, and nothing else. On a page where they match nothing they say nothing.",
                "[\"article.post\"]",
            ),
            selectors(
                "include",
                "What these match is content, too, whatever it looks like.",
                "[\".key-facts\"]",
            ),
            selectors(
                "exclude",
                "What these match is none.",
                "[\".promo\", \"#share\"]",
            ),
        ],
    },
];
