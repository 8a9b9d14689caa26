//! `_headers`: a path in a line, its headers indented in the next ones. `*` stands for anything, once in a path.
//!
//! Where several rules match, all apply, and a header that is in two of them is sent with both values. Cloudflare
//! stops at the hundredth rule, so what matters most comes first.

use std::fmt::Write;

use super::rules::rules_of;
use super::{Entry, Target, left_out};

/// What Cloudflare Pages reads.
const MOST_RULES: usize = 100;
/// A line over 2,000 characters is passed over; if that is a path, its headers go to the path before.
const LONGEST_PATH: usize = 1_900;

pub(super) fn write(files: &[Entry<'_>], rest: &[&[u8]]) -> String {
    let writable: Vec<&Entry<'_>> = files.iter().filter(|file| is_literal(file.path)).collect();
    let rules = rules_of(&writable);
    let mut text = String::new();
    let others: usize = rest.iter().map(|part| rules_in(part)).sum();
    for (position, rule) in rules.iter().enumerate() {
        if position > 0 && position + others == MOST_RULES {
            let _ = writeln!(
                text,
                "# Cloudflare Pages stops reading here: it takes {MOST_RULES} rules. `sitecast serve` has no such limit."
            );
        }
        match &rule.target {
            Target::File(path) => text.push_str(path),
            Target::Pattern { start, end } => {
                let _ = write!(text, "{start}*{end}");
            }
        }
        text.push('\n');
        for (name, value) in &rule.headers {
            let _ = writeln!(text, "  {name}: {value}");
        }
    }
    text.push_str(&left_out(files.len() - writable.len()));
    text
}

/// Whether the path means itself: a star or `:name` in it would be a placeholder, and nothing escapes them.
fn is_literal(path: &str) -> bool {
    !path.contains(['*', ':']) && path.len() <= LONGEST_PATH
}

/// How many rules the site has of its own.
fn rules_in(text: &[u8]) -> usize {
    text.split(|&b| b == b'\n')
        .filter(|line| {
            let line = line.trim_ascii_start();
            line.starts_with(b"/") || line.starts_with(b"https://")
        })
        .count()
}
