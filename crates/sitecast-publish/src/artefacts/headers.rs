//! Header files for hosts that serve the folder without Sitecast: types, `Link` and `Cache-Control` are right there, too.
//!
//! The rules are patterns: their number does not depend on the number of pages, and they stay true from one publication to
//! the next, so that no server has to read them again. A page has a rule of its own only where no pattern is right for it.
//!
//! | host | file | how a machine page gets `Link: …; rel="canonical"` | its `ETag` |
//! |---|---|---|---|
//! | Netlify, or any host with `_headers` | `_headers` | a rule per page while all of them are within 100 rules; a pattern cannot say it | the rule's, else the host's own |
//! | Cloudflare Pages | `_headers` | `:splat` | the host's own |
//! | Apache | `.htaccess` | from the request line | Apache's own |
//! | nginx | a file to be included in the `server` block | from `$request_uri` | nginx's own |
//! | Caddy | a file to be imported into the site's block | from the request's URI | Caddy's own |
//!
//! Paths are taken from the request as it was sent, since the page's URL is spelled with its escapes.
//!
//! Ours stands between two marker lines; the rest of a file that is there already is not touched.

mod apache;
mod caddy;
mod netlify;
mod nginx;
mod patterns;

use crate::percent::decode;

/// The files of a site whose headers a host does not get right by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hosting {
    /// The origin of the site: `https://example.com`.
    pub(crate) origin: String,
    /// The path of the base URL, percent-encoded: `/`, or `/docs/`.
    pub(crate) base: String,
    /// The collections, unless they are elsewhere.
    pub(crate) collections: Option<Collections>,
    /// The machine pages, if there are any.
    pub(crate) machine: Option<Machine>,
}

/// The folder of collections.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Collections {
    /// Its path, percent-encoded: `/scp/`.
    pub(crate) folder: String,
    /// Sections and how long their files may be kept.
    pub(crate) caching: Vec<Caching>,
}

/// `Cache-Control` of the snapshots, or of the deltas, of sections.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Caching {
    /// The names of the sections: letters, digits, `-` and `_`.
    pub(crate) sections: Vec<String>,
    /// `snapshot` or `delta`.
    pub(crate) kind: &'static str,
    /// The header's value.
    pub(crate) value: String,
}

/// Machine pages and JSON sitemaps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Machine {
    /// `Cache-Control` of both.
    pub(crate) cache_control: String,
    /// The `Link` to the JSON sitemap.
    pub(crate) index: String,
    /// The `Link` to the policy, if there is one.
    pub(crate) policy: Option<String>,
    /// The number of machine pages.
    pub(crate) count: usize,
    /// The first of them, at least as many as any host takes rules.
    pub(crate) first: Vec<MachinePage>,
    /// Those whose page cannot be told by their own path, the first of them.
    pub(crate) odd: Vec<MachinePage>,
    /// Their number.
    pub(crate) odd_count: usize,
}

/// A machine page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MachinePage {
    /// The path of its URL, percent-encoded.
    pub(crate) path: String,
    /// The `Link` to its page.
    pub(crate) canonical: String,
    /// Its entity tag.
    pub(crate) etag: Option<String>,
}

impl Machine {
    /// The value of `Link` for a machine page; without `canonical` where its page is not known.
    fn link(&self, canonical: Option<&str>) -> String {
        let parts = [canonical, Some(&self.index), self.policy.as_deref()];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

/// The URL of the page whose machine page is at this URL, where the name of a file is put after the page's own. A query that
/// became a hash cannot be told from the hash.
pub(crate) fn page_of(machine_url: &str) -> Option<&str> {
    let rest = machine_url.strip_suffix("llm.json")?;
    match rest.strip_suffix('.') {
        None => rest.ends_with('/').then_some(rest),
        Some(page) => Some(page),
    }
}

/// Whose format the file is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub enum HostKind {
    /// `_headers` for Netlify and others that know no placeholders in values.
    Netlify,
    /// `_headers` for Cloudflare Pages.
    Cloudflare,
    /// `.htaccess`.
    Apache,
    /// To be included in a `server` block.
    Nginx,
    /// To be imported into a site's block.
    Caddy,
}

impl HostKind {
    /// All of them.
    pub(crate) const ALL: [Self; 5] = [
        Self::Netlify,
        Self::Cloudflare,
        Self::Apache,
        Self::Nginx,
        Self::Caddy,
    ];

