//! What was in each folder when they were looked through, so that they need not be looked through again: to ask a folder
//! when it was last changed takes a quarter of the time.
//!
//! That is believed only on file systems that are known to keep these dates, of folders that had been left alone for longer
//! than the coarsest clock can tell, and if all of them are as they were. The files in them are looked at in any case.

use std::fs::{self, File, Metadata};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::SystemTime;

use twox_hash::XxHash3_128;

use super::{changed, is_settled};
use crate::lock::lock;

/// What the file begins with.
const FORM: &str = "folders of Sitecast, with access rules";
/// What it ends with, in place of a folder, before a hash of all that precedes: a part of it would say that there are no other
/// folders, and so might what two who write at the same moment make of it.
const END: &str = "//";

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

    fn new_file(&self) -> PathBuf {
        self.file.with_extension("new")
    }
}

/// The folders of a source as they were. There may be millions, so they stay in the text that they were read from.
#[derive(Debug)]
pub(super) struct Memory {
    text: String,
    device: u64,
    /// Where every so many of them begin, and where all of them end.
    starts: Vec<usize>,
}

/// So many folders are recalled at once.
const AT_ONCE: usize = 64;

impl Memory {
    /// `None` where nothing is remembered, or not of this source.
    pub(super) fn open(place: &Place) -> Option<Self> {
        let text = fs::read_to_string(&place.file).ok()?;
        let starts = read(&text, &place.head)?;
        Some(Self {
            text,
            device: place.device,
            starts,
        })
    }

    /// How many portions of folders there are.
    pub(super) fn portions(&self) -> usize {
        self.starts.len() - 1
    }

    /// The folders of a portion.
    pub(super) fn portion(&self, number: usize) -> impl Iterator<Item = Remembered<'_>> {
        let range = self.starts.get(number).zip(self.starts.get(number + 1));
        let mut text = range
            .and_then(|(start, end)| self.text.get(*start..*end))
            .unwrap_or_default();
        std::iter::from_fn(move || {
            let (path, rest) = text.split_once('\0')?;
            let (state, rest) = rest.split_once('\0')?;
            let names = rest.get(..length_of_names(rest)?)?;
            text = rest.get(names.len() + 1..)?;
            Some(Remembered {
                path,
                state,
                names,
                device: self.device,
            })
        })
    }
}

/// A folder as it was.
#[derive(Debug, Clone, Copy)]
pub(super) struct Remembered<'m> {
    pub(super) path: &'m str,
    state: &'m str,
    names: &'m str,
    device: u64,
}

impl<'m> Remembered<'m> {
    /// What may be pages in it, if it is still so.
    pub(super) fn names(self, metadata: &Metadata) -> Option<impl Iterator<Item = &'m str>> {
        let is_still_so = state(metadata, self.device)? == self.state;
        is_still_so.then(|| self.names.split_terminator('\0'))
    }
}

/// Writes down what is in folders that are being looked through.
pub(super) struct Notes<'p> {
    place: &'p Place,
    now: SystemTime,
    /// `None` when there is a folder that cannot be relied on: only all of them are worth anything.
    out: Mutex<Option<Out>>,
}

struct Out {
    file: BufWriter<File>,
    /// Of all that was written.
    hash: XxHash3_128,
}

impl Out {
    fn write(&mut self, text: &str) -> io::Result<()> {
        self.hash.write(text.as_bytes());
        self.file.write_all(text.as_bytes())
    }

    fn end(mut self) -> io::Result<()> {
        let hash = self.hash.finish_128();
        write!(self.file, "{END}\0{hash:x}\0")?;
        self.file.flush()
    }
}

