//! Rendering of a line of text with its links and marks.
//!
//! Links and marks become [`Element`]s that nest or are disjoint, and these become a sequence of [`Token`]s.
//! Emphasis is written only where every parser reads it as emphasis; elsewhere the words are written without it.

use std::cmp::Reverse;
use std::ops::Range;

use super::escape::{self, Dollars, escaped};
use super::flanking::{Side, can_close, can_open, may_close};
use super::formula::{self, Layout};
use super::links::Link;
use super::pieces::Place;
use crate::MarkKind;
use crate::render::marks::Span;
use crate::render::one_line;

/// Passes that remove emphasis which parsers would not read. After these, all emphasis of the line is removed, since
/// each pass can make other emphasis unreadable.
const PASSES: usize = 4;

/// A line of text to write.
#[derive(Debug)]
pub(super) struct Line<'l> {
    pub(super) text: &'l str,
    pub(super) place: Place,
    /// The links and their byte ranges in `text`, in order.
    pub(super) links: &'l [(Range<usize>, &'l Link<'l>)],
    pub(super) spans: &'l [Span],
    pub(super) dollars: Dollars,
}

/// A style of text, written between delimiters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    Strong,
    Emphasis,
    Deleted,
}

impl Style {
    const ALL: [Self; 3] = [Self::Strong, Self::Emphasis, Self::Deleted];

    fn delimiter(self) -> &'static str {
        match self {
            Self::Strong => "**",
            Self::Emphasis => "*",
            Self::Deleted => "~~",
        }
    }

    fn mark(self) -> MarkKind {
        match self {
            Self::Strong => MarkKind::Strong,
            Self::Emphasis => MarkKind::Emphasis,
            Self::Deleted => MarkKind::Deleted,
        }
    }

    /// Returns true if parsers read adjacent delimiters of the two as one run.
    fn runs_into(self, other: Self) -> bool {
        (self == Self::Deleted) == (other == Self::Deleted)
    }
}

#[derive(Debug)]
enum ElementKind<'l> {
    Link(&'l Link<'l>),
    Styled(Style),
    Code,
    Formula(String),
}

/// A part of the line with markup.
#[derive(Debug)]
struct Element<'l> {
    range: Range<usize>,
    kind: ElementKind<'l>,
}

#[derive(Debug)]
enum Token<'e> {
    Text(Range<usize>),
    Code(Range<usize>),
    Formula(&'e str),
    LinkStart,
    LinkEnd(&'e Link<'e>),
    /// The index of the element, and its style.
    Open(usize, Style),
    Close(usize, Style),
}

/// Writes a line.
pub(super) fn write(out: &mut String, line: &Line<'_>) {
    let mut elements = elements(line);
    for pass in 0.. {
        let tokens = tokens(line, &elements);
        let unreadable = unreadable_styles(line, &tokens);
        if unreadable.is_empty() {
            return write_tokens(out, line, &tokens);
        }
        let mut number = 0;
        elements.retain(|element| {
            let is_unreadable = unreadable.binary_search(&number).is_ok() || pass >= PASSES;
            number += 1;
            !(is_unreadable && matches!(element.kind, ElementKind::Styled(_)))
        });
    }
}

/// Returns all elements, outer ones first. Any two of them nest or are disjoint.
fn elements<'l>(line: &Line<'l>) -> Vec<Element<'l>> {
    let links = line.links.iter().map(|(range, link)| Element {
        range: range.clone(),
        kind: ElementKind::Link(link),
    });
    let mut all: Vec<Element<'l>> = links.collect();
    if line.spans.is_empty() {
        return all;
    }
    let mut codes = without_space(line.text, cut(unions(line, MarkKind::Code), line.links));
    codes.retain(|code| !looks_like_definition(line, code));
    let mut atoms = formulas(line, &codes);
    atoms.extend(codes.into_iter().map(|range| Element {
        range,
        kind: ElementKind::Code,
    }));
    all.extend(atoms);
    for style in Style::ALL {
        let ranges = without_space(line.text, unions(line, style.mark()));
        all.extend(ranges.into_iter().map(|range| Element {
            range,
            kind: ElementKind::Styled(style),
        }));
    }
    // Among elements with the same range, links are outermost and code and formulas innermost.
    let rank = |kind: &ElementKind<'_>| match kind {
        ElementKind::Link(_) => 0,
        ElementKind::Styled(_) => 1,
        ElementKind::Code | ElementKind::Formula(_) => 2,
    };
    all.sort_by_key(|element| {
        let Range { start, end } = element.range;
        (start, Reverse(end), rank(&element.kind))
    });
    nested(all)
}

