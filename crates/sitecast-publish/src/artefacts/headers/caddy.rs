//! A file to be imported into a site's block of a Caddyfile: a table of patterns and the values of their headers.

use std::fmt::Write;

use super::patterns::{HASHED, PATH, patterns};
use super::{Hosting, named_odd, regex_escaped};

/// Rows for single pages: the table is looked through from its beginning.
const MOST_PAGES: usize = 500;

const PREAMBLE: &str = "\
# Import this into the block of the site that has `root` and `file_server`:
#     import /path/to/this/file
# The rules are patterns and stay true: Caddy need not be reloaded after a publication.
# Entity tags are Caddy's own, since it cannot compute the content's hash; agents compare the hash in the page.
";

const NAMES: [&str; 4] = ["Content-Type", "Content-Encoding", "Cache-Control", "Vary"];

pub(super) fn write(hosting: &Hosting) -> String {
    let mut text = PREAMBLE.to_owned();
    let patterns = patterns(hosting);
    text.push_str("map {path}");
    for name in NAMES {
        let _ = write!(text, " {{{}}}", placeholder(name));
    }
    text.push_str(" {\n");
    for pattern in &patterns {
        let _ = write!(text, "\t`~{}`", pattern.regex);
        for name in NAMES {
            let value = pattern.headers.iter().find(|(known, _)| *known == name);
            let _ = write!(text, " `{}`", value.map_or("", |(_, value)| value));
        }
        text.push('\n');
    }
    let _ = writeln!(text, "\tdefault{}\n}}", " ``".repeat(NAMES.len()));
    for name in NAMES {
        let placeholder = placeholder(name);
        let _ = writeln!(
            text,
            "@{placeholder} not vars {{{placeholder}}} ``\nheader @{placeholder} {name} {{{placeholder}}}"
        );
    }
    text.push_str(&links(hosting));
    text
}

/// `Link` by the request as it was sent: the page's URL is in it with its escapes.
fn links(hosting: &Hosting) -> String {
    let Some(machine) = &hosting.machine else {
        return String::new();
    };
    let Hosting { origin, base, .. } = hosting;
    let mut text = String::from("map {http.request.orig_uri} {sitecast_link} {\n");
    let mut row = |regex: &str, value: &str| {
        let _ = writeln!(text, "\t`~^{regex}(?:\\?|$)` `{value}`");
    };
    // Backquotes are what values stand in, braces are placeholders, and a dollar sign means a group.
    let (named, comment) = named_odd(machine, MOST_PAGES, |page, _| {
        !page.canonical.contains(['`', '{', '}', '$'])
    });
    for (page, _) in named {
        row(
            &regex_escaped(&page.path),
            &machine.link(Some(&page.canonical)),
        );
    }
    let literal = regex_escaped(base);
    row(&literal, &machine.index);
    if let Some(policy) = &machine.policy {
        row(&format!("{literal}llm-sitemap(?:-[0-9]+)?\\.json"), policy);
    }
    row(&format!("{literal}{HASHED}"), &machine.link(None));
    let canonical = machine.link(Some(&format!("<{origin}$1>; rel=\"canonical\"")));
    for end in ["/)llm", ")\\.llm"] {
        row(&format!("({PATH}{end}\\.json"), &canonical);
    }
    text.push_str("\tdefault ``\n}\n");
    // Others may have links, too.
    text.push_str(
        "@sitecast_link not vars {sitecast_link} ``\nheader @sitecast_link +Link {sitecast_link}\n",
    );
    text.push_str(&comment);
    text
}

/// `Content-Type` in `sitecast_content_type`.
fn placeholder(name: &str) -> String {
    format!("sitecast_{}", name.to_ascii_lowercase().replace('-', "_"))
}
