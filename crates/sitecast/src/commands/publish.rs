pub(crate) mod options;
mod report;
pub(crate) mod watch;

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use sitecast_publish::{
    BaseUrl, FolderSource, LinesSource, Options, PublishError, Source, guess_base, publish,
};
use sitecast_scp::Timestamp;
use sitecast_storage::{Store, StoreError, open as open_store};

use crate::cli::Publish;
use crate::commands::is_url;
use crate::failure::{Exit, Failure, in_words, reason};
use crate::output::Output;
use crate::settings::Settings;
use crate::website::Website;
use watch::Watch;

pub(crate) fn run(
    arguments: &Publish,
    settings: &Settings,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let publication = Publication::open(arguments, settings)?;
    let source = &*publication.source;
    let watch = Watch::new(output.shows_progress());
    let result = publish(
        source,
        &*publication.store,
        publication.previous.as_deref(),
        &publication.options,
        Timestamp::from(SystemTime::now()),
        &watch,
    );
    watch.clear();
    let published = result.map_err(failure)?;
    report::write(&published, source, &publication.out, output)?;
    match published.without_pages(source) {
        Some(empty) => Err(failure(empty)),
        None => Ok(Exit::Done),
    }
}

/// The places and options of a publication, by arguments and settings.
pub(crate) struct Publication {
    pub(crate) source: Box<dyn Source>,
    /// The name of the store.
    out: String,
    pub(crate) store: Box<dyn Store>,
    pub(crate) previous: Option<Box<dyn Store>>,
    pub(crate) options: Options,
}

impl Publication {
    pub(crate) fn open(arguments: &Publish, settings: &Settings) -> Result<Self, Failure> {
        let place = arguments
            .source
            .clone()
            .or_else(|| settings.publish.source.clone())
            .unwrap_or_else(|| PathBuf::from("."));
        let source = source(&place, settings)?;
        let base = base(arguments, settings, &*source)?;
        let out = out(arguments, settings, &*source)?;
        let options = options::build(arguments, settings, base, &place, &out);
        let store = open(&out, arguments, settings)?;
        let previous = arguments
            .previous
            .as_ref()
            .or(settings.publish.previous.as_ref())
            .map(|place| previous(place, arguments, settings))
            .transpose()?;
        Ok(Self {
            source,
            out,
            store,
            previous,
            options,
        })
    }
}

fn source(place: &Path, settings: &Settings) -> Result<Box<dyn Source>, Failure> {
    let limits = settings.limits().clone();
    let source: Result<Box<dyn Source>, PublishError> = if place == Path::new("-") {
        let lines = LinesSource::spooled("standard input", std::io::stdin(), limits);
        lines.map(|lines| Box::new(lines) as Box<dyn Source>)
    } else if place.is_file() {
        looks_like_lines(place)?;
        let lines = LinesSource::open(place, limits);
        lines.map(|lines| Box::new(lines) as Box<dyn Source>)
    } else {
        FolderSource::open(place).map(|folder| Box::new(folder) as Box<dyn Source>)
    };
    source.map_err(failure)
}

/// A single file has to be lines; the commonest mistakes are told at once.
fn looks_like_lines(place: &Path) -> Result<(), Failure> {
    let name = place.display().to_string();
    let lower = name.to_lowercase();
    if [".html", ".htm", ".xhtml"]
        .iter()
        .any(|end| lower.ends_with(end))
    {
        let message = format!("`{name}` is a single page, and a site is published as a whole");
        return Err(Failure::new(Exit::Usage, message)
            .hint("name the folder it is in; `sitecast extract` shows what becomes of one page"));
    }
    Ok(())
}

fn base(arguments: &Publish, settings: &Settings, source: &dyn Source) -> Result<BaseUrl, Failure> {
    let given = arguments
        .base_url
        .as_ref()
        .or(settings.publish.base_url.as_ref());
    base_of(given, source)
}

/// Where the site is on the web, as is said or as it says itself.
pub(crate) fn base_of(given: Option<&String>, source: &dyn Source) -> Result<BaseUrl, Failure> {
    if let Some(text) = given {
        return text
            .parse()
            .map_err(|error: sitecast_publish::InvalidBase| {
                Failure::new(Exit::Usage, error.to_string())
                    .hint("it is the homepage's URL: --base-url https://example.com")
            });
    }
    guess_base(source).map_err(failure)?.ok_or_else(|| {
        let message = format!("`{}` does not say where it is on the web", source.name());
        Failure::new(Exit::Usage, message).hint("say it: --base-url https://example.com")
    })
}

fn out(arguments: &Publish, settings: &Settings, source: &dyn Source) -> Result<String, Failure> {
    let given = arguments
        .out
        .clone()
        .or_else(|| settings.publish.out.clone());
    let folder = source.folder().map(|folder| folder.display().to_string());
    given.or(folder).ok_or_else(|| {
        Failure::new(Exit::Usage, "lines have no folder to be published into")
            .hint("say where: --out public/ or --out s3://bucket/prefix")
    })
}

