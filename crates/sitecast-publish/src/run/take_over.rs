//! Collections that are published elsewhere and will be named here, too.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

use sitecast_scp::ReaderOptions;
use sitecast_sitemap::UpdateFrequency;
use sitecast_storage::{Body, Condition, Put, Store, StoreError};

use super::Run;
use crate::PublishError;
use crate::chain::{Chain, CollectionFile, Link};
use crate::collections::attributes;
use crate::report::Report;
use crate::schedule::Lifetimes;

impl Run<'_> {
    /// Copies them from where the last publication is, each after a look at all of it. Without what makes up the
    /// present nobody can go on; the rest is only for those who come from long ago, and is named no longer if it is not
    /// whole.
    pub(super) fn take_over(
        &self,
        chains: &mut [Chain],
        retired: &mut [(String, Chain)],
        report: &mut Report,
    ) -> Result<(), PublishError> {
        let Some(previous) = self.previous else {
            return Ok(());
        };
        let frequencies = self
            .options
            .sections
            .iter()
            .map(|section| section.update_frequency);
        let chains = chains.iter_mut().zip(frequencies);
        let retired = retired
            .iter_mut()
            .map(|(_, chain)| (chain, UpdateFrequency::Daily));
        for (chain, frequency) in chains.chain(retired) {
            let present_from = chain.snapshot().map(|link| link.generated);
            for mut link in std::mem::take(&mut chain.links) {
                let files = std::mem::take(&mut link.files);
                let mut problem = None;
                for file in files {
                    match self.copy(previous, &link, &file, Lifetimes::of(frequency))? {
                        None => link.files.push(file),
                        Some(why) => problem = Some((file.path.to_string(), why)),
                    }
                }
                if let Some((path, problem)) = problem {
                    let is_needed = present_from.is_none_or(|from| link.generated >= from);
                    if is_needed && link.files.is_empty() {
                        return Err(PublishError::Previous { path, problem });
                    }
                    let note = format!("`{path}` is named no longer: {problem}");
                    report.notes.push(note);
                }
                if !link.files.is_empty() {
                    chain.links.push(link);
                }
            }
        }
        Ok(())
    }

    /// Copies one file, unless it is here already; answers what is wrong with it.
    fn copy(
        &self,
        from: &dyn Store,
        link: &Link,
        file: &CollectionFile,
        lifetimes: Lifetimes,
    ) -> Result<Option<String>, PublishError> {
        if self.store.get(&file.path)?.is_some() {
            return Ok(None);
        }
        let Some(mut object) = from.get(&file.path)? else {
            return Ok(Some(format!("it is missing in `{}`", from.name())));
        };
        let folder = self.store.scratch()?;
        let failed = |source| PublishError::Scratch {
            folder: folder.display().to_string(),
            source,
        };
        let mut copy = tempfile::NamedTempFile::new_in(&folder).map_err(failed)?;
        let (mut size, mut buffer) = (0, vec![0; 64 << 10]);
        loop {
            // Told apart from what goes wrong here: who reads of a full disk does not look at the network.
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
        if let Err(problem) = self.verify(copy.path(), link) {
            return Ok(Some(problem));
        }
        let (_, copy) = copy.keep().map_err(|error| failed(error.error))?;
        self.store.put(Put {
            path: file.path.clone(),
            body: Body::File(copy),
            attributes: attributes(file.compression, link.kind, lifetimes),
            condition: Condition::Absent,
        })?;
        Ok(None)
    }

    /// Reads a collection to its end, and looks whether it is the one that it was taken for.
    fn verify(&self, file: &Path, link: &Link) -> Result<(), String> {
        let wrong = |error: &dyn std::fmt::Display| error.to_string();
        let file = File::open(file).map_err(|error| wrong(&error))?;
        let options = ReaderOptions {
            limits: self.options.limits.clone(),
            ..ReaderOptions::default()
        };
        let mut reader = options.read_ahead(file).map_err(|error| wrong(&error))?;
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
}
