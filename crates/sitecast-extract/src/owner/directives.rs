//! Directives about elements of a page: `data-sitecast` attributes and the rules for its path.

use super::rules::Rule;
use crate::dom::{Dom, NodeId};
use crate::layout::Layout;

/// The attribute with `include` or `exclude`.
const ATTRIBUTE: &str = "data-sitecast";

/// A directive about an element and its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Directive {
    Include,
    Exclude,
}

/// The source of a directive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum DirectiveSource {
    /// `data-sitecast` in the page.
    Attribute,
    /// This selector of a rule.
    Rule(String),
    /// A rule whose `content` selectors, given here, match other elements.
    OutsideContent(String),
}

/// An element with a directive.
#[derive(Debug)]
struct MarkedElement {
    node: NodeId,
    directive: Directive,
    source: DirectiveSource,
}

/// All directives about a page; most pages have none.
#[derive(Debug, Default)]
pub(crate) struct Directives {
    /// In document order, one for each element.
    marks: Vec<MarkedElement>,
}

impl Directives {
    /// Collects the directives of the page and of these rules.
    pub(crate) fn of(dom: &Dom, rules: &[&Rule]) -> Self {
        let mut marks = Vec::new();
        if dom.may_have(ATTRIBUTE) {
            marks.extend(dom.elements(NodeId::ROOT).filter_map(|(node, element)| {
                let directive = match element.attribute(ATTRIBUTE)?.trim() {
                    word if word.eq_ignore_ascii_case("include") => Directive::Include,
                    word if word.eq_ignore_ascii_case("exclude") => Directive::Exclude,
                    _ => return None,
                };
                let source = DirectiveSource::Attribute;
                Some(MarkedElement {
                    node,
                    directive,
                    source,
                })
            }));
        }
        let matched = |selectors: &[super::Selector], directive: Directive| {
            let mut marks = Vec::new();
            for selector in selectors {
                marks.extend(selector.matches(dom).into_iter().map(|node| MarkedElement {
                    node,
                    directive,
                    source: DirectiveSource::Rule(selector.to_string()),
                }));
            }
            marks
        };
        for rule in rules {
            marks.extend(matched(&rule.exclude, Directive::Exclude));
        }
        for rule in rules {
            marks.extend(matched(&rule.include, Directive::Include));
            let content = matched(&rule.content, Directive::Include);
            if !content.is_empty() {
                let all: Vec<String> = rule.content.iter().map(ToString::to_string).collect();
                marks.push(MarkedElement {
                    node: NodeId::ROOT,
                    directive: Directive::Exclude,
                    source: DirectiveSource::OutsideContent(all.join(", ")),
                });
            }
            marks.extend(content);
        }
        // The first directive on an element applies: the page's own, then `exclude` rules. The sort is stable.
        marks.sort_by_key(|mark| mark.node);
        marks.dedup_by_key(|mark| mark.node);
        Self { marks }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.marks.is_empty()
    }

    /// Returns true if this element itself has a directive.
    pub(crate) fn has(&self, element: NodeId) -> bool {
        self.at(element).is_some()
    }

    fn at(&self, element: NodeId) -> Option<usize> {
        let marks = &self.marks;
        marks.binary_search_by_key(&element, |mark| mark.node).ok()
    }

    /// Returns the directive that applies to an element: its own, or that of the nearest ancestor with one.
    ///
    /// `include` does not apply to hidden elements inside the marked one: the owner means the part that readers see.
    pub(crate) fn on(
        &self,
        element: NodeId,
        dom: &Dom,
        layout: &Layout,
    ) -> Option<(Directive, &DirectiveSource)> {
        if self.is_empty() {
            return None;
        }
        let mut is_hidden = false;
        for id in dom.ancestors(element) {
            if let Some(mark) = self.at(id).and_then(|at| self.marks.get(at)) {
                let is_out_of_reach = is_hidden && mark.directive == Directive::Include;
                return (!is_out_of_reach).then_some((mark.directive, &mark.source));
            }
            is_hidden |= layout
                .box_of(id)
                .is_some_and(|found| found.hides_itself(layout));
        }
        None
    }

    /// Returns the directive that applies to each segment, for segments with one.
    pub(crate) fn of_segments(&self, layout: &Layout) -> Vec<(usize, Directive, &DirectiveSource)> {
        if self.is_empty() {
            return Vec::new();
        }
        // Outer boxes come before inner ones, and an element with a directive has its own box.
        let mut held: Vec<Option<(Directive, &DirectiveSource)>> =
            Vec::with_capacity(layout.boxes.len());
        for found in &layout.boxes {
            let outer = held.get(found.parent).copied().flatten();
            let own = self.at(found.node).and_then(|at| self.marks.get(at));
            held.push(match own {
                Some(mark) => Some((mark.directive, &mark.source)),
                None => outer.filter(|(directive, _)| {
                    *directive == Directive::Exclude || !found.hides_itself(layout)
                }),
            });
        }
        let segments = layout.segments.iter().enumerate();
        segments
            .filter_map(|(at, segment)| {
                let (directive, source) = held.get(segment.parent).copied().flatten()?;
                Some((at, directive, source))
            })
            .collect()
    }
}
