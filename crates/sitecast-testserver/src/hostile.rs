//! Hostile servers, one behaviour per file. Each function or type answers requests like such a server.

mod always_304;
mod collection_site;
mod endless_body;
mod large_robots;
mod link_farm;
mod machine_pages;
mod many_hosts;
mod no_continuation;
mod sitemap_tree;
mod slow_head;
mod wide_plan;

pub use always_304::always_304;
pub use collection_site::CollectionSite;
pub use endless_body::endless_body;
pub use large_robots::large_robots;
pub use link_farm::LinkFarm;
pub use machine_pages::MachinePages;
pub use many_hosts::ManyHosts;
pub use no_continuation::no_continuation;
pub use sitemap_tree::SitemapTree;
pub use slow_head::slow_head;
pub use wide_plan::WidePlan;

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::Answer;

/// Returns an XML response with gzip, which is small on the wire.
fn gzipped_xml(xml: &str) -> Answer {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    let mut answer = Answer::status(200).with("Content-Type", "application/xml");
    // Writing into memory does not fail.
    let _ = encoder.write_all(xml.as_bytes());
    answer.body = encoder.finish().unwrap_or_default();
    answer.with("Content-Encoding", "gzip")
}
