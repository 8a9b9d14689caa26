//! A file for a `server` block of nginx: a `location` for each kind of file.
//!
//! Of several locations that are regular expressions the first one applies, and an exact one before all of them; so each
//! has all of its files' headers.

use std::fmt::Write;

use super::patterns::{Kind, PATH, Pattern, patterns};
use super::{Hosting, Machine, decode, named_odd};

/// Locations for single pages, where patterns cannot say the page.
const MOST_PAGES: usize = 10_000;

const PREAMBLE: &str = "\
# Include this in the `server` block that serves the site, with `root` set there as well:
#     include /path/to/this/file;
# A location here stands before others: access rules that are to hold for these files, too, belong
# into the `server` block. Headers that are added there are not added here.
# The rules are patterns and stay true: nginx need not be reloaded after a publication.
# Entity tags are nginx's own, since it cannot compute the content's hash; agents compare the hash in the page.
";

pub(super) fn write(hosting: &Hosting) -> String {
    let mut text = PREAMBLE.to_owned();
    let origin = &hosting.origin;
    let home = decode(&hosting.base).filter(|base| !base.contains('$'));
    if let (Some(machine), Some(home)) = (&hosting.machine, home) {
        // The file that nginx looks for when the folder is requested.
        let _ = write!(
            text,
            "location = {} {{\n    add_header Link {};\n}}\n",
            quoted(&format!("{home}index.html")),
            quoted(&machine.index)
        );
    }
    let patterns = patterns(hosting);
    for pattern in &patterns {
        let mut block = String::new();
        for (name, value) in &pattern.headers {
            match (*name, &hosting.machine) {
                ("Content-Type", _) => {
                    // Without types of its own the location has only the default one.
                    let _ = writeln!(block, "    types {{ }} default_type {};", quoted(value));
                }
                ("Link", Some(machine)) if pattern.kind == Kind::MachinePages => {
                    block.push_str(&link(machine, origin));
                }
                _ => {
                    let _ = writeln!(block, "    add_header {name} {};", quoted(value));
                }
            }
        }
        // Compressing once more, or on the way, would weaken the entity tag.
        block.push_str("    gzip off;\n");
        let _ = write!(text, "location ~ \"{}\" {{\n{block}}}\n", pattern.regex);
    }
    if let Some(machine) = &hosting.machine {
        text.push_str(&odd_pages(machine, &patterns));
    }
    text
}

/// The machine pages whose URLs fit no pattern, each in a location of its own.
fn odd_pages(machine: &Machine, patterns: &[Pattern]) -> String {
    let mut text = String::new();
    // A dollar sign begins a variable, and nothing escapes it.
    let (named, comment) = named_odd(machine, MOST_PAGES, |page, decoded| {
        !decoded.contains(['$', '\\']) && !page.canonical.contains(['$', '\\'])
    });
    let shared = patterns
        .iter()
        .find(|pattern| pattern.kind == Kind::HashedPages);
    for (page, decoded) in named {
        let mut block = String::from("    gzip off;\n");
        for (name, value) in shared.into_iter().flat_map(|shared| &shared.headers) {
            let _ = match *name {
                "Content-Type" => {
                    writeln!(block, "    types {{ }} default_type {};", quoted(value))
                }
                "Link" => writeln!(
                    block,
                    "    add_header Link {};",
                    quoted(&machine.link(Some(&page.canonical)))
                ),
                _ => writeln!(block, "    add_header {name} {};", quoted(value)),
            };
        }
        let _ = write!(text, "location = {} {{\n{block}}}\n", quoted(&decoded));
    }
    text.push_str(&comment);
    text
}

/// The `Link` of machine pages, with the page's URL out of the request as it was sent.
fn link(machine: &Machine, origin: &str) -> String {
    let mut text = format!("    set $sitecast_link {};\n", quoted(&machine.link(None)));
    // A group with a name is taken as it is; `$1` would be escaped once more.
    for end in ["/)llm", ")\\.llm"] {
        let canonical = format!("<{origin}$sitecast_page>; rel=\"canonical\"");
        let _ = writeln!(
            text,
            "    if ($request_uri ~ \"^(?<sitecast_page>{PATH}{end}\\.json(?:\\?|$)\") {{ set $sitecast_link {}; }}",
            quoted(&machine.link(Some(&canonical)))
        );
    }
    text.push_str("    add_header Link $sitecast_link;\n");
    text
}

/// In double quotes, within which a backslash escapes quotes and leaves all else alone.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\\\""))
}
