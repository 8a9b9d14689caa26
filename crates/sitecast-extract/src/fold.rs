//! Pages with more blocks than SCP allows, made to fit (DESIGN, ruling 7).

use sitecast_scp::{Block, Page, to_text};

/// What it took to make a page fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Fold {
    /// Blocks that were joined with the one before them.
    pub joined: usize,
    /// Links that were left out; their words are still in the text.
    pub links_dropped: usize,
    /// Pictures, films and sounds that were left out.
    pub media_dropped: usize,
}

/// Makes the page have at most `most` blocks without losing text: joins neighbouring texts, a
/// blank line between them; if that is not enough, leaves out links, from the end; then takes
/// headings, lists, tables, code and quotations as text, too, and in the last resort leaves out
/// what is no text. Answers `None` where nothing had to be done.
///
/// ```
/// use sitecast_extract::fold;
/// use sitecast_scp::{Block, Page};
///
/// let mut page = Page::new("https://example.com/".parse()?, "Long", "2025-01-15T09:00:00Z".parse()?, "en".parse()?);
/// page.content = (1..=1_500).map(|n| Block::Text { text: format!("Paragraph {n}") }).collect();
/// let folded = fold(&mut page, 1_000).unwrap();
/// assert!(page.content.len() <= 1_000 && folded.links_dropped == 0);
/// # Ok::<(), sitecast_scp::InvalidValue>(())
/// ```
pub fn fold(page: &mut Page, most: usize) -> Option<Fold> {
    if page.content.len() <= most {
        return None;
    }
    let mut fold = Fold::default();
    join_texts(&mut page.content, most, &mut fold);
    drop_from_end(
        &mut page.content,
        most,
        |block| matches!(block, Block::Link { .. }),
        &mut fold.links_dropped,
    );
    if page.content.len() > most {
        flatten(page);
        join_texts(&mut page.content, most, &mut fold);
        drop_from_end(
            &mut page.content,
            most,
            |block| !matches!(block, Block::Text { .. }),
            &mut fold.media_dropped,
        );
        // Nothing but texts is left where even that was not enough.
        join_texts(&mut page.content, most, &mut fold);
    }
    Some(fold)
}

/// Joins texts that follow each other, links between them aside, two and two, until they fit or
/// none do any more. Two and two, so that no part of the page becomes one huge block.
fn join_texts(content: &mut Vec<Block>, most: usize, fold: &mut Fold) {
    loop {
        let mut surplus = content.len().saturating_sub(most);
        let before = content.len();
        let mut joined: Vec<Block> = Vec::with_capacity(content.len());
        // Where the text is that may still take one more, and whether it has.
        let mut open: Option<usize> = None;
        for block in content.drain(..) {
            match (block, open) {
                (Block::Text { text }, Some(at)) if surplus > 0 => {
                    if let Some(Block::Text { text: first }) = joined.get_mut(at) {
                        first.push_str("\n\n");
                        first.push_str(&text);
                    }
                    surplus -= 1;
                    fold.joined += 1;
                    open = None;
                }
                (block @ Block::Text { .. }, _) => {
                    open = Some(joined.len());
                    joined.push(block);
                }
                (block @ Block::Link { .. }, _) => joined.push(block),
                (block, _) => {
                    open = None;
                    joined.push(block);
                }
            }
        }
        *content = joined;
        if surplus == 0 || content.len() == before {
            return;
        }
    }
}

fn drop_from_end(
    content: &mut Vec<Block>,
    most: usize,
    drops: impl Fn(&Block) -> bool,
    dropped: &mut usize,
) {
    let mut surplus = content.len().saturating_sub(most);
    let mut at = content.len();
    let mut keep = vec![true; at];
    while surplus > 0 && at > 0 {
        at -= 1;
        if content.get(at).is_some_and(&drops) {
            if let Some(keep) = keep.get_mut(at) {
                *keep = false;
            }
            surplus -= 1;
            *dropped += 1;
        }
    }
    let mut keep = keep.into_iter();
    content.retain(|_| keep.next().unwrap_or(true));
}

/// Everything that has text becomes text.
fn flatten(page: &mut Page) {
    let mut one = Page::new(page.url.clone(), "", page.modified, page.language.clone());
    for block in &mut page.content {
        if matches!(
            block,
            Block::Heading { .. }
                | Block::List { .. }
                | Block::Table { .. }
                | Block::Code { .. }
                | Block::Quote { .. }
        ) {
            one.content = vec![block.clone()];
            *block = Block::Text {
                text: to_text(&one).trim_end().to_owned(),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use sitecast_scp::HeadingLevel;

    use super::*;

    fn page(content: Vec<Block>) -> Page {
        let mut page = Page::new(
            "https://example.com/".parse().unwrap(),
            "",
            "2025-01-15T09:00:00Z".parse().unwrap(),
            "en".parse().unwrap(),
        );
        page.content = content;
        page
    }

    fn text(n: usize) -> Block {
        Block::Text {
            text: format!("text {n}"),
        }
    }

    fn link(n: usize) -> Block {
        Block::Link {
            url: format!("https://example.com/{n}").parse().unwrap(),
            text: "a link".to_owned(),
            rel: vec![],
        }
    }

    #[test]
    fn a_page_that_fits_is_left_alone() {
        let mut short = page(vec![text(1), text(2)]);
        assert_eq!(fold(&mut short, 2), None);
        assert_eq!(short.content, [text(1), text(2)]);
    }

    #[test]
    fn texts_are_joined_before_links_go() {
        let mut long = page(vec![text(1), link(1), text(2), link(2), text(3), text(4)]);
        let folded = fold(&mut long, 4).unwrap();
        assert_eq!((folded.joined, folded.links_dropped), (2, 0));
        let Block::Text { text } = &long.content[0] else {
            panic!()
        };
        assert_eq!(text, "text 1\n\ntext 2");
        assert_eq!(long.content[1..3], [link(1), link(2)]);
    }

    #[test]
    fn links_go_before_structure_does() {
        let heading = |n: usize| Block::Heading {
            level: HeadingLevel::clamped(2),
            text: format!("heading {n}"),
        };
        let mut long = page(vec![heading(1), link(1), heading(2), link(2)]);
        let folded = fold(&mut long, 3).unwrap();
        assert_eq!(folded.links_dropped, 1);
        assert_eq!(long.content, [heading(1), link(1), heading(2)]);
        let folded = fold(&mut long, 1).unwrap();
        assert_eq!(folded.joined, 1);
        assert_eq!(to_text(&long), "heading 1\n\nheading 2\n");
    }

    #[test]
    fn no_text_is_lost_however_small_the_limit() {
        for most in 1..40 {
            let mut long = page(
                (0..120)
                    .map(|n| if n % 3 == 0 { link(n) } else { text(n) })
                    .collect(),
            );
            let before = to_text(&long);
            fold(&mut long, most);
            assert!(long.content.len() <= most, "{most}");
            assert_eq!(to_text(&long), before);
        }
    }
}