/// Returns true for code in a link that has `]:` in it. Parsers look for `[label]: url` at the beginning of a paragraph before they
/// look for code, and would take the link for such a definition.
fn looks_like_definition(line: &Line<'_>, code: &Range<usize>) -> bool {
    let is_in = |link: &Range<usize>| link.start <= code.start && code.end <= link.end;
    line.links.iter().any(|(link, _)| is_in(link))
        && (line.text.get(code.clone())).is_some_and(|text| text.contains("]:"))
}

/// The union of the marks of a kind, as disjoint ranges in order.
fn unions(line: &Line<'_>, kind: MarkKind) -> Vec<Range<usize>> {
    let is_part = |range: &Range<usize>| line.text.get(range.clone()).is_some();
    let spans = line.spans.iter().filter(|span| span.kind == kind);
    let mut ranges: Vec<Range<usize>> = spans
        .map(|span| span.range.clone())
        .filter(is_part)
        .collect();
    ranges.sort_by_key(|range| range.start);
    let mut unions: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match unions.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => unions.push(range),
        }
    }
    unions
}

/// Splits ranges at the ends of links, so that code is either inside a link or outside.
fn cut(ranges: Vec<Range<usize>>, links: &[(Range<usize>, &Link<'_>)]) -> Vec<Range<usize>> {
    let mut edges = links
        .iter()
        .flat_map(|(link, _)| [link.start, link.end])
        .peekable();
    let mut pieces = Vec::with_capacity(ranges.len());
    for Range { mut start, end } in ranges {
        while edges.next_if(|edge| *edge <= start).is_some() {}
        while let Some(edge) = edges.next_if(|edge| *edge < end) {
            pieces.push(start..edge);
            start = edge;
        }
        pieces.push(start..end);
    }
    pieces
}

/// Trims white space from the ends of ranges, and removes the ranges that are then empty.
fn without_space(text: &str, ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let trimmed = ranges.into_iter().filter_map(|Range { start, end }| {
        let part = text.get(start..end)?;
        let start = end - part.trim_start().len();
        Some(start..start + part.trim().len())
    });
    trimmed.filter(|range| !range.is_empty()).collect()
}

/// Returns the formulas that can be written. A formula cannot touch another one or precede a digit, because parsers
/// would then read its dollar signs differently.
fn formulas<'l>(line: &Line<'l>, codes: &[Range<usize>]) -> Vec<Element<'l>> {
    let mut found: Vec<Element<'l>> = Vec::new();
    for (kind, layout) in [
        (MarkKind::Formula, Layout::Line),
        (MarkKind::DisplayFormula, Layout::Display),
    ] {
        for span in line.spans.iter().filter(|span| span.kind == kind) {
            let text = line.text.get(span.range.clone()).unwrap_or_default();
            let after = line.text.get(span.range.end..).unwrap_or_default();
            if after.starts_with(|c: char| c.is_ascii_digit()) {
                continue;
            }
            found.extend(formula::markup(text, layout).map(|markup| Element {
                range: span.range.clone(),
                kind: ElementKind::Formula(markup),
            }));
        }
    }
    found.sort_by_key(|element| element.range.start);
    let mut codes = codes.iter().peekable();
    let mut links = line.links.iter().map(|(range, _)| range).peekable();
    let mut end = None;
    found.retain(|Element { range, .. }| {
        while codes.next_if(|code| code.end <= range.start).is_some() {}
        while links.next_if(|link| link.end <= range.start).is_some() {}
        let is_in_code = codes.peek().is_some_and(|code| code.start < range.end);
        let crosses_link = links.peek().is_some_and(|link| {
            link.start < range.end && !(link.start <= range.start && range.end <= link.end)
        });
        let touches = end.is_some_and(|end| range.start <= end);
        let stays = !is_in_code && !crosses_link && !touches;
        if stays {
            end = Some(range.end);
        }
        stays
    });
    found
}

