//! What an element says, with the spaces that block elements put between words.

use crate::dom::{Dom, NodeId, Step, Tag};
use crate::layout::{Joint, would_run_together};
use crate::metadata::text::Line;

/// Elements looked at for the text of one: enough for any name, heading or value, and little
/// enough that elements with this many in them may sit in each other.
const MAX_STEPS: usize = 4_000;

/// Whether nothing in the element belongs to the text around it.
pub(super) fn is_mute(tag: Tag) -> bool {
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

/// The text of an element in one line; not much more than `max` bytes of it.
pub(super) fn text_of(dom: &Dom, top: NodeId, max: usize) -> String {
    text_and_joints(dom, top, max).0
}

/// The text of an element, and how many bytes of it stand before each tag in the middle of it.
pub(super) fn text_and_joints(dom: &Dom, top: NodeId, max: usize) -> (String, Vec<usize>) {
    let mut out = Line::default();
    let mut joints = Vec::new();
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
            into = id == top || !(is_mute(element.tag) || element.tag == Tag::Button);
            if id != top {
                let at = out.text.len();
                if at > 0 && joints.last() != Some(&at) {
                    joints.push(at);
                }
                if separates(element.tag) {
                    out.push(" ", max);
                }
            }
        } else if step == Step::Enter(id)
            && let Some(text) = dom.text(id)
        {
            // The style sheet sets the name of a product apart from what is said of it.
            let is_apart = std::mem::replace(&mut joint, Joint::Text) == Joint::Apart;
            if is_apart && would_run_together(&out.text, text) {
                out.push(" ", max);
            }
            out.push(text, max);
        }
        next = dom.step(top, step, into);
    }
    joints.retain(|at| *at < out.text.len());
    (out.text, joints)
}

/// Whether the words before and after are not one word.
fn separates(tag: Tag) -> bool {
    !tag.is_inline() && tag != Tag::Other || matches!(tag, Tag::Br | Tag::Time | Tag::Label)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use crate::dom::parse;

    #[test]
    fn blocks_are_apart_and_inline_elements_are_not() {
        let dom = parse(
            "<div>One<p>two<b>three</b></p><script>x</script>four<br>five</div>",
            &Limits::default(),
        );
        assert_eq!(text_of(&dom, NodeId::ROOT, 1_000), "One twothree four five");
    }

    #[test]
    fn spans_that_stand_apart_are_not_one_word() {
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
    fn joints_are_where_tags_stand() {
        let dom = parse("<h1><b>One</b> two <i>three</i></h1>", &Limits::default());
        let (text, joints) = text_and_joints(&dom, NodeId::ROOT, 1_000);
        assert_eq!(text, "One two three");
        let pieces: Vec<_> = joints.iter().map(|at| text.split_at(*at)).collect();
        assert_eq!(pieces, [("One", " two three"), ("One two", " three")]);
    }

    #[test]
    fn stops_when_there_is_enough() {
        let dom = parse(&"<p>word".repeat(10_000), &Limits::default());
        assert!(text_of(&dom, NodeId::ROOT, 100).len() < 120);
    }
}
