//! JSON Lines in, bytes to store out, with a beginning that can be written last.
//!
//! A collection's first line holds the checksum of all that follows it, so it is known last and
//! stands first. The checksum has a fixed length; if the bytes up to it are *stored* rather than
//! compressed, then what they take in the file is known beforehand. So a file is a [head] of known
//! length and a body that does not depend on it: room is left for the head, the body is streamed,
//! and the head is put in its place at the end. Both formats let stored and compressed blocks
//! follow one another within a single member or frame, which matters because many readers stop
//! after the first one.
//!
//! [head]: Encoder::head

use std::io::Write;

use crc32fast::Hasher as Crc;
use flate2::{Compress, FlushCompress, Status};
use zstd_safe::{CCtx, CParameter, InBuffer, OutBuffer, zstd_sys::ZSTD_EndDirective};

use super::Compression;
use crate::{WriteError, WriterOptions};

const BUFFER: usize = 128 << 10;

/// libzstd cuts the input into jobs of this size when it has workers. Its own choice for level 9
/// is 16 MiB, of which it holds several; this bounds the memory and costs little: docs/performance.md.
const ZSTD_JOB_BYTES: u32 = 2 << 20;

/// Content up to this size is handed to libzstd as a whole: it then knows how little there is, and makes its tables
/// no larger than that. Those for content of any size take 8 MB, and longer to clear than a small delta to compress.
const ZSTD_HELD_BYTES: usize = 512 << 10;
/// Where more than this is expected nothing is held back: it is compressed while the rest is still being made.
const ZSTD_SMALL_BYTES: u64 = 128 << 10;
/// At these levels libzstd's tables have 2²¹ entries or more, and its windows 2²² bytes.
const ZSTD_LARGE_TABLES: std::ops::RangeInclusive<i32> = 9..=12;

/// The most that a stored block can hold: RFC 1951 §3.2.4.
const DEFLATE_STORED_BYTES: usize = 0xffff;
/// A raw block holds no more than the window, the smallest of which is this: RFC 8878 §3.1.1.1.2 and §3.1.1.2.4.
const ZSTD_RAW_BYTES: usize = 1 << 10;

/// A stored block of no bytes, which is also what a flush ends with: RFC 1951 §3.2.4.
const DEFLATE_EMPTY_BLOCK: [u8; 5] = [0, 0, 0, 0xff, 0xff];
/// A raw block of no bytes that is not the last one: RFC 8878 §3.1.1.2.
const ZSTD_EMPTY_BLOCK: [u8; 3] = [0, 0, 0];

const GZIP_HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];
const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// Magic number, descriptor and window: what libzstd begins a frame with when it is told neither
/// the size nor to add a checksum.
const ZSTD_BODY_HEADER: usize = 6;
/// Ours has the size as well, which is known by the time it is written.
const ZSTD_HEAD_HEADER: usize = ZSTD_BODY_HEADER + 8;
/// RFC 8878 §3.1.1.1.1: a frame content size of eight bytes, nothing else.
const ZSTD_DESCRIPTOR_WITH_SIZE: u8 = 0b1100_0000;

pub(crate) struct Encoder {
    codec: Codec,
    buffer: Vec<u8>,
}

enum Codec {
    /// Pages are short; they are gathered so that each does not cost a system call.
    Plain {
        gathered: Vec<u8>,
    },
    Gzip {
        deflate: Compress,
        body: Crc,
    },
    Zstd {
        context: CCtx<'static>,
        header: Vec<u8>,
        /// All content so far, until it is more than is held back.
        held: Option<Vec<u8>>,
    },
}

impl Encoder {
    pub(crate) fn new(options: &WriterOptions) -> Result<Self, WriteError> {
        let level = options.level;
        let codec = match options.compression {
            Compression::None => Codec::Plain {
                gathered: Vec::with_capacity(BUFFER),
            },
            Compression::Gzip => {
                let level = flate2::Compression::new(level.clamp(0, 9).unsigned_abs());
                Codec::Gzip {
                    deflate: Compress::new(level, false),
                    body: Crc::new(),
                }
            }
            Compression::Zstd => {
                let mut context = CCtx::create();
                let mut parameters = vec![
                    CParameter::CompressionLevel(level),
                    CParameter::ContentSizeFlag(false),
                    // The collection's own checksum is stronger, and of the content as it is.
                    CParameter::ChecksumFlag(false),
                ];
                let expected = options
                    .expected_bytes
                    .filter(|bytes| *bytes > ZSTD_SMALL_BYTES);
                // What readers with these limits refuse is not to be asked of them. No level of
                // zstd goes beyond 27 by itself.
                let mut window_log = options.limits.zstd_window_log;
                if let Some(entries) = expected.and_then(u64::checked_next_power_of_two)
                    && ZSTD_LARGE_TABLES.contains(&level)
                {
                    // An entry for each byte; half as many would cost a third of a percent of size.
                    parameters.push(CParameter::HashLog(entries.ilog2().min(21)));
                    // Four times of what is expected: a guess may be off.
                    window_log = window_log.min((entries.ilog2() + 2).min(22));
                }
                if window_log < 27 {
                    parameters.push(CParameter::WindowLog(window_log));
                }
                if options.workers > 0 {
                    parameters.extend([
                        CParameter::NbWorkers(options.workers),
                        CParameter::JobSize(ZSTD_JOB_BYTES),
                    ]);
                }
                for parameter in parameters {
                    context.set_parameter(parameter).map_err(zstd_error)?;
                }
                Codec::Zstd {
                    context,
                    header: Vec::with_capacity(ZSTD_BODY_HEADER),
                    held: expected.is_none().then(Vec::new),
                }
            }
        };
        Ok(Self {
            codec,
            buffer: vec![0; BUFFER],
        })
    }