fn open(out: &str, arguments: &Publish, settings: &Settings) -> Result<Box<dyn Store>, Failure> {
    if Path::new(out).is_file() {
        let message = format!("`{out}` is a file, and a publication is many");
        return Err(Failure::new(Exit::Usage, message).hint("name a folder with --out"));
    }
    if let Some((scheme, rest)) = out.split_once(":/")
        && scheme.len() > 1
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && !rest.starts_with('/')
        && !Path::new(out).exists()
    {
        let message = format!("`{out}` is neither a folder nor a bucket");
        let hint = format!("a slash is missing: --out {scheme}://{rest}");
        return Err(Failure::new(Exit::Usage, message).hint(hint));
    }
    if arguments.dry_run && !out.contains("://") && !Path::new(out).exists() {
        // Nothing is there, and nothing is to be made.
        return Ok(Box::new(sitecast_storage::Memory::default()));
    }
    open_store(out, &settings.publish.storage).map_err(|error| failure(error.into()))
}

/// Opens the place of the last publication. A folder has to be there: its name may be mistyped.
fn previous(
    place: &str,
    arguments: &Publish,
    settings: &Settings,
) -> Result<Box<dyn Store>, Failure> {
    if is_url(place) {
        let largest = settings.limits().compressed_bytes;
        let website = Website::open(place, arguments.allow_private, largest);
        return match website {
            Ok(website) => Ok(Box::new(website)),
            Err(error) => Err(failure(error.into())),
        };
    }
    if !place.contains("://") && !Path::new(place).is_dir() {
        let message = format!("`--previous` is `{place}`, which is not a folder");
        return Err(Failure::new(Exit::Usage, message).hint("leave it out for a first publication"));
    }
    open_store(place, &settings.publish.storage).map_err(|error| failure(error.into()))
}

/// What went wrong, and the way out of it.
pub(crate) fn failure(error: PublishError) -> Failure {
    let message = match &error {
        PublishError::Source { path, source } => {
            format!("cannot read `{path}`: {}", reason(source))
        }
        PublishError::Store(StoreError::Io {
            action,
            place,
            source,
        }) => format!("cannot {action} `{place}`: {}", reason(source)),
        other => in_words(&other.to_string()),
    };
    let (exit, hint) = match &error {
        PublishError::Source { source, .. } => (
            Exit::Failed,
            match source.kind() {
                std::io::ErrorKind::NotFound => {
                    Some("check the spelling; paths are relative to the current folder")
                }
                std::io::ErrorKind::PermissionDenied => {
                    Some("check the permissions of the file and its folders")
                }
                _ => None,
            },
        ),
        PublishError::Refused { .. } => (
            Exit::Failed,
            Some(
                "it says what to keep out, so nothing is published without it; put a copy of the file in its place, \
                 or remove it",
            ),
        ),
        PublishError::InTheWay { .. } => (
            Exit::Failed,
            Some(
                "a file of the publication goes there: remove what is there, or publish into another folder with --out; \
                 nothing was written",
            ),
        ),
        PublishError::NotASource { .. } => (Exit::Usage, None),
        PublishError::Line { .. } => (
            Exit::Failed,
            Some(
                "a line is an SCP page, or an object with `url` and `html`; nothing was published",
            ),
        ),
        PublishError::Collision { .. } => (
            Exit::Failed,
            Some("leave one of them out with --exclude, or give it another canonical link"),
        ),
        PublishError::Empty { excluded: 0, .. } => (
            Exit::Failed,
            Some(
                "pages are files ending in `.html`, `.htm` or `.xhtml`, in the folder that your site's build writes, \
                 or lines of JSON",
            ),
        ),
        PublishError::Empty { .. } => (
            Exit::Failed,
            Some("`--dry-run -v` lists what is left out, and why"),
        ),
        PublishError::MassDeletion { .. } => (
            Exit::Partial,
            Some(
                "nothing was published; check the folder and --base-url, and if it is meant, say --allow-deletions",
            ),
        ),
        PublishError::Previous { .. } => (
            Exit::Integrity,
            Some("`--full` begins anew; agents then take the new snapshot"),
        ),
        PublishError::NoPublication { .. } => (
            Exit::Integrity,
            Some(
                "nothing was published; check `--previous`, and leave it out for a first publication",
            ),
        ),
        PublishError::FromTheFuture { .. } => (
            Exit::Failed,
            Some(
                "check this machine's clock; if it was wrong then, `--full` removes what is dated in the future and starts again",
            ),
        ),
        PublishError::Settings(_) => (Exit::Usage, None),
        PublishError::Store(StoreError::Locked { .. }) => (
            Exit::Failed,
            Some("wait for it to end; a publication that was killed lets go by itself"),
        ),
        PublishError::Store(StoreError::Conflict(_)) => (
            Exit::Failed,
            Some("run it again when the other one is done"),
        ),
        PublishError::Store(StoreError::Location { .. }) => (
            Exit::Usage,
            Some("a bucket is named `s3://bucket/prefix`, a folder by its path"),
        ),
        PublishError::Store(StoreError::Io { place, .. } | StoreError::Remote { place, .. })
            if place.contains("://") =>
        {
            (Exit::Network, Some("check the address and the network"))
        }
        _ => (Exit::Failed, None),
    };
    let failure = Failure::new(exit, message);
    match hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}
