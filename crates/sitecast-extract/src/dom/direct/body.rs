//! Tags in the body (HTML, "The "in body" insertion mode").

use html5ever::tokenizer::states::RawKind;

use super::{ContentModel, DirectBuilder};
use crate::dom::Tag;
use crate::dom::tree::{Content, NodeId};

impl DirectBuilder {
    pub(super) fn start_in_body(&mut self, tag: Tag) -> ContentModel {
        match tag {
            Tag::Address
            | Tag::Article
            | Tag::Aside
            | Tag::Blockquote
            | Tag::Center
            | Tag::Details
            | Tag::Dialog
            | Tag::Div
            | Tag::Dl
            | Tag::Fieldset
            | Tag::Figcaption
            | Tag::Figure
            | Tag::Footer
            | Tag::Header
            | Tag::Hgroup
            | Tag::Main
            | Tag::Menu
            | Tag::Nav
            | Tag::Ol
            | Tag::P
            | Tag::Search
            | Tag::Section
            | Tag::Summary
            | Tag::Ul => {
                self.close_paragraph();
                self.insert(tag)
            }
            Tag::H1 | Tag::H2 | Tag::H3 | Tag::H4 | Tag::H5 | Tag::H6 => {
                self.close_paragraph();
                if self.current().heading_level().is_some() {
                    self.close_current();
                }
                self.insert(tag)
            }
            Tag::Pre => {
                self.close_paragraph();
                self.ignores_line_feed = true;
                self.insert(tag)
            }
            Tag::Form => self.start_form(),
            Tag::Li | Tag::Dd | Tag::Dt => {
                self.close_item(tag);
                self.close_paragraph();
                self.insert(tag)
            }
            Tag::Button => {
                if self.is_in_scope(tag, bounds_scope) {
                    self.close_implied(None);
                    self.pop_until(tag);
                }
                self.reconstruct_formatting();
                self.insert(tag)
            }
            Tag::Table => self.start_table(),
            Tag::Area | Tag::Br | Tag::Embed | Tag::Img | Tag::Wbr => {
                self.reconstruct_formatting();
                self.insert_void(tag);
                ContentModel::Markup
            }
            Tag::Param | Tag::Source | Tag::Track => {
                self.insert_void(tag);
                ContentModel::Markup
            }
            Tag::Applet | Tag::Object => {
                self.reconstruct_formatting();
                self.formatting.mark();
                self.insert(tag)
            }
            Tag::Input => {
                if self.is_open(Tag::Select) {
                    self.give_up();
                }
                self.reconstruct_formatting();
                self.insert_void(tag);
                ContentModel::Markup
            }
            Tag::Hr => {
                self.close_paragraph();
                if self.is_in_scope(Tag::Select, bounds_scope) {
                    self.close_implied(None);
                }
                self.insert_void(tag);
                ContentModel::Markup
            }
            Tag::Textarea => {
                self.ignores_line_feed = true;
                self.insert_raw(tag, RawKind::Rcdata)
            }
            Tag::Xmp => {
                self.close_paragraph();
                self.reconstruct_formatting();
                self.insert_raw(tag, RawKind::Rawtext)
            }
            Tag::Iframe => self.insert_raw(tag, RawKind::Rawtext),
            Tag::Select => {
                if self.is_open(tag) {
                    self.give_up();
                }
                self.reconstruct_formatting();
                self.insert(tag)
            }
            Tag::Option | Tag::Optgroup => {
                if self.is_in_scope(Tag::Select, bounds_scope) {
                    let except = (tag == Tag::Option).then_some(Tag::Optgroup);
                    self.close_implied(except);
                } else if self.current() == Tag::Option {
                    self.close_current();
                }
                self.reconstruct_formatting();
                self.insert(tag)
            }
            Tag::Rp | Tag::Rt => {
                if self.is_in_scope(Tag::Ruby, bounds_scope) {
                    self.close_implied(None);
                }
                self.insert(tag)
            }
            Tag::Body => {
                self.add_to_open(tag);
                ContentModel::Markup
            }
            Tag::Caption
            | Tag::Col
            | Tag::Colgroup
            | Tag::Head
            | Tag::Tbody
            | Tag::Td
            | Tag::Tfoot
            | Tag::Th
            | Tag::Thead
            | Tag::Tr => ContentModel::Markup,
            _ if tag.is_formatting() => self.start_formatting(tag),
            _ => match self.start_in_head(tag) {
                Some(content_model) => content_model,
                None => {
                    self.reconstruct_formatting();
                    self.insert(tag)
                }
            },
        }
    }

