//! What the attributes of an element say about it.

use crate::dom::{Dom, Element, NodeId, Tag};
use crate::headings::is_unmarked_title;
use crate::layout::is_litter;

use super::prose::{Gap, Prose};

/// The words of its `class`.
pub(super) fn classes(element: Element<'_>) -> impl Iterator<Item = &str> {
    element
        .attribute("class")
        .unwrap_or_default()
        .split_ascii_whitespace()
}

pub(super) fn has_class(element: Element<'_>, names: &[&str]) -> bool {
    classes(element).any(|word| names.iter().any(|name| word.eq_ignore_ascii_case(name)))
}

pub(super) fn is_true(element: Element<'_>, attribute: &str) -> bool {
    element
        .attribute(attribute)
        .is_some_and(|value| value.trim().eq_ignore_ascii_case("true"))
}

/// Whether it only arranges what is in it, as its role has it.
pub(super) fn is_presentational(element: Element<'_>) -> bool {
    element.has_word("role", "presentation") || element.has_word("role", "none")
}

/// A rule of its `style` attribute, without `!important`.
pub(super) fn style<'a>(element: Element<'a>, property: &str) -> Option<&'a str> {
    element.attribute("style")?.split(';').find_map(|rule| {
        let (name, value) = rule.split_once(':')?;
        name.trim()
            .eq_ignore_ascii_case(property)
            .then(|| value.trim().trim_end_matches("!important").trim())
    })
}

/// The level of a heading, if it is one.
pub(super) fn heading_level(dom: &Dom, id: NodeId, element: Element<'_>) -> Option<u8> {
    if is_unmarked_title(dom, id, element) {
        return Some(1);
    }
    if element.has_word("role", "heading") {
        // ARIA, "heading": without `aria-level` a level of 2 is assumed.
        let level = element.attribute("aria-level").and_then(whole_number);
        let level = level
            .and_then(|level| u8::try_from(level).ok())
            .filter(|level| *level > 0);
        return level.or(element.tag.heading_level()).or(Some(2));
    }
    element
        .tag
        .heading_level()
        .filter(|_| !is_presentational(element))
}

/// Whether the element stands in a line of text.
pub(crate) fn is_inline(dom: &Dom, id: NodeId, element: Element<'_>) -> bool {
    if element.tag != Tag::Other {
        return element.tag.is_inline();
    }
    if matches!(element.name(), "acronym" | "blink" | "nobr" | "g-emoji") {
        return true;
    }
    // Custom elements are inline until a style sheet says otherwise, which it mostly does. One
    // with text right beside it is part of a sentence.
    let is_text = |id: Option<NodeId>| {
        id.and_then(|id| dom.text(id))
            .is_some_and(|text| text.chars().any(is_visible))
    };
    is_text(dom.previous_sibling(id)) || is_text(dom.next_sibling(id))
}

#[inline]
pub(super) fn is_visible(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_graphic();
    }
    !c.is_whitespace() && !is_litter(c)
}

pub(super) fn previous_element(dom: &Dom, id: NodeId) -> Option<NodeId> {
    neighbours(dom.previous_sibling(id), |id| dom.previous_sibling(id))
        .find(|id| dom.element(*id).is_some())
}

pub(super) fn next_element(dom: &Dom, id: NodeId) -> Option<NodeId> {
    neighbours(dom.next_sibling(id), |id| dom.next_sibling(id))
        .find(|id| dom.element(*id).is_some())
}

/// Only the nearest: between two elements there is one text, and rarely a comment or two.
fn neighbours(
    first: Option<NodeId>,
    next: impl Fn(NodeId) -> Option<NodeId>,
) -> impl Iterator<Item = NodeId> {
    std::iter::successors(first, move |id| next(*id)).take(4)
}

/// The number at the start of an attribute, read as HTML reads numbers.
pub(super) fn whole_number(text: &str) -> Option<i64> {
    let text = text.trim_start();
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let end = digits
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(digits.len());
    let number: i64 = digits.get(..end)?.parse().ok()?;
    Some(sign * number)
}

/// The text of `top` if it has no more than `limit` characters that are seen. To look at little
/// more than that keeps questions about small elements cheap.
pub(super) fn short_text(dom: &Dom, top: NodeId, limit: usize) -> Option<String> {
    let mut found = Prose::new(Gap::Space);
    let mut seen = 0;
    let mut patience = limit * 8 + 64;
    for id in dom.descendants(top) {
        let text = dom.text(id).unwrap_or_default();
        patience = patience.checked_sub(text.len() + 1)?;
        seen += text.chars().filter(|c| is_visible(*c)).count();
        if seen > limit {
            return None;
        }
        found.push(text);
    }
    Some(found.take())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_seen_of_ascii_is_neither_space_nor_litter() {
        for c in (0..128u8).map(char::from) {
            assert_eq!(is_visible(c), !c.is_whitespace() && !is_litter(c), "{c:?}");
        }
    }
}
