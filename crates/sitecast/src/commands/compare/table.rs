use std::io::Write;
use std::path::Path;

use super::figures::{Change, Comparison, Fetched, Parsing, Savings, Visit};
use crate::failure::{Exit, Failure};
use crate::output::human::{bytes, count, counted};
use crate::output::plain::Plain;
use crate::output::{Output, Tone};

pub(super) fn as_json(comparison: &Comparison, output: &mut Output) -> Result<(), Failure> {
    let text = serde_json::to_string(comparison)
        .map_err(|error| Failure::new(Exit::Failed, format!("cannot write the report: {error}")))?;
    writeln!(output.out(), "{text}")?;
    Ok(())
}

pub(super) fn write(
    comparison: &Comparison,
    report: Option<&Path>,
    output: &mut Output,
) -> Result<(), Failure> {
    let did = output.paint(Tone::Good, "Compared");
    let site = Plain::line(&comparison.site);
    match comparison.incomplete() {
        Some(words) => {
            let words = output.paint(Tone::Warning, &words);
            writeln!(output.out(), "{did} {words} of {site}")?;
        }
        None => {
            let pages = counted(comparison.pages, "page");
            writeln!(output.out(), "{did} {pages} of {site}")?;
        }
    }
    for (what, fetched) in [
        ("fetched from the site", comparison.live),
        ("which the site offers itself", comparison.offered),
    ] {
        if let Some(fetched) = fetched {
            writeln!(output.out(), "  {} {what}", over_network(&fetched))?;
        }
    }
    writeln!(output.out())?;
    traffic(comparison, output)?;
    writeln!(output.out())?;
    savings(comparison, output)?;
    if let Some(report) = report {
        writeln!(output.out(), "\nwrote `{}`", report.display())?;
    }
    Ok(())
}

fn traffic(comparison: &Comparison, output: &mut Output) -> Result<(), Failure> {
    let titles = [
        "first visit".to_owned(),
        "nothing changed".to_owned(),
        after(&comparison.change),
    ];
    let cells = |visit: &Visit| [count(visit.requests), bytes(visit.bytes)];
    let mut columns: Vec<[Vec<String>; 2]> = vec![Default::default(); 3];
    for way in &comparison.ways {
        for (column, visit) in columns
            .iter_mut()
            .zip([&way.first, &way.unchanged, &way.changed])
        {
            let [requests, sent] = cells(visit);
            column[0].push(requests);
            column[1].push(sent);
        }
    }
    let width = |texts: &[String], title: &str| {
        let longest = texts.iter().map(|text| text.chars().count()).max();
        longest.unwrap_or(0).max(title.len())
    };
    let mut heads = [format!("{:9}", ""), format!("{:9}", "")];
    let mut rows: Vec<String> = comparison
        .ways
        .iter()
        .map(|way| format!("{:9}", way.way.name()))
        .collect();
    for (title, [requests, sent]) in titles.iter().zip(&columns) {
        let first = width(requests, "requests");
        let second = width(sent, "bytes").max(title.chars().count().saturating_sub(first + 2));
        heads[0] += &format!("   {title:>width$}", width = first + 2 + second);
        heads[1] += &format!("   {:>first$}  {:>second$}", "requests", "bytes");
        for (row, (requests, sent)) in rows.iter_mut().zip(requests.iter().zip(sent)) {
            *row += &format!("   {requests:>first$}  {sent:>second$}");
        }
    }
    for head in heads {
        let head = output.paint(Tone::Faint, &head);
        writeln!(output.out(), "{head}")?;
    }
    for row in rows {
        writeln!(output.out(), "{row}")?;
    }
    Ok(())
}

fn savings(comparison: &Comparison, output: &mut Output) -> Result<(), Failure> {
    let Comparison {
        savings,
        parsing,
        tokens,
        ..
    } = comparison;
    let title = output.paint(Tone::Strong, "SCP zstd against HTML gzip");
    writeln!(output.out(), "{title}")?;
    let lines = [
        (
            "first visit",
            format!(
                "{}, {}",
                less(savings.first_bytes, "fewer bytes", "more bytes"),
                less(savings.first_requests, "fewer requests", "more requests"),
            ),
        ),
        ("after the change", changed(savings)),
        ("parsing", parsed(parsing, savings)),
        (
            "tokens",
            format!(
                "{} as Markdown, {} as HTML: {} ({} bytes are counted as one)",
                count(tokens.markdown),
                count(tokens.html),
                less(savings.tokens, "fewer", "more"),
                tokens.bytes_per_token,
            ),
        ),
    ];
    for (name, text) in lines {
        writeln!(output.out(), "  {name:16}  {text}")?;
    }
    let promises = comparison.targets.iter();
    let unmet: Vec<&str> = promises
        .filter(|target| !target.met)
        .map(|target| promise(target.name))
        .collect();
    let promised = "50 % and 90 % fewer bytes, 90 % fewer requests, 90 % less time";
    let verdict = if unmet.is_empty() {
        output.paint(Tone::Good, "kept")
    } else {
        let verdict = output.paint(Tone::Warning, "not kept");
        format!("{verdict} for {}", unmet.join(", "))
    };
    writeln!(
        output.out(),
        "  {:16}  {promised}: {verdict}",
        "SCP's promise"
    )?;
    Ok(())
}