    /// Adds missing attributes of a second `html` or `body` tag to the open element.
    pub(super) fn add_to_open(&mut self, tag: Tag) {
        let mut stack = self.stack.iter();
        let Some(first) = stack.find(|open| open.tag == tag) else {
            return;
        };
        if let Some(node) = self.nodes.get_mut(first.id.index())
            && let Content::Element(element) = &mut node.content
        {
            let mark = self.pending.attributes;
            self.pending.is_there = !element.add_missing(&mut self.store, mark);
        }
    }

    fn start_form(&mut self) -> ContentModel {
        let is_in_template = self.is_open(Tag::Template);
        if self.form.is_some() && !is_in_template {
            return ContentModel::Markup;
        }
        self.close_paragraph();
        if !is_in_template {
            self.form = Some(NodeId::new(self.nodes.len()));
        }
        self.insert(Tag::Form)
    }

    /// Closes the open paragraph, if there is one.
    pub(super) fn close_paragraph(&mut self) {
        if self.is_in_scope(Tag::P, bounds_button_scope) {
            self.close_implied(Some(Tag::P));
            self.pop_until(Tag::P);
        }
    }

    /// Closes the item, term or definition before the next one.
    fn close_item(&mut self, next: Tag) {
        let is_closed = |tag: Tag| match next {
            Tag::Li => tag == Tag::Li,
            _ => matches!(tag, Tag::Dd | Tag::Dt),
        };
        let ends_search =
            |tag: Tag| is_special(tag) && !matches!(tag, Tag::Address | Tag::Div | Tag::P);
        let found = self
            .stack
            .iter()
            .rev()
            .map(|open| open.tag)
            .find(|tag| is_closed(*tag) || ends_search(*tag))
            .filter(|tag| is_closed(*tag));
        if let Some(tag) = found {
            self.close_implied(Some(tag));
            self.pop_until(tag);
        }
    }

    pub(super) fn end_in_body(&mut self, tag: Tag, name: &str) {
        match tag {
            Tag::Body | Tag::Html | Tag::Template => {}
            // HTML treats it like a start tag.
            Tag::Br => {
                self.reconstruct_formatting();
                self.insert_implied(Tag::Br);
                self.close_current();
            }
            Tag::Address
            | Tag::Article
            | Tag::Aside
            | Tag::Blockquote
            | Tag::Button
            | Tag::Center
            | Tag::Details
            | Tag::Dialog
            | Tag::Div
            | Tag::Dl
            | Tag::Fieldset
            | Tag::Figcaption
            | Tag::Figure
            | Tag::Footer
            | Tag::Header
            | Tag::Hgroup
            | Tag::Main
            | Tag::Menu
            | Tag::Nav
            | Tag::Ol
            | Tag::Pre
            | Tag::Search
            | Tag::Section
            | Tag::Select
            | Tag::Summary
            | Tag::Ul => {
                if self.is_in_scope(tag, bounds_scope) {
                    self.close_implied(None);
                    self.pop_until(tag);
                }
            }
            Tag::Applet | Tag::Object => {
                if self.is_in_scope(tag, bounds_scope) {
                    self.close_implied(None);
                    self.pop_until(tag);
                    self.formatting.clear_to_mark();
                }
            }
            Tag::Form => self.end_form(),
            Tag::P => {
                if self.is_in_scope(Tag::P, bounds_button_scope) {
                    self.close_paragraph();
                } else {
                    // HTML inserts an empty paragraph.
                    self.insert_implied(Tag::P);
                    self.close_current();
                }
            }
            Tag::Li | Tag::Dd | Tag::Dt => {
                let bounds_item_scope = |other: Tag| {
                    bounds_scope(other) || (tag == Tag::Li && matches!(other, Tag::Ol | Tag::Ul))
                };
                if self.is_in_scope(tag, bounds_item_scope) {
                    self.close_implied(Some(tag));
                    self.pop_until(tag);
                }
            }
            Tag::H1 | Tag::H2 | Tag::H3 | Tag::H4 | Tag::H5 | Tag::H6 => self.end_heading(),
            _ if tag.is_formatting() => self.end_formatting(tag),
            _ => self.end_any(tag, name),
        }
    }

    fn end_form(&mut self) {
        if self.is_open(Tag::Template) {
            if self.is_in_scope(Tag::Form, bounds_scope) {
                self.close_implied(None);
                self.pop_until(Tag::Form);
            }
            return;
        }
        let Some(form) = self.form.take() else {
            return;
        };
        if !self.is_in_scope(Tag::Form, bounds_scope) {
            return;
        }
        self.close_implied(None);
        if self.stack.last().is_some_and(|open| open.id == form) {
            self.close_current();
        } else {
            self.detach_form(form);
        }
    }

