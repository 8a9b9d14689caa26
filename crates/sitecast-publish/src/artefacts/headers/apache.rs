//! `.htaccess`. Sections by path do not exist there, so each file's headers are put into variables by its path, and
//! from there into the response.
//!
//! Apache compares `If-None-Match` with the entity tag that it made itself. Where the tag that was sent is ours, the
//! request becomes one for `*`, which matches whatever Apache has.

use std::fmt::Write;

use super::rules::rules_of;
use super::{Entry, Rule, Target, decode, left_out, regex_escaped, too_many};

/// The file is read again for each request: a line takes some 5 µs, whatever is asked for.
const MOST_FILES: usize = 500;

/// What Apache takes from a name's end (`x-gzip` for `.gz`) would stand in place of the header.
const COLLECTIONS: &str = "\
<IfModule mod_mime.c>
<FilesMatch \"\\.scp\\.(gz|zst)$\">
RemoveEncoding .gz .zst
</FilesMatch>
</IfModule>
";

pub(super) fn write(files: &[Entry<'_>]) -> String {
    let writable: Vec<&Entry<'_>> = files
        .iter()
        .filter(|file| file.is_free_of(&['\\', '{', '}']))
        .collect();
    let rules = rules_of(&writable);
    let is_file = |rule: &&Rule| matches!(rule.target, Target::File(_));
    let named = rules.iter().filter(is_file).count();
    let mut names: Vec<&'static str> = Vec::new();
    let mut text = String::from("<IfModule mod_setenvif.c>\n");
    let patterns = rules.iter().filter(|rule| !is_file(rule));
    for rule in patterns.chain(rules.iter().filter(is_file).take(MOST_FILES)) {
        let _ = write!(
            text,
            "SetEnvIf Request_URI \"{}\"",
            expression(&rule.target)
        );
        for (name, value) in &rule.headers {
            if !names.contains(name) {
                names.push(name);
            }
            let value = value.replace('$', "\\$").replace('"', "\\\"");
            let _ = write!(text, " \"{}={value}\"", variable(name));
            if name.eq_ignore_ascii_case("content-encoding") {
                // It is compressed already.
                text.push_str(" no-gzip=1");
            }
        }
        text.push('\n');
    }
    text.push_str("</IfModule>\n<IfModule mod_headers.c>\n");
    for name in &names {
        let name = *name;
        let variable = variable(name);
        // Others may have links, too, and answers may vary for more reasons.
        let action = match name {
            "Link" => "add",
            "Vary" => "merge",
            _ => "set",
        };
        let _ = writeln!(
            text,
            "Header {action} {name} \"%{{{variable}}}e\" env={variable}"
        );
        if name.eq_ignore_ascii_case("etag") {
            let _ = writeln!(
                text,
                "RequestHeader set If-None-Match \"*\" \"expr=-n reqenv('{variable}') && \
                 req_novary('If-None-Match') -strmatch '*%{{reqenv:{variable}}}*'\""
            );
        }
    }
    text.push_str("</IfModule>\n");
    if names.contains(&"Content-Encoding") {
        text.push_str(COLLECTIONS);
    }
    let why = "lines make every request slow, since Apache reads this file each time";
    text.push_str(&too_many(named.saturating_sub(MOST_FILES), MOST_FILES, why));
    text.push_str(&left_out(files.len() - writable.len()));
    text
}

/// `Content-Type` in `SITECAST_CONTENT_TYPE`.
fn variable(name: &str) -> String {
    format!("SITECAST_{}", name.to_ascii_uppercase().replace('-', "_"))
}

/// Paths are compared decoded.
fn expression(target: &Target) -> String {
    let literal = |path: &str| regex_escaped(&decode(path).unwrap_or_else(|| path.to_owned()));
    match target {
        Target::File(path) => format!("^{}$", literal(path)),
        Target::Pattern { start, end } => format!("^{}.*{}$", literal(start), literal(end)),
    }
}
