//! A file to be imported into a site's block of a Caddyfile: a table of paths and the values of their headers.
//!
//! `header` with `defer` overrides the entity tag of the file server, which older versions of Caddy set whatever was
//! there before, and compare with. `respond` answers `304` in its place.

use std::fmt::Write;

use super::rules::rules_of;
use super::{Entry, LAST_MODIFIED, Target, decode, left_out, regex_escaped, too_many};

const MOST_FILES: usize = 10_000;

pub(super) fn write(files: &[Entry<'_>]) -> String {
    // Braces are placeholders, and backquotes are what the values stand in.
    let writable: Vec<&Entry<'_>> = files
        .iter()
        .filter(|file| file.is_free_of(&['{', '}', '`']))
        .collect();
    let mut names: Vec<&'static str> = Vec::new();
    for (name, _) in writable.iter().flat_map(|file| &file.headers) {
        if !names.contains(name) {
            names.push(name);
        }
    }
    let mut text = String::from(
        "# Import this into the block of the site that has `root` and `file_server`:\n#     import /path/to/this/file\n",
    );
    if !names.is_empty() {
        text.push_str("map {path}");
        for name in &names {
            let _ = write!(text, " {{{}}}", placeholder(name));
        }
        text.push_str(" {\n");
        for file in writable.iter().take(MOST_FILES) {
            row(&mut text, &file.decoded, &names, &file.headers);
        }
        if writable.len() > MOST_FILES {
            for rule in rules_of(&writable) {
                if let Target::Pattern { start, end } = &rule.target {
                    let literal = |part: &str| regex_escaped(&decode(part).unwrap_or_default());
                    let pattern = format!("~^{}.*{}$", literal(start), literal(end));
                    row(&mut text, &pattern, &names, &rule.headers);
                }
            }
        }
        row(&mut text, "default", &names, &[]);
        text.push_str("}\n");
        for name in &names {
            header(&mut text, name);
        }
        if names.contains(&"ETag") {
            fresh(&mut text, names.contains(&LAST_MODIFIED));
        }
    }
    let why = "rows are more than is good to look through for each request";
    let more = writable.len().saturating_sub(MOST_FILES);
    text.push_str(&too_many(more, MOST_FILES, why));
    text.push_str(&left_out(files.len() - writable.len()));
    text
}

/// A line of the table: nothing where the file does not have the header.
fn row(text: &mut String, input: &str, names: &[&str], headers: &[(&'static str, String)]) {
    let _ = if input == "default" {
        write!(text, "\tdefault")
    } else {
        write!(text, "\t`{input}`")
    };
    for name in names {
        let value = headers.iter().find(|(known, _)| known == name);
        let _ = write!(text, " `{}`", value.map_or("", |(_, value)| value));
    }
    text.push('\n');
}

fn header(text: &mut String, name: &str) {
    let placeholder = placeholder(name);
    let _ = writeln!(text, "@{placeholder} not vars {{{placeholder}}} ``");
    if name == "ETag" || name == LAST_MODIFIED {
        let _ = writeln!(
            text,
            "header @{placeholder} {{\n\t{name} {{{placeholder}}}\n\tdefer\n}}"
        );
    } else if name == "Link" {
        // Others may have links, too.
        let _ = writeln!(text, "header @{placeholder} +{name} {{{placeholder}}}");
    } else {
        let _ = writeln!(text, "header @{placeholder} {name} {{{placeholder}}}");
    }
}

/// When to answer `304`: by the entity tag, and by the time only where no tag is asked for.
fn fresh(text: &mut String, has_times: bool) {
    let mut when = "{sitecast_etag} != \"\" && ({header.If-None-Match} == \"*\" || \
         {header.If-None-Match}.contains({sitecast_etag}))"
        .to_owned();
    if has_times {
        when.push_str(
            " || {header.If-None-Match} == \"\" && {sitecast_last_modified} != \"\" && \
             {header.If-Modified-Since} == {sitecast_last_modified}",
        );
    }
    let _ = writeln!(
        text,
        "@sitecast_fresh expression `{when}`\nrespond @sitecast_fresh 304"
    );
}

/// `Content-Type` in `sitecast_content_type`.
fn placeholder(name: &str) -> String {
    format!("sitecast_{}", name.to_ascii_lowercase().replace('-', "_"))
}
