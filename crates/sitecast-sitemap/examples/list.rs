//! Lists the entries of a sitemap of any format:
//! `cargo run -p sitecast-sitemap --example list -- FILE [URL OF THE SITEMAP]`
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "the example prints its result"
)]

use std::error::Error;
use std::fs::File;

use sitecast_sitemap::{Event, ReaderOptions};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("name a file")?;
    let base = arguments.next().map(|url| url.parse()).transpose()?;
    let options = ReaderOptions {
        base,
        ..ReaderOptions::default()
    };
    let mut reader = options.read(File::open(path)?);
    let date = |date: Option<sitecast_sitemap::Date>| date.map_or("-".into(), |d| d.to_string());
    while let Some(event) = reader.next_event()? {
        match event {
            Event::Url(page) => println!("page\t{}\t{}", page.loc, date(page.lastmod)),
            Event::Sitemap(child) => println!("sitemap\t{}\t{}", child.loc, date(child.lastmod)),
            Event::Scp(entry) => println!("scp\t{entry:?}"),
            Event::Warning(warning) => eprintln!("warning: {warning}"),
            _ => {}
        }
    }
    Ok(())
}