    /// Closes a form but not the open elements in it. After they are closed, new nodes come after the form.
    fn detach_form(&mut self, form: NodeId) {
        let Some(at) = self.stack.iter().rposition(|open| open.id == form) else {
            return self.give_up();
        };
        self.stack.remove(at);
        self.detached_forms += 1;
        if let Some(open) = self.open.get_mut(Tag::Form as usize) {
            *open -= 1;
        }
    }

    fn end_heading(&mut self) {
        let is_heading = |tag: Tag| tag.heading_level().is_some();
        let mut tags = self.stack.iter().rev().map(|open| open.tag);
        let found = tags.find(|tag| is_heading(*tag) || bounds_scope(*tag));
        if found.is_none_or(|tag| !is_heading(tag)) {
            return;
        }
        self.close_implied(None);
        while !self.has_given_up {
            let is_it = is_heading(self.current());
            self.close_current();
            if is_it {
                return;
            }
        }
    }

    /// HTML, "any other end tag".
    pub(super) fn end_any(&mut self, tag: Tag, name: &str) {
        if !self.is_open(tag) {
            return;
        }
        let found = self
            .stack
            .iter()
            .enumerate()
            .rev()
            .find(|(_, open)| is_special(open.tag) || self.is_named(open.id, open.tag, tag, name))
            .filter(|(_, open)| self.is_named(open.id, open.tag, tag, name));
        let Some((at, _)) = found else {
            return;
        };
        self.close_implied(Some(tag));
        while self.stack.len() > at && !self.has_given_up {
            self.close_current();
        }
    }

    fn is_named(&self, id: NodeId, open: Tag, tag: Tag, name: &str) -> bool {
        if tag != Tag::Other || open != Tag::Other {
            return open == tag;
        }
        match self.nodes.get(id.index()).map(|node| &node.content) {
            Some(Content::Element(element)) => {
                element.name_in(&self.store).eq_ignore_ascii_case(name)
            }
            _ => false,
        }
    }
}

/// HTML, "have a particular element in scope". `marquee` is never open: the builder gives up at it.
pub(super) fn bounds_scope(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::Applet
            | Tag::Caption
            | Tag::Html
            | Tag::Object
            | Tag::Select
            | Tag::Table
            | Tag::Td
            | Tag::Template
            | Tag::Th
    )
}

/// HTML, "have a particular element in button scope".
pub(super) fn bounds_button_scope(tag: Tag) -> bool {
    bounds_scope(tag) || tag == Tag::Button
}

/// HTML, "special".
pub(super) fn is_special(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::Address
            | Tag::Applet
            | Tag::Area
            | Tag::Article
            | Tag::Aside
            | Tag::Base
            | Tag::Blockquote
            | Tag::Body
            | Tag::Br
            | Tag::Button
            | Tag::Caption
            | Tag::Center
            | Tag::Col
            | Tag::Colgroup
            | Tag::Dd
            | Tag::Details
            | Tag::Div
            | Tag::Dl
            | Tag::Dt
            | Tag::Embed
            | Tag::Fieldset
            | Tag::Figcaption
            | Tag::Figure
            | Tag::Footer
            | Tag::Form
            | Tag::Frameset
            | Tag::H1
            | Tag::H2
            | Tag::H3
            | Tag::H4
            | Tag::H5
            | Tag::H6
            | Tag::Head
            | Tag::Header
            | Tag::Hgroup
            | Tag::Hr
            | Tag::Html
            | Tag::Iframe
            | Tag::Img
            | Tag::Input
            | Tag::Li
            | Tag::Link
            | Tag::Main
            | Tag::Menu
            | Tag::Meta
            | Tag::Nav
            | Tag::Noscript
            | Tag::Object
            | Tag::Ol
            | Tag::P
            | Tag::Param
            | Tag::Pre
            | Tag::Script
            | Tag::Section
            | Tag::Select
            | Tag::Source
            | Tag::Style
            | Tag::Summary
            | Tag::Table
            | Tag::Tbody
            | Tag::Td
            | Tag::Template
            | Tag::Textarea
            | Tag::Tfoot
            | Tag::Th
            | Tag::Thead
            | Tag::Title
            | Tag::Tr
            | Tag::Track
            | Tag::Ul
            | Tag::Wbr
            | Tag::Xmp
    )
}