impl<'p> Notes<'p> {
    pub(super) fn begin(place: &'p Place, now: SystemTime) -> Self {
        let begin = || -> io::Result<Out> {
            if let Some(folder) = place.file.parent() {
                fs::create_dir_all(folder)?;
            }
            let file = BufWriter::with_capacity(64 << 10, File::create(place.new_file())?);
            let hash = XxHash3_128::new();
            let mut out = Out { file, hash };
            out.write(&place.head)?;
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
    /// Names end with a zero each.
    pub(super) fn add(&self, folder: &str, metadata: Option<&Metadata>, names: Option<&str>) {
        let settled = metadata.filter(|metadata| self.is_settled(metadata));
        let state = settled.and_then(|metadata| state(metadata, self.place.device));
        let mut out = lock(&self.out);
        let written = match (out.as_mut(), state, names) {
            (Some(out), Some(state), Some(names)) => {
                let line = format!("{folder}\0{state}\0{names}\0");
                out.write(&line).is_ok()
            }
            _ => false,
        };
        if !written {
            *out = None;
        }
    }

    /// Whether what is done to a folder from now on will give it another date.
    fn is_settled(&self, metadata: &Metadata) -> bool {
        let is_settled = |date: SystemTime| is_settled(date, self.now);
        metadata.modified().is_ok_and(is_settled) && changed(metadata).is_some_and(is_settled)
    }

    /// Keeps it for the next time. What is dropped instead is not.
    pub(super) fn keep(self) {
        let mut out = lock(&self.out);
        if let Some(Ok(())) = out.take().map(Out::end) {
            let _ = fs::rename(self.place.new_file(), &self.place.file);
        }
    }
}

impl Drop for Notes<'_> {
    fn drop(&mut self) {
        // Where it was kept there is none.
        let _ = fs::remove_file(self.place.new_file());
    }
}

/// Where the portions of what a file speaks of begin, and where the last of them ends; `None` where the file is damaged, or does
/// not begin as it should. Of each folder it has its path, its state and the names in it, all of which end with a zero, as do
/// all names together.
fn read(text: &str, head: &str) -> Option<Vec<usize>> {
    let mut starts = Vec::new();
    let mut rest = text.strip_prefix(head)?;
    for number in 0.. {
        let start = text.len() - rest.len();
        let (path, after) = rest.split_once('\0')?;
        if number % AT_ONCE == 0 || path == END {
            starts.push(start);
        }
        if path == END {
            let hash = XxHash3_128::oneshot(text.get(..start)?.as_bytes());
            // The folder of all folders is there in any case.
            let is_whole = number > 0 && after == format!("{hash:x}\0");
            return is_whole.then_some(starts);
        }
        let (_, names) = after.split_once('\0')?;
        rest = names.get(length_of_names(names)? + 1..)?;
    }
    None
}

/// How long the names of a folder are that this text begins with.
fn length_of_names(text: &str) -> Option<usize> {
    // Up to the zero that is at its own beginning: an empty name.
    let mut begin = 0;
    for zero in memchr::memchr_iter(0, text.as_bytes()) {
        if zero == begin {
            return Some(begin);
        }
        begin = zero + 1;
    }
    None
}

/// Which folder of this device it is, whatever its name, and when it was last changed: by its date, and in any way.
#[cfg(target_os = "linux")]
fn state(metadata: &Metadata, device: u64) -> Option<String> {
    use std::os::unix::fs::MetadataExt;

    // Where there are only whole seconds, one can come again when the clock is set back.
    let is_told = metadata.is_dir() && metadata.dev() == device && metadata.ctime_nsec() != 0;
    if !is_told {
        return None;
    }
    let mut hash = XxHash3_128::new();
    hash.write(&metadata.ino().to_le_bytes());
    for time in [
        metadata.mtime(),
        metadata.mtime_nsec(),
        metadata.ctime(),
        metadata.ctime_nsec(),
    ] {
        hash.write(&time.to_le_bytes());
    }
    Some(format!("{:x}", hash.finish_128() as u64))
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
fn state(_metadata: &Metadata, _device: u64) -> Option<String> {
    None
}

#[cfg(not(target_os = "linux"))]
fn keeps_dates(_folder: &Path) -> Option<u64> {
    None
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests;