fn changed(savings: &Savings) -> String {
    format!(
        "{} {} asking for each page, {} {} fetching each again, {}",
        less(savings.changed_bytes, "fewer bytes", "more bytes"),
        than(savings.changed_bytes),
        less(savings.changed_bytes_whole, "fewer", "more"),
        than(savings.changed_bytes_whole),
        less(savings.changed_requests, "fewer requests", "more requests"),
    )
}

fn parsed(parsing: &Parsing, savings: &Savings) -> String {
    format!(
        "{} a page, {} as HTML: {} ({} to parse and no more: {})",
        micros(parsing.scp_read_us),
        micros(parsing.html_extract_us),
        less(savings.parsing, "less", "more"),
        micros(parsing.html_parse_us),
        less(savings.parsing_alone, "less", "more"),
    )
}

/// What a target is called.
pub(super) fn promise(name: &str) -> &str {
    match name {
        "first-visit-bytes" => "bytes of the first visit",
        "changed-bytes" => "bytes after a change against fetching all again",
        "requests" => "requests of the first visit",
        "parsing" => "time to parse",
        other => other,
    }
}

/// `after 3 changed, 1 new, 2 deleted pages`.
pub(super) fn after(change: &Change) -> String {
    let mut parts = Vec::new();
    for (number, what) in [
        (change.changed, "changed"),
        (change.new, "new"),
        (change.deleted, "deleted"),
    ] {
        if number > 0 {
            parts.push(format!("{} {what}", count(number)));
        }
    }
    if parts.is_empty() {
        return "after no change".to_owned();
    }
    let all = change.changed + change.new + change.deleted;
    let noun = if all == 1 { "page" } else { "pages" };
    format!("after {} {noun}", parts.join(", "))
}

pub(super) fn over_network(fetched: &Fetched) -> String {
    format!(
        "{}, {}, {}, by {},",
        counted(fetched.pages, "page"),
        counted(fetched.requests, "request"),
        bytes(fetched.bytes),
        fetched.way.to_uppercase(),
    )
}

/// `71 % fewer`, `3 % more`, or `2.5 times as many`.
pub(super) fn less(share: f64, fewer: &str, more: &str) -> String {
    if is_multiple(share) {
        let rest = more.strip_prefix("more").unwrap_or(more);
        let much = if fewer.starts_with("fewer") {
            "many"
        } else {
            "much"
        };
        format!("{} times as {much}{rest}", times(share))
    } else if share < 0.0 {
        format!("{} {more}", percent(-share))
    } else {
        format!("{} {fewer}", percent(share))
    }
}

/// Whether it costs more than twice as much: nobody pictures `1033 % more`.
pub(super) fn is_multiple(share: f64) -> bool {
    share < -1.0
}

/// What goes before that which it is held against.
pub(super) fn than(share: f64) -> &'static str {
    if is_multiple(share) { "as" } else { "than" }
}

/// How many times as much it costs.
pub(super) fn times(share: f64) -> String {
    let times = 1.0 - share;
    if times < 9.95 {
        format!("{times:.1}")
    } else {
        format!("{times:.0}")
    }
}

/// A share with as many digits as tell it from all.
pub(super) fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if (99.0..100.0).contains(&percent) {
        // Never rounded up to all.
        let tenths = (percent * 10.0).floor() / 10.0;
        return format!("{tenths:.1} %");
    }
    format!("{percent:.0} %")
}

/// Microseconds, with as many digits as mean something.
pub(super) fn micros(time: f64) -> String {
    if time >= 10_000.0 {
        format!("{:.1} ms", time / 1_000.0)
    } else if time >= 1_000.0 {
        format!("{:.2} ms", time / 1_000.0)
    } else if time >= 10.0 {
        format!("{time:.0} µs")
    } else {
        format!("{time:.1} µs")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_never_rounded_up_to_all() {
        for (share, text) in [
            (0.0, "0 %"),
            (0.714, "71 %"),
            (0.9899, "99 %"),
            (0.9906, "99.0 %"),
            (0.99999, "99.9 %"),
            (1.0, "100 %"),
        ] {
            assert_eq!(percent(share), text);
        }
        assert_eq!(less(-0.031, "fewer", "more bytes"), "3 % more bytes");
    }

    #[test]
    fn what_costs_several_times_as_much_is_said_so() {
        for (share, text) in [
            (-1.0, "100 % more bytes"),
            (-1.3, "2.3 times as many bytes"),
            (-10.33, "11 times as many bytes"),
        ] {
            assert_eq!(less(share, "fewer bytes", "more bytes"), text);
        }
        assert_eq!(less(-2.0, "less", "more"), "3.0 times as much");
    }

    #[test]
    fn times_have_three_digits_at_most() {
        for (time, text) in [
            (0.4, "0.4 µs"),
            (31.26, "31 µs"),
            (1_234.0, "1.23 ms"),
            (45_678.0, "45.7 ms"),
        ] {
            assert_eq!(micros(time), text);
        }
    }
}
