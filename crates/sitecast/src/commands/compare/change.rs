//! A change of some pages that is the same each time: a sentence is added to their text.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use sitecast_extract::{Extractor, Html};
use sitecast_publish::{FolderSource, Report, Source};
use sitecast_scp::{HttpUrl, Timestamp, to_text};

use super::copy::cannot_write;
use crate::commands::publish;
use crate::failure::Failure;

/// One page in so many is changed, and at least one.
pub(super) const ONE_IN: usize = 100;

const SENTENCE: &str = " This sentence was added to see what a change costs.";

/// Shorter texts are buttons and labels.
const SHORTEST: usize = 30;

/// Changes pages of the folder, evenly spread.
pub(super) fn simulate(
    folder: &Path,
    published: &Report,
    extractor: &Extractor<'_>,
    site: &HttpUrl,
    now: Timestamp,
) -> Result<(), Failure> {
    let source = FolderSource::open(folder).map_err(publish::failure)?;
    let items = source.items().map_err(publish::failure)?;
    let excluded: HashSet<&str> = published.excluded.iter().map(|e| e.item.as_str()).collect();
    let files: Vec<&str> = items
        .iter()
        .map(|item| item.key)
        .filter(|key| !excluded.contains(key))
        .collect();
    let wanted = files.len().div_ceil(ONE_IN);
    let mut changed = HashSet::new();
    for number in 0..wanted {
        let begin = (2 * number + 1) * files.len() / (2 * wanted.max(1));
        // Where a page has no text to add to, the next one is taken.
        for name in files.iter().cycle().skip(begin).take(files.len()) {
            if changed.contains(name) {
                continue;
            }
            let path = folder.join(name);
            let bytes = fs::read(&path)
                .map_err(|error| Failure::cannot_read(&path.display().to_string(), &error))?;
            let Ok(extracted) = extractor.extract_page(&Html::new(site, &bytes, now)) else {
                continue;
            };
            let Some(edited) = edit(&bytes, &to_text(&extracted.page)) else {
                continue;
            };
            // A new file, so that its old self stays where it is served from.
            fs::remove_file(&path)
                .and_then(|()| fs::write(&path, edited))
                .map_err(|error| cannot_write(&path, &error))?;
            changed.insert(*name);
            break;
        }
    }
    Ok(())
}

/// The page with a sentence after the longest piece of its text that stands in the HTML as it is read.
fn edit(html: &[u8], text: &str) -> Option<String> {
    let html = std::str::from_utf8(html).ok()?;
    let mut best: Option<(usize, usize)> = None;
    let mut at = 0;
    for piece in html.split_inclusive('<') {
        let end = at + piece.len();
        // Up to the tag that follows, from the end of the one before.
        let run = piece.strip_suffix('<').unwrap_or(piece);
        let run = run.rsplit_once('>').map_or("", |(_, run)| run).trim_end();
        let place = at + piece.strip_suffix('<').unwrap_or(piece).trim_end().len();
        if run.trim().len() >= SHORTEST
            && best.is_none_or(|(longest, _)| run.len() > longest)
            && text.contains(run.trim())
        {
            best = Some((run.len(), place));
        }
        at = end;
    }
    let (_, place) = best?;
    Some(format!(
        "{}{SENTENCE}{}",
        html.get(..place)?,
        html.get(place..)?
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_is_added_to_the_longest_text() {
        let html = "<title>Tea and how to make it, at length</title><p>Pour water over <b>the leaves</b>, and wait for three \
                    minutes.</p><p>Then drink it while it is still hot, slowly. </p><script>a > b; Then drink</script>";
        let text = "Pour water over the leaves, and wait for three minutes.\n\nThen drink it while it is still hot, slowly.";
        let edited = edit(html.as_bytes(), text).unwrap();
        assert_eq!(
            edited,
            html.replace("slowly. </p>", &format!("slowly.{SENTENCE} </p>"))
        );
    }

    #[test]
    fn a_page_without_text_is_left_as_it_is() {
        assert_eq!(edit(b"<p>Tea</p>", "Tea"), None);
        let elsewhere = b"<nav>This is a navigation, and a long one at that</nav>";
        assert_eq!(edit(elsewhere, "Tea"), None);
        assert_eq!(edit(&[0xff, 0xfe, b'<', b'p'], "Tea"), None);
    }
}
