//! Files beside the collections, as pure functions from bytes to bytes.
//!
//! Nothing here reads or writes a store, knows the time, or remembers anything. What a function
//! adds to a file of the site's own it can recognise again, so that a second run over its own output
//! finds nothing to do.

mod headers;
mod html_link;
mod llms_txt;
mod machine_url;
mod ours;
mod robots_txt;

pub use headers::HostKind;
pub(crate) use headers::{
    Caching, Collections, Hosting, Machine, MachinePage, merge as merge_headers, page_of,
};
pub(crate) use html_link::{add_alternate, without_alternate};
pub(crate) use llms_txt::{LlmsEntry, LlmsTxt};
pub(crate) use machine_url::{machine_path, machine_url, markdown_url, store_path};
pub(crate) use ours::{MARK, is_machine_page_of, is_marked, is_usual_policy, usual_policy};
pub(crate) use robots_txt::add_sitemaps;
