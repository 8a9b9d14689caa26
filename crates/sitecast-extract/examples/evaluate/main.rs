//! How good extraction is, against pages whose content people have marked, and beside others.
//!
//! ```text
//! cargo run --release -p sitecast-extract --example evaluate -- wcxb CORPUS [OPTION]…
//!
//!   --folds MODEL      judge each page with the model that was trained without its site:
//!                      MODEL.0, MODEL.0.ids, … as `training/train.py --folds` writes them
//!   --rival NAME=FILE  also score what another extractor made of the same pages: JSON lines with
//!                      `id`, `text`, `html`, `title`, `author`, `date` (see `rivals/`)
//!   --made FILE        also write what was made of each page, in the form that `--rival` reads
//!   --worst N          list the N worst pages (10)
//!
//! cargo run --release -p sitecast-extract --example evaluate -- site FOLDER [FOLDER]…
//!
//!   A folder of built HTML, with its template learnt: what was kept, and, with a second version
//!   of the same site, which pages have another text.
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
mod metadata;
mod run;
mod site;
mod structure;
mod words;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.split_first() {
        Some((what, rest)) if what == "wcxb" => run::wcxb(rest),
        Some((what, rest)) if what == "site" => site::run(rest),
        _ => Err("usage: evaluate wcxb CORPUS [--folds MODEL] [--rival NAME=FILE] [--made FILE] [--worst N] | evaluate site FOLDER…".into()),
    }
}
