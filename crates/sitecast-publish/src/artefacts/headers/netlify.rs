//! `_headers`: a path in a line, its headers indented in the next ones. `*` stands for anything, once in a path.
//!
//! If several rules match, all apply, and a header that is in two of them is sent with both values. Cloudflare reads a
//! hundred rules; more are not written, since the host is not known. Cloudflare puts what the star stands for
//! in place of `:splat` in a value, and takes `! Name` for "without this header"; Netlify knows neither.

use std::fmt::Write;

use super::patterns::COMPRESSIONS;
use super::{Collections, Hosting, Machine, MachinePage};

/// The limits of Cloudflare Pages.
pub(super) const MOST_RULES: usize = 100;
/// A line over 2,000 characters is passed over; if that is a path, its headers go to the path before.
const LONGEST_LINE: usize = 1_900;

/// Whose `_headers` it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    Netlify,
    Cloudflare,
}

/// A path and its headers; an empty value takes the header away.
type Rule = (String, Vec<(&'static str, String)>);

pub(super) fn write(hosting: &Hosting, dialect: Dialect, rest: &[&[u8]]) -> String {
    let mut rules: Vec<Rule> = Vec::new();
    let mut comment = String::new();
    let others: usize = rest.iter().map(|part| rules_in(part)).sum();
    let room = MOST_RULES.saturating_sub(others);
    if let Some(collections) = &hosting.collections {
        types(collections, &mut rules);
        caching(collections, &mut rules, room / 2, &mut comment);
    }
    if let Some(machine) = &hosting.machine {
        let shared = vec![
            ("Content-Type", "application/json".to_owned()),
            ("Cache-Control", machine.cache_control.clone()),
            ("Vary", "Accept-Encoding".to_owned()),
        ];
        let base = &hosting.base;
        let mut sitemaps = shared.clone();
        sitemaps.extend(machine.policy.clone().map(|link| ("Link", link)));
        rules.push((format!("{base}llm-sitemap*.json"), sitemaps));
        rules.push((base.clone(), vec![("Link", machine.index.clone())]));
        rules.push((format!("{base}*llm.json"), shared));
        let left = room.saturating_sub(rules.len());
        comment.push_str(&match dialect {
            Dialect::Netlify => named(machine, left, &mut rules),
            Dialect::Cloudflare => placeholders(machine, hosting, left, &mut rules),
        });
    }
    let mut text = String::new();
    for (path, headers) in rules {
        let _ = writeln!(text, "{path}");
        for (name, value) in headers {
            let _ = if value.is_empty() {
                writeln!(text, "  ! {name}")
            } else {
                writeln!(text, "  {name}: {value}")
            };
        }
    }
    text.push_str(&comment);
    text
}

fn types(collections: &Collections, rules: &mut Vec<Rule>) {
    for (end, encoding) in COMPRESSIONS {
        let mut headers = vec![("Content-Type", "application/scp".to_owned())];
        headers.extend(encoding.map(|name| ("Content-Encoding", name.to_owned())));
        rules.push((format!("{}*{end}", collections.folder), headers));
    }
}

/// A rule per section and kind, since there is only one star. The section's name must not be the beginning of another's.
fn caching(collections: &Collections, rules: &mut Vec<Rule>, room: usize, comment: &mut String) {
    let sections = || {
        collections
            .caching
            .iter()
            .flat_map(|caching| &caching.sections)
    };
    let mut left_out = 0;
    for caching in &collections.caching {
        for section in &caching.sections {
            let start = format!("{section}-{}-", caching.kind);
            if rules.len() >= room || sections().any(|other| other.starts_with(&start)) {
                left_out += 1;
                continue;
            }
            let path = format!("{}{start}*", collections.folder);
            rules.push((path, vec![("Cache-Control", caching.value.clone())]));
        }
    }
    if left_out > 0 {
        let _ = writeln!(
            comment,
            "# {left_out} rules for `Cache-Control` of collections are left out: Cloudflare Pages reads {MOST_RULES} rules."
        );
    }
}

/// A rule for each machine page if there is room for all of them; otherwise what all of them share, since agents that find
/// the header on some pages alone would ask for all of them in vain.
fn named(machine: &Machine, left: usize, rules: &mut Vec<Rule>) -> String {
    let is_whole = machine.first.len() == machine.count && machine.count <= left;
    if is_whole && machine.first.iter().all(|page| is_writable(machine, page)) {
        for page in &machine.first {
            let mut headers = vec![("Link", machine.link(Some(&page.canonical)))];
            headers.extend(page.etag.clone().map(|etag| ("ETag", etag)));
            rules.push((page.path.clone(), headers));
        }
        return String::new();
    }
    // The last rule is the pattern for all of them.
    if let Some((_, headers)) = rules.last_mut() {
        headers.push(("Link", machine.link(None)));
    }
    format!(
        "# The {} machine pages have no `Link: …; rel=\"canonical\"` here: it is another for each, a value cannot hold a part \
         of the path, and hosts read {MOST_RULES} rules. Agents take the collections. On Cloudflare Pages set \
         `headers = [\"cloudflare\"]` under `[publish.artefacts]`; `sitecast serve` has no such limit.\n",
        machine.count
    )
}

/// The page's URL by what the star stands for; and rules for pages that it is not right for.
fn placeholders(
    machine: &Machine,
    hosting: &Hosting,
    left: usize,
    rules: &mut Vec<Rule>,
) -> String {
    let Hosting { origin, base, .. } = hosting;
    let canonical = |page: &str| format!("<{origin}{base}{page}>; rel=\"canonical\"");
    let link = |page: &str| vec![("Link", machine.link(Some(&canonical(page))))];
    rules.push((format!("{base}llm.json"), link("")));
    rules.push((format!("{base}*/llm.json"), link(":splat/")));
    let writable = machine.odd.iter().filter(|page| is_writable(machine, page));
    let odd: Vec<_> = writable.take(left.saturating_sub(3)).collect();
    if odd.len() < machine.odd_count {
        rules.push((
            format!("{base}*.llm.json"),
            vec![("Link", machine.link(None))],
        ));
        return format!(
            "# Machine pages named `….llm.json` have no `rel=\"canonical\"` here: the paths of {} of them do not say their \
             pages, which have queries, and Cloudflare Pages reads {MOST_RULES} rules. `sitecast serve` has no such limit.\n",
            machine.odd_count
        );
    }
    rules.push((format!("{base}*.llm.json"), link(":splat")));
    for page in odd {
        // Without what the pattern says, and then with its own.
        let headers = vec![
            ("Link", String::new()),
            ("Link", machine.link(Some(&page.canonical))),
        ];
        rules.push((page.path.clone(), headers));
    }
    String::new()
}

/// Returns true if the path means itself (a star or `:name` in it would be a placeholder, and nothing escapes them), and no line
/// is too long.
fn is_writable(machine: &Machine, page: &MachinePage) -> bool {
    let link = machine.link(Some(&page.canonical));
    !page.path.contains(['*', ':']) && page.path.len().max(link.len()) <= LONGEST_LINE
}

/// Returns the number of rules that the site has of its own.
fn rules_in(text: &[u8]) -> usize {
    text.split(|&b| b == b'\n')
        .filter(|line| {
            let line = line.trim_ascii_start();
            line.starts_with(b"/") || line.starts_with(b"https://")
        })
        .count()
}
