//! The subset of CSS selectors for choosing parts of a page.
//!
//! Compound selectors of type, class, id and attributes; descendants and children; lists. Selectors that depend on the reader
//! (`:hover`) or count siblings are not supported. Matching walks over the page once for each complex selector, however long
//! the selector and however deep the page.

mod parse;

use std::fmt;
use std::str::FromStr;

use crate::dom::{Dom, Element, NodeId};

/// A list of CSS selectors: `article.post > .body, #content`.
///
/// ```
/// use sitecast_extract::Selector;
///
/// assert!("main > .promo, [role=note]".parse::<Selector>().is_ok());
/// assert!("a:hover".parse::<Selector>().is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selector {
    text: String,
    alternatives: Vec<Complex>,
}

/// The reason why a selector is invalid or not supported.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unsupported selector `{selector}`: {problem}")]
pub struct SelectorError {
    pub(super) selector: String,
    pub(super) problem: String,
}

/// A complex selector: compound selectors from the outermost to the one of the matched element.
type Complex = Vec<(Combinator, Compound)>;

/// The relation of a compound selector to the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Combinator {
    Descendant,
    Child,
}

/// Conditions on one element.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Compound {
    /// The name in lower case; `None` for any.
    name: Option<String>,
    tests: Vec<Test>,
}

/// A condition on an attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Test {
    attribute: &'static str,
    comparison: Comparison,
    value: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Comparison {
    /// `[attribute]`
    Present,
    /// `=`
    Equals,
    /// `~=`, and classes
    HasWord,
    /// `^=`
    Begins,
    /// `$=`
    Ends,
    /// `*=`
    Contains,
    /// `|=`
    Language,
}

impl Selector {
    /// Returns the matched elements in document order.
    pub(crate) fn matches(&self, dom: &Dom) -> Vec<NodeId> {
        let mut found = Vec::new();
        for complex in &self.alternatives {
            matches_of(complex, dom, &mut found);
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

impl FromStr for Selector {
    type Err = SelectorError;

    fn from_str(text: &str) -> Result<Self, SelectorError> {
        parse::selector(text).map(|alternatives| Self {
            text: text.trim().to_owned(),
            alternatives,
        })
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The prefixes of a complex selector that an element matches: a bit for each.
#[derive(Debug, Clone, Copy, Default)]
struct Matched {
    here: u32,
    /// Matched by the element or an ancestor.
    around: u32,
}

fn matches_of(complex: &Complex, dom: &Dom, found: &mut Vec<NodeId>) {
    let Some(last) = complex.len().checked_sub(1) else {
        return;
    };
    let mut matched = vec![Matched::default(); dom.len()];
    for (id, element) in dom.elements(NodeId::ROOT) {
        let outer = dom
            .parent(id)
            .and_then(|parent| matched.get(parent.index()))
            .copied()
            .unwrap_or_default();
        let mut here = 0_u32;
        for (at, (combinator, compound)) in complex.iter().enumerate() {
            let may = match (at.checked_sub(1), combinator) {
                (None, _) => true,
                (Some(before), Combinator::Child) => outer.here & (1 << before) != 0,
                (Some(before), Combinator::Descendant) => outer.around & (1 << before) != 0,
            };
            if may && compound.is(element) {
                here |= 1 << at;
            }
        }
        if let Some(slot) = matched.get_mut(id.index()) {
            *slot = Matched {
                here,
                around: outer.around | here,
            };
        }
        if here & (1 << last) != 0 {
            found.push(id);
        }
    }
}

impl Compound {
    fn is(&self, element: Element<'_>) -> bool {
        let named = self.name.as_deref();
        named.is_none_or(|name| element.name() == name)
            && self.tests.iter().all(|test| test.holds(element))
    }
}

impl Test {
    fn holds(&self, element: Element<'_>) -> bool {
        let Some(has) = element.attribute(self.attribute) else {
            return false;
        };
        let value = self.value.as_str();
        // Selectors Level 4: `^=`, `$=` and `*=` with an empty value match nothing.
        match self.comparison {
            Comparison::Present => true,
            Comparison::Equals => has == value,
            Comparison::HasWord => has.split_ascii_whitespace().any(|word| word == value),
            Comparison::Begins => !value.is_empty() && has.starts_with(value),
            Comparison::Ends => !value.is_empty() && has.ends_with(value),
            Comparison::Contains => !value.is_empty() && has.contains(value),
            Comparison::Language => has
                .strip_prefix(value)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('-')),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use crate::dom::parse;

    const PAGE: &str = "<main id=top class='wide page'><section class=a><p class='b c' lang=en-GB>1</p>\
        <div><p title='x y'>2</p></div></section><P CLASS=b>3</P></main><p class=md:flex>4</p>";

    fn texts(selector: &str) -> Vec<String> {
        let dom = parse(PAGE, &Limits::default());
        let selector: Selector = selector.parse().unwrap();
        let text = |id: NodeId| {
            let texts = dom.descendants(id).filter_map(|id| dom.text(id));
            texts.collect::<String>()
        };
        selector.matches(&dom).into_iter().map(text).collect()
    }

    #[test]
    fn matches_elements_like_css() {
        for (selector, expected) in [
            ("p", "1 2 3 4"),
            ("P", "1 2 3 4"),
            (".b", "1 3"),
            ("p.b.c", "1"),
            ("#top", "123"),
            ("main.page#top > p", "3"),
            ("main p", "1 2 3"),
            ("main>section>p", "1"),
            ("section > div > *", "2"),
            ("body section p, .b", "1 2 3"),
            ("section section p", ""),
            ("[title]", "2"),
            ("[title=x]", ""),
            ("[title='x y']", "2"),
            ("[title~=\"y\"]", "2"),
            ("[title^=x]", "2"),
            ("[title$=y]", "2"),
            ("[title*=' ']", "2"),
            ("[title*='']", ""),
            ("[lang|=en]", "1"),
            ("[lang|=e]", ""),
            ("[ class = b ]", "3"),
            (".md\\:flex", "4"),
            ("main > p, section > p", "1 3"),
            // The nearest `div` or ancestor alone does not match the first part.
            (".a > div p", "2"),
        ] {
            assert_eq!(texts(selector).join(" "), expected, "{selector}");
        }
    }

    #[test]
    fn matches_through_outer_ancestors() {
        let dom = parse(
            "<i class=a><b class=x><b class=x><u>1</u></b></b></i>",
            &Limits::default(),
        );
        let selector: Selector = ".a > .x u".parse().unwrap();
        assert_eq!(selector.matches(&dom).len(), 1);
    }
}
