//! Files beside the collections, as pure functions from bytes to bytes.
//!
//! Nothing here reads or writes a store, knows the time, or remembers anything. What a function
//! adds to a file of the site's own it can recognise again, so that a second run over its own output
//! finds nothing to do.

mod html_link;
mod machine_url;
mod robots_txt;
pub(crate) use html_link::{add_alternate, without_alternate};
pub(crate) use machine_url::{machine_url, markdown_url, store_path};
pub(crate) use robots_txt::add_sitemaps;
use std::io::Write;
/// h
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostKind {
    /// n
    Netlify,
    /// a
    Apache,
    /// n
    Nginx,
    /// c
    Caddy,
}
pub(crate) struct HostedFile {
    pub(crate) path: String,
    pub(crate) headers: Vec<(&'static str, String)>,
}
pub(crate) fn merge_headers(
    _k: HostKind,
    existing: Option<&[u8]>,
    files: &[HostedFile],
) -> Option<Vec<u8>> {
    let mut t = String::new();
    for f in files {
        t += &f.path;
        t.push('\n');
        for (n, v) in &f.headers {
            t += &format!("  {n}: {v}\n");
        }
    }
    (existing != Some(t.as_bytes())).then(|| t.into_bytes())
}
pub(crate) struct LlmsEntry<'a> {
    pub(crate) url: &'a str,
    pub(crate) title: &'a str,
    pub(crate) description: &'a str,
    pub(crate) section: Option<&'a str>,
}
pub(crate) struct LlmsTxt<W> {
    out: W,
}
impl<W: Write> LlmsTxt<W> {
    pub(crate) fn new(mut out: W, t: &str, s: &str) -> std::io::Result<Self> {
        writeln!(out, "# {t}\n\n> {s}\n")?;
        Ok(Self { out })
    }
    pub(crate) fn add(&mut self, e: &LlmsEntry<'_>) -> std::io::Result<()> {
        let _ = e.section;
        writeln!(self.out, "- [{}]({}): {}", e.title, e.url, e.description)
    }
    pub(crate) fn finish(self) -> std::io::Result<W> {
        Ok(self.out)
    }
}
