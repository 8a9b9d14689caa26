use std::io::Write;

use serde::Serialize;

use crate::failure::Failure;
use crate::output::plain::Plain;
use crate::output::{Output, human};

/// What a folder or a website has, and how much of it was looked at.
#[derive(Debug, Default, Serialize)]
pub(crate) struct SiteFacts {
    #[serde(skip)]
    pub(crate) folder: bool,
    pub(crate) base_url: Option<String>,
    pub(crate) files: u64,
    pub(crate) files_not_ok: u64,
    pub(crate) sitemaps: u64,
    pub(crate) collections: u64,
    pub(crate) collections_checked: u64,
    pub(crate) json_sitemap: Option<String>,
    pub(crate) items: u64,
    pub(crate) pages_checked: u64,
    pub(crate) policy: Option<String>,
    /// What it took over the network.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) requests: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) bytes: Option<u64>,
}

impl SiteFacts {
    pub(super) fn write(&self, output: &mut Output) -> Result<(), Failure> {
        let what = match (&self.base_url, self.folder) {
            (Some(base), true) => format!("folder of {base}"),
            (None, true) => "folder".to_owned(),
            (_, false) => "website".to_owned(),
        };
        let files = human::counted(self.files, "file");
        let wrong = match self.files_not_ok {
            0 => String::new(),
            wrong => format!(", {} not ok", human::count(wrong)),
        };
        let line = format!("{what}, {files} checked{wrong}");
        writeln!(output.out(), "  {}", Plain::line(&line))?;
        let mut parts = Vec::new();
        if self.sitemaps > 0 {
            parts.push(human::counted(self.sitemaps, "sitemap"));
        }
        if self.collections > 0 {
            parts.push(of(self.collections_checked, self.collections, "collection"));
        }
        if self.json_sitemap.is_some() {
            parts.push(of(self.pages_checked, self.items, "machine page"));
        }
        if self.policy.is_some() {
            parts.push("a policy".to_owned());
        }
        if !parts.is_empty() {
            writeln!(output.out(), "  {}", parts.join(", "))?;
        }
        if let (Some(requests), Some(bytes)) = (self.requests, self.bytes) {
            let requests = human::counted(requests, "request");
            writeln!(
                output.out(),
                "  {requests} and {} down",
                human::bytes(bytes)
            )?;
        }
        Ok(())
    }
}

/// `3 of 12 collections`, or `12 collections` if that is all.
fn of(some: u64, all: u64, noun: &str) -> String {
    let all_counted = human::counted(all, noun);
    match some == all {
        true => all_counted,
        false => format!("{} of {all_counted}", human::count(some)),
    }
}
