//! From what a folder is to the settings that fit it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use sitecast_publish::{BaseUrl, FolderSource, Source, guess_base, outline};

use super::generator::Generator;
use super::look::{by_meta, is_public, look};
use super::sections::Paths;
use crate::commands::publish::failure;
use crate::commands::publish::watch::Watch;
use crate::config::template::{Choice, Chosen, ChosenSection};
use crate::failure::{Exit, Failure};

/// Where the outline takes a site to be that does not say it.
const SOMEWHERE: &str = "https://example.com";

/// The settings that fit a site, and why.
#[derive(Default)]
pub(super) struct Proposal {
    /// What builds it, and by what that was seen.
    pub(super) generator: Option<(&'static Generator, String)>,
    pub(super) source: Option<PathBuf>,
    pub(super) is_built: bool,
    /// Where the site is, and what says so.
    pub(super) base: Option<(BaseUrl, String)>,
    pub(super) pages: u64,
    pub(super) left_out: u64,
    pub(super) languages: Vec<String>,
    pub(super) sections: Vec<ChosenSection>,
    pub(super) exclude: Vec<String>,
    /// What is good to know before going on.
    pub(super) notes: Vec<String>,
}

/// Looks at a folder and decides.
pub(super) fn propose(folder: &Path, shows_progress: bool) -> Result<Proposal, Failure> {
    let found = look(folder)?;
    let mut proposal = Proposal {
        generator: found.generator,
        source: found.source,
        is_built: found.is_built,
        base: found.base,
        ..Proposal::default()
    };
    if proposal.is_built
        && let Some(path) = proposal.source.clone()
    {
        proposal.survey(&path, shows_progress)?;
    }
    proposal.remark();
    Ok(proposal)
}

impl Proposal {
    /// Looks at the built pages.
    fn survey(&mut self, path: &Path, shows_progress: bool) -> Result<(), Failure> {
        let source = FolderSource::open(path).map_err(failure)?;
        let guessed = guess_base(&source).map_err(failure)?.filter(is_public);
        if let Some(base) = guessed {
            self.base = Some((base, "what the built site says".to_owned()));
        } else if self.base.is_none() {
            self.base = by_cname(&source)?;
        }
        let somewhere = || SOMEWHERE.parse().ok();
        let Some(base) = self
            .base
            .as_ref()
            .map(|(base, _)| base.clone())
            .or_else(somewhere)
        else {
            return Ok(());
        };
        let watch = Watch::new(shows_progress);
        let mut paths = Paths::default();
        let outlined = outline(&source, &base, &watch, |page| paths.add(&page));
        watch.clear();
        let outlined = outlined.map_err(failure)?;
        if outlined.pages == 0 {
            return Err(nothing(path, &base, outlined.left_out));
        }
        self.pages = outlined.pages;
        self.left_out = outlined.left_out;
        self.languages = paths.languages();
        self.sections = paths.sections();
        if self.generator.is_none() {
            let said = outlined.generators.iter().max_by_key(|(_, pages)| **pages);
            self.generator =
                said.and_then(|(text, _)| Some((by_meta(text)?, "its pages".to_owned())));
        }
        let unread = self
            .generator
            .iter()
            .flat_map(|(generator, _)| generator.exclude);
        let unread = unread.filter(|(file, _)| path.join(file).exists());
        self.exclude = unread.map(|(_, glob)| (*glob).to_owned()).collect();
        Ok(())
    }

    /// What is good to know.
    fn remark(&mut self) {
        let generator = self.generator.as_ref().map(|(generator, _)| *generator);
        match (&self.source, generator) {
            (None, Some(generator)) => self.notes.push(format!(
                "{} makes its pages as they are asked for: export them as HTML (plugins do that), or pipe them \
                 in as JSON lines with `sitecast publish -`; then set `source`",
                generator.name
            )),
            (None, None) => self.notes.push(
                "no pages were found here: set `source` to the folder that your site's build writes".to_owned(),
            ),
            (Some(source), Some(generator)) if !self.is_built => self.notes.push(format!(
                "`{}` has no pages yet: build the site (`{}`), then `sitecast init --force` proposes sections, too",
                source.display(),
                generator.build
            )),
            (Some(source), _) if source == Path::new(".") => self.notes.push(
                "the settings stand in the folder that is published: do not upload them if there are tokens in \
                 them, or keep them one folder up (`sitecast init FOLDER`)"
                    .to_owned(),
            ),
            _ => {}
        }
        if self.empties() && self.base.is_some() {
            let name = generator.map_or("", |generator| generator.name);
            self.notes.push(format!(
                "{name} empties its folder with each build: once the site is uploaded, take the `#` away \
                 before `previous`, so that deltas go on from the live site"
            ));
        }
        if self.base.is_none() {
            self.notes.push(
                "nothing says where the site is on the web: set `base_url`, or name it with --base-url".to_owned(),
            );
        }
    }

    fn empties(&self) -> bool {
        self.generator
            .as_ref()
            .is_some_and(|(generator, _)| generator.empties)
    }

    /// The settings.
    pub(super) fn chosen(&self) -> Chosen {
        let mut values = BTreeMap::new();
        let mut set = |key, value, holds, note: String| {
            values.insert(key, Choice { value, holds, note });
        };
        if let Some(source) = &self.source {
            let value = source.display().to_string().into();
            set("publish.source", value, true, String::new());
        }
        if let Some((base, from)) = &self.base {
            set(
                "publish.base_url",
                base.to_string().into(),
                true,
                format!("Taken from {from}."),
            );
            if self.empties() {
                let name = self
                    .generator
                    .as_ref()
                    .map_or("", |(generator, _)| generator.name);
                let note = format!(
                    "{name} empties its folder with each build, and what was published into it is gone. Once the \
                     site is uploaded, take the `#` away: the last publication is then read from there."
                );
                set("publish.previous", base.to_string().into(), false, note);
            }
        }
        if !self.exclude.is_empty() {
            let note = "Pages that the generator makes and nobody reads.".to_owned();
            set("publish.exclude", self.exclude.clone().into(), true, note);
        }
        let site = match &self.base {
            Some((base, _)) => format!("Settings of Sitecast for {base}"),
            None => "Settings of Sitecast".to_owned(),
        };
        let built = self.generator.as_ref();
        let built = built.map_or(String::new(), |(generator, _)| {
            format!(", built with {}", generator.name)
        });
        Chosen {
            opening: format!("{site}{built}. Written by `sitecast init` for you to change."),
            values,
            sections: self.sections.clone(),
        }
    }
}

/// Settings with which nothing would be published are none.
fn nothing(path: &Path, base: &BaseUrl, left_out: u64) -> Failure {
    let path = path.display();
    let files = match left_out {
        1 => "the only file".to_owned(),
        all => format!("none of the {all} files"),
    };
    let would = match left_out {
        1 => "would not be published",
        _ => "would be published",
    };
    let message = format!("{files} in `{path}` {would} as a page of {base}");
    Failure::new(Exit::Failed, message).hint(format!(
        "`sitecast publish {path} --base-url {base} --dry-run -v` says why; try it with the site's true address"
    ))
}

/// GitHub Pages has the host in a file.
fn by_cname(source: &FolderSource) -> Result<Option<(BaseUrl, String)>, Failure> {
    let bytes = source.optional_file("CNAME").map_err(failure)?;
    let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
    let host = text
        .as_deref()
        .and_then(|text| text.split_whitespace().next());
    let base = host.and_then(|host| format!("https://{host}/").parse().ok());
    Ok(base.map(|base| (base, "the file `CNAME`".to_owned())))
}
