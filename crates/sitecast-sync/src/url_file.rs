//! URLs in a file of the site's scratch folder: written at its end, read from its beginning. What waits to be
//! fetched, and what was found, waits on disk and not in memory.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use crate::SyncError;

/// The longest line that is read back.
const LONGEST: u64 = 64 << 10;

/// A queue of URLs in a file, which is removed when it is dropped.
pub(crate) struct UrlFile {
    path: PathBuf,
    writer: BufWriter<File>,
    reader: BufReader<File>,
    /// URLs that wait.
    len: u64,
    /// Bytes that can still be written.
    room: u64,
}

impl UrlFile {
    /// An empty file in place of one that an earlier run may have left, for so many bytes at most.
    pub(crate) fn create(path: PathBuf, room: u64) -> Result<Self, SyncError> {
        let open = || -> io::Result<_> {
            let writer = BufWriter::new(File::create(&path)?);
            Ok((writer, BufReader::new(File::open(&path)?)))
        };
        match open() {
            Ok((writer, reader)) => Ok(Self {
                path,
                writer,
                reader,
                len: 0,
                room,
            }),
            Err(source) => Err(SyncError::Scratch { path, source }),
        }
    }

    /// Puts a URL behind the others. Answers whether there was room for it.
    pub(crate) fn push(&mut self, url: &str) -> Result<bool, SyncError> {
        let bytes = url.len() as u64 + 1;
        if bytes > self.room || bytes > LONGEST || url.contains('\n') {
            return Ok(false);
        }
        self.room -= bytes;
        let written = self.writer.write_all(url.as_bytes());
        let written = written.and_then(|()| self.writer.write_all(b"\n"));
        written.map_err(|source| self.failed(source))?;
        self.len += 1;
        Ok(true)
    }

    /// Takes the first URL.
    pub(crate) fn pop(&mut self) -> Result<Option<String>, SyncError> {
        if self.len == 0 {
            return Ok(None);
        }
        let mut line = String::new();
        let flushed = self.writer.flush();
        let read = flushed.and_then(|()| self.reader.by_ref().take(LONGEST).read_line(&mut line));
        if read.map_err(|source| self.failed(source))? == 0 {
            self.len = 0;
            return Ok(None);
        }
        self.len -= 1;
        if line.ends_with('\n') {
            line.pop();
        }
        Ok(Some(line))
    }

    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Moves what waits into a file that stays, or removes that file if nothing does.
    pub(crate) fn save(&mut self, to: &Path) -> Result<(), SyncError> {
        let mut save = || -> io::Result<()> {
            if self.len == 0 {
                return match fs::remove_file(to) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                    _ => Ok(()),
                };
            }
            self.writer.flush()?;
            let aside = to.with_extension("new");
            io::copy(&mut self.reader, &mut File::create(&aside)?)?;
            fs::rename(&aside, to)
        };
        save().map_err(|source| SyncError::Scratch {
            path: to.to_owned(),
            source,
        })?;
        self.len = 0;
        Ok(())
    }

    fn failed(&self, source: io::Error) -> SyncError {
        SyncError::Scratch {
            path: self.path.clone(),
            source,
        }
    }
}

impl Drop for UrlFile {
    fn drop(&mut self) {
        // What stays behind is overwritten by the next run.
        let _ = fs::remove_file(&self.path);
    }
}

/// The URLs that [`UrlFile::save`] left there; none if there is no such file.
pub(crate) fn saved(path: &Path) -> Option<impl Iterator<Item = String> + use<>> {
    let file = BufReader::new(File::open(path).ok()?);
    Some(file.lines().map_while(Result::ok))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_waits_comes_out_in_order_and_can_be_saved() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("links.urls");
        let kept = folder.path().join("waiting.urls");
        let mut file = UrlFile::create(path.clone(), 20).unwrap();
        assert!(file.push("first").unwrap());
        assert_eq!(file.pop().unwrap().as_deref(), Some("first"));
        assert_eq!(file.pop().unwrap(), None);
        assert!(file.push("second").unwrap() && file.push("third").unwrap());
        assert!(!file.push("fourth").unwrap(), "there is room for 20 bytes");
        assert_eq!(file.pop().unwrap().as_deref(), Some("second"));
        file.save(&kept).unwrap();
        let saved: Vec<String> = saved(&kept).unwrap().collect();
        assert_eq!(saved, ["third"]);
        file.save(&kept).unwrap();
        assert!(!kept.exists(), "nothing waits any more");
        drop(file);
        assert!(!path.exists());
    }
}
