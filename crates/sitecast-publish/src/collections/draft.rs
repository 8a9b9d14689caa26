//! Writing collections, in all compressions at once, while their lines are made.

use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use sitecast_scp::{
    CheckedLine, Collection, Compression, HttpUrl, Identifier, Report, Timestamp, WriterOptions,
};
use sitecast_storage::{Attributes, Body, Condition, Put, Store, StorePath};

use super::chain::{CollectionFile, Link, LinkKind, name_of};
use super::lifetimes::Lifetimes;
use crate::{Options, PublishError, Section, files};

/// Bytes of lines that are handed to the writers at once.
const BATCH: usize = 64 << 10;
/// Bytes of a file that are written at once.
const BUFFER: usize = 128 << 10;
/// Batches that may wait for a writer.
const WAITING: usize = 16;

/// A collection that is written but not yet where it belongs.
pub(crate) struct Prepared {
    pub(crate) link: Link,
    pub(crate) uncompressed_bytes: u64,
    files: Vec<(PathBuf, CollectionFile)>,
    attributes: Vec<Attributes>,
}

/// A collection that is to be written.
pub(crate) struct DraftPlan<'a> {
    pub(crate) section: &'a Section,
    pub(crate) kind: LinkKind,
    pub(crate) generated: Timestamp,
    pub(crate) deleted: Vec<HttpUrl>,
    /// About how many bytes its lines will have, where that is known.
    pub(crate) expected_bytes: Option<u64>,
}

/// A collection that is being written: into files of the store's scratch folder, one for each
/// compression, each on a thread of its own.
pub(crate) struct Draft {
    kind: LinkKind,
    generated: Timestamp,
    lifetimes: Lifetimes,
    batch: Batch,
    /// Its bytes.
    gathered: usize,
    /// To each of the writers.
    lines: Vec<SyncSender<Arc<Batch>>>,
    files: Vec<DraftFile>,
}

/// Lines on their way to the writers.
#[derive(Default)]
struct Batch {
    /// Pages that were just made.
    checked: Vec<CheckedLine>,
    /// Lines of earlier collections, which come after the others.
    carried: String,
}

/// One of the files, and who writes it.
struct DraftFile {
    compression: Compression,
    file: PathBuf,
    path: StorePath,
    writer: JoinHandle<Result<Report, sitecast_scp::WriteError>>,
}

impl Draft {
    /// Begins a collection.
    pub(crate) fn begin(
        plan: &DraftPlan<'_>,
        store: &dyn Store,
        options: &Options,
    ) -> Result<Self, PublishError> {
        let name = name_of(&plan.section.name, plan.kind, plan.generated);
        let collection = Arc::new(describe(plan, &name)?);
        let scratch = store.scratch()?;
        let mut draft = Self {
            kind: plan.kind,
            generated: plan.generated,
            lifetimes: Lifetimes::of(plan.section.update_frequency),
            batch: Batch::default(),
            gathered: 0,
            lines: Vec::new(),
            files: Vec::new(),
        };
        for compression in options.compressions.iter().copied() {
            let stored = format!("{name}{}", compression.extension());
            let path = files::parse(&format!("{}/{stored}", options.collections))?;
            let (lines, batches) = sync_channel(WAITING);
            let file = scratch.join(stored);
            let collection = Arc::clone(&collection);
            let writing = Writing {
                options: writer_options(compression, plan, options),
                file: file.clone(),
                batches,
            };
            draft.lines.push(lines);
            draft.files.push(DraftFile {
                compression,
                file,
                path,
                writer: std::thread::spawn(move || writing.write(&collection)),
            });
        }
        Ok(draft)
    }

    /// Adds a line.
    pub(crate) fn add(&mut self, line: &str) {
        self.batch.carried.push_str(line);
        self.batch.carried.push('\n');
        self.gathered(line);
    }

    /// Adds the line of a page that was just made.
    pub(crate) fn add_checked(&mut self, line: CheckedLine) {
        if !self.batch.carried.is_empty() {
            self.send();
        }
        self.gathered(line.as_str());
        self.batch.checked.push(line);
    }

    fn gathered(&mut self, line: &str) {
        self.gathered += line.len();
        if self.gathered >= BATCH {
            self.send();
        }
    }

    fn send(&mut self) {
        let batch = Arc::new(std::mem::take(&mut self.batch));
        self.gathered = 0;
        for writer in &self.lines {
            // A writer that ended has failed, and its result has the error.
            let _ = writer.send(Arc::clone(&batch));
        }
    }

    /// Waits until all files are written.
    pub(crate) fn finish(mut self) -> Result<Prepared, PublishError> {
        self.send();
        self.lines.clear();
        let mut prepared = Prepared {
            link: Link {
                kind: self.kind,
                generated: self.generated,
                expires: self.lifetimes.expires(self.generated),
                pages: 0,
                checksum: None,
                files: Vec::new(),
            },
            uncompressed_bytes: 0,
            files: Vec::new(),
            attributes: Vec::new(),
        };
        for file in std::mem::take(&mut self.files) {
            let Ok(written) = file.writer.join() else {
                return Err(PublishError::internal(
                    "a thread that writes a collection stopped",
                ));
            };
            let report = written.map_err(|source| PublishError::Collection {
                path: file.path.to_string(),
                source,
            })?;
            prepared.link.pages = report.pages;
            prepared.link.checksum = Some(report.checksum);
            prepared.uncompressed_bytes = report.uncompressed_bytes;
            let stored = CollectionFile {
                path: file.path,
                compression: file.compression,
                size: report.compressed_bytes,
            };
            prepared.link.files.push(stored.clone());
            prepared.files.push((file.file, stored));
            let attributes = attributes(file.compression, self.kind, self.lifetimes);
            prepared.attributes.push(attributes);
        }
        Ok(prepared)
    }
}

impl Drop for Draft {
    /// Removes the files of a draft that was not finished.
    fn drop(&mut self) {
        self.lines.clear();
        for file in self.files.drain(..) {
            let _ = file.writer.join();
            let _ = std::fs::remove_file(file.file);
        }
    }
}

fn describe(plan: &DraftPlan<'_>, name: &str) -> Result<Collection, PublishError> {
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

/// Returns the options for the writer of a file.
fn writer_options(
    compression: Compression,
    plan: &DraftPlan<'_>,
    options: &Options,
) -> WriterOptions {
    let usual = WriterOptions::new(compression);
    WriterOptions {
        limits: sitecast_scp::Limits {
            // No URL comes twice: the ledger has seen to it.
            tracked_urls: 0,
            ..options.limits.clone()
        },
        // Each file has a thread of its own already, and others make pages meanwhile: on few
        // cores more threads only take memory.
        workers: if options.threads > 2 {
            usual.workers
        } else {
            0
        },
        expected_bytes: plan.expected_bytes,
        ..usual
    }
}

/// The work of the thread that writes a file.
struct Writing {
    options: WriterOptions,
    file: PathBuf,
    batches: Receiver<Arc<Batch>>,
}

impl Writing {
    fn write(self, collection: &Collection) -> Result<Report, sitecast_scp::WriteError> {
        let out = BufWriter::with_capacity(BUFFER, File::create(&self.file)?);
        let mut writer = self.options.create(out, collection)?;
        for batch in self.batches {
            for line in &batch.checked {
                writer.write_checked(line)?;
            }
            for line in batch.carried.split_terminator('\n') {
                writer.write_line(line)?;
            }
        }
        let (mut out, report) = writer.finish()?;
        std::io::Write::flush(&mut out)?;
        Ok(report)
    }
}

/// Returns the attributes of a collection in the store (SCP draft 3, "Caching").
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
