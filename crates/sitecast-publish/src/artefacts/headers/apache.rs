//! `.htaccess`. Sections by path do not exist there, so headers are put into variables by the path, and from there into the
//! response.
//!
//! Entity tags are Apache's own: `file()`, which could read the hash out of a page, is refused in this file.

use std::fmt::Write;

use super::patterns::{HASHED, PATH, patterns};
use super::{Hosting, Machine, decode, named_odd, regex_escaped};

/// Lines for single pages: the file is read again for each request, and a line takes some 5 µs.
const MOST_PAGES: usize = 500;

/// Apache would set the encoding by a name's end (`x-gzip` for `.gz`) in place of the header.
const COLLECTIONS: &str = "\
<IfModule mod_mime.c>
<FilesMatch \"\\.scp\\.(gz|zst)$\">
RemoveEncoding .gz .zst
</FilesMatch>
</IfModule>
";

/// Names of headers, and how they join what others say: there may be more links, and more reasons to vary.
const NAMES: [(&str, &str); 5] = [
    ("Content-Type", "set"),
    ("Content-Encoding", "set"),
    ("Cache-Control", "set"),
    ("Vary", "merge"),
    ("Link", "merge"),
];

pub(super) fn write(hosting: &Hosting) -> String {
    let mut text = String::from(
        "# The rules are patterns and stay true from one publication to the next. Entity tags are Apache's own, since it\n\
         # cannot compute the content's hash here; agents compare the hash in the page.\n<IfModule mod_setenvif.c>\n",
    );
    // Of several lines that set a variable the last one counts.
    for pattern in patterns(hosting).iter().rev() {
        line(&mut text, &pattern.regex, &pattern.headers);
    }
    let mut comment = String::new();
    if let Some(machine) = &hosting.machine {
        let home = decode(&hosting.base).unwrap_or_else(|| hosting.base.clone());
        let home = format!("^{}$", regex_escaped(&home));
        line(&mut text, &home, &[("Link", machine.index.clone())]);
        computed(&mut text, machine, hosting);
        let (named, rest) = named_odd(machine, MOST_PAGES, |page, decoded| {
            !decoded.contains(['\\', '{', '}']) && !page.canonical.contains(['\\', '{', '}'])
        });
        for (page, decoded) in named {
            let link = machine.link(Some(&page.canonical));
            let regex = format!("^{}$", regex_escaped(&decoded));
            line(&mut text, &regex, &[("Link", link)]);
        }
        comment = rest;
    }
    text.push_str("</IfModule>\n<IfModule mod_headers.c>\n");
    for (name, action) in NAMES {
        let variable = variable(name);
        let _ = writeln!(
            text,
            "Header {action} {name} \"%{{{variable}}}e\" env={variable}"
        );
    }
    text.push_str("</IfModule>\n");
    if hosting.collections.is_some() {
        text.push_str(COLLECTIONS);
    }
    text.push_str(&comment);
    text
}

/// The `Link` of machine pages, with the page's URL out of the request as it was sent.
fn computed(text: &mut String, machine: &Machine, hosting: &Hosting) {
    text.push_str("<FilesMatch \"llm\\.json$\">\n");
    let canonical = format!("<{}$1>; rel=\"canonical\"", hosting.origin);
    let link = machine.link(Some(&canonical)).replace('"', "\\\"");
    for end in ["/)llm", ")\\.llm"] {
        let _ = writeln!(
            text,
            "SetEnvIfExpr \"%{{THE_REQUEST}} =~ m#^\\S+ (?!{HASHED}[? ])({PATH}{end}\\.json[? ]#\" \
             \"SITECAST_LINK={link}\"",
        );
    }
    text.push_str("</FilesMatch>\n");
}

/// Sets the variables of the headers where the path matches.
fn line(text: &mut String, regex: &str, headers: &[(&'static str, String)]) {
    let _ = write!(text, "SetEnvIf Request_URI \"{regex}\"");
    for (name, value) in headers {
        let value = value.replace('$', "\\$").replace('"', "\\\"");
        let _ = write!(text, " \"{}={value}\"", variable(name));
        if *name == "Content-Encoding" {
            // It is compressed already.
            text.push_str(" no-gzip=1");
        }
    }
    text.push('\n');
}

/// `Content-Type` in `SITECAST_CONTENT_TYPE`.
fn variable(name: &str) -> String {
    format!("SITECAST_{}", name.to_ascii_uppercase().replace('-', "_"))
}
