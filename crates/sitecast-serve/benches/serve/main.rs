//! Compares our server with nginx: the same files, number of workers and load (wrk), in turns on the same machine,
//! each server in its own process.
//!
//! ```sh
//! cargo bench -p sitecast-serve                          # everything
//! cargo bench -p sitecast-serve -- speed [SECONDS] [ROUNDS]
//! cargo bench -p sitecast-serve -- memory [REQUESTS]
//! ```
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout
)]

mod load;
mod memory;
mod servers;
mod site;
mod speed;

use std::process::Command;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // The servers are child processes of the same program.
    match arguments.first().map(String::as_str) {
        Some("serve") => return servers::sitecast(&arguments[1..]),
        Some("hyper") => return servers::hyper(&arguments[1..]),
        _ => {}
    }
    let mut numbers = arguments.iter().filter_map(|text| text.parse::<u32>().ok());
    let named = |name: &str| arguments.iter().any(|argument| argument == name);
    let all = !named("speed") && !named("memory");
    for program in ["nginx", "wrk"] {
        if Command::new(program).arg("-v").output().is_err() {
            println!("`{program}` is not installed: nothing is measured");
            return;
        }
    }
    let site = site::Site::make();
    if all || named("speed") {
        let seconds = numbers.next().unwrap_or(3);
        let rounds = numbers.next().unwrap_or(5);
        speed::measure(&site, seconds, rounds);
    }
    if all || named("memory") {
        memory::measure(&site, numbers.next().unwrap_or(1_000_000));
    }
}
