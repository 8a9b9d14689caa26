//! Quality of extraction, measured on pages whose content people have marked, and next to other extractors.
//!
//! ```text
//! cargo run --release -p sitecast-extract --example evaluate -- wcxb CORPUS [OPTION]…
//!
//!   --folds MODEL      score each page with the model that was trained without its site:
//!                      MODEL.0, MODEL.0.ids, … from `training/train.py --folds`
//!   --rival NAME=FILE  also score another extractor's results for the same pages: JSON lines with
//!                      `id`, `text`, `html`, `title`, `author`, `date` (see `rivals/`)
//!   --made FILE        also write our results, in the format that `--rival` reads
//!   --worst N          list the N worst pages (10)
//!
//! cargo run --release -p sitecast-extract --example evaluate -- site FOLDER [FOLDER]…
//!
//!   A folder of built HTML, with its template learnt: prints the kept share and, given a second
//!   version of the same site, the pages whose text differs.
//!
//! cargo run --release -p sitecast-extract --example evaluate -- stated FOLDER…
//!
//!   Folders of built HTML: lists the authors, dates and languages found on their pages, to spot
//!   wrong ones.
//!
//! cargo run --release -p sitecast-extract --example evaluate -- languages FOLDER [CODE]…
//!
//!   A folder with a text in each of many languages, `CODE.txt` (see `languages/`): measures the
//!   detected language of pages with parts of them. Leaves out the languages named by CODE.
//! ```

#![allow(
    unreachable_pub,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr
)]

use std::error::Error;

mod content;
mod corpus;
mod languages;
mod metadata;
mod run;
mod site;
mod stated;
mod structure;
mod words;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.split_first() {
        Some((what, rest)) if what == "wcxb" => run::wcxb(rest),
        Some((what, rest)) if what == "site" => site::run(rest),
        Some((what, rest)) if what == "stated" => stated::run(rest),
        Some((what, rest)) if what == "languages" => languages::run(rest),
        _ => Err("usage: evaluate wcxb CORPUS [--folds MODEL] [--rival NAME=FILE] [--made FILE] [--worst N] | evaluate site FOLDER… | evaluate stated FOLDER… | evaluate languages FOLDER [CODE]…".into()),
    }
}
