//! Writes the blocks in one walk over the tree.

mod inline;
mod listings;
mod lists;
mod marks;
mod media;
mod quotes;
mod tables;
mod text;

use foldhash::HashMap;
use url::Url;

use super::class::{heading_level, is_inline};
use super::code::listing;
use super::link::{Link, OpenLink, resolve};
use super::list::{Level, ListBuilder};
use super::marked::MarkedBlock;
use super::noise::is_noise;
use super::output::Output;
use super::prose::{Gap, Prose, Style};
use super::signature::is_program_text;
use super::survey::{Survey, has};
use super::table::TableBuilder;
use super::{Marking, admonition, embed, image, math, note, tabs, transcript};
use crate::dom::{Dom, Element, NodeId, Step, Tag};
use crate::layout::{Joint, is_hidden, is_unrendered};

pub(super) fn walk(dom: &Dom, survey: &Survey, base: &Url, marking: Marking) -> Vec<MarkedBlock> {
    let mut walker = Walker {
        dom,
        survey,
        base,
        output: Output::default(),
        run: Prose::new(Gap::Line),
        open_blocks: Vec::new(),
        levels: Vec::new(),
        links: Vec::new(),
        open: Vec::new(),
        heading: None,
        quotation_marks: inline::quotation_marks(dom),
        in_transcript: false,
        program_text: 0,
        after_label: false,
        panels: HashMap::default(),
        joint: Joint::Text,
        marking,
        styles: Vec::new(),
    };
    let mut next = Some(Step::Enter(NodeId::ROOT));
    while let Some(step) = next {
        let into = match step {
            Step::Enter(id) => walker.enter(id),
            Step::Leave(id) => {
                walker.leave(id);
                true
            }
        };
        next = dom.step(NodeId::ROOT, step, into);
    }
    walker.end_paragraph();
    walker.output.blocks
}

/// A block that takes all text inside it, at any depth.
enum OpenBlock {
    Heading {
        level: u8,
        prose: Prose,
    },
    List(ListBuilder),
    Table(TableBuilder),
    /// A caption or a citation.
    Aside(Prose),
    /// The cells of a signature.
    Signature(Prose),
}

/// An action at the end of an open element.
enum Closing {
    Boundary,
    Heading,
    List { is_block: bool },
    Item,
    Definitions,
    Table,
    HeadingRow,
    Cell,
    FlatCell,
    TableCaption,
    Signature,
    ProgramText,
    NoteLabel,
    Quote,
    Citation,
    Figure,
    FigureCaption { quote_follows: bool },
    Link,
    Mark(&'static str),
    Style,
    Transcript { player: usize, start: usize },
}

struct Walker<'a> {
    dom: &'a Dom,
    survey: &'a Survey,
    base: &'a Url,
    output: Output,
    /// The paragraph that is being written while no block takes the text.
    run: Prose,
    /// At most one block and a caption in it.
    open_blocks: Vec<OpenBlock>,
    /// The open lists, for the markers of their items.
    levels: Vec<Level>,
    links: Vec<OpenLink>,
    open: Vec<(NodeId, Closing)>,
    heading: Option<NodeId>,
    quotation_marks: [&'static str; 2],
    in_transcript: bool,
    /// Number of open elements of program text.
    program_text: u32,
    /// The last text was the number of a note; the note goes on in its line.
    after_label: bool,
    /// Panels of tabs that are still to come, with their labels.
    panels: HashMap<NodeId, String>,
    joint: Joint,
    marking: Marking,
    /// Open elements with inline markup; empty if no marks are wanted.
    styles: Vec<Style>,
}

impl Walker<'_> {
    /// Enters a node. Returns true if its children should be visited.
    fn enter(&mut self, id: NodeId) -> bool {
        let dom = self.dom;
        if let Some(text) = dom.text(id) {
            if self.survey.kept(id) > 0 {
                self.separate(text);
                self.write_text(id, text);
            } else if self.survey.has(id, has::GAP) {
                self.space();
            }
            return false;
        }
        let Some(element) = dom.element(id) else {
            return true;
        };
        self.joint = self.joint.at_start(element.tag);
        if is_noise(dom, self.survey, id, element, self.heading) {
            return false;
        }
        if self.enter_tabs(id, element) {
            return false;
        }
        if image::is_image(element) || embed::is_player(element) {
            self.media(id, element);
            return false;
        }
        if self.survey.is_bare(id) {
            self.skip_element(id, element);
            return false;
        }
        if element.tag == Tag::Noscript {
            if self.survey.kept(id) == 0 {
                self.noscript_media(id);
                return false;
            }
        } else if is_unrendered(dom, id, element) {
            return false;
        }
        if element.tag == Tag::Math {
            let formula = math::formula(dom, self.survey, id);
            self.write_formula(id, &formula);
            return false;
        }
        if let Some(kind) = listing(dom, self.survey, id, element) {
            self.code(id, kind);
            return false;
        }
        if is_program_text(element) {
            self.program_text += 1;
            self.on_leave(id, Closing::ProgramText);
        }
        self.enter_structure(id, element);
        true
    }

