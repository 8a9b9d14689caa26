//! What a folder is: a project, a built site, or neither.

use std::fs;
use std::path::{Path, PathBuf};

use sitecast_publish::BaseUrl;

use super::generator::{GENERATORS, Generator, USUAL_OUTPUTS};
use super::peek::Peek;
use crate::failure::Failure;

/// What was found in a folder.
#[derive(Default)]
pub(super) struct Found {
    /// What builds the site, and by what that was seen.
    pub(super) generator: Option<(&'static Generator, String)>,
    /// The folder of built pages: there, or where it will be.
    pub(super) source: Option<PathBuf>,
    /// Whether pages are there.
    pub(super) is_built: bool,
    /// Where the project says that the site is, and the file that says so.
    pub(super) base: Option<(BaseUrl, String)>,
}

/// Looks at a folder.
pub(super) fn look(folder: &Path) -> Result<Found, Failure> {
    let name = folder.display().to_string();
    fs::read_dir(folder).map_err(|error| Failure::cannot_read(&name, &error))?;
    if let Some(found) = project(folder) {
        return Ok(found);
    }
    if has_pages(folder) {
        return Ok(built(folder));
    }
    let usual = USUAL_OUTPUTS.iter().map(|output| join(folder, output));
    let other = usual.into_iter().find(|output| has_pages(output));
    if let Some(output) = other {
        return Ok(built(&output));
    }
    // Not even a homepage, but folders with pages in them.
    let inner = fs::read_dir(folder).into_iter().flatten().flatten();
    let inner = inner.filter(|entry| !entry.file_name().to_string_lossy().starts_with('.'));
    if inner.into_iter().any(|entry| has_pages(&entry.path())) {
        return Ok(built(folder));
    }
    Ok(Found::default())
}

/// A project, if one of the known programs has a file there.
fn project(folder: &Path) -> Option<Found> {
    for generator in GENERATORS {
        for (mark, key) in generator.marks {
            let path = join(folder, mark);
            let Some(peek) = Peek::open(&path).filter(|peek| peek.has(key)) else {
                continue;
            };
            let home = home(folder, &path);
            let source = output(generator, folder, &home, &peek);
            let is_built = source.as_deref().is_some_and(has_pages);
            return Some(Found {
                generator: Some((generator, (*mark).to_owned())),
                source,
                is_built,
                base: base(generator, &peek).map(|base| (base, (*mark).to_owned())),
            });
        }
    }
    None
}

/// The folder that a project's paths are relative to: that of its file, or the one around it if that is only for
/// settings or sources.
fn home(folder: &Path, file: &Path) -> PathBuf {
    let mut home = file.parent().unwrap_or(folder);
    if home.ends_with("config/_default") {
        return folder.to_owned();
    }
    if home != folder && home.ends_with("source") {
        home = home.parent().unwrap_or(home);
    }
    match home.as_os_str().is_empty() {
        true => folder.to_owned(),
        false => home.to_owned(),
    }
}

/// Where a project builds to.
fn output(generator: &Generator, folder: &Path, home: &Path, peek: &Peek) -> Option<PathBuf> {
    if let Some(output) = peek.text(generator.output_key) {
        return Some(join(home, &output));
    }
    let outputs = generator.outputs.iter();
    let places = outputs.flat_map(|output| [join(home, output), join(folder, output)]);
    let places: Vec<PathBuf> = places.collect();
    let built = places.iter().find(|place| has_pages(place));
    built.or(places.first()).cloned()
}

/// Where a project says that its site is.
fn base(generator: &Generator, peek: &Peek) -> Option<BaseUrl> {
    let (url, path) = generator.base_keys.split_first()?;
    let url = peek.text(url)?;
    let path = path
        .first()
        .and_then(|key| peek.text(key))
        .unwrap_or_default();
    let base = format!(
        "{}/{}",
        url.trim_end_matches('/'),
        path.trim_start_matches('/')
    );
    base.parse().ok().filter(is_public)
}

/// Whether a URL may be where a site is: pages are often built for a test host.
pub(super) fn is_public(base: &BaseUrl) -> bool {
    match base.as_url().host() {
        Some(url::Host::Domain(name)) => name != "localhost" && !name.ends_with(".localhost"),
        Some(url::Host::Ipv4(address)) => !address.is_loopback() && !address.is_unspecified(),
        Some(url::Host::Ipv6(address)) => !address.is_loopback() && !address.is_unspecified(),
        None => false,
    }
}

/// A folder of built pages.
fn built(folder: &Path) -> Found {
    let seen = GENERATORS.iter().find_map(|generator| {
        let group = generator
            .built
            .iter()
            .find(|group| group.iter().all(|name| folder.join(name).exists()))?;
        Some((generator, (*group.first()?).to_owned()))
    });
    Found {
        generator: seen,
        source: Some(join(folder, "")),
        is_built: true,
        base: None,
    }
}

/// What pages say they were made with, by what most of them say.
pub(super) fn by_meta(text: &str) -> Option<&'static Generator> {
    let lower = text.to_lowercase();
    let known = |generator: &&Generator| !generator.meta.is_empty();
    GENERATORS
        .iter()
        .filter(known)
        .find(|generator| lower.starts_with(generator.meta))
}

/// Whether there are pages right in a folder, or a homepage.
fn has_pages(folder: &Path) -> bool {
    let Ok(entries) = fs::read_dir(folder) else {
        return false;
    };
    let names = entries.flatten().map(|entry| entry.file_name());
    names.into_iter().any(|name| {
        let path = Path::new(&name);
        let end = path.extension().and_then(|end| end.to_str());
        end.is_some_and(|end| end.eq_ignore_ascii_case("html") || end.eq_ignore_ascii_case("htm"))
    })
}

/// A path in a folder, without what says nothing.
fn join(folder: &Path, inner: &str) -> PathBuf {
    let inner = inner.trim_end_matches('/');
    let joined = if folder == Path::new(".") {
        PathBuf::from(inner)
    } else {
        folder.join(inner)
    };
    // `./public` is `public`.
    let parts: PathBuf = joined
        .components()
        .filter(|part| *part != std::path::Component::CurDir)
        .collect();
    if parts.as_os_str().is_empty() {
        PathBuf::from(".")
    } else {
        parts
    }
}

#[cfg(test)]
mod tests;
