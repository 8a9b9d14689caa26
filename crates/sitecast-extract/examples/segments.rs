//! Writes what the model is trained on: the segments of pages with marked content, and their
//! features. `training/README.md` says what to do with it.
//!
//! ```text
//! cargo run --release -p sitecast-extract --example segments -- CORPUS OUT
//! ```

#![allow(unreachable_pub)]

use std::error::Error;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;

use sitecast_extract::training::describe;

#[path = "evaluate/corpus.rs"]
mod corpus;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [corpus, out] = arguments.as_slice() else {
        return Err("usage: segments CORPUS OUT".into());
    };
    let out = Path::new(out);
    fs::create_dir_all(out)?;
    let mut features = BufWriter::new(File::create(out.join("features.f32"))?);
    let mut segments = BufWriter::new(File::create(out.join("segments.jsonl"))?);
    let mut names = Vec::new();
    for page in corpus::pages(Path::new(corpus))? {
        let page = page?;
        let described = describe(&page.html, &page.url);
        for value in &described.values {
            features.write_all(&value.to_le_bytes())?;
        }
        if !described.names.is_empty() {
            names = described.names;
        }
        let line = serde_json::json!({
            "id": page.id, "url": page.url, "type": page.kind,
            "texts": described.texts, "truth": page.truth.main_content,
        });
        writeln!(segments, "{line}")?;
    }
    fs::write(out.join("names.json"), serde_json::to_string(&names)?)?;
    Ok(())
}
