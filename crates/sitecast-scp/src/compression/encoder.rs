//! Compression of JSON Lines into a file whose first bytes are written last.
//!
//! The first line of a collection holds the checksum of everything else, which is known only at the end.
//! The checksum has a fixed length; if the bytes up to it are *stored* rather than
//! compressed, their length in the file is known beforehand. So a file is a [head] of known
//! length and a body that does not depend on it: the writer leaves space for the head, streams the body,
//! and writes the head at the end. Both formats let stored and compressed blocks
//! alternate within a single member or frame, which matters because many readers stop
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

/// The size of the jobs into which libzstd divides its input when it has workers. Its default for level 9
/// is 16 MiB, and it holds several jobs at a time; this bounds the memory and costs little: docs/performance.md.
const ZSTD_JOB_BYTES: u32 = 2 << 20;

/// Content up to this size is buffered and passed to libzstd as a whole, so that libzstd sizes its tables to it. The
/// tables for content of unknown size take 8 MB, and clearing them takes longer than compressing a small delta.
const ZSTD_HELD_BYTES: usize = 512 << 10;
/// Above this expected size nothing is buffered: content is compressed while the caller produces the rest.
const ZSTD_SMALL_BYTES: u64 = 128 << 10;
/// The levels at which libzstd's tables have 2²¹ entries or more, and its windows 2²² bytes.
const ZSTD_LARGE_TABLES: std::ops::RangeInclusive<i32> = 9..=12;

/// The largest stored block: RFC 1951 §3.2.4.
const DEFLATE_STORED_BYTES: usize = 0xffff;
/// The smallest window, which bounds the size of a raw block: RFC 8878 §3.1.1.1.2 and §3.1.1.2.4.
const ZSTD_RAW_BYTES: usize = 1 << 10;

/// An empty stored block, which also ends a flush: RFC 1951 §3.2.4.
const DEFLATE_EMPTY_BLOCK: [u8; 5] = [0, 0, 0, 0xff, 0xff];
/// An empty raw block that is not the last one: RFC 8878 §3.1.1.2.
const ZSTD_EMPTY_BLOCK: [u8; 3] = [0, 0, 0];

const GZIP_HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];
const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// The length of libzstd's frame header without content size and checksum: magic number, descriptor and window.
const ZSTD_BODY_HEADER: usize = 6;
/// The length of the header that replaces it. It also has the content size, which is known when it is written.
const ZSTD_HEAD_HEADER: usize = ZSTD_BODY_HEADER + 8;
/// RFC 8878 §3.1.1.1.1: a frame content size of eight bytes, nothing else.
const ZSTD_DESCRIPTOR_WITH_SIZE: u8 = 0b1100_0000;

pub(crate) struct Encoder {
    codec: Codec,
    buffer: Vec<u8>,
}

enum Codec {
    /// Buffers lines, because pages are short and a system call for each would be slow.
    Plain {
        buffered: Vec<u8>,
    },
    Gzip {
        deflate: Compress,
        body: Crc,
    },
    Zstd {
        context: CCtx<'static>,
        header: Vec<u8>,
        /// The content so far, until it exceeds [`ZSTD_HELD_BYTES`].
        held: Option<Vec<u8>>,
    },
}

impl Encoder {
    pub(crate) fn new(options: &WriterOptions) -> Result<Self, WriteError> {
        let level = options.level;
        let codec = match options.compression {
            Compression::None => Codec::Plain {
                buffered: Vec::with_capacity(BUFFER),
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
                    // The collection has its own checksum, which is stronger.
                    CParameter::ChecksumFlag(false),
                ];
                let expected = options
                    .expected_bytes
                    .filter(|bytes| *bytes > ZSTD_SMALL_BYTES);
                // Readers with these limits refuse a larger window. No level of zstd goes beyond 27 by itself.
                let mut window_log = options.limits.zstd_window_log;
                if let Some(entries) = expected.and_then(u64::checked_next_power_of_two)
                    && ZSTD_LARGE_TABLES.contains(&level)
                {
                    // One entry per byte; half as many would make the file a third of a percent larger.
                    parameters.push(CParameter::HashLog(entries.ilog2().min(21)));
                    // Four times the expected size, since the guess may be wrong.
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

    /// The length in the file, in bytes, of a head with `text_len` bytes of text.
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

    /// Returns the first bytes of the file: headers, and `text` in stored blocks. Call it after [`Self::finish`].
    /// `uncompressed` is the length of the whole content in bytes.
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
                        "zstd wrote an unexpected frame header".to_owned(),
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

    /// Adds to the body. Returns the number of bytes by which the file grows; a compressor may hold some back for later.
    pub(crate) fn write(&mut self, data: &[u8], out: &mut impl Write) -> Result<u64, WriteError> {
        match &mut self.codec {
            Codec::Plain { buffered } => {
                buffered.extend_from_slice(data);
                if buffered.len() >= BUFFER {
                    out.write_all(buffered)?;
                    buffered.clear();
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

    /// Writes out everything so far, so that a reader could decompress it.
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

    /// Adds at least `bytes` bytes of empty blocks, which both formats allow anywhere. Call it after [`Self::flush`].
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

    /// Ends the body. `head_text` is the text that the head will have: the checksum of a gzip member covers it too.
    pub(crate) fn finish(
        &mut self,
        head_text: &[u8],
        uncompressed: u64,
        out: &mut impl Write,
    ) -> Result<u64, WriteError> {
        match &mut self.codec {
            Codec::Plain { buffered } => {
                out.write_all(buffered)?;
                buffered.clear();
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
            // A buffer that is not full means that there is no more output.
            _ => data.is_empty() && produced < buffer.len(),
        };
        if done {
            return Ok(written);
        }
    }
}

/// Compresses `data` to `out`, except for the frame header, which goes to `header`.
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
