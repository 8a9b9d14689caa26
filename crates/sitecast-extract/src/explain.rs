//! An explanation of the extraction: each segment with the reason why it was kept or left out.

use crate::analysis::{Analysis, analyze, parsed};
use crate::content::select;
use crate::decided::{Scores, decided};
use crate::dom::{Dom, NodeId, Tag};
use crate::owner::nosnippet_ranges;
use crate::page::{KnownSite, assemble};
use crate::reason::{Reason, Reasons};
use crate::{ExtractError, Extracted, Extractor, Html, NoSnippet};

/// An extracted page with the reasons for its content.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Explanation {
    /// The page.
    pub extracted: Extracted,
    /// All segments in document order.
    pub segments: Vec<ExplainedSegment>,
}

/// A run of text that no block element interrupts: a paragraph, an item of a list, a label in a menu.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ExplainedSegment {
    /// Its text, with white space collapsed.
    pub text: String,
    /// The number of words.
    pub words: u32,
    /// The elements around it, outermost first: `main > article.post > p`.
    pub place: String,
    /// The probability to be content, as the page alone shows it; `None` if the site's template decided.
    pub probability: Option<f32>,
    /// True if the segment is content.
    pub kept: bool,
    /// The reason.
    pub reason: Reason,
}

impl Extractor<'_> {
    /// Extracts a page on its own, with the reason for each segment.
    ///
    /// ```
    /// use sitecast_extract::{Extractor, Html, Reason};
    ///
    /// let url = "https://example.com/tea".parse()?;
    /// let html = "<main><p>Pour boiling water over the leaves and wait for three minutes.</p>
    ///     <p data-sitecast=exclude>Our tea is on sale.</p></main>";
    /// let html = Html::new(&url, html.as_bytes(), "2025-01-15T09:00:00Z".parse()?);
    /// let explained = Extractor::default().explain_page(&html)?;
    /// let sale = &explained.segments[1];
    /// assert_eq!((sale.kept, &sale.reason), (false, &Reason::DataSitecast));
    /// assert_eq!(sale.place, "main > p");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn explain_page(&self, html: &Html<'_>) -> Result<Explanation, ExtractError> {
        let analysis = analyze(html, self)?;
        let scores = Scores::alone(&analysis);
        let extracted = assemble(html, &analysis, &scores, &KnownSite::default());
        let segments = explain(self, html, &analysis, &scores)?;
        Ok(Explanation {
            extracted,
            segments,
        })
    }
}

/// Returns each segment of a page with the reason for its selection.
pub(crate) fn explain(
    extractor: &Extractor<'_>,
    html: &Html<'_>,
    analysis: &Analysis,
    scores: &Scores<'_>,
) -> Result<Vec<ExplainedSegment>, ExtractError> {
    let Analysis { dom, layout, .. } = analysis;
    let decided = decided(analysis, scores);
    let mut reasons = Reasons::new(layout.segments.len());
    let kept = select(
        layout,
        &scores.probabilities,
        &decided,
        scores.recall,
        &mut reasons,
    );
    for decided in &decided {
        // A template cannot show hidden text.
        if kept.get(decided.segment) == Some(&decided.keep) {
            reasons.set(decided.segment, decided.reason());
        }
    }
    let all = layout.segments.iter().zip(reasons.reasons).zip(kept);
    let explained = all.zip(&analysis.probabilities);
    let explained = explained.map(|(((segment, reason), kept), probability)| {
        let node = layout.boxes.get(segment.parent).map(|found| found.node);
        ExplainedSegment {
            text: layout.text_of(segment).to_owned(),
            words: segment.words,
            place: place(dom, node.unwrap_or(NodeId::ROOT)),
            probability: (!probability.is_nan()).then_some(*probability),
            kept,
            reason,
        }
    });
    let mut explained: Vec<ExplainedSegment> = explained.collect();
    if extractor.nosnippet == NoSnippet::LeaveOut {
        put_removed(extractor, html, analysis, &mut explained)?;
    }
    Ok(explained)
}

