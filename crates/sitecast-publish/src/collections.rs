//! Writing collections, in all compressions at once.

use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use sitecast_scp::{
    Collection, Compression, HttpUrl, Identifier, Report, Timestamp, WriterOptions,
};
use sitecast_storage::{Attributes, Body, Condition, Put, Store, StorePath};

use crate::chain::{CollectionFile, Link, LinkKind, name_of};
use crate::schedule::Lifetimes;
use crate::{Options, PublishError, Section};

/// Lines that are handed to the writers at once.
const BATCH: usize = 256 << 10;

/// A collection that is written but not yet where it belongs.
pub(crate) struct Prepared {
    pub(crate) link: Link,
    pub(crate) uncompressed_bytes: u64,
    files: Vec<(PathBuf, CollectionFile)>,
    attributes: Vec<Attributes>,
}

/// What a collection is to be.
pub(crate) struct Plan<'a> {
    pub(crate) section: &'a Section,
    pub(crate) kind: LinkKind,
    pub(crate) generated: Timestamp,
    pub(crate) deleted: Vec<HttpUrl>,
}

/// Takes the lines of a collection, one by one.
pub(crate) struct Lines<'a> {
    batch: String,
    writers: &'a [SyncSender<Arc<str>>],
}

impl Lines<'_> {
    pub(crate) fn add(&mut self, line: &str) {
        self.batch.push_str(line);
        self.batch.push('\n');
        if self.batch.len() >= BATCH {
            self.send();
        }
    }

    fn send(&mut self) {
        let batch: Arc<str> = std::mem::take(&mut self.batch).into();
        for writer in self.writers {
            // A writer that is gone has failed, and will say why.
            let _ = writer.send(Arc::clone(&batch));
        }
    }
}

/// Writes a collection into files of the store's scratch folder, one for each compression, each on
/// a thread of its own. `produce` hands over the lines.
pub(crate) fn prepare(
    plan: &Plan<'_>,
    store: &dyn Store,
    options: &Options,
    produce: impl FnOnce(&mut Lines<'_>) -> Result<(), PublishError>,
) -> Result<Prepared, PublishError> {
    let name = name_of(&plan.section.name, plan.kind, plan.generated);
    let collection = describe(plan, &name)?;
    let scratch = store.scratch()?;
    let targets: Vec<(Compression, PathBuf, StorePath)> = options
        .compressions
        .iter()
        .map(|compression| {
            let file = format!("{name}{}", compression.extension());
            let path = format!("{}/{file}", options.collections).parse().map_err(
                |error: sitecast_storage::InvalidPath| PublishError::Settings(error.to_string()),
            )?;
            Ok((*compression, scratch.join(&file), path))
        })
        .collect::<Result<_, PublishError>>()?;
    let reports = std::thread::scope(|scope| {
        let mut senders = Vec::new();
        let mut writers = Vec::new();
        for (compression, file, path) in &targets {
            let (send, receive) = sync_channel(4);
            senders.push(send);
            let collection = &collection;
            let limits = options.limits.clone();
            writers.push(scope.spawn(move || {
                write(*compression, file, collection, limits, &receive).map_err(|source| {
                    PublishError::Collection {
                        path: path.to_string(),
                        source,
                    }
                })
            }));
        }
        let mut lines = Lines {
            batch: String::with_capacity(BATCH + (64 << 10)),
            writers: &senders,
        };
        let produced = produce(&mut lines);
        lines.send();
        drop(senders);
        let mut reports = Vec::new();
        for writer in writers {
            let Ok(report) = writer.join() else {
                return Err(PublishError::Settings("a writer stopped".to_owned()));
            };
            reports.push(report?);
        }
        produced.map(|()| reports)
    })?;
    let lifetimes = Lifetimes::of(plan.section.update_frequency);
    let mut prepared = Prepared {
        link: Link {
            kind: plan.kind,
            generated: plan.generated,
            expires: lifetimes.expires(plan.generated),
            pages: reports.first().map_or(0, |report| report.pages),
            files: Vec::new(),
        },
        uncompressed_bytes: reports
            .first()
            .map_or(0, |report| report.uncompressed_bytes),
        files: Vec::new(),
        attributes: Vec::new(),
    };
    for ((compression, file, path), report) in targets.into_iter().zip(reports) {
        let stored = CollectionFile {
            path,
            compression,
            size: report.compressed_bytes,
        };
        prepared.link.files.push(stored.clone());
        prepared.files.push((file, stored));
        prepared
            .attributes
            .push(attributes(compression, plan.kind, lifetimes));
    }
    Ok(prepared)
}

fn describe(plan: &Plan<'_>, name: &str) -> Result<Collection, PublishError> {
    let id: Identifier = name
        .parse()
        .map_err(|_| PublishError::Settings(format!("`{name}` cannot name a collection")))?;
    let section = plan.section.name.clone();
    let mut collection = match plan.kind {
        LinkKind::Snapshot => Collection::snapshot(id, section, plan.generated),
        LinkKind::Delta { since } => Collection::delta(id, section, plan.generated, since),
    };
    collection.deleted.clone_from(&plan.deleted);
    Ok(collection)
}

fn write(
    compression: Compression,
    file: &PathBuf,
    collection: &Collection,
    limits: sitecast_scp::Limits,
    batches: &Receiver<Arc<str>>,
) -> Result<Report, sitecast_scp::WriteError> {
    let out = BufWriter::with_capacity(1 << 20, File::create(file)?);
    let options = WriterOptions {
        limits: sitecast_scp::Limits {
            // No URL comes twice: the ledger has seen to it.
            tracked_urls: 0,
            ..limits
        },
        ..WriterOptions::new(compression)
    };
    let mut writer = options.create(out, collection)?;
    for batch in batches {
        for line in batch.split_terminator('\n') {
            writer.write_line(line)?;
        }
    }
    let (mut out, report) = writer.finish()?;
    std::io::Write::flush(&mut out)?;
    Ok(report)
}

/// How a collection is to be served (SCP draft 3, "Caching").
pub(crate) fn attributes(
    compression: Compression,
    kind: LinkKind,
    lifetimes: Lifetimes,
) -> Attributes {
    Attributes {
        content_type: Some("application/scp".to_owned()),
        content_encoding: match compression {
            Compression::None => None,
            Compression::Gzip | Compression::Zstd => Some(compression.name().to_owned()),
        },
        cache_control: Some(cache_control(kind, lifetimes)),
    }
}

pub(crate) fn cache_control(kind: LinkKind, lifetimes: Lifetimes) -> String {
    let is_snapshot = matches!(kind, LinkKind::Snapshot);
    lifetimes.frequency.cache_control(is_snapshot)
}

impl Prepared {
    /// Puts the files where they belong. Names are immutable: what is there already was written
    /// by somebody else at this very moment.
    pub(crate) fn commit(self, store: &dyn Store) -> Result<Link, PublishError> {
        for ((file, stored), attributes) in self.files.into_iter().zip(self.attributes) {
            store.put(Put {
                path: stored.path,
                body: Body::File(file),
                attributes,
                condition: Condition::Absent,
            })?;
        }
        Ok(self.link)
    }
}
