//! What was in each folder when they were looked through, so that they need not be looked through again: to ask a folder
//! when it was last changed takes a quarter of the time.
//!
//! That is believed only on file systems that are known to keep these dates, of folders that had been left alone for longer
//! than the coarsest clock can tell, and if all of them are as they were. The files in them are looked at in any case.

use std::fs::{self, File, Metadata};
use std::io::{self, BufWriter, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use super::COARSE;

/// What the file begins with.
const FORM: &str = "folders of Sitecast";
/// What it ends with, in place of a folder: a part of it would say that there are no others.
const END: &str = "//";

/// What something in a folder is that may be a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Link,
    /// A file, or what is neither.
    Other,
}

/// Where a memory is, and of what.
#[derive(Debug)]
pub(super) struct Place {
    file: PathBuf,
    /// The device that all folders have to be on.
    device: u64,
    /// What the file has to begin with.
    head: String,
}

impl Place {
    /// `None` where folders cannot be relied on.
    pub(super) fn of(file: &Path, root: &Path) -> Option<Self> {
        let device = keeps_dates(root)?;
        // Another version may have other names in mind.
        let version = env!("CARGO_PKG_VERSION");
        Some(Self {
            file: file.to_owned(),
            device,
            head: format!("{FORM} {version}\0{}\0{device}\0", root.to_str()?),
        })
    }
}

/// The folders of a source as they were. There may be millions, so all that is known of them is in one text.
#[derive(Debug)]
pub(super) struct Memory<'p> {
    place: &'p Place,
    text: String,
    folders: Vec<Folder>,
}

#[derive(Debug)]
struct Folder {
    path: Range<usize>,
    state: State,
    names: Range<usize>,
}

/// Which folder it is, whatever its name, and when it was last changed: by its date, and in any way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct State([u64; 5]);

impl<'p> Memory<'p> {
    /// `None` where nothing is remembered, or not of this source.
    pub(super) fn open(place: &'p Place) -> Option<Self> {
        let text = fs::read_to_string(&place.file).ok()?;
        let folders = read(&text, &place.head)?;
        Some(Self {
            place,
            text,
            folders,
        })
    }

    /// How many folders there are.
    pub(super) fn len(&self) -> usize {
        self.folders.len()
    }

    /// The path of a folder.
    pub(super) fn path(&self, number: usize) -> Option<&str> {
        self.text.get(self.folders.get(number)?.path.clone())
    }

    /// What may be pages in a folder, if it is as it was.
    pub(super) fn names(
        &self,
        number: usize,
        metadata: &Metadata,
    ) -> Option<impl Iterator<Item = (&str, Kind)>> {
        let folder = self.folders.get(number)?;
        let is_as_it_was = state(metadata, self.place.device)? == folder.state;
        let names = self.text.get(folder.names.clone())?;
        is_as_it_was.then(|| names.split_terminator('\0').map(told))
    }
}

/// A name and its kind, from how it is written.
fn told(name: &str) -> (&str, Kind) {
    match name.strip_suffix('/') {
        Some(name) => (name, Kind::Link),
        None => (name, Kind::Other),
    }
}

/// Names as they are written: a slash at the end, which no name has, says that it is a link.
#[derive(Debug, Default)]
pub(super) struct Names(String);

impl Names {
    pub(super) fn add(&mut self, name: &str, kind: Kind) {
        self.0.push_str(name);
        self.0.push_str(match kind {
            Kind::Link => "/",
            Kind::Other => "",
        });
        self.0.push('\0');
    }
}

/// Writes down what is in folders that are being looked through.
#[derive(Debug)]
pub(super) struct Notes<'p> {
    place: &'p Place,
    now: SystemTime,
    /// `None` when there is a folder that cannot be relied on: only all of them are worth anything.
    out: Mutex<Option<BufWriter<File>>>,
}

impl<'p> Notes<'p> {
    pub(super) fn begin(place: &'p Place, now: SystemTime) -> Self {
        let begin = || -> io::Result<BufWriter<File>> {
            if let Some(folder) = place.file.parent() {
                fs::create_dir_all(folder)?;
            }
            let mut out = BufWriter::with_capacity(64 << 10, File::create(place.new_file())?);
            out.write_all(place.head.as_bytes())?;
            Ok(out)
        };
        Self {
            place,
            now,
            // Where it cannot be written, the next time takes longer, no more.
            out: Mutex::new(begin().ok()),
        }
    }

