//! The report as one page of HTML that needs nothing else: no scripts, no fonts, no requests.

mod bars;

use super::figures::{ChangeKind, Comparison, Visit, Way, WayFigures};
use super::table::{after, is_multiple, less, micros, over_network, percent, promise, than, times};
use crate::output::human::{bytes, count, counted};
use bars::{Bar, Kind, chart};

const STYLE: &str = include_str!("page/style.css");

/// The whole document.
pub(super) fn document(comparison: &Comparison) -> String {
    let site = escape(host(&comparison.site));
    let main = [
        head(comparison),
        tiles(comparison),
        charts(comparison),
        figures(comparison),
        promises(comparison),
        method(comparison),
    ]
    .concat();
    // The policy makes sure of it: whatever a site is called, nothing is loaded and nothing runs.
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">\n\
         <link rel=\"icon\" href=\"data:,\">\n\
         <title>HTML, SCP and TCT of {site}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n{main}</main>\n</body>\n</html>\n"
    )
}

fn head(comparison: &Comparison) -> String {
    let pages = counted(comparison.pages, "page");
    let first = |way| comparison.of(way).map_or(0, |way| way.first.bytes);
    let day = comparison.measured.get(..10).unwrap_or_default();
    let saved = comparison.savings.first_bytes;
    let (number, words) = if is_multiple(saved) {
        (format!("{} ×", times(saved)), "as many bytes")
    } else if saved < 0.0 {
        (percent(-saved), "more bytes")
    } else {
        (percent(saved), "fewer bytes")
    };
    let than = than(saved);
    let incomplete = comparison
        .incomplete()
        .map(|words| format!("<p class=\"missed\">Compared {words}.</p>\n"));
    format!(
        "<header>\n<p class=\"over\">sitecast compare, <time datetime=\"{day}\">{day}</time></p>\n<h1>{site}</h1>\n\
         {incomplete}<p class=\"headline\"><strong>{number}</strong> <span>{words} to take {pages} as one SCP collection, {scp}, \
         {than} as HTML, {html}.</span></p>\n</header>\n",
        incomplete = incomplete.unwrap_or_default(),
        site = escape(&comparison.site),
        scp = bytes(first(Way::ScpZstd)),
        html = bytes(first(Way::HtmlGzip)),
    )
}

fn tiles(comparison: &Comparison) -> String {
    let savings = &comparison.savings;
    let of = |way| comparison.of(way);
    let requests = |pick: &dyn Fn(&WayFigures) -> Visit| {
        let count_of = |way| count(of(way).map_or(0, |way| pick(way).requests));
        format!(
            "{} instead of {}",
            count_of(Way::ScpZstd),
            count_of(Way::HtmlGzip)
        )
    };
    let tiles = [
        (
            less(savings.first_requests, "fewer", "more"),
            "requests",
            requests(&|way| way.first),
        ),
        (
            less(savings.changed_bytes, "fewer", "more"),
            "bytes after a change",
            format!(
                "{} asking for each page; {} {} fetching each again",
                than(savings.changed_bytes),
                less(savings.changed_bytes_whole, "fewer", "more"),
                than(savings.changed_bytes_whole),
            ),
        ),
        (
            less(savings.parsing, "less", "more"),
            "time to parse",
            format!(
                "{} a page, {} for HTML",
                micros(comparison.parsing.scp_read_us),
                micros(comparison.parsing.html_extract_us)
            ),
        ),
        (
            less(savings.tokens, "fewer", "more"),
            "tokens",
            format!(
                "{} as Markdown, {} as HTML",
                count(comparison.tokens.markdown),
                count(comparison.tokens.html)
            ),
        ),
    ];
    let tiles: String = tiles
        .into_iter()
        .map(|(number, what, detail)| {
            format!(
                "<li><strong>{number}</strong> <span>{what}</span> <small>{detail}</small></li>\n"
            )
        })
        .collect();
    format!("<ul class=\"tiles\">\n{tiles}</ul>\n")
}

fn charts(comparison: &Comparison) -> String {
    let by_way = |pick: &dyn Fn(&WayFigures) -> u64, show: &dyn Fn(u64) -> String| -> Vec<Bar> {
        comparison
            .ways
            .iter()
            .map(|way| Bar {
                kind: kind_of(way.way),
                name: way.way.name(),
                value: pick(way) as f64,
                shown: show(pick(way)),
            })
            .collect()
    };
    let pages = counted(comparison.pages, "page");
    let change = after(&comparison.change);
    let parsing = &comparison.parsing;
    let time = |kind, name, value| Bar {
        kind,
        name,
        value,
        shown: micros(value),
    };
    let tokens = &comparison.tokens;
    let token = |kind, name, value: u64| Bar {
        kind,
        name,
        value: value as f64,
        shown: count(value),
    };
    let requests = |number: u64| count(number);
    [
        "<div class=\"charts\">\n".to_owned(),
        chart(
            "first-bytes",
            "The first visit",
            &format!("Bytes to have {pages}, headers and all"),
            &by_way(&|way| way.first.bytes, &bytes),
        ),
        chart(
            "changed-bytes",
            "After a change",
            &format!("Bytes to be up to date again {change}"),
            &by_way(&|way| way.changed.bytes, &bytes),
        ),
        chart(
            "unchanged-bytes",
            "Nothing changed",
            "Bytes to find that out",
            &by_way(&|way| way.unchanged.bytes, &bytes),
        ),
        chart(
            "first-requests",
            "Requests",
            "On the first visit",
            &by_way(&|way| way.first.requests, &requests),
        ),
        chart(
            "parsing",
            "Time to parse",
            "For a page, on one core",
            &[
                time(Kind::Html, "HTML, content found", parsing.html_extract_us),
                time(Kind::Html, "HTML, parsed only", parsing.html_parse_us),
                time(Kind::Scp, "SCP, verified", parsing.scp_read_us),
            ],
        ),
        chart(
            "tokens",
            "Tokens",
            &format!(
                "Of {pages}; {} bytes are counted as one",
                tokens.bytes_per_token
            ),
            &[
                token(Kind::Html, "HTML", tokens.html),
                token(Kind::Scp, "SCP lines", tokens.scp),
                token(Kind::Scp, "SCP as Markdown", tokens.markdown),
            ],
        ),
        "</div>\n".to_owned(),
    ]
    .concat()
}