    /// How many bytes the head takes in the file if its text has so many.
    pub(crate) fn head_len(&self, text_len: usize) -> usize {
        match self.codec {
            Codec::Plain { .. } => text_len,
            Codec::Gzip { .. } => {
                GZIP_HEADER.len() + text_len.div_ceil(DEFLATE_STORED_BYTES) * 5 + text_len
            }
            Codec::Zstd { .. } => {
                ZSTD_HEAD_HEADER + text_len.div_ceil(ZSTD_RAW_BYTES) * 3 + text_len
            }
        }
    }

    /// The beginning of the file: headers and `text`, stored. To be called after [`Self::finish`];
    /// `uncompressed` is the length of the whole content.
    pub(crate) fn head(&self, text: &[u8], uncompressed: u64) -> Result<Vec<u8>, WriteError> {
        let mut head = Vec::with_capacity(self.head_len(text.len()));
        match &self.codec {
            Codec::Plain { .. } => head.extend_from_slice(text),
            Codec::Gzip { .. } => {
                head.extend_from_slice(&GZIP_HEADER);
                for part in text.chunks(DEFLATE_STORED_BYTES) {
                    let length = part.len() as u16;
                    head.push(0); // Stored, and not the last block.
                    head.extend_from_slice(&length.to_le_bytes());
                    head.extend_from_slice(&(!length).to_le_bytes());
                    head.extend_from_slice(part);
                }
            }
            Codec::Zstd { header, .. } => {
                let &[_, _, _, _, 0, window] = header.as_slice() else {
                    return Err(WriteError::Compress(
                        "zstd began its frame in an unexpected way".to_owned(),
                    ));
                };
                head.extend_from_slice(&ZSTD_MAGIC);
                head.extend_from_slice(&[ZSTD_DESCRIPTOR_WITH_SIZE, window]);
                head.extend_from_slice(&uncompressed.to_le_bytes());
                for part in text.chunks(ZSTD_RAW_BYTES) {
                    // Three bytes: the size, two bits for "raw", one for "not the last".
                    let block = (part.len() as u32) << 3;
                    head.extend(block.to_le_bytes().into_iter().take(3));
                    head.extend_from_slice(part);
                }
            }
        }
        Ok(head)
    }

    /// Adds to the body; answers how many more bytes the file is known to have.
    pub(crate) fn write(&mut self, data: &[u8], out: &mut impl Write) -> Result<u64, WriteError> {
        match &mut self.codec {
            Codec::Plain { gathered } => {
                gathered.extend_from_slice(data);
                if gathered.len() >= BUFFER {
                    out.write_all(gathered)?;
                    gathered.clear();
                }
                Ok(data.len() as u64)
            }
            Codec::Gzip { deflate, body } => {
                body.update(data);
                pump_deflate(deflate, data, FlushCompress::None, &mut self.buffer, out)
            }
            Codec::Zstd {
                context,
                header,
                held,
            } => {
                if let Some(held) = held
                    && held.len() + data.len() <= ZSTD_HELD_BYTES
                {
                    held.extend_from_slice(data);
                    return Ok(0);
                }
                let mut written = 0;
                for part in [&held.take().unwrap_or_default(), data] {
                    let directive = ZSTD_EndDirective::ZSTD_e_continue;
                    written += pump_zstd(context, header, part, directive, &mut self.buffer, out)?;
                }
                Ok(written)
            }
        }
    }

