//! The rules as regular expressions over decoded paths, which Apache, nginx and Caddy share.

use super::{Hosting, decode, regex_escaped};

/// Headers, and the paths that they are for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pattern {
    pub(super) regex: String,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) kind: Kind,
}

/// The files that a pattern is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Collections,
    JsonSitemaps,
    /// Machine pages whose path holds a hash in place of a query.
    HashedPages,
    /// All others.
    MachinePages,
}

/// A machine page whose path does not say its page: the last part is the hash of a query.
pub(super) const HASHED: &str = "(?:.*[./])?[0-9a-f]{16}\\.llm\\.json";

/// The characters of a path in a request that may stand in a `Link` header.
pub(super) const PATH: &str = "[^?<>\\x22\\x5c\\s]*";

/// The patterns in the order of which the first one that matches is meant.
pub(super) fn patterns(hosting: &Hosting) -> Vec<Pattern> {
    let literal = |path: &str| regex_escaped(&decode(path).unwrap_or_else(|| path.to_owned()));
    let mut patterns = Vec::new();
    if let Some(collections) = &hosting.collections {
        let folder = literal(&collections.folder);
        for caching in &collections.caching {
            let sections = caching.sections.join("|");
            let kind = caching.kind;
            for (end, encoding) in COMPRESSIONS {
                let mut headers = vec![("Content-Type", "application/scp".to_owned())];
                headers.extend(encoding.map(|name| ("Content-Encoding", name.to_owned())));
                headers.push(("Cache-Control", caching.value.clone()));
                let end = regex_escaped(end);
                patterns.push(Pattern {
                    regex: format!("^{folder}(?:{sections})-{kind}-[0-9TZ]+{end}$"),
                    headers,
                    kind: Kind::Collections,
                });
            }
        }
    }
    if let Some(machine) = &hosting.machine {
        let base = literal(&hosting.base);
        let mut machine_page = |kind, end: &str, link: Option<String>| {
            let mut headers = vec![
                ("Content-Type", "application/json".to_owned()),
                ("Cache-Control", machine.cache_control.clone()),
                ("Vary", "Accept-Encoding".to_owned()),
            ];
            headers.extend(link.map(|link| ("Link", link)));
            patterns.push(Pattern {
                regex: format!("^{base}{end}$"),
                headers,
                kind,
            });
        };
        let sitemaps = "llm-sitemap(?:-[0-9]+)?\\.json";
        machine_page(Kind::JsonSitemaps, sitemaps, machine.policy.clone());
        machine_page(Kind::HashedPages, HASHED, Some(machine.link(None)));
        machine_page(
            Kind::MachinePages,
            "(?:.*[./])?llm\\.json",
            Some(machine.link(None)),
        );
    }
    patterns
}

/// The ends of the names of collections, with their content encodings.
pub(super) const COMPRESSIONS: [(&str, Option<&str>); 3] = [
    (".scp.zst", Some("zstd")),
    (".scp.gz", Some("gzip")),
    (".scp", None),
];
