use crate::config::kind::{Kind, MOST};
use crate::config::setting::{Setting, Table, Usual};

const CANONICAL: Kind = Kind::Choice(&["strict", "lenient"]);
const COUNT: Kind = Kind::Whole { from: 0, to: MOST };
const TIME: Kind = Kind::Whole { from: 1, to: MOST };

/// What holds for a site that says nothing of its own.
const AS_ELSEWHERE: Usual = Usual::Words("as in `[sync]`");

pub(super) const TABLES: &[Table] = &[Table {
    key: "sync",
    about: "What `sitecast sync` takes from sites, and how; `index` is also for `export` and `status`. docs/syncing.md says more.",
    presence_counts: false,
    settings: &[
        Setting::new(
            "index",
            Kind::Path,
            Usual::Words("`sitecast/index` where the system keeps data, such as `~/.local/share`"),
            "The folder of the index.",
            "\"/srv/index\"",
        )
        .flag("--index")
        .variables(&["SITECAST_INDEX"]),
        Setting::new(
            "prefer",
            Kind::Choice(&["scp", "tct", "html"]),
            Usual::Words("`scp`, then `tct`, then `html`"),
            "What to try first where a site offers several: collections, machine pages or HTML.",
            "\"tct\"",
        )
        .flag("--prefer"),
        Setting::new(
            "sections",
            Kind::Texts,
            Usual::Words("the widest one"),
            "Follow these sections of a site's collections.",
            "[\"blog\"]",
        )
        .flag("--section"),
        Setting::new(
            "contact",
            Kind::Contact,
            Usual::Words("none"),
            "How to reach you, told to the sites.",
            "\"bots@example.org\"",
        )
        .flag("--contact"),
        Setting::new(
            "delay",
            Kind::NotNegative,
            Usual::Value("0.5"),
            "Seconds between requests to one host, after the first few; robots.txt can ask for more.",
            "2",
        )
        .flag("--delay"),
        Setting::new(
            "at_once",
            Kind::Whole { from: 1, to: MOST },
            Usual::Value("4"),
            "How many sites to visit at once.",
            "16",
        )
        .flag("--at-once"),
        Setting::new(
            "max_pages",
            COUNT,
            Usual::Value("10_000"),
            "The most pages to fetch one by one from one site in one run: machine pages, and HTML.",
            "500",
        )
        .flag("--max-pages"),
        Setting::new(
            "max_time",
            TIME,
            Usual::Value("86_400"),
            "Seconds for one site in one run, also for `check`, `extract` and `compare`. What was taken by then is kept.",
            "3_600",
        )
        .flag("--max-time"),
        Setting::new(
            "max_url_time",
            TIME,
            Usual::Value("60"),
            "Seconds for one URL with all attempts; every 5,000 bytes that come add one. Waits that the site asks for do not count.",
            "300",
        ),
        Setting::new(
            "snapshot_days",
            COUNT,
            Usual::Value("7"),
            "Take a snapshot after so many days though deltas would do: those of other publishers do not say what is gone.",
            "30",
        ),
        Setting::new(
            "quota_pages",
            COUNT,
            Usual::Words("no limit"),
            "Keep at most so many pages of a site, the last modified.",
            "100_000",
        ),
        Setting::new(
            "quota_bytes",
            COUNT,
            Usual::Words("no limit"),
            "Keep at most so many bytes of a site's lines.",
            "1_000_000_000",
        ),
        Setting::new(
            "retention_days",
            COUNT,
            Usual::Words("no limit"),
            "Keep no page that was last modified longer ago.",
            "3650",
        ),
        Setting::new(
            "canonical",
            CANONICAL,
            Usual::Value("\"strict\""),
            "What to do with machine pages that come without a `Link` header that names their page: leave them, or take them if the JSON sitemap, the page itself and its hash agree. One that names another page is never taken.",
            "\"lenient\"",
        ),
        Setting::new(
            "collection_hosts",
            Kind::Texts,
            Usual::Words("anywhere"),
            "Take collections from the sites' own hosts and these alone.",
            "[\"cdn.example.com\"]",
        ),
        Setting::new(
            "allow_private",
            Kind::Switch,
            Usual::Value("false"),
            "Also visit this machine and its private network.",
            "true",
        )
        .flag("--allow-private"),
    ],
}, Table {
    key: "site[]",
    about: "A site that `sitecast sync` keeps when it is started without naming any, and what holds for it alone. Any number of them. Flags are stronger.",
    presence_counts: true,
    settings: &[
        Setting::new(
            "url",
            Kind::Url,
            Usual::Required,
            "Where the site begins.",
            "\"https://example.com\"",
        ),
        Setting::new("prefer", Kind::Choice(&["scp", "tct", "html"]), AS_ELSEWHERE, "What to try first.", "\"tct\""),
        Setting::new("sections", Kind::Texts, AS_ELSEWHERE, "Follow these sections.", "[\"blog\"]"),
        Setting::new("max_pages", COUNT, AS_ELSEWHERE, "The most pages to fetch as HTML in one run.", "500"),
        Setting::new("snapshot_days", COUNT, AS_ELSEWHERE, "Take a snapshot after so many days though deltas would do.", "30"),
        Setting::new("quota_pages", COUNT, AS_ELSEWHERE, "Keep at most so many pages, the last modified.", "100_000"),
        Setting::new("quota_bytes", COUNT, AS_ELSEWHERE, "Keep at most so many bytes of lines.", "1_000_000_000"),
        Setting::new("retention_days", COUNT, AS_ELSEWHERE, "Keep no page that was last modified longer ago.", "3650"),
        Setting::new("canonical", CANONICAL, AS_ELSEWHERE, "What to do with machine pages that come without a `Link` header that names their page.", "\"lenient\""),
        Setting::new("collection_hosts", Kind::Texts, AS_ELSEWHERE, "Take collections from the site's own hosts and these alone.", "[\"cdn.example.com\"]"),
    ],
}];
