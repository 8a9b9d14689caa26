//! Code listings.

use sitecast_scp::Block;

use super::{OpenLink, Walker};
use crate::blocks::code;
use crate::dom::NodeId;

impl Walker<'_> {
    pub(super) fn code(&mut self, id: NodeId, kind: code::Listing) {
        let found = code::read(self.dom, self.survey, id, kind);
        let language = found
            .language
            .or_else(|| code::language_around(self.dom, id));
        self.boundary();
        if let Some(title) = found.title {
            self.write(&title);
            self.boundary();
        }
        if self.open_blocks.is_empty() {
            self.output.flush_quote();
        }
        for (id, text) in found.links {
            if let Some(mut link) = self
                .dom
                .element(id)
                .and_then(|a| OpenLink::of(a, self.base))
            {
                link.prose.push(&text);
                self.add_link(link.close());
            }
        }
        if let Some(link) = self.links.last_mut() {
            link.prose.push(&found.text);
        }
        for id in found.media {
            if let Some(element) = self.dom.element(id) {
                self.media(id, element);
            }
        }
        let code = found.text;
        if code.is_empty() {
            return;
        }
        if self.open_blocks.is_empty() {
            self.output.emit(Block::Code { language, code });
        } else {
            self.prose().push_code(language.as_deref(), &code);
        }
        self.boundary();
    }
}
