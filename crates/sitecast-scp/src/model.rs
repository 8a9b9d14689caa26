//! Data types for a collection's metadata, its pages and their blocks.

mod block;
mod collection;
mod media;
mod page;

pub use block::{Block, HeadingLevel};
pub use collection::{Collection, CollectionKind};
pub use media::{Audio, Caption, Chapter, Icon, MediaLink, MediaUrl, TextOrObject, Video};
pub use page::Page;
