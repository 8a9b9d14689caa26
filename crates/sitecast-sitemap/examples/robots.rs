//! Checks if a robots.txt allows an agent to fetch URLs:
//! `cargo run -p sitecast-sitemap --example robots -- robots.txt AGENT URL…`
#![expect(clippy::print_stdout, reason = "the example prints its result")]

use std::error::Error;
use std::fs::File;

use sitecast_sitemap::Robots;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("name a robots.txt")?;
    let agent = arguments.next().ok_or("name an agent")?;
    let robots = Robots::read(File::open(path)?, None)?;
    if let Some(delay) = robots.crawl_delay(&agent) {
        println!("delay\t{}", delay.as_secs_f64());
    }
    for url in arguments {
        let verdict = if robots.is_allowed(&agent, &url) {
            "allowed"
        } else {
            "disallowed"
        };
        println!("{verdict}\t{url}");
    }
    Ok(())
}
