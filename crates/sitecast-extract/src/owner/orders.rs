use super::rules::Rule;
use crate::dom::{Dom, NodeId};
use crate::layout::Layout;

/// The attribute that says of an element whether it is content.
const ATTRIBUTE: &str = "data-sitecast";

/// What was ordered of a part of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    Include,
    Exclude,
}

/// Who ordered it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Said {
    /// `data-sitecast` in the page.
    InPage,
    /// A selector of a rule.
    ByRule(String),
    /// A rule that says where all of the content is, which is elsewhere.
    Elsewhere(String),
}

/// An element of which something was said.
#[derive(Debug)]
struct Mark {
    node: NodeId,
    order: Order,
    said: Said,
}

/// All that was ordered of a page: most have nothing of it.
#[derive(Debug, Default)]
pub(crate) struct Orders {
    /// In document order, one for an element.
    marks: Vec<Mark>,
}

impl Orders {
    /// What the page and these rules say.
    pub(crate) fn of(dom: &Dom, rules: &[&Rule]) -> Self {
        let mut marks = Vec::new();
        if dom.may_have(ATTRIBUTE) {
            marks.extend(dom.elements(NodeId::ROOT).filter_map(|(node, element)| {
                let order = match element.attribute(ATTRIBUTE)?.trim() {
                    word if word.eq_ignore_ascii_case("include") => Order::Include,
                    word if word.eq_ignore_ascii_case("exclude") => Order::Exclude,
                    _ => return None,
                };
                let said = Said::InPage;
                Some(Mark { node, order, said })
            }));
        }
        let matched = |selectors: &[super::Selector], order: Order| {
            let mut marks = Vec::new();
            for selector in selectors {
                marks.extend(selector.matches(dom).into_iter().map(|node| Mark {
                    node,
                    order,
                    said: Said::ByRule(selector.to_string()),
                }));
            }
            marks
        };
        for rule in rules {
            marks.extend(matched(&rule.exclude, Order::Exclude));
        }
        for rule in rules {
            marks.extend(matched(&rule.include, Order::Include));
            let content = matched(&rule.content, Order::Include);
            if !content.is_empty() {
                let all: Vec<String> = rule.content.iter().map(ToString::to_string).collect();
                marks.push(Mark {
                    node: NodeId::ROOT,
                    order: Order::Exclude,
                    said: Said::Elsewhere(all.join(", ")),
                });
            }
            marks.extend(content);
        }
        // Of an element, the first one holds: the page's own, then the rules that leave out.
        marks.sort_by_key(|mark| mark.node);
        marks.dedup_by_key(|mark| mark.node);
        Self { marks }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.marks.is_empty()
    }

    /// Whether something was ordered of just this element.
    pub(crate) fn has(&self, element: NodeId) -> bool {
        self.at(element).is_some()
    }

    fn at(&self, element: NodeId) -> Option<usize> {
        let marks = &self.marks;
        marks.binary_search_by_key(&element, |mark| mark.node).ok()
    }

    /// What holds for an element: the order of the innermost that it is in, itself counted.
    ///
    /// An order to include does not reach into what is hidden: who marks a part of a page means what readers see of it.
    pub(crate) fn on(&self, element: NodeId, dom: &Dom, layout: &Layout) -> Option<(Order, &Said)> {
        if self.is_empty() {
            return None;
        }
        let mut is_hidden = false;
        for id in dom.ancestors(element) {
            if let Some(mark) = self.at(id).and_then(|at| self.marks.get(at)) {
                let is_out_of_reach = is_hidden && mark.order == Order::Include;
                return (!is_out_of_reach).then_some((mark.order, &mark.said));
            }
            is_hidden |= layout
                .box_of(id)
                .is_some_and(|found| found.hides_itself(layout));
        }
        None
    }

    /// What holds for each segment, for those of which something was said.
    pub(crate) fn of_segments(&self, layout: &Layout) -> Vec<(usize, Order, &Said)> {
        if self.is_empty() {
            return Vec::new();
        }
        // Boxes around come before those in them, and a marked element is a box of its own.
        let mut held: Vec<Option<(Order, &Said)>> = Vec::with_capacity(layout.boxes.len());
        for found in &layout.boxes {
            let outer = held.get(found.parent).copied().flatten();
            let own = self.at(found.node).and_then(|at| self.marks.get(at));
            held.push(match own {
                Some(mark) => Some((mark.order, &mark.said)),
                None => outer
                    .filter(|(order, _)| *order == Order::Exclude || !found.hides_itself(layout)),
            });
        }
        let segments = layout.segments.iter().enumerate();
        segments
            .filter_map(|(at, segment)| {
                let (order, said) = held.get(segment.parent).copied().flatten()?;
                Some((at, order, said))
            })
            .collect()
    }
}
