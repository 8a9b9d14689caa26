//! Text of a listing, assembled from its lines.

use super::{is_extra, is_gutter, language};
use crate::blocks::class::{has_class, is_visible, short_text};
use crate::blocks::survey::{Survey, has};
use crate::blocks::{embed, image};
use crate::dom::{Dom, Element, NodeId, Step, Tag};
use crate::layout::{is_ignorable, is_unrendered};

/// Copy at most this many characters of a link's text: nested links would repeat theirs many times.
const MAX_LINK_TEXT: usize = 200;
/// The longest title of a listing, in characters.
const MAX_TITLE: usize = 200;

/// The markup style of a listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Listing {
    /// White space counts as it is.
    Preformatted,
    /// An element for each line; white space between them belongs to the markup.
    Lines,
}

/// The content of a listing.
#[derive(Debug, Default)]
pub(crate) struct Code {
    /// The language that a `pre` or `code` inside the listing names.
    pub(crate) language: Option<String>,
    pub(crate) text: String,
    /// The title, mostly a file name.
    pub(crate) title: Option<String>,
    /// Its links with their texts.
    pub(crate) links: Vec<(NodeId, String)>,
    pub(crate) media: Vec<NodeId>,
}

/// Reads a listing. Visits every node once: listings do not nest.
pub(crate) fn read(dom: &Dom, survey: &Survey, top: NodeId, listing: Listing) -> Code {
    let mut reader = Reader {
        dom,
        survey,
        code: Code::default(),
        newline_due: false,
        after_number: false,
        lines: Vec::new(),
        links: Vec::new(),
        preformatted: u32::from(listing == Listing::Preformatted),
    };
    let mut next = Some(Step::Enter(top));
    while let Some(step) = next {
        let into = match step {
            Step::Enter(id) if id == top => {
                reader.note_language(id);
                true
            }
            Step::Enter(id) => reader.enter(id),
            Step::Leave(id) => {
                reader.leave(id);
                true
            }
        };
        next = dom.step(top, step, into);
    }
    trim_blank_lines(&mut reader.code.text);
    reader.code
}

/// Returns true for the `span` that highlighters put around every word: no attribute but a class of one or two
/// letters. `ln` is the only class that short with a meaning here.
fn is_token(element: Element<'_>) -> bool {
    let mut attributes = element.attributes();
    element.tag == Tag::Span
        && match (attributes.next(), attributes.next()) {
            (None, _) => true,
            (Some(("class", class)), None) => class.len() <= 2 && !class.eq_ignore_ascii_case("ln"),
            _ => false,
        }
}

/// Returns true if an element in a listing holds its title: MkDocs puts one into tables with line numbers.
fn is_title(element: Element<'_>) -> bool {
    match element.tag {
        Tag::Caption => true,
        Tag::Th | Tag::Span | Tag::Div => has_class(element, &["filename"]),
        _ => false,
    }
}

struct Reader<'a> {
    dom: &'a Dom,
    survey: &'a Survey,
    code: Code,
    /// The last line has ended, and its newline is not written yet.
    newline_due: bool,
    /// The reader has just skipped a line number.
    after_number: bool,
    /// Open line elements, and the offset in the text at which each began.
    lines: Vec<(NodeId, usize)>,
    links: Vec<(NodeId, usize)>,
    /// Number of open `pre` elements.
    preformatted: u32,
}

