//! Images and players.

use super::Walker;
use crate::blocks::class::{next_element, previous_element};
use crate::blocks::image::{self, Image};
use crate::blocks::player;
use crate::blocks::survey::has;
use crate::dom::{Element, NodeId, Tag};

/// Search this many elements of a neighbour for the lazy image that a `noscript` repeats.
const NEAR: usize = 8;

impl Walker<'_> {
    pub(super) fn media(&mut self, id: NodeId, element: Element<'_>) {
        if !self.survey.has(id, has::MEDIA) {
            return;
        }
        // An image at the start of a paragraph precedes it; later ones follow it.
        let at_once = self.open_blocks.is_empty() && self.run.is_empty();
        if image::is_image(element) {
            return self.image(id, at_once);
        }
        let Some(player) = player::read(self.dom, id, element, self.base) else {
            return;
        };
        let is_named = player.is_named();
        let block = player.into_block(self.output.heading());
        self.output.player(block, at_once, is_named);
    }

    fn image(&mut self, id: NodeId, at_once: bool) {
        match image::read(self.dom, self.survey, id, self.base) {
            Some(Image::Characters(characters)) => self.write(&characters),
            Some(picture @ Image::Picture { .. }) => {
                if let (Some(link), Image::Picture { alt, .. }) = (self.links.last_mut(), &picture)
                    && link.image.is_none()
                    && !alt.is_empty()
                {
                    link.image = Some(alt.clone());
                }
                if let Some(block) = picture.into_block() {
                    self.output.media(block, at_once);
                }
            }
            None => {}
        }
    }

    /// Writes the image of a `noscript`, unless the lazy image beside it has a usable URL.
    pub(super) fn noscript_media(&mut self, id: NodeId) {
        let neighbours = [previous_element(self.dom, id), next_element(self.dom, id)];
        let has_twin = neighbours.into_iter().flatten().any(|id| {
            self.dom
                .elements(id)
                .take(NEAR)
                .filter(|(id, element)| {
                    image::is_image(*element) && self.survey.has(*id, has::MEDIA)
                })
                .any(|(id, _)| image::read(self.dom, self.survey, id, self.base).is_some())
        });
        if has_twin {
            return;
        }
        let inside: Vec<NodeId> = self
            .dom
            .elements(id)
            .filter(|(_, element)| element.tag == Tag::Img || element.tag == Tag::Iframe)
            .map(|(id, _)| id)
            .collect();
        for id in inside {
            if let Some(element) = self.dom.element(id) {
                self.media(id, element);
            }
        }
    }
}