    /// Takes down a folder, which was asked for its state before it was looked through.
    pub(super) fn add(&self, folder: &str, metadata: Option<&Metadata>, names: Option<&Names>) {
        let settled = metadata.filter(|metadata| self.is_settled(metadata));
        let state = settled.and_then(|metadata| state(metadata, self.place.device));
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        let written = match (out.as_mut(), state, names) {
            (Some(out), Some(State([a, b, c, d, e])), Some(Names(names))) => {
                write!(out, "{folder}\0{a} {b} {c} {d} {e}\0{names}\0").is_ok()
            }
            _ => false,
        };
        if !written {
            *out = None;
        }
    }

    /// Whether what is done to a folder from now on will give it another date.
    fn is_settled(&self, metadata: &Metadata) -> bool {
        let is_old =
            |time: SystemTime| time.checked_add(COARSE).is_some_and(|time| time < self.now);
        metadata.modified().is_ok_and(is_old) && super::changed(metadata).is_some_and(is_old)
    }

    /// Keeps it for the next time.
    pub(super) fn keep(self) {
        let out = self.out.into_inner();
        let out = out.unwrap_or_else(PoisonError::into_inner);
        let written = out.map(|mut out| write!(out, "{END}\0").and_then(|()| out.flush()));
        let new_file = self.place.new_file();
        match written {
            Some(Ok(())) => drop(fs::rename(new_file, &self.place.file)),
            Some(Err(_)) | None => drop(fs::remove_file(new_file)),
        }
    }
}

impl Place {
    fn new_file(&self) -> PathBuf {
        self.file.with_extension("new")
    }
}

/// The folders that a file speaks of; `None` where it is damaged, or does not begin as it should. Of each its path, its state
/// and the names in it, all of which end with a zero, as do all names together.
fn read(text: &str, head: &str) -> Option<Vec<Folder>> {
    // The path, the state and one name take about so many bytes.
    let mut folders = Vec::with_capacity(text.len() / 80);
    let mut at = text.starts_with(head).then_some(head.len())?;
    let up_to_zero = |at: &mut usize| -> Option<Range<usize>> {
        let start = *at;
        let length = memchr::memchr(0, text.as_bytes().get(start..)?)?;
        *at = start + length + 1;
        Some(start..start + length)
    };
    loop {
        let path = up_to_zero(&mut at)?;
        if text.get(path.clone())? == END {
            return Some(folders);
        }
        let mut numbers = text.get(up_to_zero(&mut at)?)?.split(' ');
        let mut number = || numbers.next()?.parse().ok();
        let state = State([number()?, number()?, number()?, number()?, number()?]);
        let first = at;
        while !up_to_zero(&mut at)?.is_empty() {}
        folders.push(Folder {
            path,
            state,
            names: first..at - 1,
        });
    }
}

/// The state of a folder of this device.
#[cfg(target_os = "linux")]
fn state(metadata: &Metadata, device: u64) -> Option<State> {
    use std::os::unix::fs::MetadataExt;

    let times = [
        metadata.mtime(),
        metadata.mtime_nsec(),
        metadata.ctime(),
        metadata.ctime_nsec(),
    ];
    let [a, b, c, d] = times.map(i64::cast_unsigned);
    let is_told = metadata.is_dir() && metadata.dev() == device;
    is_told.then(|| State([metadata.ino(), a, b, c, d]))
}

/// The device that a folder is on, if its file system dates folders anew whenever something is put into them, taken out or
/// given another name. Network and foreign file systems do not all do so, or not at once.
#[cfg(target_os = "linux")]
fn keeps_dates(folder: &Path) -> Option<u64> {
    use std::os::unix::fs::MetadataExt;

    // statfs(2): ext2 to ext4, XFS, Btrfs, F2FS, tmpfs.
    const KEEP_DATES: [u64; 5] = [0xef53, 0x5846_5342, 0x9123_683e, 0xf2f5_2010, 0x0102_1994];
    let kind = rustix::fs::statfs(folder).ok()?.f_type;
    let is_known = u64::try_from(kind).is_ok_and(|kind| KEEP_DATES.contains(&kind));
    let metadata = fs::metadata(folder).ok()?;
    is_known.then(|| metadata.dev())
}

#[cfg(not(target_os = "linux"))]
fn state(_metadata: &Metadata, _device: u64) -> Option<State> {
    None
}

#[cfg(not(target_os = "linux"))]
fn keeps_dates(_folder: &Path) -> Option<u64> {
    None
}