/// Removes the styles that partly overlap another element, and those within code or a formula.
fn nested(all: Vec<Element<'_>>) -> Vec<Element<'_>> {
    let mut removed = vec![false; all.len()];
    let mut open: Vec<usize> = Vec::new();
    for (at, element) in all.iter().enumerate() {
        let is_styled = |at: usize| {
            matches!(
                all.get(at),
                Some(Element {
                    kind: ElementKind::Styled(_),
                    ..
                })
            )
        };
        let end_of = |at: usize| all.get(at).map_or(0, |outer| outer.range.end);
        while open
            .pop_if(|outer| end_of(*outer) <= element.range.start)
            .is_some()
        {}
        let mut is_removed = false;
        // Of two overlapping styles the first one stays. Links, code and formulas take precedence over styles.
        while let Some(outer) = open
            .last()
            .copied()
            .filter(|outer| end_of(*outer) < element.range.end)
        {
            if is_styled(at) {
                is_removed = true;
                break;
            }
            if let Some(removed) = removed.get_mut(outer) {
                *removed = true;
            }
            open.pop();
        }
        // Code and formulas contain no other elements.
        let is_in_atom = open
            .last()
            .and_then(|outer| all.get(*outer))
            .is_some_and(|outer| matches!(outer.kind, ElementKind::Code | ElementKind::Formula(_)));
        if is_removed || (is_in_atom && is_styled(at)) {
            if let Some(removed) = removed.get_mut(at) {
                *removed = true;
            }
        } else {
            open.push(at);
        }
    }
    let mut removed = removed.into_iter();
    let mut all = all;
    all.retain(|_| !removed.next().unwrap_or(false));
    all
}

fn tokens<'e>(line: &Line<'_>, elements: &'e [Element<'e>]) -> Vec<Token<'e>> {
    let mut tokens = Vec::with_capacity(elements.len() * 3 + 1);
    let mut done = 0;
    let mut open: Vec<(usize, &Element<'e>)> = Vec::new();
    let text_up_to = |tokens: &mut Vec<Token<'e>>, done: &mut usize, to: usize| {
        if *done < to {
            tokens.push(Token::Text(*done..to));
            *done = to;
        }
    };
    let end = |tokens: &mut Vec<Token<'e>>, (number, element): (usize, &'e Element<'e>)| {
        tokens.extend(match &element.kind {
            ElementKind::Link(link) => Some(Token::LinkEnd(link)),
            ElementKind::Styled(style) => Some(Token::Close(number, *style)),
            ElementKind::Code | ElementKind::Formula(_) => None,
        });
    };
    for (number, element) in elements.iter().enumerate() {
        let Range { start, end: stop } = element.range.clone();
        while let Some(inner) = open.pop_if(|(_, open)| open.range.end <= start) {
            text_up_to(&mut tokens, &mut done, inner.1.range.end);
            end(&mut tokens, inner);
        }
        text_up_to(&mut tokens, &mut done, start);
        match &element.kind {
            ElementKind::Link(_) => tokens.push(Token::LinkStart),
            ElementKind::Styled(style) => tokens.push(Token::Open(number, *style)),
            ElementKind::Code => tokens.push(Token::Code(start..stop)),
            ElementKind::Formula(markup) => tokens.push(Token::Formula(markup)),
        }
        match element.kind {
            ElementKind::Link(_) | ElementKind::Styled(_) => open.push((number, element)),
            ElementKind::Code | ElementKind::Formula(_) => done = stop,
        }
    }
    while let Some(inner) = open.pop() {
        text_up_to(&mut tokens, &mut done, inner.1.range.end);
        end(&mut tokens, inner);
    }
    text_up_to(&mut tokens, &mut done, line.text.len());
    tokens
}

