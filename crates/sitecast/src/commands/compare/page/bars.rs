use std::fmt::Write;

use super::escape;

/// What a bar stands for, for its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Html,
    Scp,
    Tct,
}

pub(super) struct Bar {
    pub(super) kind: Kind,
    pub(super) name: &'static str,
    pub(super) value: f64,
    /// The value as it is written.
    pub(super) shown: String,
}

/// Bars beside their names and values. It is a table: whoever cannot see the bars misses nothing.
pub(super) fn chart(id: &str, title: &str, what: &str, bars: &[Bar]) -> String {
    let most = bars.iter().map(|bar| bar.value).fold(0.0, f64::max);
    let mut rows = String::new();
    for bar in bars {
        let share = if most > 0.0 {
            bar.value / most * 100.0
        } else {
            0.0
        };
        let kind = match bar.kind {
            Kind::Html => "html",
            Kind::Scp => "scp",
            Kind::Tct => "tct",
        };
        // What is too small to be seen is still there.
        let _ = writeln!(
            rows,
            "<tr class=\"{kind}\"><th scope=\"row\">{}</th><td class=\"bar\"><svg width=\"100%\" height=\"16\" \
             aria-hidden=\"true\" focusable=\"false\"><rect width=\"{:.2}%\" height=\"16\" rx=\"2\"/></svg></td><td>{}</td></tr>",
            escape(bar.name),
            share.max(0.4),
            escape(&bar.shown),
        );
    }
    format!(
        "<section class=\"chart\" id=\"{id}\">\n<h2>{}</h2>\n<p>{}</p>\n<table>\n<thead class=\"unseen\"><tr><td></td><td></td>\
         <th scope=\"col\">{}</th></tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n</section>\n",
        escape(title),
        escape(what),
        escape(what),
    )
}
