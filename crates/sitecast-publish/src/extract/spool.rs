//! A temporary file of records, written once and read from the beginning.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// Large enough for few system calls, small enough to stay in the processor's cache.
const BUFFER: usize = 128 << 10;

/// Bytes for the pages of this run, in a file without a name, which ends with the process.
#[derive(Debug)]
pub(crate) struct Spool {
    out: BufWriter<File>,
    records: u64,
}

impl Spool {
    pub(crate) fn new(folder: &Path) -> io::Result<Self> {
        Ok(Self {
            out: BufWriter::with_capacity(BUFFER, tempfile::tempfile_in(folder)?),
            records: 0,
        })
    }

    /// Adds a record about the page that stands at `page`.
    pub(crate) fn add(&mut self, page: usize, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(&(page as u64).to_le_bytes())?;
        self.out.write_all(&(bytes.len() as u64).to_le_bytes())?;
        self.out.write_all(bytes)?;
        self.records += 1;
        Ok(())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.records == 0
    }

    /// Hands out all records, in the order in which they were added.
    pub(crate) fn read(&mut self) -> io::Result<SpoolReader<'_>> {
        self.out.flush()?;
        let file = self.out.get_mut();
        file.seek(SeekFrom::Start(0))?;
        Ok(SpoolReader {
            left: self.records,
            source: BufReader::with_capacity(BUFFER, file),
            bytes: Vec::new(),
        })
    }
}

pub(crate) struct SpoolReader<'a> {
    left: u64,
    source: BufReader<&'a mut File>,
    bytes: Vec<u8>,
}

impl SpoolReader<'_> {
    /// The next record; its bytes are good until the one after it.
    pub(crate) fn next(&mut self) -> io::Result<Option<(usize, &[u8])>> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        let mut number = [0; 8];
        self.source.read_exact(&mut number)?;
        let page = u64::from_le_bytes(number) as usize;
        self.source.read_exact(&mut number)?;
        self.bytes.resize(u64::from_le_bytes(number) as usize, 0);
        self.source.read_exact(&mut self.bytes)?;
        Ok(Some((page, &self.bytes)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_come_back_as_often_as_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let mut spool = Spool::new(folder.path()).unwrap();
        spool.add(7, b"seven").unwrap();
        spool.add(0, b"").unwrap();
        for _ in 0..2 {
            let mut reader = spool.read().unwrap();
            assert_eq!(reader.next().unwrap(), Some((7, b"seven".as_slice())));
            assert_eq!(reader.next().unwrap(), Some((0, b"".as_slice())));
            assert_eq!(reader.next().unwrap(), None);
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
