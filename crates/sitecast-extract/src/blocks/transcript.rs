//! Transcripts and chapters that pages write right after a video or a sound.

use sitecast_scp::{Block, Chapter};

use super::class::{classes, short_text};
use super::marked::MarkedBlock;
use super::output::Output;
use crate::dom::{Dom, Element, NodeId, Tag};

/// At most this many blocks between player and transcript: a caption, a link or two.
const BESIDE: usize = 4;

const WORDS: &[&str] = &["transcript", "transkript", "transcripción", "trascrizione"];

fn says_transcript(text: &str) -> bool {
    let text = text.to_lowercase();
    WORDS.iter().any(|word| text.contains(word))
}

/// Returns true if the class, the id or the summary of an element calls it a transcript.
pub(super) fn is_transcript(dom: &Dom, id: NodeId, element: Element<'_>) -> bool {
    if classes(element)
        .chain(element.attribute("id"))
        .any(says_transcript)
    {
        return true;
    }
    element.tag == Tag::Details
        && dom
            .children(id)
            .take(4)
            .find(|id| dom.tag(*id) == Tag::Summary)
            .and_then(|summary| short_text(dom, summary, 60))
            .is_some_and(|text| says_transcript(&text))
}

impl Output {
    /// Returns the index of the last player if it is close to the end of the output.
    pub(super) fn player_beside(&self) -> Option<usize> {
        self.last_player
            .filter(|at| self.blocks.len() - at <= BESIDE)
    }

    /// Moves the blocks since `start` into the player, if all of them are paragraphs. A transcript with headings is
    /// the content of the page and stays.
    pub(super) fn move_transcript(&mut self, player: usize, start: usize) {
        let written = self.blocks.get(start..).unwrap_or_default();
        let is_label = |found: &MarkedBlock| match &found.block {
            Block::Heading { text, .. } | Block::Text { text } => {
                text.chars().count() <= 60 && says_transcript(text)
            }
            _ => false,
        };
        let labels = usize::from(written.first().is_some_and(is_label));
        let body = written.get(labels..).unwrap_or_default();
        let is_text = |found: &MarkedBlock| matches!(found.block, Block::Text { .. });
        let is_link = |found: &MarkedBlock| matches!(found.block, Block::Link { .. });
        if !body.iter().all(|found| is_text(found) || is_link(found)) || !body.iter().any(is_text) {
            return;
        }
        let mut transcript = String::new();
        for found in self.blocks.split_off(start).into_iter().skip(labels) {
            match found.block {
                Block::Text { text } => {
                    if !transcript.is_empty() {
                        transcript.push_str("\n\n");
                    }
                    transcript.push_str(&text);
                }
                link => self.blocks.push(link.into()),
            }
        }
        match self.block_mut(player) {
            Some(Block::Video(video)) => video.transcript = Some(transcript),
            Some(Block::Audio(audio)) => audio.transcript = Some(transcript),
            _ => {}
        }
    }

    /// Stores a list of times as the chapters of the player right before it. Returns false for other lists.
    pub(super) fn take_chapters(&mut self, items: &[String]) -> bool {
        let Some(player) = self.player_beside() else {
            return false;
        };
        let Some(found) = chapters(items) else {
            return false;
        };
        match self.block_mut(player) {
            Some(Block::Video(video)) if video.chapters.is_empty() => video.chapters = found,
            Some(Block::Audio(audio)) if audio.chapters.is_empty() => audio.chapters = found,
            _ => return false,
        }
        true
    }
}

/// Returns chapters if every item is a time with a title. The first must be at 0:00, which excludes timetables.
fn chapters(items: &[String]) -> Option<Vec<Chapter>> {
    let mut chapters: Vec<Chapter> = Vec::new();
    for item in items {
        let item = item.trim_start_matches(['[', '(']);
        let (time, title) = item.split_once([' ', ']', ')', '\n'])?;
        let time = clock(time)?;
        let title = title.trim_start_matches([' ', '-', '–', '—', ':', ']', ')', '\n']);
        if title.is_empty() || chapters.last().is_some_and(|last| last.time >= time) {
            return None;
        }
        chapters.push(Chapter {
            time,
            title: title.to_owned(),
        });
    }
    let begins = chapters.first().is_some_and(|first| first.time == 0);
    (begins && chapters.len() > 1).then_some(chapters)
}

/// Returns the seconds of `1:02:03` or `2:03`.
pub(super) fn clock(text: &str) -> Option<u64> {
    let parts: Vec<&str> = text.split(':').collect();
    if !(2..=3).contains(&parts.len()) {
        return None;
    }
    parts.iter().try_fold(0u64, |seconds, part| {
        let is_number = (1..=3).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
        let part: u64 = part.parse().ok().filter(|_| is_number)?;
        Some(seconds * 60 + part)
    })
}
