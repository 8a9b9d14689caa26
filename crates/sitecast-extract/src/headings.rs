//! Headings in other elements than `h1` to `h6`.

use crate::dom::{Dom, Element, NodeId, Tag};

/// Returns true for the title of a page from Doxygen, which is a `div` in another.
pub(crate) fn is_unmarked_title(dom: &Dom, id: NodeId, element: Element<'_>) -> bool {
    element.tag == Tag::Div
        && element.has_word("class", "title")
        && dom
            .parent(id)
            .and_then(|id| dom.element(id))
            .is_some_and(|outer| outer.has_word("class", "headertitle"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use crate::dom::parse;

    #[test]
    fn recognises_the_title_of_doxygen() {
        let titles = |html: &str| {
            let dom = parse(html, &Limits::default());
            let elements = dom.elements(NodeId::ROOT);
            let titles = elements.filter(|(id, element)| is_unmarked_title(&dom, *id, *element));
            titles.count()
        };
        assert_eq!(
            titles("<div class=headertitle><div class=title>Hawk Class Reference</div></div>"),
            1
        );
        assert_eq!(
            titles("<div class=card><div class=title>Hawk</div></div>"),
            0
        );
        assert_eq!(
            titles("<div class=headertitle><p class=title>Hawk</p></div>"),
            0
        );
    }
}
