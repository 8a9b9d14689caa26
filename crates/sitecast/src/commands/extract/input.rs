//! The page that is named on the command line.

use std::io::Read;
use std::path::Path;

use sitecast_extract::ExtractError;
use sitecast_publish::Raw;
use sitecast_scp::Timestamp;

use super::{fetched, parse_url};
use crate::cli::Extract;
use crate::commands::open;
use crate::failure::{Exit, Failure};
use crate::output::Output;
use crate::settings::Settings;

pub(super) struct Input {
    /// The name on the command line.
    pub(super) name: String,
    /// The bytes, and what is known about them; the URL if it was given or the page was fetched from it.
    pub(super) raw: Raw,
}

impl Input {
    /// Reads a file or fetches a URL.
    pub(super) fn read(
        arguments: &Extract,
        settings: &Settings,
        output: &Output,
    ) -> Result<Self, Failure> {
        let name = arguments.target.display().to_string();
        let given = arguments
            .url
            .as_deref()
            .map(parse_url)
            .transpose()
            .map_err(|message| Failure::new(Exit::Usage, format!("`--url` {message}")))?;
        let mut raw = match fetched::fetch(arguments, settings, output)? {
            Some(fetched) => fetched.raw(&name)?,
            None => Raw {
                bytes: read(&arguments.target, settings, output)
                    .map_err(|failure| in_folder(arguments, failure))?,
                last_modified: modified(&arguments.target),
                ..Raw::default()
            },
        };
        raw.url = given.or(raw.url);
        Ok(Self { name, raw })
    }

    /// The reason for which there is no page, and the way out.
    pub(super) fn no_page(&self, error: &ExtractError) -> Failure {
        let failure = Failure::new(Exit::Failed, format!("`{}`: {error}", self.name));
        if self.name.contains("://") {
            return failure.hint("name the URL of a page of HTML");
        }
        let unpack = |command: &str| match self.name.as_str() {
            "-" => format!("unpack it: … | {command} | sitecast extract -"),
            name => format!("unpack it: {command} {name} | sitecast extract -"),
        };
        match self.raw.bytes.as_slice() {
            [0x1f, 0x8b, ..] => failure.hint(unpack("gunzip -c")),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => failure.hint(unpack("zstd -dc")),
            [b'P', b'K', 3 | 5, ..] => failure.hint("unpack it and name an HTML file in it"),
            _ => failure.hint("name an HTML file"),
        }
    }
}

fn read(target: &Path, settings: &Settings, output: &Output) -> Result<Vec<u8>, Failure> {
    let source = open(target, output)?;
    let bar = source.bar();
    let most = settings.extract_limits().bytes as u64;
    let length = std::fs::metadata(target).map_or(0, |metadata| metadata.len());
    // With a byte to spare, reading does not make room for as much again at the end.
    let mut bytes = Vec::with_capacity(usize::try_from(length.min(most)).unwrap_or(0) + 1);
    let result = source.take(most).read_to_end(&mut bytes);
    bar.clear();
    result.map_err(|error| Failure::cannot_read(&target.display().to_string(), &error))?;
    Ok(bytes)
}

/// Names the file that was meant, where it is named as it is called in the folder of `--site`.
fn in_folder(arguments: &Extract, failure: Failure) -> Failure {
    let there = arguments.site.as_ref();
    let there = there.map(|folder| folder.join(&arguments.target));
    match there.filter(|there| !arguments.target.exists() && there.is_file()) {
        Some(there) => failure.hint(format!(
            "paths are relative to the current folder: name `{}`",
            there.display()
        )),
        None => failure,
    }
}

/// When a file was written; unknown for what is piped in.
fn modified(target: &Path) -> Option<Timestamp> {
    let metadata = std::fs::metadata(target).ok()?;
    metadata.is_file().then_some(())?;
    Some(Timestamp::from(metadata.modified().ok()?))
}
