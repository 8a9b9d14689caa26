//! Reduction of pages with more blocks than SCP allows (DESIGN, ruling 7).

use sitecast_scp::{Block, Page, to_text};

/// The changes that made a page fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Fold {
    /// Blocks joined with the one before them.
    pub joined: usize,
    /// Links left out. Their words are still in the text.
    pub links_dropped: usize,
    /// Images, videos and sounds left out.
    pub media_dropped: usize,
}

/// Reduces a page to at most `most` blocks without losing text, and keeps as much structure as fits.
///
/// Joins neighbouring texts with a blank line between them. If that is not enough, leaves out links, from the end;
/// then turns blocks beside text into text, no more than necessary: lists and quotations first, then code and tables,
/// then headings, lowest levels first. In the last resort leaves out images, videos and sounds. Returns `None` if the
/// page fits already.
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
    join(page, most, TEXT, &mut fold);
    drop_from_end(
        &mut page.content,
        most,
        |block| matches!(block, Block::Link { .. }),
        &mut fold.links_dropped,
    );
    for rank in TEXT + 1..=HIGHEST_HEADING {
        join(page, most, rank, &mut fold);
    }
    drop_from_end(
        &mut page.content,
        most,
        |block| rank(block).is_none(),
        &mut fold.media_dropped,
    );
    // Only texts may be left.
    join(page, most, HIGHEST_HEADING, &mut fold);
    Some(fold)
}

const TEXT: u8 = 0;
const HIGHEST_HEADING: u8 = 10;

/// Returns a rank that grows with the structure lost when a block becomes text; `None` for blocks without text.
fn rank(block: &Block) -> Option<u8> {
    Some(match block {
        Block::Text { .. } => TEXT,
        Block::List { .. } | Block::Quote { .. } => 1,
        Block::Code { .. } => 2,
        Block::Table { .. } => 3,
        Block::Heading { level, .. } => HIGHEST_HEADING + 1 - level.get(),
        Block::Link { .. } | Block::Image { .. } | Block::Video(_) | Block::Audio(_) => {
            return None;
        }
    })
}

/// Joins consecutive blocks up to a rank in pairs, ignoring links between them, until they fit or no pair is left.
/// Pairs prevent one part of the page from becoming one huge block.
fn join(page: &mut Page, most: usize, highest: u8, fold: &mut Fold) {
    loop {
        let mut surplus = page.content.len().saturating_sub(most);
        let before = page.content.len();
        if surplus == 0 {
            return;
        }
        let content = std::mem::take(&mut page.content);
        let mut joined: Vec<Block> = Vec::with_capacity(content.len());
        // Index of the block that can take one more.
        let mut open: Option<usize> = None;
        for block in content {
            if matches!(block, Block::Link { .. }) {
                joined.push(block);
                continue;
            }
            let may_join = rank(&block).is_some_and(|rank| rank <= highest);
            let first = open.filter(|_| may_join && surplus > 0);
            match first.and_then(|at| joined.get_mut(at)) {
                Some(first) => {
                    let text = format!("{}\n\n{}", as_text(page, first), as_text(page, &block));
                    *first = Block::Text { text };
                    surplus -= 1;
                    fold.joined += 1;
                    open = None;
                }
                None => {
                    open = may_join.then_some(joined.len());
                    joined.push(block);
                }
            }
        }
        page.content = joined;
        if page.content.len() == before {
            return;
        }
    }
}

/// Returns a block as the text of a text block, with fences around code.
fn as_text(page: &Page, block: &Block) -> String {
    match block {
        Block::Text { text } => text.clone(),
        Block::Code { language, code } => {
            let runs = code.split(|c| c != '`').map(str::len);
            let fence = "`".repeat(runs.max().unwrap_or(0).max(2) + 1);
            let language = language.as_deref().unwrap_or_default();
            format!("{fence}{language}\n{code}\n{fence}")
        }
        block => {
            let mut one = Page::new(page.url.clone(), "", page.modified, page.language.clone());
            one.content = vec![block.clone()];
            to_text(&one).trim_end().to_owned()
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
    fn leaves_pages_that_fit_unchanged() {
        let mut short = page(vec![text(1), text(2)]);
        assert_eq!(fold(&mut short, 2), None);
        assert_eq!(short.content, [text(1), text(2)]);
    }

    #[test]
    fn joins_texts_before_it_drops_links() {
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
    fn drops_links_before_structure() {
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
    fn flattens_only_as_needed_and_headings_last() {
        let heading = |level: u8| Block::Heading {
            level: HeadingLevel::clamped(level),
            text: "heading".to_owned(),
        };
        let list = Block::List {
            ordered: false,
            items: vec!["item".to_owned()],
        };
        let code = Block::Code {
            language: Some("rust".to_owned()),
            code: "let a;".to_owned(),
        };
        let section = [heading(2), text(1), list, code, heading(4), text(2)];
        let all: Vec<Block> = (0..10).flat_map(|_| section.clone()).collect();
        let kinds = |most: usize| {
            let mut long = page(all.clone());
            fold(&mut long, most).unwrap();
            assert!(long.content.len() <= most);
            let count = |rank_of: u8| {
                let found = long
                    .content
                    .iter()
                    .filter(|block| rank(block) == Some(rank_of));
                found.count()
            };
            // Lists, code, headings of level 4, headings of level 2.
            [count(1), count(2), count(7), count(9)]
        };
        assert_eq!(kinds(60 - 5), [5, 10, 10, 10]);
        assert_eq!(kinds(60 - 15), [0, 5, 10, 10]);
        assert_eq!(kinds(60 - 25), [0, 0, 5, 10]);
        let mut long = page(all.clone());
        fold(&mut long, 45);
        let Block::Text { text } = &long.content[1] else {
            panic!()
        };
        assert_eq!(text, "text 1\n\n- item\n\n```rust\nlet a;\n```");
    }

    #[test]
    fn loses_no_text_at_any_limit() {
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
