//! Servers that mean harm, one behaviour per file. Each function answers a request as such a server does.

mod always_304;
mod collection_site;
mod endless_body;
mod large_robots;
mod machine_pages;
mod no_continuation;
mod slow_head;

pub use always_304::always_304;
pub use collection_site::CollectionSite;
pub use endless_body::endless_body;
pub use large_robots::large_robots;
pub use machine_pages::MachinePages;
pub use no_continuation::no_continuation;
pub use slow_head::slow_head;