    /// Puts all that was written so far out where a reader could decompress it.
    pub(crate) fn flush(&mut self, out: &mut impl Write) -> Result<u64, WriteError> {
        match &mut self.codec {
            Codec::Plain { .. } => Ok(0),
            Codec::Gzip { deflate, .. } => {
                pump_deflate(deflate, &[], FlushCompress::Sync, &mut self.buffer, out)
            }
            Codec::Zstd {
                context,
                header,
                held,
            } => pump_zstd(
                context,
                header,
                &held.take().unwrap_or_default(),
                ZSTD_EndDirective::ZSTD_e_flush,
                &mut self.buffer,
                out,
            ),
        }
    }

    /// Adds at least so many bytes that decompress to nothing: blocks without content, which both formats allow
    /// anywhere. To be called after [`Self::flush`].
    pub(crate) fn pad(&mut self, bytes: u64, out: &mut impl Write) -> Result<u64, WriteError> {
        let empty: &[u8] = match self.codec {
            Codec::Plain { .. } => return Ok(0),
            Codec::Gzip { .. } => &DEFLATE_EMPTY_BLOCK,
            Codec::Zstd { .. } => &ZSTD_EMPTY_BLOCK,
        };
        let blocks = bytes.div_ceil(empty.len() as u64);
        for _ in 0..blocks {
            out.write_all(empty)?;
        }
        Ok(blocks * empty.len() as u64)
    }

    /// Ends the body. `head_text` is what the head will hold.
    pub(crate) fn finish(
        &mut self,
        head_text: &[u8],
        uncompressed: u64,
        out: &mut impl Write,
    ) -> Result<u64, WriteError> {
        match &mut self.codec {
            Codec::Plain { gathered } => {
                out.write_all(gathered)?;
                gathered.clear();
                Ok(0)
            }
            Codec::Gzip { deflate, body } => {
                let written =
                    pump_deflate(deflate, &[], FlushCompress::Finish, &mut self.buffer, out)?;
                let mut whole = Crc::new();
                whole.update(head_text);
                whole.combine(body);
                out.write_all(&whole.finalize().to_le_bytes())?;
                // RFC 1952 §2.3.1: the size modulo 2^32.
                out.write_all(&(uncompressed as u32).to_le_bytes())?;
                Ok(written + 8)
            }
            Codec::Zstd {
                context,
                header,
                held,
            } => pump_zstd(
                context,
                header,
                &held.take().unwrap_or_default(),
                ZSTD_EndDirective::ZSTD_e_end,
                &mut self.buffer,
                out,
            ),
        }
    }
}

fn pump_deflate(
    deflate: &mut Compress,
    mut data: &[u8],
    flush: FlushCompress,
    buffer: &mut [u8],
    out: &mut impl Write,
) -> Result<u64, WriteError> {
    let mut written = 0;
    loop {
        let (taken, produced) = (deflate.total_in(), deflate.total_out());
        let status = deflate
            .compress(data, buffer, flush)
            .map_err(|error| WriteError::Compress(error.to_string()))?;
        let taken = (deflate.total_in() - taken) as usize;
        let produced = (deflate.total_out() - produced) as usize;
        out.write_all(buffer.get(..produced).unwrap_or_default())?;
        written += produced as u64;
        data = data.get(taken..).unwrap_or_default();
        let done = match flush {
            FlushCompress::Finish => status == Status::StreamEnd,
            // The buffer was not filled, so there is no more to come.
            _ => data.is_empty() && produced < buffer.len(),
        };
        if done {
            return Ok(written);
        }
    }
}

/// `header` takes the first bytes of the frame, which do not go to `out`.
fn pump_zstd(
    context: &mut CCtx<'static>,
    header: &mut Vec<u8>,
    data: &[u8],
    directive: ZSTD_EndDirective,
    buffer: &mut [u8],
    out: &mut impl Write,
) -> Result<u64, WriteError> {
    let mut from = InBuffer::around(data);
    let mut written = 0;
    loop {
        let (due, produced) = {
            let mut to = OutBuffer::around(&mut *buffer);
            let due = context
                .compress_stream2(&mut to, &mut from, directive)
                .map_err(zstd_error)?;
            (due, to.pos())
        };
        let produced = buffer.get(..produced).unwrap_or_default();
        let missing = ZSTD_BODY_HEADER
            .saturating_sub(header.len())
            .min(produced.len());
        let (frame_header, body) = produced
            .split_at_checked(missing)
            .unwrap_or((produced, &[]));
        header.extend_from_slice(frame_header);
        out.write_all(body)?;
        written += body.len() as u64;
        let done = match directive {
            ZSTD_EndDirective::ZSTD_e_continue => from.pos() == data.len(),
            _ => due == 0,
        };
        if done {
            return Ok(written);
        }
    }
}

fn zstd_error(code: usize) -> WriteError {
    WriteError::Compress(zstd_safe::get_error_name(code).to_lowercase())
}
