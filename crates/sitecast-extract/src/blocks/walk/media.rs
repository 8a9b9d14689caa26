//! Images and players on the way.

use super::Walker;
use crate::blocks::class::{next_element, previous_element};
use crate::blocks::image::{self, Image};
use crate::blocks::player;
use crate::blocks::survey::has;
use crate::dom::{Element, NodeId, Tag};

/// How far into its neighbours the twin of an image is looked for.
const NEAR: usize = 8;

impl Walker<'_> {
    pub(super) fn media(&mut self, id: NodeId, element: Element<'_>) {
        if !self.survey.has(id, has::MEDIA) {
            return;
        }
        // What comes first in a paragraph comes before it; all else waits for its end.
        let at_once = self.holders.is_empty() && self.run.is_empty();
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
            Some(Image::Characters(characters)) => self.say(&characters),
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

    /// What a `noscript` shows in the place of an image that a script loads, unless that one says
    /// where it is.
    pub(super) fn without_script(&mut self, id: NodeId) {
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
