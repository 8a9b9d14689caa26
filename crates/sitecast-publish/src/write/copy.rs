//! Copies the collections of a publication that is in another store.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

use sitecast_sitemap::UpdateFrequency;
use sitecast_storage::{Body, Condition, Put, Store, StoreError};

use crate::PublishError;
use crate::collections::{Chain, CollectionFile, Lifetimes, Link, attributes, reading};
use crate::plan::Publication;
use crate::run::Run;

/// Copies the collections, each after reading all of it. Without the newest snapshot and the deltas after it no agent
/// can continue, and the run fails; older collections that are not whole are no longer named.
pub(super) fn copy_previous(
    run: &Run<'_>,
    publication: &mut Publication,
    notes: &mut Vec<String>,
) -> Result<(), PublishError> {
    let Some(previous) = run.previous else {
        return Ok(());
    };
    let frequencies = run.options.sections.iter();
    let frequencies = frequencies.map(|section| section.update_frequency);
    let chains = publication.chains.iter_mut().zip(frequencies);
    let retired = publication.retired.iter_mut();
    let retired = retired.map(|(_, chain)| (chain, UpdateFrequency::Daily));
    for (chain, frequency) in chains.chain(retired) {
        copy_chain(run, previous, chain, Lifetimes::of(frequency), notes)?;
    }
    Ok(())
}

fn copy_chain(
    run: &Run<'_>,
    previous: &dyn Store,
    chain: &mut Chain,
    lifetimes: Lifetimes,
    notes: &mut Vec<String>,
) -> Result<(), PublishError> {
    let present_from = chain.snapshot().map(|link| link.generated);
    for mut link in std::mem::take(&mut chain.links) {
        let mut problem = None;
        for file in std::mem::take(&mut link.files) {
            match copy(run, previous, &link, &file, lifetimes)? {
                None => link.files.push(file),
                Some(why) => problem = Some((file.path.to_string(), why)),
            }
        }
        if let Some((path, problem)) = problem {
            let is_needed = present_from.is_none_or(|from| link.generated >= from);
            if is_needed && link.files.is_empty() {
                return Err(PublishError::Previous { path, problem });
            }
            notes.push(format!("`{path}` is named no longer: {problem}"));
        }
        if !link.files.is_empty() {
            chain.links.push(link);
        }
    }
    Ok(())
}

/// Copies one file, unless it is here already; returns what is wrong with it.
fn copy(
    run: &Run<'_>,
    from: &dyn Store,
    link: &Link,
    file: &CollectionFile,
    lifetimes: Lifetimes,
) -> Result<Option<String>, PublishError> {
    if run.store.get(&file.path)?.is_some() {
        return Ok(None);
    }
    let Some(mut object) = from.get(&file.path)? else {
        return Ok(Some(format!("it is missing in `{}`", from.name())));
    };
    let folder = run.store.scratch()?;
    let failed = |source| PublishError::scratch(&folder, source);
    let mut copy = tempfile::NamedTempFile::new_in(&folder).map_err(failed)?;
    let (mut size, mut buffer) = (0, vec![0; 64 << 10]);
    loop {
        // An error of the other store, not of this disk.
        let broken_off = |source| StoreError::Io {
            action: "read",
            place: format!("{} in {}", file.path, from.name()),
            source,
        };
        let length = object.reader.read(&mut buffer).map_err(broken_off)?;
        let Some(bytes @ [_, ..]) = buffer.get(..length) else {
            break;
        };
        copy.write_all(bytes).map_err(failed)?;
        size += length as u64;
    }
    if file.size != 0 && size != file.size {
        let named = file.size;
        return Ok(Some(format!(
            "it has {size} bytes, and the sitemap says {named}"
        )));
    }
    if let Err(problem) = verify(run, copy.path(), link) {
        return Ok(Some(problem));
    }
    let (_, copy) = copy.keep().map_err(|error| failed(error.error))?;
    run.store.put(Put {
        path: file.path.clone(),
        body: Body::File(copy),
        attributes: attributes(file.compression, link.kind, lifetimes),
        condition: Condition::Absent,
    })?;
    Ok(None)
}

/// Reads a collection to its end, and checks that it is the one that the sitemap names.
fn verify(run: &Run<'_>, file: &Path, link: &Link) -> Result<(), String> {
    let wrong = |error: &dyn std::fmt::Display| error.to_string();
    let file = File::open(file).map_err(|error| wrong(&error))?;
    let mut reader = reading(run.options)
        .read_ahead(file)
        .map_err(|error| wrong(&error))?;
    while reader
        .next_event()
        .map_err(|error| wrong(&error))?
        .is_some()
    {}
    match reader.collection() {
        Some(collection) if collection.generated == link.generated => Ok(()),
        _ => Err(format!("it is not the collection of {}", link.generated)),
    }
}
