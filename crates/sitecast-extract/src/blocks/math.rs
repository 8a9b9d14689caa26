//! Formulas (MathML) as text.

use super::class::{classes, is_true, next_element, previous_element};
use super::prose::{Gap, Prose};
use super::survey::Survey;
use crate::dom::{Dom, Element, NodeId, Step};

/// A formula as text.
#[derive(Debug)]
pub(super) enum Formula {
    /// TeX from the author.
    Tex(String),
    /// A line of characters, if the formula has no TeX.
    Characters(String),
}

pub(super) fn formula(dom: &Dom, survey: &Survey, math: NodeId) -> Formula {
    match tex(dom, math) {
        Some(tex) => Formula::Tex(tex),
        None => Formula::Characters(characters(dom, survey, math)),
    }
}

fn characters(dom: &Dom, survey: &Survey, math: NodeId) -> String {
    let mut writer = Writer {
        dom,
        prose: Prose::new(Gap::Space),
        closing: Vec::new(),
    };
    let mut next = Some(Step::Enter(math));
    while let Some(step) = next {
        let mut into = true;
        match step {
            Step::Enter(id) => {
                if let Some(text) = dom.text(id)
                    && survey.kept(id) > 0
                {
                    writer.prose.push(text);
                }
                if let Some(element) = dom.element(id) {
                    into = writer.enter(id, element);
                }
            }
            Step::Leave(id) => {
                if writer.closing.pop_if(|open| *open == id).is_some() {
                    writer.prose.glue(")");
                }
            }
        }
        next = dom.step(math, step, into);
    }
    let formula = writer.prose.take();
    if formula.is_empty() {
        return annotations(dom, survey, math);
    }
    formula
}

/// Returns the text of a formula that consists of annotations only.
fn annotations(dom: &Dom, survey: &Survey, math: NodeId) -> String {
    let mut found = Prose::new(Gap::Space);
    for id in dom.descendants(math) {
        match dom.text(id) {
            Some(text) if survey.kept(id) > 0 => found.push(text),
            Some(_) => {}
            None => found.widen(Gap::Space),
        }
    }
    found.take()
}

/// Returns the TeX source of a formula.
fn tex(dom: &Dom, math: NodeId) -> Option<String> {
    let mut found = Prose::new(Gap::Space);
    let annotation = dom.elements(math).find(|(_, element)| {
        element.name() == "annotation"
            && element
                .attribute("encoding")
                .is_some_and(|name| name.to_ascii_lowercase().contains("tex"))
    });
    if let Some((id, _)) = annotation {
        for id in dom.descendants(id) {
            found.push(dom.text(id).unwrap_or_default());
        }
    }
    let tex = found.take();
    let tex = without_style(&tex);
    (!tex.is_empty()).then(|| tex.to_owned())
}

/// Removes the `{\displaystyle …}` that MediaWiki puts around a formula.
pub(super) fn without_style(tex: &str) -> &str {
    let tex = tex.trim();
    ["{\\displaystyle", "{\\textstyle"]
        .iter()
        .find_map(|start| tex.strip_prefix(start)?.strip_suffix('}'))
        .map_or(tex, str::trim)
}

struct Writer<'a> {
    dom: &'a Dom,
    prose: Prose,
    /// Open elements that need a closing bracket.
    closing: Vec<NodeId>,
}

impl Writer<'_> {
    fn enter(&mut self, id: NodeId, element: Element<'_>) -> bool {
        match element.name() {
            "annotation" | "annotation-xml" => return false,
            "msqrt" | "mroot" => self.prose.push("√"),
            // A cell or row is separate from the one before.
            "mtd" | "mtr" => self.prose.widen(Gap::Space),
            _ => {}
        }
        let parent = self.dom.parent(id).and_then(|id| self.dom.element(id));
        let place = std::iter::successors(previous_element(self.dom, id), |id| {
            previous_element(self.dom, *id)
        });
        let operator = match (parent.map_or("", Element::name), place.take(3).count()) {
            ("mfrac", 1) => "/",
            ("msup" | "mover", 1) | ("msubsup" | "munderover", 2) => "^",
            ("msub" | "munder" | "msubsup" | "munderover", 1) => "_",
            _ => "",
        };
        self.prose.glue(operator);
        let may_need_brackets = matches!(
            parent.map_or("", Element::name),
            "mfrac" | "msup" | "msub" | "msubsup" | "munder" | "mover" | "munderover" | "msqrt"
        );
        let has_parts = || {
            let children = self
                .dom
                .children(id)
                .filter(|id| self.dom.element(*id).is_some());
            children.take(2).count() == 2
        };
        if may_need_brackets && element.name() == "mrow" && has_parts() {
            self.prose.push("(");
            self.closing.push(id);
        }
        true
    }
}

/// Returns true if an element repeats the formula of its neighbour in a form for the eye only.
pub(super) fn is_copy_of_formula(dom: &Dom, id: NodeId, element: Element<'_>) -> bool {
    // MathJax shows it until the formula is drawn, right after it.
    if classes(element).any(|word| word == "MathJax_Preview") {
        return next_element(dom, id)
            .and_then(|id| dom.element(id))
            .is_some_and(|next| {
                classes(next).any(|word| word.starts_with("MathJax") || word.starts_with("mjx"))
            });
    }
    let is_drawn = is_true(element, "aria-hidden")
        || element.name() == "mjx-math"
        || classes(element).any(|word| word == "katex-html");
    is_drawn
        && [previous_element(dom, id), next_element(dom, id)]
            .into_iter()
            .flatten()
            .filter_map(|id| dom.element(id))
            .any(is_readable_formula)
}

fn is_readable_formula(element: Element<'_>) -> bool {
    element.name() == "mjx-assistive-mml"
        || classes(element).any(|word| {
            matches!(word, "katex-mathml" | "MJX_Assistive_MathML")
                || word.starts_with("mwe-math-mathml")
        })
}
