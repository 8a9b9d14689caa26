//! Data for training another [`Model`](crate::Model): the segments of a page and their features. `training/README.md`
//! in the source of this crate explains the steps.

use crate::Limits;
use crate::content::{PageFacts, describe_again, describe_each, feature_names, names_again};
use crate::decode::decode;
use crate::dom::{Dom, NodeId, Step, Tag, parse};
use crate::layout::lay_out;

/// The segments of a page with their features.
#[derive(Debug)]
pub struct Described {
    /// Names of the features.
    pub names: Vec<String>,
    /// The features of all segments, one segment after the other.
    pub values: Vec<f32>,
    /// The text of each segment.
    pub texts: Vec<String>,
}

/// Returns the features for the second score, one segment after the other, given the first score of each segment.
pub fn describe_page_again(html: &[u8], first: &[f32]) -> Vec<f32> {
    let (text, _) = decode(html, None, "");
    let layout = lay_out(&parse(&text, &Limits::default()));
    describe_again(&layout, first)
}

/// Returns the names of the features for the second score.
pub fn second_names() -> Vec<String> {
    names_again()
}

/// Returns the features for the first score.
pub fn describe(html: &[u8], url: &str) -> Described {
    let (text, _) = decode(html, None, "");
    let dom = parse(&text, &Limits::default());
    let layout = lay_out(&dom);
    let mut values = Vec::new();
    describe_each(
        &dom,
        &layout,
        &PageFacts::of(&dom, url),
        |_| true,
        |described| {
            for lane in 0..described.segments.len() {
                let columns = described.columns.iter();
                values.extend(columns.filter_map(|column| column.get(lane)));
                values.extend_from_slice(&described.page);
            }
        },
    );
    Described {
        names: feature_names(&dom, &layout),
        values,
        texts: layout
            .segments
            .iter()
            .map(|segment| layout.text_of(segment).to_owned())
            .collect(),
    }
}

/// Kinds of elements that extraction should preserve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `h1` to `h6`.
    Heading,
    /// `li`.
    Item,
    /// `pre`.
    Code,
    /// `td` and `th`.
    Cell,
}

/// Returns all elements of these kinds in an HTML document, in order, with their texts. The text of an item excludes
/// lists nested in it.
pub fn structure(html: &[u8]) -> Vec<(Kind, String)> {
    let (text, _) = decode(html, None, "");
    let dom = parse(&text, &Limits::default());
    dom.elements(NodeId::ROOT)
        .filter_map(|(id, element)| {
            let kind = match element.tag {
                tag if tag.heading_level().is_some() => Kind::Heading,
                Tag::Li => Kind::Item,
                Tag::Pre => Kind::Code,
                Tag::Td | Tag::Th => Kind::Cell,
                _ => return None,
            };
            Some((kind, text_of(&dom, id)))
        })
        .collect()
}

fn text_of(dom: &Dom, top: NodeId) -> String {
    let mut text = String::new();
    let mut next = Some(Step::Enter(top));
    while let Some(step) = next {
        let mut into = true;
        match step {
            Step::Enter(id) => {
                if let Some(piece) = dom.text(id) {
                    text.push_str(piece);
                } else if let Some(element) = dom.element(id) {
                    into = id == top || !matches!(element.tag, Tag::Ul | Tag::Ol);
                    if !element.tag.is_inline() || element.tag == Tag::Br {
                        text.push(' ');
                    }
                }
            }
            Step::Leave(id) => {
                if !dom.tag(id).is_inline() && dom.text(id).is_none() {
                    text.push(' ');
                }
            }
        }
        next = dom.step(top, step, into);
    }
    text
}
