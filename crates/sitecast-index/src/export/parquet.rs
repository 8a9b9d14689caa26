//! Export to a Parquet table.

use std::io::Write;
use std::sync::Arc;

use arrow_array::builder::{StringBuilder, TimestampMicrosecondBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, TimeUnit};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use sitecast_scp::{Page, Timestamp, to_text};

use super::{ExportError, Exported, page_of};
use crate::{PageStream, StoredPage};

/// Bounds on the memory: a batch goes to the writer at `BATCH_ROWS` rows or `BATCH_BYTES` bytes, and the
/// writer closes a row group at `GROUP_BYTES`.
const BATCH_ROWS: usize = 1_000;
const BATCH_BYTES: usize = 4 << 20;
const GROUP_BYTES: usize = 16 << 20;

/// Writes a table with a row for each page: metadata, plain text, and the line as published.
pub fn to_parquet<W: Write + Send>(
    pages: &mut dyn PageStream,
    out: W,
) -> Result<Exported, ExportError> {
    let mut exported = Exported::default();
    let level = ZstdLevel::try_new(3).map_err(failed)?;
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(level))
        .build();
    let schema = Arc::new(schema());
    let mut writer =
        ArrowWriter::try_new(out, Arc::clone(&schema), Some(properties)).map_err(failed)?;
    let mut rows = Rows::default();
    while let Some(stored) = pages.next_page()? {
        match page_of(&stored) {
            Ok(page) => {
                rows.push(&stored, &page);
                exported.count(&stored);
            }
            Err(reason) => exported.leave_out(&stored, reason),
        }
        if rows.count >= BATCH_ROWS || rows.bytes >= BATCH_BYTES {
            write(&mut writer, &schema, &mut rows)?;
        }
    }
    write(&mut writer, &schema, &mut rows)?;
    writer.close().map_err(failed)?;
    Ok(exported)
}

fn write<W: Write + Send>(
    writer: &mut ArrowWriter<W>,
    schema: &Arc<Schema>,
    rows: &mut Rows,
) -> Result<(), ExportError> {
    let columns = std::mem::take(rows).finish();
    let batch = RecordBatch::try_new(Arc::clone(schema), columns).map_err(failed)?;
    writer.write(&batch).map_err(failed)?;
    if writer.in_progress_size() >= GROUP_BYTES {
        writer.flush().map_err(failed)?;
    }
    Ok(())
}

fn failed(error: impl ToString) -> ExportError {
    ExportError::Table(error.to_string())
}

fn time() -> DataType {
    DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()))
}

/// The columns, in the same order as [`Rows::finish`] returns them.
fn schema() -> Schema {
    let text = |name: &str| Field::new(name, DataType::Utf8, false);
    let perhaps = |name: &str| Field::new(name, DataType::Utf8, true);
    Schema::new(vec![
        text("site"),
        text("url"),
        text("title"),
        text("description"),
        perhaps("author"),
        text("language"),
        Field::new("published", time(), true),
        Field::new("modified", time(), false),
        Field::new("fetched", time(), false),
        text("origin"),
        perhaps("collection"),
        text("sections"),
        text("text"),
        text("line"),
    ])
}

/// The rows of the current batch, one builder for each column.
#[derive(Default)]
struct Rows {
    site: StringBuilder,
    url: StringBuilder,
    title: StringBuilder,
    description: StringBuilder,
    author: StringBuilder,
    language: StringBuilder,
    published: TimestampMicrosecondBuilder,
    modified: TimestampMicrosecondBuilder,
    fetched: TimestampMicrosecondBuilder,
    origin: StringBuilder,
    collection: StringBuilder,
    sections: StringBuilder,
    text: StringBuilder,
    line: StringBuilder,
    count: usize,
    bytes: usize,
}

fn micros(time: Timestamp) -> i64 {
    time.unix_seconds() * 1_000_000 + i64::from(time.subsec_nanos() / 1_000)
}

impl Rows {
    fn push(&mut self, stored: &StoredPage, page: &Page) {
        let text = to_text(page);
        self.count += 1;
        self.bytes += stored.line.len() + text.len();
        self.site.append_value(stored.site.as_str());
        self.url.append_value(&stored.url);
        self.title.append_value(&page.title);
        self.description.append_value(&page.description);
        self.author.append_option(page.author.as_deref());
        self.language.append_value(page.language.as_str());
        self.published.append_option(page.published.map(micros));
        self.modified.append_value(micros(page.modified));
        self.fetched.append_value(micros(stored.facts.fetched));
        self.origin.append_value(stored.facts.origin.name());
        self.collection
            .append_option(stored.facts.collection.as_deref());
        self.sections.append_value(stored.facts.sections.join(" "));
        self.text.append_value(text);
        self.line.append_value(&stored.line);
    }

    fn finish(mut self) -> Vec<ArrayRef> {
        let times = |mut builder: TimestampMicrosecondBuilder| -> ArrayRef {
            Arc::new(builder.finish().with_timezone("UTC"))
        };
        vec![
            Arc::new(self.site.finish()),
            Arc::new(self.url.finish()),
            Arc::new(self.title.finish()),
            Arc::new(self.description.finish()),
            Arc::new(self.author.finish()),
            Arc::new(self.language.finish()),
            times(self.published),
            times(self.modified),
            times(self.fetched),
            Arc::new(self.origin.finish()),
            Arc::new(self.collection.finish()),
            Arc::new(self.sections.finish()),
            Arc::new(self.text.finish()),
            Arc::new(self.line.finish()),
        ]
    }
}
