//! A page in the context of its site.

use std::path::{Path, PathBuf};

use sitecast_extract::{Explanation, stated_url};
use sitecast_publish::{PagePlace, Preview, PublishError, TemplateOrigin};
use sitecast_scp::Marks;

use super::input::Input;
use super::{Looked, now};
use crate::cli::{Extract, Publish};
use crate::commands::publish::watch::Watch;
use crate::commands::publish::{Publication, failure};
use crate::failure::{Exit, Failure};
use crate::output::Output;
use crate::settings::Settings;

/// The site that a page was looked at in.
pub(super) struct SiteContext {
    /// The folder as it was named.
    pub(super) folder: String,
    pub(super) template: TemplateOrigin,
    /// Files that may be pages.
    pub(super) files: usize,
    /// Files among them from which the template is learnt.
    pub(super) sampled: usize,
}

/// The publication that `publish` would make of a folder, to be looked at only.
pub(super) fn publication(
    folder: &Path,
    arguments: &Extract,
    settings: &Settings,
) -> Result<Publication, Failure> {
    if !folder.is_dir() {
        let message = format!("`--site` is `{}`, which is not a folder", folder.display());
        return Err(Failure::new(Exit::Usage, message)
            .hint("name the folder that you publish: --site public/"));
    }
    let arguments = Publish {
        source: Some(folder.to_owned()),
        base_url: arguments.base_url.clone(),
        dry_run: true,
        ..Publish::default()
    };
    Publication::open(&arguments, settings)
}

/// Looks at a page as `publish` would.
pub(super) fn look(
    publication: Publication,
    arguments: &Extract,
    input: Input,
    settings: &Settings,
    output: &Output,
) -> Result<Looked, Failure> {
    let folder = publication.source.name();
    let watch = Watch::new(output.shows_progress());
    let preview = Preview::open(
        &*publication.source,
        &*publication.store,
        publication.previous.as_deref(),
        &publication.options,
        now(),
        &watch,
    );
    watch.clear();
    let preview = preview.map_err(|error| {
        let is_all_left_out = matches!(error, PublishError::Empty { excluded: 1.., .. });
        let failure = failure(error);
        if is_all_left_out {
            let command = format!("`sitecast publish {folder} --dry-run -v`");
            return failure.hint(format!("{command} lists what is left out, and why"));
        }
        failure
    })?;
    let url = input.raw.url.clone();
    let key = key_in(Path::new(&folder), &arguments.target).filter(|_| url.is_none());
    let stated = || stated_url(&input.raw.bytes, settings.extract_limits());
    let url = url.or_else(|| key.is_none().then(stated)?);
    let place = match (&key, &url) {
        (Some(key), _) => PagePlace::Item(key),
        (None, Some(url)) => PagePlace::Url(url),
        (None, None) => {
            let message = format!(
                "`{}` is not in `{folder}`, and does not say where it is on the web",
                input.name
            );
            return Err(
                Failure::new(Exit::Usage, message).hint("say it: --url https://example.com/page")
            );
        }
    };
    let page = preview.page(place, &input.raw);
    let page = page.map_err(|error| input.no_page(&error))?;
    let Explanation {
        extracted,
        segments,
        ..
    } = page.explanation;
    Ok(Looked {
        url: Some(extracted.page.url.clone()),
        extracted,
        marks: Marks::default(),
        segments,
        site: Some(SiteContext {
            folder,
            template: preview.template(),
            files: preview.items(),
            sampled: preview.sampled(),
        }),
        left_out: page.left_out,
    })
}

/// The key of a file in a folder; `None` for one that is elsewhere, and for what is not a file.
fn key_in(folder: &Path, file: &Path) -> Option<String> {
    if !file.is_file() || file == Path::new("-") {
        return None;
    }
    let parent = file
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    let parent = parent.unwrap_or(Path::new(".")).canonicalize().ok()?;
    let below: PathBuf = parent
        .strip_prefix(folder.canonicalize().ok()?)
        .ok()?
        .into();
    let below = below.join(file.file_name()?);
    let parts: Option<Vec<&str>> = below.iter().map(|part| part.to_str()).collect();
    Some(parts?.join("/"))
}
