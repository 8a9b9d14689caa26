//! The text of an element, with spaces between block elements.

use crate::dom::{Dom, NodeId, Step, Tag};
use crate::layout::{Joint, would_run_together};
use crate::metadata::text::Line;

/// The most steps of the walk over one element: enough for any name, heading or value, and few enough for nested elements whose
/// text is read one after the other.
const MAX_STEPS: usize = 4_000;

/// Returns true for elements whose content is not text of the page.
pub(super) fn is_skipped(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::Script
            | Tag::Style
            | Tag::Noscript
            | Tag::Template
            | Tag::Svg
            | Tag::Select
            | Tag::Iframe
            | Tag::Object
            | Tag::Textarea
    )
}

/// Returns the text of an element as one line; little more than `max` bytes.
pub(super) fn text_of(dom: &Dom, top: NodeId, max: usize) -> String {
    text_and_tag_offsets(dom, top, max).0
}

/// Returns the text of an element, and the offsets in it of the tags inside the element, in bytes.
pub(super) fn text_and_tag_offsets(dom: &Dom, top: NodeId, max: usize) -> (String, Vec<usize>) {
    let mut out = Line::default();
    let mut tag_offsets = Vec::new();
    let mut joint = Joint::Text;
    let mut next = Some(Step::Enter(top));
    let mut steps = 0;
    while let Some(step) = next {
        steps += 1;
        if out.text.len() > max || steps > MAX_STEPS {
            break;
        }
        let mut into = true;
        let (Step::Enter(id) | Step::Leave(id)) = step;
        if let Some(element) = dom.element(id) {
            joint = match step {
                Step::Enter(_) => joint.at_start(element.tag),
                Step::Leave(_) => joint.at_end(element.tag),
            };
            into = id == top || !(is_skipped(element.tag) || element.tag == Tag::Button);
            if id != top {
                let at = out.text.len();
                if at > 0 && tag_offsets.last() != Some(&at) {
                    tag_offsets.push(at);
                }
                if separates(element.tag) {
                    out.push(" ", max);
                }
            }
        } else if step == Step::Enter(id)
            && let Some(text) = dom.text(id)
        {
            // A style sheet may separate adjacent spans, such as a product name and its claim.
            let is_apart = std::mem::replace(&mut joint, Joint::Text) == Joint::Apart;
            if is_apart && would_run_together(&out.text, text) {
                out.push(" ", max);
            }
            out.push(text, max);
        }
        next = dom.step(top, step, into);
    }
    tag_offsets.retain(|at| *at < out.text.len());
    (out.text, tag_offsets)
}

/// Returns true for elements that separate the words before and after them.
fn separates(tag: Tag) -> bool {
    !tag.is_inline() && tag != Tag::Other || matches!(tag, Tag::Br | Tag::Time | Tag::Label)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use crate::dom::parse;

    #[test]
    fn separates_blocks_but_not_inline_elements() {
        let dom = parse(
            "<div>One<p>two<b>three</b></p><script>x</script>four<br>five</div>",
            &Limits::default(),
        );
        assert_eq!(text_of(&dom, NodeId::ROOT, 1_000), "One twothree four five");
    }

    #[test]
    fn separates_adjacent_spans_with_whole_words() {
        let dom = parse(
            "<h1><span class=name>Hawk</span><span class=text>A framework for hawks</span></h1>",
            &Limits::default(),
        );
        assert_eq!(
            text_of(&dom, NodeId::ROOT, 1_000),
            "Hawk A framework for hawks"
        );
        let dom = parse("<span>O</span><span>nce</span>", &Limits::default());
        assert_eq!(text_of(&dom, NodeId::ROOT, 1_000), "Once");
    }

    #[test]
    fn finds_tag_offsets() {
        let dom = parse("<h1><b>One</b> two <i>three</i></h1>", &Limits::default());
        let (text, tag_offsets) = text_and_tag_offsets(&dom, NodeId::ROOT, 1_000);
        assert_eq!(text, "One two three");
        let pieces: Vec<_> = tag_offsets.iter().map(|at| text.split_at(*at)).collect();
        assert_eq!(pieces, [("One", " two three"), ("One two", " three")]);
    }

    #[test]
    fn stops_at_max_bytes() {
        let dom = parse(&"<p>word".repeat(10_000), &Limits::default());
        assert!(text_of(&dom, NodeId::ROOT, 100).len() < 120);
    }
}
