use crate::config::kind::{Kind, MOST};
use crate::config::setting::{Setting, Table, Usual};

const COUNT: Kind = Kind::Whole { from: 0, to: MOST };

pub(super) const TABLES: &[Table] = &[
    Table {
        key: "serve",
        about: "How `sitecast serve` serves. docs/hosting.md says more.",
        presence_counts: false,
        settings: &[
            Setting::new(
                "source",
                Kind::Place,
                Usual::Words("what `publish` writes to, else the current folder"),
                "The published folder, or a bucket as `s3://bucket/prefix`.",
                "\"public\"",
            )
            .flag("PLACE"),
            Setting::new(
                "listen",
                Kind::Address,
                Usual::Value("\"127.0.0.1:8080\""),
                "Where to listen. `0.0.0.0:8080` is every address of the machine.",
                "\"0.0.0.0:8080\"",
            )
            .flag("--listen"),
            Setting::new(
                "metrics",
                Kind::Address,
                Usual::Words("nowhere"),
                "Where `/metrics` and `/healthz` are, for those who run it.",
                "\"127.0.0.1:9090\"",
            )
            .flag("--metrics"),
            Setting::new(
                "workers",
                COUNT,
                Usual::Value("0"),
                "Threads that serve; 0 is one for each core.",
                "4",
            )
            .flag("--workers"),
            Setting::new(
                "log_format",
                Kind::Choice(&["json", "common"]),
                Usual::Words("no access log"),
                "Write an access log to standard output, in this form.",
                "\"json\"",
            )
            .flag("--log-format"),
            Setting::new(
                "base_url",
                Kind::Url,
                Usual::Words("that of `[publish]`, else what the sitemaps say"),
                "Where the site is on the web.",
                "\"https://example.com\"",
            )
            .flag("--base-url"),
            Setting::new(
                "poll_seconds",
                Kind::Positive,
                Usual::Value("2"),
                "How often to look for a new publication.",
                "10",
            ),
            Setting::new(
                "patience_seconds",
                Kind::Positive,
                Usual::Value("5"),
                "How long a request waits for a publication that is under way.",
                "2.5",
            ),
            Setting::new(
                "shutdown_seconds",
                Kind::Positive,
                Usual::Value("60"),
                "How long running downloads may go on after the server was told to stop.",
                "20",
            ),
            Setting::new(
                "cache_bytes",
                COUNT,
                Usual::Value("67_108_864"),
                "Bytes of machine pages and compressed files that are kept in memory.",
                "268_435_456",
            ),
            Setting::new(
                "legacy_slug",
                Kind::Text,
                Usual::Words("none"),
                "What machine pages were called before: `/post/llm/` is redirected if it is `llm/`.",
                "\"llm/\"",
            ),
            Setting::new(
                "content_digest",
                Kind::Switch,
                Usual::Value("false"),
                "Send `Content-Digest` (RFC 9530) with machine pages and JSON sitemaps.",
                "true",
            ),
            Setting::new(
                "trusted_proxies",
                Kind::Networks,
                Usual::Value("[]"),
                "Proxies whose word on who the client is counts, for the rate limit, the limits per client and the access log.",
                "[\"127.0.0.1\", \"10.0.0.0/8\"]",
            ),
            Setting::new(
                "forwarded_header",
                Kind::Choice(&["x-forwarded-for", "forwarded"]),
                Usual::Value("\"x-forwarded-for\""),
                "The header in which trusted proxies name the client; the other one is disregarded.",
                "\"forwarded\"",
            ),
        ],
    },
    Table {
        key: "serve.limits",
        about: "What connections may do.",
        presence_counts: false,
        settings: &[
            Setting::new(
                "connections",
                COUNT,
                Usual::Value("16_384"),
                "Connections at a time, no more than the system has descriptors for; further ones are closed at once.",
                "1000",
            ),
            Setting::new(
                "connections_per_client",
                COUNT,
                Usual::Value("256"),
                "Connections at a time of one client that is not a trusted proxy; 0 is as many as there may be.",
                "20",
            ),
            Setting::new(
                "files",
                COUNT,
                Usual::Value("16_384"),
                "Files at a time that are being sent, no more than the system has descriptors for; further requests are answered with 503.",
                "500",
            ),
            Setting::new(
                "files_per_client",
                COUNT,
                Usual::Value("256"),
                "Files at a time that are being sent to one client; 0 is as many as there may be.",
                "20",
            ),
            Setting::new(
                "header_bytes",
                COUNT,
                Usual::Value("32_768"),
                "Bytes of a request's first line and headers.",
                "16_384",
            ),
            Setting::new(
                "headers",
                COUNT,
                Usual::Value("100"),
                "Headers of a request.",
                "50",
            ),
            Setting::new(
                "idle_seconds",
                Kind::Positive,
                Usual::Value("60"),
                "How long a connection may be silent, or take to send a request.",
                "15",
            ),
            Setting::new(
                "stalled_seconds",
                Kind::Positive,
                Usual::Value("30"),
                "How long a client may take none of what is sent to it.",
                "10",
            ),
            Setting::new(
                "streams",
                Kind::Whole {
                    from: 0,
                    to: u32::MAX as u64,
                },
                Usual::Value("128"),
                "Requests at a time on one connection of HTTP/2.",
                "32",
            ),
        ],
    },
    Table {
        key: "serve.tls",
        about: "Serve HTTPS. Both files are PEM, and read again on SIGHUP.",
        presence_counts: true,
        settings: &[
            Setting::new(
                "certificate",
                Kind::Path,
                Usual::Required,
                "The certificate, and those above it.",
                "\"/etc/ssl/example.pem\"",
            )
            .flag("--tls-certificate"),
            Setting::new(
                "key",
                Kind::Path,
                Usual::Required,
                "The file of its private key.",
                "\"/etc/ssl/example.key\"",
            )
            .flag("--tls-key"),
        ],
    },
    Table {
        key: "serve.rate_limit",
        about: "How much each client may ask for: an IPv4 address, or an IPv6 network of 64 bits. Without this table, as much as it likes.",
        presence_counts: true,
        settings: &[
            Setting::new(
                "per_second",
                Kind::Positive,
                Usual::Required,
                "Requests in a second, in the long run.",
                "10",
            ),
            Setting::new(
                "burst",
                Kind::Whole {
                    from: 1,
                    to: u32::MAX as u64,
                },
                Usual::Required,
                "Requests at once, after a while without any.",
                "100",
            ),
        ],
    },
    Table {
        key: "serve.protected[]",
        about: "A part of the site that needs `Authorization: Bearer …`. Any number of them; each needs `tokens` or `tokens_file`.",
        presence_counts: true,
        settings: &[
            Setting::new(
                "prefix",
                Kind::Prefix,
                Usual::Required,
                "What the paths begin with.",
                "\"/members/\"",
            ),
            Setting::new(
                "tokens",
                Kind::Texts,
                Usual::Value("[]"),
                "What opens it. A file keeps them out of this one.",
                "[\"a-long-random-text\"]",
            )
            .secret(),
            Setting::new(
                "tokens_file",
                Kind::Path,
                Usual::Words("none"),
                "A file with a token on each line.",
                "\"/etc/sitecast/tokens\"",
            ),
        ],
    },
    Table {
        key: "serve.storage",
        about: "Where the bucket is that is served. Without this table, what `[publish.storage]` says.",
        presence_counts: true,
        settings: super::publish::STORAGE,
    },
];