impl Reader<'_> {
    fn enter(&mut self, id: NodeId) -> bool {
        if let Some(text) = self.dom.text(id) {
            if self.is_shown(id, text) {
                self.push(text);
            }
            return false;
        }
        let Some(element) = self.dom.element(id) else {
            return true;
        };
        if is_token(element) {
            return true;
        }
        if image::is_image(element) || embed::is_player(element) {
            if self.survey.has(id, has::MEDIA) {
                self.code.media.push(id);
            }
            return false;
        }
        if is_title(element) && self.survey.kept(id) > 0 {
            let title = short_text(self.dom, id, MAX_TITLE).filter(|title| !title.is_empty());
            if self.code.title.is_none() && title.is_some() {
                self.code.title = title;
                return false;
            }
        }
        if is_extra(self.dom, id, element) || is_unrendered(self.dom, id, element) {
            self.after_number = is_gutter(self.dom, id, element);
            return false;
        }
        self.note_language(id);
        match element.tag {
            Tag::Br => {
                self.newline_due = false;
                self.code.text.push('\n');
            }
            Tag::Pre => self.preformatted += 1,
            Tag::A => self.links.push((id, self.code.text.len())),
            _ => {}
        }
        if self.is_line(id, element) {
            self.begin_line(id, element);
        }
        true
    }

    fn note_language(&mut self, id: NodeId) {
        if self.code.language.is_none()
            && let Some(element) = self.dom.element(id)
            && matches!(element.tag, Tag::Pre | Tag::Code)
        {
            self.code.language = language::of_element(element);
        }
    }

    fn leave(&mut self, id: NodeId) {
        match self.dom.tag(id) {
            Tag::Pre => self.preformatted = self.preformatted.saturating_sub(1),
            Tag::A => {
                if let Some((link, from)) = self.links.pop_if(|(link, _)| *link == id)
                    && let Some(text) = self.code.text.get(from..)
                {
                    let text = text.chars().take(MAX_LINK_TEXT).collect();
                    self.code.links.push((link, text));
                }
            }
            _ => {}
        }
        if let Some((_, from)) = self.lines.pop_if(|(line, _)| *line == id) {
            let has_ended = self.code.text.len() > from && self.code.text.ends_with('\n');
            self.newline_due |= !has_ended;
        }
    }

    fn is_shown(&self, id: NodeId, text: &str) -> bool {
        if text.chars().any(is_visible) {
            return self.survey.kept(id) > 0;
        }
        let parent = self.dom.parent(id).map(|id| self.dom.tag(id));
        let between_rows = matches!(
            parent,
            Some(Tag::Table | Tag::Thead | Tag::Tbody | Tag::Tr | Tag::Ol | Tag::Ul)
        );
        !between_rows && (self.preformatted > 0 || !text.contains('\n'))
    }

    /// Returns true if browsers show the element on a line of its own.
    fn is_line(&self, id: NodeId, element: Element<'_>) -> bool {
        match element.tag {
            Tag::Div | Tag::P | Tag::Li | Tag::Tr | Tag::Pre => true,
            // Some sites mark up each line as a `code` right after another.
            Tag::Code => {
                let is_in_pre = self
                    .dom
                    .parent(id)
                    .is_some_and(|id| self.dom.tag(id) == Tag::Pre);
                let is_code =
                    |id: Option<NodeId>| id.is_some_and(|id| self.dom.tag(id) == Tag::Code);
                is_in_pre
                    && (is_code(self.dom.previous_sibling(id))
                        || is_code(self.dom.next_sibling(id)))
            }
            _ => {
                element.attribute("data-line").is_some()
                    || has_class(
                        element,
                        &[
                            "line",
                            "code-line",
                            "token-line",
                            "view-line",
                            "cm-line",
                            "crayon-line",
                        ],
                    )
            }
        }
    }

    fn begin_line(&mut self, id: NodeId, element: Element<'_>) {
        let breaks_line = !element.tag.is_inline()
            && !self.code.text.is_empty()
            && !self.code.text.ends_with('\n');
        if std::mem::take(&mut self.newline_due) || breaks_line {
            self.code.text.push('\n');
        }
        self.lines.push((id, self.code.text.len()));
    }

    fn push(&mut self, text: &str) {
        if std::mem::take(&mut self.newline_due) && !text.starts_with('\n') {
            self.code.text.push('\n');
        }
        // Doxygen puts a no-break space between the line number and the line.
        let text = match text.strip_prefix('\u{a0}') {
            Some(line) if std::mem::take(&mut self.after_number) => line,
            _ => text,
        };
        self.after_number = false;
        for c in text.chars() {
            // Highlighters write the indent with no-break spaces.
            if c == '\u{a0}' {
                self.code.text.push(' ');
            } else if !is_ignorable(c) {
                self.code.text.push(c);
            }
        }
    }
}

/// Removes blank lines before the first line and white space after the last, which belong to the markup.
fn trim_blank_lines(text: &mut String) {
    text.truncate(text.trim_end().len());
    let indent = text.len() - text.trim_start().len();
    let blank = text
        .get(..indent)
        .and_then(|start| start.rfind('\n'))
        .map_or(0, |end| end + 1);
    text.drain(..blank);
}
