//! Layouts of pages in a database: one line for each row, or many lines for each block.

use crate::engines::{Engine, Table};

const BLOCK_BYTES: usize = 64 << 10;

#[derive(Clone, Copy, PartialEq)]
pub enum Layout {
    Rows,
    Blocks,
}

pub struct Store {
    engine: Box<dyn Engine>,
    layout: Layout,
    block: Vec<u8>,
    next_block: u64,
    compressor: zstd_safe::CCtx<'static>,
    decompressor: zstd_safe::DCtx<'static>,
}

impl Store {
    pub fn new(engine: Box<dyn Engine>, layout: Layout, first_block: u64) -> Self {
        let mut compressor = zstd_safe::CCtx::create();
        compressor
            .set_parameter(zstd_safe::CParameter::CompressionLevel(1))
            .unwrap();
        Self {
            engine,
            layout,
            block: Vec::new(),
            next_block: first_block,
            compressor,
            decompressor: zstd_safe::DCtx::create(),
        }
    }

    fn compress(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut stored = Vec::with_capacity(zstd_safe::compress_bound(bytes.len()));
        self.compressor.compress2(&mut stored, bytes).unwrap();
        stored
    }

    fn decompress(&mut self, stored: &[u8]) -> Vec<u8> {
        let length = zstd_safe::get_frame_content_size(stored).unwrap().unwrap();
        let mut bytes = Vec::with_capacity(length as usize);
        self.decompressor.decompress(&mut bytes, stored).unwrap();
        bytes
    }

    /// Writes a page if it is newer than the stored one. A value begins with `modified`.
    pub fn upsert(&mut self, url: &str, line: &str, modified: u64) {
        let old = self.engine.get(Table::Pages, url.as_bytes());
        if old.is_some_and(|old| u64::from_le_bytes(*old.first_chunk().unwrap()) >= modified) {
            return;
        }
        let mut value = modified.to_le_bytes().to_vec();
        match self.layout {
            Layout::Rows => value.extend(self.compress(line.as_bytes())),
            Layout::Blocks => {
                value.extend(self.next_block.to_le_bytes());
                value.extend((self.block.len() as u32).to_le_bytes());
                value.extend((line.len() as u32).to_le_bytes());
                self.block.extend(line.as_bytes());
            }
        }
        self.engine.put(Table::Pages, url.as_bytes(), &value);
        if self.block.len() >= BLOCK_BYTES {
            self.close_block();
        }
    }

    fn close_block(&mut self) {
        let mut block = std::mem::take(&mut self.block);
        if block.is_empty() {
            return;
        }
        let stored = self.compress(&block);
        let key = self.next_block.to_be_bytes();
        self.engine.put(Table::Blocks, &key, &stored);
        self.next_block += 1;
        block.clear();
        self.block = block;
    }

    pub fn find(&mut self, url: &str) -> Option<String> {
        let value = self.engine.get(Table::Pages, url.as_bytes())?;
        let bytes = match self.layout {
            Layout::Rows => self.decompress(&value[8..]),
            Layout::Blocks => {
                let block = u64::from_le_bytes(value[8..16].try_into().unwrap());
                let offset = u32::from_le_bytes(value[16..20].try_into().unwrap()) as usize;
                let length = u32::from_le_bytes(value[20..24].try_into().unwrap()) as usize;
                let stored = self
                    .engine
                    .get(Table::Blocks, &block.to_be_bytes())
                    .unwrap();
                self.decompress(&stored)[offset..offset + length].to_vec()
            }
        };
        Some(String::from_utf8(bytes).unwrap())
    }

    pub fn commit(&mut self) {
        self.close_block();
        self.engine.commit();
    }
}
