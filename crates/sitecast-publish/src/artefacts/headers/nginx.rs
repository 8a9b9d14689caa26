//! A file for a `server` block of nginx: a `location` for each file.
//!
//! Of several locations only the most exact applies, so each has all of its file's headers. Entity tags that
//! `add_header` adds come too late for nginx's own `304`: it compares before. `return` answers instead.

use std::fmt::Write;

use super::rules::rules_of;
use super::{Entry, LAST_MODIFIED, Target, decode, left_out, regex_escaped, too_many};

const MOST_FILES: usize = 10_000;

const PREAMBLE: &str = "\
# Include this in the `server` block that serves the site, with `root` set there as well:
#     include /path/to/this/file;
# A location here stands before others: access rules that are to hold for these files, too, belong
# into the `server` block. Headers that are added there are not added here.
";

pub(super) fn write(files: &[Entry<'_>]) -> String {
    let mut text = PREAMBLE.to_owned();
    let writable: Vec<&Entry<'_>> = files.iter().filter(|file| is_writable(file)).collect();
    for file in writable.iter().take(MOST_FILES) {
        let _ = write!(
            text,
            "location = {} {{\n{}}}\n",
            quoted(&served(&file.decoded)),
            block(&file.headers)
        );
    }
    let more = writable.len().saturating_sub(MOST_FILES);
    if more > 0 {
        for rule in rules_of(&writable) {
            let Target::Pattern { start, end } = &rule.target else {
                continue;
            };
            let literal = |part: &str| regex_escaped(&decode(part).unwrap_or_default());
            let pattern = format!("^{}.*{}$", literal(start), literal(end));
            let _ = write!(
                text,
                "location ~ \"{pattern}\" {{\n{}}}\n",
                block(&rule.headers)
            );
        }
    }
    let why = "locations are more than is good to load";
    text.push_str(&too_many(more, MOST_FILES, why));
    text.push_str(&left_out(files.len() - writable.len()));
    text
}

/// A dollar sign begins a variable, and nothing escapes it. An exact location for a page without an extension would
/// stand before the `try_files` that finds its file.
fn is_writable(file: &Entry<'_>) -> bool {
    let name = file.decoded.rsplit_once('/').map_or("", |(_, name)| name);
    file.is_free_of(&['$', '\\']) && (name.is_empty() || name.contains('.'))
}

/// What nginx looks for inside when a folder is asked for.
fn served(path: &str) -> String {
    if path.ends_with('/') {
        format!("{path}index.html")
    } else {
        path.to_owned()
    }
}

fn block(headers: &[(&'static str, String)]) -> String {
    let mut text = String::new();
    for (name, value) in headers {
        if name.eq_ignore_ascii_case("content-type") {
            // Without types of its own the location has only the default one.
            let _ = writeln!(text, "    types {{ }} default_type {};", quoted(value));
            continue;
        }
        if name.eq_ignore_ascii_case("etag") {
            // `*` is a tag that anything has. Tags have their quotes, so that no tag is part of another.
            let tag = value.strip_prefix("W/").unwrap_or(value);
            let _ = writeln!(text, "    etag off;");
            let _ = writeln!(
                text,
                "    if ($http_if_none_match ~ \"{}|^\\*$\") {{ return 304; }}",
                regex_escaped(tag)
            );
        }
        if *name == LAST_MODIFIED {
            // nginx compares with the file's time; and only where no entity tag is asked for.
            let _ = writeln!(text, "    set $sitecast_since $http_if_modified_since;");
            let _ = writeln!(
                text,
                "    if ($http_if_none_match) {{ set $sitecast_since \"\"; }}"
            );
            let _ = writeln!(
                text,
                "    if ($sitecast_since = \"{value}\") {{ return 304; }}"
            );
        }
        if name.eq_ignore_ascii_case("content-encoding") {
            // nginx does not look at headers that it adds, and would compress once more.
            let _ = writeln!(text, "    gzip off;");
        }
        let _ = writeln!(text, "    add_header {name} {};", quoted(value));
    }
    text
}

/// In double quotes, within which a backslash escapes quotes and leaves all else alone.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\\\""))
}
