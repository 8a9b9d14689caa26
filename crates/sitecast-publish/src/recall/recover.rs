//! Collections that no sitemap names, found by the names of their files.

use sitecast_scp::Timestamp;
use sitecast_storage::{Store, StorePath};

use crate::collections::{
    Chain, CollectionFile, Lifetimes, Link, LinkKind, collections_folder, compression_of, join,
    parse_name, reading,
};
use crate::{Options, PublishError};

/// Finds the collections by their names if no sitemap names them: a site's build often replaces the sitemap and
/// leaves the collections. Those from `end` on are of a run that was killed, perhaps of one section only.
pub(crate) fn recover(
    store: &dyn Store,
    options: &Options,
    end: Option<Timestamp>,
) -> Result<Vec<(String, Chain)>, PublishError> {
    let folder = collections_folder(options)?;
    let mut chains: Vec<(String, Chain)> = Vec::new();
    for listed in store.list(Some(&folder))? {
        let name = listed.path.parts().last().unwrap_or_default();
        let Some((section, _, time)) = parse_name(name) else {
            continue;
        };
        if end.is_some_and(|end| time >= end) {
            continue;
        }
        let section = section.to_owned();
        let Some(link) = recovered_link(store, &listed.path, listed.size, &section, options) else {
            continue;
        };
        let at = chains.iter().position(|(name, _)| *name == section);
        let at = at.unwrap_or_else(|| {
            chains.push((section, Chain::default()));
            chains.len() - 1
        });
        if let Some((_, chain)) = chains.get_mut(at) {
            join(chain, link);
        }
    }
    for (_, chain) in &mut chains {
        chain.sort();
    }
    Ok(chains)
}

/// Reads the metadata of a collection; `None` if the file is damaged.
fn recovered_link(
    store: &dyn Store,
    path: &StorePath,
    size: u64,
    section: &str,
    options: &Options,
) -> Option<Link> {
    let object = store.get(path).ok()??;
    let mut reader = reading(options).read_ahead(object.reader).ok()?;
    while reader.next_event().ok()?.is_some() {}
    let pages = reader.counts().pages;
    let collection = reader.collection()?;
    let frequency = options
        .sections
        .iter()
        .find(|known| known.name.as_str() == section)
        .map_or(sitecast_sitemap::UpdateFrequency::Daily, |known| {
            known.update_frequency
        });
    Some(Link {
        kind: match collection.kind.since() {
            Some(since) => LinkKind::Delta { since },
            None => LinkKind::Snapshot,
        },
        generated: collection.generated,
        expires: Lifetimes::of(frequency).expires(collection.generated),
        pages,
        checksum: collection.checksum,
        files: vec![CollectionFile {
            path: path.clone(),
            compression: compression_of(path),
            size,
        }],
    })
}