/// Inserts the `data-nosnippet` parts, which the analysis removed, at their places.
fn put_removed(
    extractor: &Extractor<'_>,
    html: &Html<'_>,
    analysis: &Analysis,
    explained: &mut Vec<ExplainedSegment>,
) -> Result<(), ExtractError> {
    let whole = Extractor {
        nosnippet: NoSnippet::Disregard,
        ..extractor.clone()
    };
    let whole = parsed(html, &whole)?.dom;
    let parts = nosnippet_ranges(&whole);
    // The node at which each segment begins, in the tree without those parts.
    let mut starts: Vec<usize> = vec![usize::MAX; explained.len()];
    for id in analysis.dom.descendants(NodeId::ROOT) {
        let segment = analysis.layout.segment_of(id);
        if let Some(start) = segment.and_then(|at| starts.get_mut(at)) {
            *start = (*start).min(id.index());
        }
    }
    let mut cut = 0;
    for (number, part) in parts.iter().enumerate() {
        let at = starts.partition_point(|start| *start < part.start - cut);
        let text = text_in(&whole, part.clone());
        let removed = ExplainedSegment {
            words: text.split(' ').count() as u32,
            text,
            place: place(&whole, NodeId::at(part.start)),
            probability: None,
            kept: false,
            reason: Reason::NoSnippet,
        };
        explained.insert((at + number).min(explained.len()), removed);
        cut += part.len();
    }
    explained.retain(|segment| !segment.text.is_empty());
    Ok(())
}

fn text_in(dom: &Dom, nodes: std::ops::Range<usize>) -> String {
    let texts = nodes.filter_map(|at| dom.text(NodeId::at(at)));
    let words = texts.flat_map(str::split_whitespace);
    words.collect::<Vec<_>>().join(" ")
}

/// Returns the path of an element by tags, ids and first classes.
fn place(dom: &Dom, element: NodeId) -> String {
    let mut names: Vec<String> = Vec::new();
    for id in dom.ancestors(element) {
        let Some(element) = dom.element(id) else {
            continue;
        };
        if matches!(element.tag, Tag::Html) || (element.tag == Tag::Body && !names.is_empty()) {
            continue;
        }
        let word = |attribute| {
            let words = element.attribute(attribute)?;
            words.split_ascii_whitespace().next()
        };
        let name = element.name();
        names.push(match (word("id"), word("class")) {
            (Some(id), _) => format!("{name}#{id}"),
            (None, Some(class)) => format!("{name}.{class}"),
            (None, None) => name.to_owned(),
        });
    }
    names.reverse();
    names.join(" > ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn explained(html: &str) -> Vec<(String, bool, &'static str)> {
        let url = "https://example.com/".parse().unwrap();
        let html = Html::new(
            &url,
            html.as_bytes(),
            "2025-01-15T09:00:00Z".parse().unwrap(),
        );
        let explained = Extractor::default().explain_page(&html).unwrap();
        let segments = explained.segments.into_iter();
        let found = segments.map(|it| (it.text, it.kept, it.reason.code()));
        found.collect()
    }

    #[test]
    fn explains_every_segment_in_document_order() {
        let text =
            "Pour boiling water over the leaves and wait for three minutes, no longer than that.";
        let html = format!(
            "<nav><a href=/>Home</a></nav><i data-nosnippet>One</i><main><p>{text}<p>{text} <b data-nosnippet>Two <u>words</u></b></main>\
             <p hidden>Gone<p data-sitecast=include>Here<footer data-nosnippet>Three</footer><p>© 2025 Us"
        );
        let found = explained(&html);
        let explained: Vec<_> = found
            .iter()
            .map(|(text, kept, why)| (text.as_str(), *kept, *why))
            .collect();
        assert_eq!(
            explained,
            [
                ("Home", false, "outside-article"),
                ("One", false, "data-nosnippet"),
                (text, true, "in-short-article"),
                (text, true, "in-short-article"),
                ("Two words", false, "data-nosnippet"),
                ("Gone", false, "outside-article"),
                ("Here", true, "data-sitecast"),
                ("Three", false, "data-nosnippet"),
                ("© 2025 Us", false, "outside-article"),
            ]
        );
    }

    #[test]
    fn writes_paths_like_css_selectors() {
        let dom = crate::dom::parse(
            "<body class=x><main><div class='a b'><p id=c>text",
            &crate::Limits::default(),
        );
        let text = dom
            .descendants(NodeId::ROOT)
            .find(|id| dom.text(*id).is_some());
        assert_eq!(place(&dom, text.unwrap()), "main > div.a > p#c");
        assert_eq!(place(&dom, NodeId::ROOT), "");
    }
}
