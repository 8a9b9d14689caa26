//! Sitemaps of any form, and putting `scp:` elements into them.

use std::io::Read;

use sitecast_sitemap::{
    Event, Limits, ReaderOptions, ScpBlock, ScpEntry, SitemapKind, WriteError, extend,
};

use crate::Dribble;

/// All that came of reading, comparable.
#[derive(Debug, PartialEq)]
pub struct Outcome {
    pub urls: Vec<String>,
    pub children: Vec<String>,
    pub scp: ScpBlock,
    pub warnings: Vec<String>,
    pub kind: Option<SitemapKind>,
    pub end: Result<(), String>,
}

/// Limits that inputs of a few kilobytes can reach. Pieces are told only at the ends of chunks, so
/// their limit is one that no input reaches.
fn limits() -> Limits {
    Limits {
        bytes: 1_000_000,
        entries: 50,
        nesting: 12,
        alternates: 3,
        ..Limits::default()
    }
}

fn read(source: impl Read) -> Outcome {
    let options = ReaderOptions {
        limits: limits(),
        base: "https://example.com/maps/sitemap.xml".parse().ok(),
    };
    let mut reader = options.read(source);
    let mut outcome = Outcome {
        urls: vec![],
        children: vec![],
        scp: ScpBlock::default(),
        warnings: vec![],
        kind: None,
        end: Ok(()),
    };
    let mut entries = 0;
    let mut warnings = 0;
    loop {
        match reader.next_event() {
            Ok(Some(Event::Url(page))) => {
                assert!(page.loc.starts_with("http"), "{}", page.loc);
                assert!(page.alternates.len() <= 3);
                outcome.urls.push(page.loc);
            }
            Ok(Some(Event::Sitemap(child))) => outcome.children.push(child.loc),
            Ok(Some(Event::Scp(entry))) => {
                entries += usize::from(matches!(
                    entry,
                    ScpEntry::Section(_) | ScpEntry::Collection(_)
                ));
                outcome.scp.add(entry);
            }
            Ok(Some(Event::Warning(warning))) => {
                warnings += 1;
                // These are told when their piece of the file is fetched, early or late.
                if warning.code() != "invalid-bytes" {
                    outcome.warnings.push(warning.to_string());
                }
            }
            Ok(Some(_)) => {}
            Ok(None) => break,
            Err(error) => {
                // How much of a damaged stream is good depends on the steps it is taken in.
                outcome.end = Err(match error.code() {
                    "decompress" => "decompress".to_owned(),
                    _ => error.to_string(),
                });
                assert!(
                    reader
                        .next_event()
                        .expect("nothing after an error")
                        .is_none()
                );
                break;
            }
        }
    }
    entries += outcome.urls.len() + outcome.children.len();
    assert!(entries <= 50);
    assert_eq!(reader.counts().warnings, warnings);
    outcome.kind = reader.kind();
    outcome
}

/// How the bytes arrive does not matter.
pub fn check(data: &[u8]) -> Outcome {
    let outcome = read(data);
    let dribbled = read(Dribble(data));
    let damaged = Err("decompress".to_owned());
    if outcome.end != damaged && dribbled.end != damaged {
        assert_eq!(dribbled, outcome);
    }
    outcome
}

/// What can be extended has the same entries as before, what it was extended with, and is not
/// changed by extending it once more.
pub fn check_extended(data: &[u8], before: &Outcome) {
    let scp = ScpBlock {
        version: Some("0.1".to_owned()),
        ..ScpBlock::default()
    };
    let extended = |data: &[u8]| -> Result<Vec<u8>, WriteError> {
        let mut out = Vec::new();
        extend(data, &mut out, &scp, &limits())?;
        Ok(out)
    };
    let Ok(new) = extended(data) else {
        return;
    };
    assert_eq!(extended(&new).expect("what was extended can be"), new);
    if before.end.is_ok() {
        let after = read(&new[..]);
        assert_eq!(after.end, Ok(()));
        assert_eq!(after.urls, before.urls);
        assert_eq!(after.children, before.children);
        assert_eq!(after.scp, scp);
    }
}
