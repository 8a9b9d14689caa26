//! Behaviour of the crate through its public API.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stderr
)]

mod containers;
mod corpora;
mod hostile;
mod manuals;
mod owner;
mod pages;
mod sites;
mod templates;

use sitecast_extract::{Html, extract_page};
use sitecast_scp::{HttpUrl, Page, Timestamp};

fn seen() -> Timestamp {
    "2025-01-15T09:00:00Z".parse().unwrap()
}

fn url(text: &str) -> HttpUrl {
    text.parse().unwrap()
}

/// HTML from a URL.
fn html<'a>(url: &'a HttpUrl, text: &'a str) -> Html<'a> {
    Html::new(url, text.as_bytes(), seen())
}

/// The page extracted from some HTML.
fn page(html: &str) -> Page {
    let url = url("https://example.com/articles/one");
    extract_page(&Html::new(&url, html.as_bytes(), seen()))
        .unwrap()
        .page
}
