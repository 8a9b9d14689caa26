//! Text on its way into whatever block takes it.

use super::{Gap, Holder, Joint, Prose, Walker};

impl Walker<'_> {
    /// The text that is being written.
    pub(super) fn prose(&mut self) -> &mut Prose {
        match self.holders.last_mut() {
            None => &mut self.run,
            Some(
                Holder::Heading { prose, .. } | Holder::Aside(prose) | Holder::Signature(prose),
            ) => prose,
            Some(Holder::List(list)) => &mut list.item,
            Some(Holder::Table(table)) => &mut table.cell,
        }
    }

    /// A space before text that the style sheet sets apart from what is before it.
    pub(super) fn set_apart(&mut self, text: &str) {
        let apart = std::mem::replace(&mut self.joint, Joint::Text) == Joint::Apart;
        if apart && self.program_text == 0 && self.prose().would_run_into(text) {
            self.space();
        }
    }

    pub(super) fn say(&mut self, text: &str) {
        if self.styles.is_empty() {
            self.prose().push(text);
        } else {
            let styles = std::mem::take(&mut self.styles);
            self.prose().push_styled(text, &styles);
            self.styles = styles;
        }
        // Of links inside each other the inner one has the text: once is enough.
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

    /// Two blocks meet here: one text never runs into the other.
    pub(super) fn boundary(&mut self) {
        self.after_label = false;
        if self.holders.is_empty() {
            self.end_paragraph();
        } else {
            self.prose().widen(Gap::Line);
        }
        if let Some(link) = self.links.last_mut() {
            link.prose.widen(Gap::Space);
        }
    }

    pub(super) fn line_break(&mut self) {
        // Two in a row are how many begin a paragraph.
        if self.holders.is_empty() && self.run.gap() == Gap::Line {
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