    /// The name of the host's file in the published folder.
    pub fn file_name(self) -> &'static str {
        match self {
            Self::Netlify | Self::Cloudflare => "_headers",
            Self::Apache => ".htaccess",
            Self::Nginx => "sitecast.nginx.conf",
            Self::Caddy => "sitecast.caddy",
        }
    }
}

const BEGIN: &str = "# sitecast: begin";
const END: &str = "# sitecast: end";

/// The file with our part in it: in place of the last one, or at the end. Without a site to speak of, our part goes. `None`
/// where nothing changes.
pub(crate) fn merge(
    kind: HostKind,
    existing: Option<&[u8]>,
    hosting: Option<&Hosting>,
) -> Option<Vec<u8>> {
    let text = existing.unwrap_or_default();
    let (before, after) = around(text);
    let body = hosting.map(|hosting| match kind {
        HostKind::Netlify => netlify::write(hosting, netlify::Dialect::Netlify, &[before, &after]),
        HostKind::Cloudflare => {
            netlify::write(hosting, netlify::Dialect::Cloudflare, &[before, &after])
        }
        HostKind::Apache => apache::write(hosting),
        HostKind::Nginx => nginx::write(hosting),
        HostKind::Caddy => caddy::write(hosting),
    });
    let ours = match body {
        Some(body) if !body.is_empty() => format!("{BEGIN}\n{body}{END}\n"),
        _ => String::new(),
    };
    let mut merged = before.to_vec();
    if !ours.is_empty() {
        // A lone return at the end is half of a line end.
        let halved = before.ends_with(b"\r");
        let line_end = if halved || memchr::memmem::find(text, b"\r\n").is_some() {
            "\r\n"
        } else {
            "\n"
        };
        if halved {
            merged.push(b'\n');
        } else if !before.is_empty() && !before.ends_with(b"\n") {
            merged.extend_from_slice(line_end.as_bytes());
        }
        merged.extend_from_slice(ours.replace('\n', line_end).as_bytes());
    }
    merged.extend_from_slice(&after);
    (merged != text).then_some(merged)
}

/// Returns the text before and after our part, and after other parts of ours that a copy has brought. A beginning whose end is gone
/// is no longer ours: its extent is unknown.
fn around(text: &[u8]) -> (&[u8], Vec<u8>) {
    let mut before = None;
    let mut after = Vec::new();
    let mut begin = None;
    let mut position = 0;
    // The ends of the text before, of ours, and after.
    let mut taken = 0;
    for line in text.split_inclusive(|&b| b == b'\n') {
        let start = position;
        position += line.len();
        let line = line.trim_ascii();
        if line == BEGIN.as_bytes() {
            begin = Some(start);
        } else if line == END.as_bytes()
            && let Some(begin) = begin.take()
        {
            let between = text.get(taken..begin).unwrap_or_default();
            match before {
                None => before = Some(between),
                Some(_) => after.extend_from_slice(between),
            }
            taken = position;
        }
    }
    let rest = text.get(taken..).unwrap_or_default();
    match before {
        None => (rest, after),
        Some(before) => {
            after.extend_from_slice(rest);
            (before, after)
        }
    }
}

/// Those of the odd pages that a file names, and a comment on the rest. `is_writable` says whether the format has room for
/// the decoded path.
fn named_odd(
    machine: &Machine,
    most: usize,
    is_writable: impl Fn(&MachinePage, &str) -> bool,
) -> (Vec<(&MachinePage, String)>, String) {
    let named: Vec<_> = machine
        .odd
        .iter()
        .filter_map(|page| {
            let decoded =
                decode(&page.path).filter(|decoded| !decoded.contains(char::is_control))?;
            is_writable(page, &decoded).then_some((page, decoded))
        })
        .take(most)
        .collect();
    let comment = match machine.odd_count - named.len().min(machine.odd_count) {
        0 => String::new(),
        rest => format!(
            "# {rest} machine pages have no `rel=\"canonical\"` here: their pages have queries, which their paths do not say, \
             and {} are named. `sitecast serve` has no such limit.\n",
            named.len()
        ),
    };
    (named, comment)
}

/// The text as part of a regular expression that matches nothing else.
fn regex_escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii_punctuation() && !matches!(c, '/' | '-' | '_') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

#[cfg(test)]
mod tests;
