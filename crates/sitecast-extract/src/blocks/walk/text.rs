//! Text, written into the open block or paragraph.

use super::{Gap, Joint, OpenBlock, Prose, Walker};

impl Walker<'_> {
    /// The builder of the text that is being written.
    pub(super) fn prose(&mut self) -> &mut Prose {
        match self.open_blocks.last_mut() {
            None => &mut self.run,
            Some(
                OpenBlock::Heading { prose, .. }
                | OpenBlock::Aside(prose)
                | OpenBlock::Signature(prose),
            ) => prose,
            Some(OpenBlock::List(list)) => &mut list.item,
            Some(OpenBlock::Table(table)) => &mut table.cell,
        }
    }

    /// Writes a space before text that a style sheet separates from the text before it.
    pub(super) fn separate(&mut self, text: &str) {
        let apart = std::mem::replace(&mut self.joint, Joint::Text) == Joint::Apart;
        if apart && self.program_text == 0 && self.prose().would_run_into(text) {
            self.space();
        }
    }

    pub(super) fn write(&mut self, text: &str) {
        if self.styles.is_empty() {
            self.prose().push(text);
        } else {
            let styles = std::mem::take(&mut self.styles);
            self.prose().push_styled(text, &styles);
            self.styles = styles;
        }
        // Only the innermost of nested links gets the text.
        if let Some(link) = self.links.last_mut() {
            link.prose.push(text);
        }
    }

    pub(super) fn glue(&mut self, mark: &str) {
        if self.styles.is_empty() {
            self.prose().glue(mark);
        } else {
            let styles = std::mem::take(&mut self.styles);
            self.prose().glue_styled(mark, &styles);
            self.styles = styles;
        }
        if let Some(link) = self.links.last_mut() {
            link.prose.glue(mark);
        }
    }

    pub(super) fn space(&mut self) {
        self.prose().widen(Gap::Space);
        if let Some(link) = self.links.last_mut() {
            link.prose.widen(Gap::Space);
        }
    }

    /// Separates two blocks, so that their texts do not join.
    pub(super) fn boundary(&mut self) {
        self.after_label = false;
        if self.open_blocks.is_empty() {
            self.end_paragraph();
        } else {
            self.prose().widen(Gap::Line);
        }
        if let Some(link) = self.links.last_mut() {
            link.prose.widen(Gap::Space);
        }
    }

    pub(super) fn line_break(&mut self) {
        // Many authors separate paragraphs by two line breaks.
        if self.open_blocks.is_empty() && self.run.gap() == Gap::Line {
            self.end_paragraph();
        }
        self.prose().widen(Gap::Line);
        if let Some(link) = self.links.last_mut() {
            link.prose.widen(Gap::Space);
        }
    }

    pub(super) fn end_paragraph(&mut self) {
        let text = self.run.take_marked();
        self.output.paragraph(text);
    }
}