/// Returns the styles whose delimiters some parser would not read as intended, as sorted element indexes.
fn unreadable_styles(line: &Line<'_>, tokens: &[Token<'_>]) -> Vec<usize> {
    let mut unreadable = Vec::new();
    // The number of open styles with asterisks as delimiters.
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let (Token::Open(_, style) | Token::Close(_, style)) = token else {
            at += 1;
            continue;
        };
        let style = *style;
        let runs_on = |token: &&Token<'_>| matches!(token, Token::Open(_, other) | Token::Close(_, other) if other.runs_into(style));
        let run = tokens.get(at..).unwrap_or_default();
        let length = run.iter().take_while(runs_on).count();
        let (run, after) = run.split_at_checked(length).unwrap_or((run, &[]));
        let before = tokens.get(..at).and_then(<[Token<'_>]>::last);
        let before = before.map_or(Side::Space, |token| side_after(line, token));
        let after = after
            .first()
            .map_or(Side::Space, |token| side_before(line, token));
        let ends_first = matches!(run.first(), Some(Token::Close(..)));
        let mut deeper = 0;
        for token in run {
            match token {
                // Parsers read a run as either opening or closing, so one of two adjacent styles is unreadable.
                Token::Open(number, _) => {
                    let could_end =
                        depth > 0 && style != Style::Deleted && may_close(before, after);
                    if ends_first || could_end || !can_open(before, after) {
                        unreadable.push(*number);
                    }
                    deeper += 1;
                }
                Token::Close(number, _) => {
                    if !can_close(before, after) {
                        unreadable.push(*number);
                    }
                    depth = depth.saturating_sub(usize::from(style != Style::Deleted));
                }
                _ => {}
            }
        }
        if style != Style::Deleted {
            depth += deeper;
        }
        at += length.max(1);
    }
    unreadable.sort_unstable();
    unreadable
}

/// The class of the character before a delimiter that follows `token`.
fn side_after(line: &Line<'_>, token: &Token<'_>) -> Side {
    match token {
        Token::Text(range) => {
            let text = line.text.get(range.clone()).unwrap_or_default();
            text.chars().next_back().map_or(Side::Unclear, Side::of)
        }
        _ => Side::Punctuation,
    }
}

/// The class of the character after a delimiter that precedes `token`.
fn side_before(line: &Line<'_>, token: &Token<'_>) -> Side {
    match token {
        Token::Text(range) => {
            let text = line.text.get(range.clone()).unwrap_or_default();
            text.chars().next().map_or(Side::Unclear, Side::of)
        }
        _ => Side::Punctuation,
    }
}

fn write_tokens(out: &mut String, line: &Line<'_>, tokens: &[Token<'_>]) {
    let part = |range: &Range<usize>| line.text.get(range.clone()).unwrap_or_default();
    let is_last = |at: usize| at + 1 == tokens.len();
    let mut place = line.place;
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Text(range) => {
                let is_whole_link = matches!(
                    (
                        at.checked_sub(1).and_then(|at| tokens.get(at)),
                        tokens.get(at + 1)
                    ),
                    (Some(Token::LinkStart), Some(Token::LinkEnd(_)))
                );
                let text = part(range);
                // Only the last text of a heading can end with a closing `#`.
                let place = if is_last(at) {
                    place
                } else {
                    place.before_more()
                };
                if is_whole_link {
                    out.push_str(&escaped(&one_line(text), place, line.dollars));
                } else {
                    out.push_str(&escaped(text, place, line.dollars));
                }
            }
            Token::Code(range) => match line.place {
                Place::Cell => out.push_str(&escape::code_in_cell(part(range))),
                _ => out.push_str(&escape::code(part(range))),
            },
            Token::Formula(markup) => match line.place {
                Place::Cell => out.push_str(&markup.replace('|', "\\|")),
                _ => out.push_str(markup),
            },
            Token::LinkStart => {
                // An unescaped `!` would turn the link into an image.
                if out.ends_with('!') {
                    out.pop();
                    out.push_str("\\!");
                }
                out.push('[');
            }
            Token::LinkEnd(link) => {
                out.push_str("](");
                out.push_str(&link.destination(line.place));
                out.push(')');
            }
            Token::Open(_, style) | Token::Close(_, style) => out.push_str(style.delimiter()),
        }
        if place == Place::LineStart {
            place = Place::Inline;
        }
    }
}
