use std::io::{self, BufRead, Read};

/// A line with its number, and why there is nothing of it if there is not.
pub(super) struct Line {
    pub(super) number: u64,
    pub(super) text: Result<Vec<u8>, String>,
}

impl Line {
    pub(super) fn bytes(&self) -> usize {
        self.text.as_ref().map_or(0, Vec::len)
    }
}

/// Lines that are not empty. One that is longer than allowed is passed over, and never held.
pub(super) struct Lines<R> {
    reader: R,
    most: usize,
    number: u64,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(reader: R, most: usize) -> Self {
        Self {
            reader,
            most,
            number: 0,
        }
    }

    fn read(&mut self) -> io::Result<Option<Line>> {
        loop {
            self.number += 1;
            let mut line = Vec::new();
            let taken = (&mut self.reader)
                .take(self.most as u64 + 1)
                .read_until(b'\n', &mut line)?;
            if taken == 0 {
                return Ok(None);
            }
            if line.last() != Some(&b'\n') && line.len() > self.most {
                self.reader.skip_until(b'\n')?;
                let text = Err(format!("longer than {} bytes", self.most));
                return Ok(Some(Line {
                    number: self.number,
                    text,
                }));
            }
            // Files that were put together have a byte order mark where the second begins.
            if line.starts_with(b"\xef\xbb\xbf") {
                line.drain(..3);
            }
            if !line.trim_ascii().is_empty() {
                return Ok(Some(Line {
                    number: self.number,
                    text: Ok(line),
                }));
            }
        }
    }
}

impl<R: BufRead> Iterator for Lines<R> {
    type Item = io::Result<Line>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}
