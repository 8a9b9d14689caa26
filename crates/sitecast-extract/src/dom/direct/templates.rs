//! Templates (HTML, "The "in template" insertion mode"), except templates of table parts.
//!
//! The content of a template has the template itself as its parent, as in the sink of html5ever's tree builder.

use super::tables::is_table_part;
use super::{ContentModel, DirectBuilder, Mode};
use crate::dom::Tag;
use crate::dom::builder::Builder;

impl DirectBuilder {
    pub(super) fn start_template(&mut self) -> ContentModel {
        // It may be a shadow root, whose content its parent shows.
        if self.pending_attribute("shadowrootmode").is_some() {
            self.give_up();
        }
        self.formatting.mark();
        self.mode = Mode::InTemplate;
        self.template_modes.push(Mode::InTemplate);
        self.insert(Tag::Template)
    }

    /// Handles a start tag in a template; `None` if the caller must handle it again in a new mode.
    pub(super) fn start_in_template(&mut self, tag: Tag) -> Option<ContentModel> {
        if is_table_part(tag) {
            self.give_up();
            return Some(ContentModel::Markup);
        }
        let content_model = self.start_in_head(tag);
        if content_model.is_none() {
            self.template_modes.pop();
            self.template_modes.push(Mode::InBody);
            self.mode = Mode::InBody;
        }
        content_model
    }

    pub(super) fn end_template(&mut self) {
        self.pop_until(Tag::Template);
        self.formatting.clear_to_mark();
        self.template_modes.pop();
        self.mode = self.mode_of_stack();
    }
}