fn kind_of(way: Way) -> Kind {
    match way {
        Way::HtmlGzip | Way::HtmlBr => Kind::Html,
        Way::ScpGzip | Way::ScpZstd => Kind::Scp,
        Way::TctGzip => Kind::Tct,
    }
}

fn figures(comparison: &Comparison) -> String {
    let change = after(&comparison.change);
    // Narrow screens show a row below the other, and each figure with its name.
    let cells = |name: &str, visit: &Visit| {
        format!(
            "<td data-name=\"{name}, requests\">{}</td><td data-name=\"{name}, bytes\">{}</td>",
            count(visit.requests),
            count(visit.bytes)
        )
    };
    let rows: String = comparison
        .ways
        .iter()
        .map(|way| {
            format!(
                "<tr><th scope=\"row\">{}</th><td data-name=\"pages\">{}</td>{}{}{}</tr>\n",
                way.way.name(),
                count(way.pages),
                cells("first visit", &way.first),
                cells("nothing changed", &way.unchanged),
                cells(&change, &way.changed),
            )
        })
        .collect();
    format!(
        "<section>\n<h2 id=\"figures\">All figures</h2>\n\
         <div class=\"scroll\" role=\"region\" aria-labelledby=\"figures\" tabindex=\"0\">\n<table class=\"figures\">\n\
         <thead>\n<tr><td rowspan=\"2\"></td><th rowspan=\"2\" scope=\"col\">pages</th><th colspan=\"2\" scope=\"colgroup\">first visit</th>\
         <th colspan=\"2\" scope=\"colgroup\">nothing changed</th><th colspan=\"2\" scope=\"colgroup\">{}</th></tr>\n\
         <tr>{}</tr>\n</thead>\n<tbody>\n{rows}</tbody>\n</table>\n</div>\n</section>\n",
        change,
        "<th scope=\"col\">requests</th><th scope=\"col\">bytes</th>".repeat(3),
    )
}

fn promises(comparison: &Comparison) -> String {
    let rows: String = comparison
        .targets
        .iter()
        .map(|target| {
            format!(
                "<tr><th scope=\"row\">{}</th><td data-name=\"promised\">{} less</td><td data-name=\"measured\">{}</td>\
                 <td data-name=\"so it is\" class=\"{}\">{}</td></tr>\n",
                promise(target.name),
                percent(target.target),
                less(target.measured, "less", "more"),
                if target.met { "kept" } else { "missed" },
                if target.met { "kept" } else { "not kept" },
            )
        })
        .collect();
    format!(
        "<section>\n<h2 id=\"promise\">What the protocol promises</h2>\n\
         <div class=\"scroll\" role=\"region\" aria-labelledby=\"promise\" tabindex=\"0\">\n<table class=\"figures\">\n\
         <thead>\n<tr><td></td><th scope=\"col\">promised</th><th scope=\"col\">measured</th><th scope=\"col\">so it is</th></tr>\n</thead>\n\
         <tbody>\n{rows}</tbody>\n</table>\n</div>\n\
         <p>SCP&#39;s first draft, against HTML with gzip; after a change, against fetching every page again.</p>\n</section>\n"
    )
}

fn method(comparison: &Comparison) -> String {
    let mut items = vec![
        "The site was published, served and synced on one machine. Requests and bytes were counted by the agent: bodies \
         as they were sent, and the headers of the answers."
            .to_owned(),
        "HTML is what a crawler pays that asks for robots.txt, the sitemap and each page, and when it comes again, says \
         which version it has. Pages are compressed one by one, gzip at level 6, br at level 5."
            .to_owned(),
        match comparison.change.kind {
            ChangeKind::Simulated => "The change is a sentence that was added to one page in a hundred.".to_owned(),
            ChangeKind::Folder => "The change is what a later version of the folder has different.".to_owned(),
        },
        format!(
            "Times are the least of {} runs over {} of HTML, and over the whole collection, which is decompressed and \
             verified meanwhile.",
            comparison.parsing.runs,
            counted(comparison.parsing.sampled_pages, "page"),
        ),
        format!(
            "Tokens are an approximation: {} bytes are counted as one.",
            comparison.tokens.bytes_per_token
        ),
    ];
    for (what, fetched) in [
        ("fetched from the site", comparison.live),
        ("which the site offers itself", comparison.offered),
    ] {
        items.extend(fetched.map(|fetched| format!("{} {what}.", over_network(&fetched))));
    }
    items.extend(comparison.notes.iter().cloned());
    let items: String = items
        .iter()
        .map(|item| format!("<li>{}</li>\n", escape(item)))
        .collect();
    format!(
        "<section class=\"method\">\n<h2>How it was measured</h2>\n<ul>\n{items}</ul>\n<p>Source: <code>{}</code></p>\n</section>\n",
        escape(&comparison.source)
    )
}

/// The URL without what all have.
fn host(site: &str) -> &str {
    let site = site.split_once("://").map_or(site, |(_, rest)| rest);
    site.trim_end_matches('/')
}

/// Text for an element or an attribute.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}
