//! Facts about an element from its attributes and its neighbours.

use crate::dom::{Dom, Element, NodeId, Tag};
use crate::headings::is_unmarked_title;
use crate::layout::is_ignorable;

use super::prose::{Gap, Prose};

/// Returns the words of the `class` attribute.
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

/// Returns true if the role says that the element only arranges its content.
pub(super) fn is_presentational(element: Element<'_>) -> bool {
    element.has_word("role", "presentation") || element.has_word("role", "none")
}

/// Returns the value of a property in the `style` attribute, without `!important`.
pub(super) fn style<'a>(element: Element<'a>, property: &str) -> Option<&'a str> {
    element.attribute("style")?.split(';').find_map(|rule| {
        let (name, value) = rule.split_once(':')?;
        name.trim()
            .eq_ignore_ascii_case(property)
            .then(|| value.trim().trim_end_matches("!important").trim())
    })
}

/// Returns the level of a heading, or `None` for other elements.
pub(super) fn heading_level(dom: &Dom, id: NodeId, element: Element<'_>) -> Option<u8> {
    if is_unmarked_title(dom, id, element) {
        return Some(1);
    }
    if element.has_word("role", "heading") {
        // ARIA, "heading": the level is 2 without `aria-level`.
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

/// Returns true if the element is part of a line of text.
pub(crate) fn is_inline(dom: &Dom, id: NodeId, element: Element<'_>) -> bool {
    if element.tag != Tag::Other {
        return element.tag.is_inline();
    }
    if matches!(element.name(), "acronym" | "blink" | "nobr" | "g-emoji") {
        return true;
    }
    // Custom elements are inline until a style sheet changes it, and most style sheets do. A custom element right
    // beside text is part of a sentence.
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
    !c.is_whitespace() && !is_ignorable(c)
}

pub(super) fn previous_element(dom: &Dom, id: NodeId) -> Option<NodeId> {
    neighbours(dom.previous_sibling(id), |id| dom.previous_sibling(id))
        .find(|id| dom.element(*id).is_some())
}

pub(super) fn next_element(dom: &Dom, id: NodeId) -> Option<NodeId> {
    neighbours(dom.next_sibling(id), |id| dom.next_sibling(id))
        .find(|id| dom.element(*id).is_some())
}

/// Stops after four nodes: between two elements there is one text, and rarely a comment or two.
fn neighbours(
    first: Option<NodeId>,
    next: impl Fn(NodeId) -> Option<NodeId>,
) -> impl Iterator<Item = NodeId> {
    std::iter::successors(first, move |id| next(*id)).take(4)
}

/// Parses the number at the start of an attribute by HTML's rules for integers.
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

/// Returns the text of `top` if it has at most `limit` visible characters. Stops reading soon after the limit, so that
/// this stays cheap for large elements.
pub(super) fn short_text(dom: &Dom, top: NodeId, limit: usize) -> Option<String> {
    let mut found = Prose::new(Gap::Space);
    let mut seen = 0;
    let mut bytes_left = limit * 8 + 64;
    for id in dom.descendants(top) {
        let text = dom.text(id).unwrap_or_default();
        bytes_left = bytes_left.checked_sub(text.len() + 1)?;
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
    fn visible_ascii_is_neither_space_nor_litter() {
        for c in (0..128u8).map(char::from) {
            assert_eq!(
                is_visible(c),
                !c.is_whitespace() && !is_ignorable(c),
                "{c:?}"
            );
        }
    }
}