    fn enter_structure(&mut self, id: NodeId, element: Element<'_>) {
        if let Some(level) = heading_level(self.dom, id, element) {
            return self.open_heading(id, level);
        }
        match element.tag {
            Tag::Ul | Tag::Ol | Tag::Menu => self.open_list(id, element),
            Tag::Li => self.open_item(id, element),
            Tag::Dl => self.open_definitions(id),
            Tag::Dt | Tag::Dd => self.open_definition(id, element),
            Tag::Table => self.open_table(id, element),
            Tag::Thead | Tag::Tbody | Tag::Tfoot | Tag::Tr => self.open_rows(id, element),
            Tag::Td | Tag::Th => self.open_cell(id),
            Tag::Caption => self.open_table_caption(id),
            Tag::Blockquote => self.open_quote(id),
            Tag::Cite | Tag::Footer if self.is_citation(id, element) => self.open_citation(id),
            Tag::Figure => self.open_figure(id),
            Tag::Figcaption => self.open_caption(id),
            _ if is_inline(self.dom, id, element) => self.open_inline(id, element),
            _ => self.open_block(id, element),
        }
    }

    fn leave(&mut self, id: NodeId) {
        self.joint = self.joint.at_end(self.dom.tag(id));
        while let Some((_, closing)) = self.open.pop_if(|(open, _)| *open == id) {
            match closing {
                Closing::Boundary => self.boundary(),
                Closing::NoteLabel => self.after_label = true,
                Closing::Heading => self.close_heading(),
                Closing::List { is_block } => self.close_list(is_block),
                Closing::Item => self.close_item(),
                Closing::Definitions => self.close_definitions(),
                Closing::Table => self.close_table(),
                Closing::HeadingRow => self.open_rest_of_table(),
                Closing::Cell => self.close_cell(id),
                Closing::FlatCell => {
                    // The gap stays narrow, so that the next cell is joined to this one; other text is still
                    // separated.
                    self.prose().close_gap();
                    self.prose().widen(Gap::Space);
                }
                Closing::TableCaption => self.close_table_caption(),
                Closing::Signature => self.close_signature(),
                Closing::ProgramText => self.program_text = self.program_text.saturating_sub(1),
                Closing::Quote => self.close_quote(id),
                Closing::Citation => self.close_citation(),
                Closing::Figure => self.close_figure(),
                Closing::FigureCaption { quote_follows } => self.close_caption(quote_follows),
                Closing::Link => self.close_link(),
                Closing::Mark(mark) => self.close_mark(mark),
                Closing::Style => self.close_style(),
                Closing::Transcript { player, start } => {
                    self.end_paragraph();
                    self.in_transcript = false;
                    self.output.move_transcript(player, start);
                }
            }
        }
    }

    fn on_leave(&mut self, id: NodeId, closing: Closing) {
        self.open.push((id, closing));
    }

    /// Registers the labels of tabs to be written before their panels, and writes the label of a panel. Returns true
    /// for a list of tabs. Tabs of code keep their labels even if those look like a menu.
    fn enter_tabs(&mut self, id: NodeId, element: Element<'_>) -> bool {
        if let Some(label) = self.panels.remove(&id)
            && !self.survey.is_bare(id)
        {
            self.boundary();
            self.write(&label);
            self.boundary();
        }
        if !tabs::is_tab_list(self.dom, id, element) {
            return false;
        }
        let Some(panels) = tabs::labelled_panels(self.dom, id) else {
            return false;
        };
        let has_code = |id: &NodeId| self.survey.has(*id, has::CODE);
        if self.survey.is_bare(id) && !panels.keys().any(has_code) {
            return false;
        }
        self.boundary();
        self.panels.extend(panels);
        true
    }

    /// Writes the separation that an element without kept content still causes.
    fn skip_element(&mut self, id: NodeId, element: Element<'_>) {
        match element.tag {
            Tag::Br => self.line_break(),
            Tag::Input => self.check_box(element),
            Tag::Li => self.skip_item(element),
            Tag::Tr | Tag::Td | Tag::Th => self.skip_cell(element),
            _ if is_unrendered(self.dom, id, element) => {}
            _ if is_inline(self.dom, id, element) => {
                // Browsers join the words around a hidden element.
                if self.survey.has(id, has::GAP) && !is_hidden(element) {
                    self.space();
                }
            }
            _ => self.boundary(),
        }
    }

    fn open_block(&mut self, id: NodeId, element: Element<'_>) {
        if std::mem::take(&mut self.after_label) {
            self.space();
            return self.on_leave(id, Closing::Boundary);
        }
        self.boundary();
        if admonition::is_admonition(element)
            && let Some(kind) = admonition::implied_title(self.dom, id, element)
        {
            self.write(kind);
            self.boundary();
        }
        if self.open_blocks.is_empty()
            && !self.in_transcript
            && let Some(player) = self.output.player_beside()
            && transcript::is_transcript(self.dom, id, element)
        {
            self.in_transcript = true;
            let start = self.output.blocks.len();
            return self.on_leave(id, Closing::Transcript { player, start });
        }
        self.on_leave(id, Closing::Boundary);
    }

    fn open_heading(&mut self, id: NodeId, level: u8) {
        self.boundary();
        // In a list or a cell, a heading is a line of text.
        if !self.open_blocks.is_empty() {
            return self.on_leave(id, Closing::Boundary);
        }
        self.output.flush_quote();
        self.heading = Some(id);
        let prose = Prose::new(Gap::Space);
        self.open_blocks.push(OpenBlock::Heading { level, prose });
        self.on_leave(id, Closing::Heading);
    }

    fn close_heading(&mut self) {
        self.heading = None;
        let Some(OpenBlock::Heading { level, mut prose }) = self.open_blocks.pop() else {
            return;
        };
        let text = prose.take_marked();
        if let Some(link) = self.links.last_mut() {
            link.prose.widen(Gap::Space);
            if link.heading.is_none() && !text.is_empty() {
                link.heading = Some(text.text.clone());
            }
        }
        self.output.emit_heading(level, text);
    }

    fn add_link(&mut self, link: Option<Link>) {
        if let Some(link) = link {
            self.output.link(link);
        }
    }
}
