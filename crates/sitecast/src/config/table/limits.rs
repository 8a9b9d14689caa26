use crate::config::kind::{Kind, MOST};
use crate::config::setting::{Setting, Table, Usual};

/// A limit: some number of something.
const fn limit(
    name: &'static str,
    usual: &'static str,
    about: &'static str,
    example: &'static str,
) -> Setting {
    let kind = Kind::Whole { from: 0, to: MOST };
    Setting::new(name, kind, Usual::Value(usual), about, example)
}

pub(super) const TABLES: &[Table] = &[
    Table {
        key: "limits",
        about: "How much of a collection is read before it is refused, whoever reads it.",
        presence_counts: false,
        settings: &[
            limit(
                "compressed_bytes",
                "50_000_000_000",
                "Bytes of the file as stored.",
                "1_000_000_000",
            ),
            limit(
                "uncompressed_bytes",
                "500_000_000_000",
                "Bytes of the file once decompressed.",
                "10_000_000_000",
            ),
            limit(
                "ratio",
                "100",
                "Decompressed bytes for each byte read; beyond it the file is refused as a bomb.",
                "200",
            ),
            limit(
                "ratio_from_bytes",
                "1_048_576",
                "Decompressed bytes from which on the ratio counts.",
                "10_000_000",
            ),
            limit(
                "metadata_bytes",
                "10_000_000",
                "Bytes of the metadata line.",
                "1_000_000",
            ),
            limit(
                "page_bytes",
                "100_000_000",
                "Bytes of one page; a longer one is left out.",
                "10_000_000",
            ),
            limit(
                "page_blocks",
                "1000",
                "Blocks of one page. A page with more is left out when read, and joined into fewer when published.",
                "500",
            ),
            limit(
                "depth",
                "128",
                "Containers nested in each other on one line.",
                "32",
            ),
            Setting::new(
                "zstd_window_log",
                Kind::Whole { from: 10, to: 31 },
                Usual::Value("27"),
                "Memory that a zstd file may ask for, as a power of two: 27 is 128 MiB.",
                "31",
            ),
            limit(
                "tracked_urls",
                "917_504",
                "URLs remembered to find those that come twice.",
                "100_000",
            ),
        ],
    },
    Table {
        key: "sitemap.limits",
        about: "How much of a sitemap is read.",
        presence_counts: false,
        settings: &[
            limit(
                "bytes",
                "100_000_000",
                "Bytes of one file: as stored, and once more when decompressed.",
                "50_000_000",
            ),
            limit("entries", "1_000_000", "Entries of one file.", "50_000"),
            limit(
                "token_bytes",
                "1_048_576",
                "Bytes of one tag, text, comment or line.",
                "65_536",
            ),
            limit("nesting", "64", "Elements nested in each other.", "16"),
            limit(
                "alternates",
                "1000",
                "Alternates of one URL; those beyond are left out.",
                "100",
            ),
            limit(
                "index_depth",
                "5",
                "Indexes nested in each other, for crawling.",
                "2",
            ),
            limit(
                "sitemaps",
                "50_000",
                "Sitemaps of one site, for crawling.",
                "1000",
            ),
        ],
    },
    Table {
        key: "tct.limits",
        about: "How much of a JSON sitemap or a machine page is read.",
        presence_counts: false,
        settings: &[
            limit(
                "sitemap_bytes",
                "100_000_000",
                "Bytes of a JSON sitemap.",
                "10_000_000",
            ),
            limit("items", "1_000_000", "Items of a JSON sitemap.", "100_000"),
            limit(
                "item_bytes",
                "65_536",
                "Bytes of one item; a longer one is left out.",
                "2048",
            ),
            limit(
                "page_bytes",
                "16_777_216",
                "Bytes of a machine page.",
                "1_000_000",
            ),
        ],
    },
    Table {
        key: "extract.limits",
        about: "How much of a page of HTML is looked at.",
        presence_counts: false,
        settings: &[
            limit(
                "bytes",
                "100_000_000",
                "Bytes of HTML; what is beyond is not looked at.",
                "10_000_000",
            ),
            limit(
                "nodes",
                "2_000_000",
                "Elements and texts; beyond, tags are ignored and text is not.",
                "500_000",
            ),
            limit(
                "depth",
                "512",
                "Elements inside each other; deeper tags are ignored.",
                "256",
            ),
        ],
    },
];
