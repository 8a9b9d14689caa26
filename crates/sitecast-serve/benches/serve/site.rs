//! The benchmark's site.

use std::fmt::Write as _;
use std::fs;

use sitecast_publish::{HostKind, LinesSource, Options, publish};
use sitecast_storage::Folder;

/// Path of the requested machine page.
pub(crate) const PAGE: &str = "page/llm.json";

/// A site with a machine page of about 1 KB and a collection of some 50 MB.
pub(crate) struct Site {
    pub(crate) folder: tempfile::TempDir,
    /// Path of the collection.
    pub(crate) collection: String,
    /// Entity tag of the machine page.
    pub(crate) etag: String,
}

impl Site {
    pub(crate) fn make() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut options = Options::new("https://example.com/".parse().unwrap());
        options.artefacts.hosts = vec![HostKind::Nginx];
        options.compressions = vec![sitecast_scp::Compression::Gzip];
        let lines = lines();
        let source =
            LinesSource::spooled("lines", lines.as_bytes(), options.limits.clone()).unwrap();
        let store = Folder::new(folder.path()).unwrap();
        let now = "2026-01-15T12:00:00Z".parse().unwrap();
        publish(&source, &store, None, &options, now, &()).unwrap();
        let mut files = fs::read_dir(folder.path().join("scp")).unwrap();
        let file = files.next().unwrap().unwrap().file_name();
        let page = fs::read(folder.path().join(PAGE)).unwrap();
        let json: serde_json::Value = serde_json::from_slice(&page).unwrap();
        let site = Self {
            collection: format!("scp/{}", file.to_str().unwrap()),
            etag: format!("\"{}\"", json["hash"].as_str().unwrap()),
            folder,
        };
        println!(
            "machine page: {} bytes; collection: {} bytes",
            page.len(),
            fs::metadata(site.folder.path().join(&site.collection))
                .unwrap()
                .len()
        );
        site
    }
}

fn lines() -> String {
    let mut lines = String::new();
    let mut page = |path: &str, text: &str| {
        let _ = writeln!(
            lines,
            "{{\"url\":\"https://example.com/{path}\",\"title\":\"A page\",\"description\":\"\",\
             \"modified\":\"2026-01-15T10:00:00Z\",\"language\":\"en\",\
             \"content\":[{{\"type\":\"text\",\"text\":\"{text}\"}}]}}"
        );
    };
    page("page/", &"What this page says. ".repeat(38));
    // Text that hardly compresses: 102 pages of 960 kB in hexadecimal digits.
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    for number in 0..102 {
        let mut text = String::with_capacity(960_000);
        while text.len() < 960_000 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let _ = write!(text, "{state:016x} ");
        }
        page(&format!("large/{number}/"), &text);
    }
    lines
}
