//! HTML, "The "in template" insertion mode", but for templates of parts of a table.
//!
//! What is in a template hangs under the template itself, as the sink of html5ever's tree builder
//! has it.

use super::tables::is_of_table;
use super::{Follows, Mode, Orderly};
use crate::dom::Tag;
use crate::dom::builder::Builder;

impl Orderly {
    pub(super) fn start_template(&mut self) -> Follows {
        // It may be no template at all, but what its parent shows.
        if self.pending_attribute("shadowrootmode").is_some() {
            self.give_up();
        }
        self.formatting.mark();
        self.mode = Mode::InTemplate;
        self.template_modes.push(Mode::InTemplate);
        self.insert(Tag::Template)
    }

    /// A start tag in a template; `None` if it has changed the mode and is to be looked at in that.
    pub(super) fn start_in_template(&mut self, tag: Tag) -> Option<Follows> {
        if is_of_table(tag) {
            self.give_up();
            return Some(Follows::Markup);
        }
        let follows = self.start_in_head(tag);
        if follows.is_none() {
            self.template_modes.pop();
            self.template_modes.push(Mode::InBody);
            self.mode = Mode::InBody;
        }
        follows
    }

    pub(super) fn end_template(&mut self) {
        self.pop_until(Tag::Template);
        self.formatting.clear_to_mark();
        self.template_modes.pop();
        self.mode = self.mode_of_stack();
    }
}
