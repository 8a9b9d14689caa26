//! Which sites to sync: named, listed in a file, set in `sitecast.toml`, or all that are in the index.

use std::collections::HashSet;
use std::io::Read;
use std::path::Path;

use sitecast_index::{FolderIndex, Index, SiteId};
use sitecast_scp::HttpUrl;

use super::{parse_site, sites};
use crate::cli::Sync;
use crate::commands::{index_failure, open};
use crate::config::SiteConfig;
use crate::failure::{Exit, Failure};
use crate::output::Output;
use crate::settings::Settings;

/// The most bytes of a list that are read: some million sites.
const LONGEST: u64 = 64 << 20;

/// The sites that are named on the command line, in a file or, if neither says anything, in `sitecast.toml`.
pub(super) fn named(
    arguments: &Sync,
    settings: &Settings,
    output: &Output,
) -> Result<Vec<HttpUrl>, Failure> {
    let mut named = sites(&arguments.sites)?;
    if let Some(file) = &arguments.from {
        named.extend(listed(file, output)?);
    }
    if arguments.sites.is_empty() && arguments.from.is_none() && !arguments.all {
        let urls: Vec<String> = settings.sites.iter().map(|site| site.url.clone()).collect();
        named = sites(&urls)?;
        if named.is_empty() {
            return Err(Failure::new(Exit::Usage, "no site is named").hint(
                "name one (https://example.com), a list with --from, `[[site]]` tables in sitecast.toml, or --all",
            ));
        }
    }
    Ok(each_once(named))
}

/// Adds the sites that are in the index.
pub(super) fn with_all(
    mut named: Vec<HttpUrl>,
    index: &FolderIndex,
) -> Result<Vec<HttpUrl>, Failure> {
    let known = index.sites().map_err(|error| index_failure(&error))?;
    named.extend(
        known
            .iter()
            .filter_map(|site| site.site.as_str().parse().ok()),
    );
    Ok(each_once(named))
}

/// The table of `sitecast.toml` that is about a site.
pub(super) fn table_of<'s>(settings: &'s Settings, url: &HttpUrl) -> Option<&'s SiteConfig> {
    let id = SiteId::new(url);
    let is_of = |site: &&SiteConfig| {
        let own: Option<HttpUrl> = parse_site(&site.url).ok();
        own.is_some_and(|own| SiteId::new(&own) == id)
    };
    settings.sites.iter().find(is_of)
}

/// The sites of a file: one on a line; empty lines, and what comes after `#` at the beginning of a line, say
/// nothing.
fn listed(file: &Path, output: &Output) -> Result<Vec<HttpUrl>, Failure> {
    let name = file.display().to_string();
    let mut text = String::new();
    let mut source = open(file, output)?.take(LONGEST + 1);
    source
        .read_to_string(&mut text)
        .map_err(|error| Failure::cannot_read(&name, &error))?;
    if text.len() as u64 > LONGEST {
        let message = format!("`{name}` is longer than {LONGEST} bytes");
        return Err(Failure::new(Exit::Usage, message).hint("split it into several lists"));
    }
    let mut sites = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim_start_matches('\u{feff}').trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let site = parse_site(line).map_err(|failure| {
            let place = format!("`{name}`, line {}: {}", number + 1, failure.message());
            let named = Failure::new(Exit::Usage, place);
            match failure.hint_text() {
                Some(hint) => named.hint(hint),
                None => named,
            }
        })?;
        sites.push(site);
    }
    if sites.is_empty() {
        let message = format!("`{name}` lists no site");
        return Err(Failure::new(Exit::Usage, message).hint("it has one URL on each line"));
    }
    Ok(sites)
}

fn each_once(sites: Vec<HttpUrl>) -> Vec<HttpUrl> {
    let mut seen = HashSet::new();
    let mut sites = sites;
    sites.retain(|site| seen.insert(SiteId::new(site)));
    sites
}
