//! Extraction of clean pages from HTML: the metadata, and the main content as ordered blocks, without navigation,
//! banners, share bars, footers, related posts and comments.
//!
//! For publishers, who have the whole site at once, and for crawlers, who have one page at a time. The crate uses no
//! network, accepts any bytes that are called HTML, and runs in bounded time and memory; [`Limits`] sets the bounds.
//!
//! # A page alone
//!
//! ```
//! use sitecast_extract::{Html, extract_page};
//!
//! let url = "https://example.com/tea".parse()?;
//! let html = "<html lang=en><title>Tea | The Shop</title><nav><a href=/>Home</a> <a href=/cart>Cart</a></nav>
//!     <article><h1>Tea</h1><p>Pour boiling water over the leaves, wait for three minutes, and
//!     take <a href=/cups>a warm cup</a>.</p></article><footer>© 2025 The Shop</footer>";
//! let page = extract_page(&Html::new(&url, html.as_bytes(), "2025-01-15T09:00:00Z".parse()?))?.page;
//! assert_eq!(page.title, "Tea");
//! assert_eq!(page.language.as_str(), "en");
//! assert_eq!(
//!     sitecast_scp::to_markdown(&page),
//!     "# Tea\n\nPour boiling water over the leaves, wait for three minutes, and take \
//!      [a warm cup](https://example.com/cups).\n"
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # A whole site
//!
//! [`SiteLearner`] reads some of a site's pages, in any order, and returns a [`SiteTemplate`], which then extracts
//! each page. The template leaves out text that repeats on all pages, and keeps the usual containers of content even
//! on pages with too little text to decide.
//!
//! # How it works
//!
//! | step | module |
//! |---|---|
//! | bytes to text, in the encoding that a browser would choose | `decode` |
//! | text to a tree, as browsers parse it, with limits on depth and size | `dom` |
//! | the tree as boxes, and runs of text in them: *segments* | `layout` |
//! | features of each segment, its probability to be content, and the selection | `content` |
//! | the template that the pages of a site have in common | `site` |
//! | instructions of the site's owner | `owner` |
//! | the kept segments as blocks | `blocks` |
//! | title, author, dates, language, schema.org and the rest | `metadata` |
//! | a hash of everything shown, to ignore edits of the markup | `shown` |
//!
//! The model is learnt from pages whose content people have marked: [`training`] and the folder `training/` have
//! everything to train it again. [`fold()`] reduces pages with more blocks than a collection allows.

mod analysis;
mod analyzed;
mod article;
mod blocks;
mod comments;
mod content;
mod coverage;
mod decided;
mod decode;
mod dom;
mod error;
mod explain;
mod fold;
mod foreign;
mod generator;
mod headings;
mod html;
mod layout;
mod limits;
mod metadata;
mod names;
mod owner;
mod page;
mod reason;
mod selection;
mod shown;
mod site;
pub mod training;
mod unlocated;

pub use analyzed::{Analyzed, ParsedPage};
pub use comments::Comments;
pub use content::Model;
pub use coverage::Coverage;
pub use decode::decode_html;
pub use error::{ExtractError, ModelError};
pub use explain::{ExplainedSegment, Explanation};
pub use fold::{Fold, fold};
pub use foreign::foreign_format;
pub use html::Html;
pub use limits::Limits;
pub use metadata::{is_robots_directive, robots_directive_has_value};
pub use owner::{NoSnippet, Rule, RuleError, Rules, Selector, SelectorError, path_glob};
pub use page::{Extracted, Extractor, extract_page, stated_url};
pub use reason::Reason;
pub use shown::ShownHash;
pub use site::{RepeatedTexts, SiteLearner, SiteTemplate};
pub use unlocated::Unlocated;

/// Returns outlines of the trees from our tokenizer and from html5ever's, for fuzzing.
#[cfg(feature = "oracle")]
#[doc(hidden)]
pub fn outlines_of_both_tokenizers(html: &str, limits: &Limits) -> [String; 2] {
    dom::oracle::outlines(html, limits)
}
