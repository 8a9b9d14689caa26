//! Pages with ground truth, in the form of the Web Content eXtraction Benchmark (WCXB): a folder
//! with `html/ID.html.gz` and `ground-truth/ID.json`.

use std::error::Error;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;
use serde::Deserialize;

/// The marked content and metadata of a page.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
#[allow(dead_code)] // Each example uses a part.
pub struct Truth {
    pub title: Option<String>,
    pub author: Option<String>,
    pub publish_date: Option<String>,
    pub main_content: Option<String>,
    /// The content by another tool's result, for pages without marks.
    pub supposed_content: Option<String>,
    pub with: Vec<String>,
    pub without: Vec<String>,
}

#[derive(Debug)]
#[allow(dead_code)]
pub struct MarkedPage {
    pub id: String,
    pub url: String,
    pub kind: String,
    pub html: Vec<u8>,
    pub truth: Truth,
}

#[derive(Deserialize)]
struct Record {
    url: Option<String>,
    #[serde(rename = "_internal")]
    internal: Internal,
    ground_truth: Truth,
}

#[derive(Deserialize)]
struct Internal {
    page_type: PageType,
}

#[derive(Deserialize)]
struct PageType {
    primary: String,
}

/// Reads the pages of a corpus in the order of their names.
pub fn pages(
    folder: &Path,
) -> Result<impl Iterator<Item = Result<MarkedPage, Box<dyn Error>>>, Box<dyn Error>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder.join("html"))? {
        files.push(entry?.path());
    }
    files.sort();
    let folder = folder.to_owned();
    Ok(files.into_iter().map(move |path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let id = name.split('.').next().unwrap_or_default().to_owned();
        let mut html = Vec::new();
        GzDecoder::new(File::open(&path)?).read_to_end(&mut html)?;
        let record = fs::read(folder.join("ground-truth").join(format!("{id}.json")))?;
        let record: Record = serde_json::from_slice(&record)?;
        Ok(MarkedPage {
            id,
            url: record.url.unwrap_or_default(),
            kind: record.internal.page_type.primary,
            html,
            truth: record.ground_truth,
        })
    }))
}
