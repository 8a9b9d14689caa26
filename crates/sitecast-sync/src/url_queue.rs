//! A queue of URLs in a file of the scratch folder, so that the memory does not grow with the number of pages
//! and links of a site.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use crate::SyncError;

/// The longest line that is read back.
const MAX_LINE: u64 = 64 << 10;

/// A queue of URLs in a file, which is removed when the queue is dropped.
pub(crate) struct UrlQueue {
    path: PathBuf,
    writer: BufWriter<File>,
    reader: BufReader<File>,
    /// The number of URLs in the queue.
    len: u64,
    /// The bytes that can still be written.
    remaining: u64,
}

impl UrlQueue {
    /// Creates an empty queue for at most `remaining` bytes. Replaces the file of an earlier visit.
    pub(crate) fn create(path: PathBuf, remaining: u64) -> Result<Self, SyncError> {
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
                remaining,
            }),
            Err(source) => Err(SyncError::Scratch { path, source }),
        }
    }

    /// Appends a URL. Returns false if the queue is full.
    pub(crate) fn push(&mut self, url: &str) -> Result<bool, SyncError> {
        let bytes = url.len() as u64 + 1;
        if bytes > self.remaining || bytes > MAX_LINE || url.contains('\n') {
            return Ok(false);
        }
        self.remaining -= bytes;
        let written = self.writer.write_all(url.as_bytes());
        let written = written.and_then(|()| self.writer.write_all(b"\n"));
        written.map_err(|source| self.failed(source))?;
        self.len += 1;
        Ok(true)
    }

    /// Removes and returns the first URL.
    pub(crate) fn pop(&mut self) -> Result<Option<String>, SyncError> {
        if self.len == 0 {
            return Ok(None);
        }
        let mut line = String::new();
        let flushed = self.writer.flush();
        let read = flushed.and_then(|()| self.reader.by_ref().take(MAX_LINE).read_line(&mut line));
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

    /// Moves the URLs in the queue to the file `to`, or removes that file if the queue is empty.
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

impl Drop for UrlQueue {
    fn drop(&mut self) {
        // If this fails, the next visit overwrites the file.
        let _ = fs::remove_file(&self.path);
    }
}

/// Returns the URLs that [`UrlQueue::save`] wrote; `None` if the file does not exist.
pub(crate) fn saved(path: &Path) -> Option<impl Iterator<Item = String> + use<>> {
    let file = BufReader::new(File::open(path).ok()?);
    Some(file.lines().map_while(Result::ok))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_come_out_in_order_and_can_be_saved() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("links.urls");
        let kept = folder.path().join("waiting.urls");
        let mut file = UrlQueue::create(path.clone(), 20).unwrap();
        assert!(file.push("first").unwrap());
        assert_eq!(file.pop().unwrap().as_deref(), Some("first"));
        assert_eq!(file.pop().unwrap(), None);
        assert!(file.push("second").unwrap() && file.push("third").unwrap());
        assert!(!file.push("fourth").unwrap(), "the limit is 20 bytes");
        assert_eq!(file.pop().unwrap().as_deref(), Some("second"));
        file.save(&kept).unwrap();
        let saved: Vec<String> = saved(&kept).unwrap().collect();
        assert_eq!(saved, ["third"]);
        file.save(&kept).unwrap();
        assert!(!kept.exists(), "the queue is empty");
        drop(file);
        assert!(!path.exists());
    }
}
