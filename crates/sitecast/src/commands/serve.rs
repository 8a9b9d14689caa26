pub(crate) mod options;

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use sitecast_serve::{LoadError, Notice, NoticeHandler, ServeError, Server};
use sitecast_storage::{StoreError, open as open_store};

use crate::cli::{LogFormatName, Serve};
use crate::failure::{Exit, Failure, in_words, reason};
use crate::output::plain::Plain;
use crate::output::{Output, Verbosity};
use crate::settings::Settings;

pub(crate) fn run(
    arguments: &Serve,
    settings: &Settings,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let options = options::build(arguments, settings)?;
    let place = place(arguments, settings)?;
    let config = &settings.serve;
    let storage = config.storage.as_ref().unwrap_or(&settings.publish.storage);
    let store =
        open_store(&place, storage).map_err(|error| failure(LoadError::from(error).into()))?;
    let scheme = if options.tls.is_some() {
        "https"
    } else {
        "http"
    };
    let format = match arguments.log_format {
        Some(LogFormatName::Json) => Some(sitecast_serve::LogFormat::Json),
        Some(LogFormatName::Common) => Some(sitecast_serve::LogFormat::Common),
        None => config.log_format,
    };
    let log = format.map(|format| (format, Box::new(std::io::stdout()) as Box<dyn Write + Send>));
    let on_notice = notice_handler(output.verbosity);
    let server =
        Server::start(Arc::from(store), options, log, Arc::clone(&on_notice)).map_err(failure)?;
    let (pages, collections) = server.counts();
    let address = format!("{scheme}://{}/", server.address());
    let home = format!("{scheme}://{}{}", server.address(), server.root());
    let metrics = server
        .metrics_address()
        .map(|address| format!("http://{address}/metrics"));
    let system = |error| failure(ServeError::System(error));
    let server = server.handle_signals().map_err(system)?;
    if output.json {
        let line = serde_json::json!({
            "version": 1,
            "address": address,
            "home": home,
            "metrics": metrics,
            "pages": pages,
            "collections": collections,
        });
        writeln!(output.out(), "{line}")?;
    } else if output.verbosity > Verbosity::Quiet {
        let count = |number: usize, what: &str| match number {
            1 => format!("1 {what}"),
            _ => format!("{number} {what}s"),
        };
        let mut words = format!(
            "Serving {} and {} of {place} at {home}\n",
            count(pages, "page"),
            count(collections, "collection")
        );
        if let Some(metrics) = metrics {
            words.push_str(&format!("  metrics at {metrics}\n"));
        }
        // The log has standard output for itself.
        if format.is_some() {
            let _ = std::io::stderr().write_all(words.as_bytes());
        } else {
            output.out().write_all(words.as_bytes())?;
        }
        if pages == 0 && collections == 0 {
            output.note("nothing is published there yet: `sitecast publish` does that");
        }
    }
    output.flush()?;
    let ended = server.run(&*on_notice).map_err(system)?;
    if ended {
        return Ok(Exit::Done);
    }
    output.note("some downloads were cut off: they took longer than `shutdown_seconds`");
    Ok(Exit::Partial)
}

/// A folder has to be there: its name may be mistyped.
fn place(arguments: &Serve, settings: &Settings) -> Result<String, Failure> {
    let out = settings.publish.out.clone();
    let source = settings.publish.source.as_ref();
    let place = arguments
        .place
        .clone()
        .or_else(|| settings.serve.source.clone())
        .or(out)
        .or_else(|| source.map(|source| source.display().to_string()))
        .unwrap_or_else(|| ".".to_owned());
    if place.starts_with("http://") || place.starts_with("https://") {
        let message = format!("`{place}` is a website, which is served already");
        return Err(Failure::new(Exit::Usage, message)
            .hint("name a published folder, or a bucket: s3://bucket/prefix"));
    }
    if !place.contains("://") && !Path::new(&place).is_dir() {
        let message = if Path::new(&place).exists() {
            format!("`{place}` is a file, and a site is a folder")
        } else {
            format!("`{place}` is not there")
        };
        return Err(Failure::new(Exit::Usage, message)
            .hint("name the folder that `sitecast publish` wrote to"));
    }
    Ok(place)
}

/// Says on standard error what happens while the server runs.
fn notice_handler(verbosity: Verbosity) -> NoticeHandler {
    Arc::new(move |notice| {
        let words = match notice {
            Notice::Published { pages, collections } if verbosity > Verbosity::Quiet => {
                format!("serving a new publication: {pages} pages, {collections} collections")
            }
            Notice::Warning(text) => text,
            Notice::Failed(error) => format!(
                "{}; the last publication is served on",
                in_words(&error.to_string())
            ),
            _ => return,
        };
        let _ = writeln!(std::io::stderr(), "note: {}", Plain::line(&words));
    })
}

/// What went wrong, and the way out of it.
pub(crate) fn failure(error: ServeError) -> Failure {
    let message = match &error {
        ServeError::Listen { address, source } => {
            format!("cannot listen on `{address}`: {}", reason(source))
        }
        other => in_words(&other.to_string()),
    };
    let (exit, hint) = match &error {
        ServeError::Listen { source, .. } => (
            Exit::Failed,
            match source.kind() {
                std::io::ErrorKind::AddrInUse => {
                    Some("something else listens there; choose another port with --listen")
                }
                std::io::ErrorKind::PermissionDenied => {
                    Some("ports below 1024 are for the administrator; choose another one")
                }
                std::io::ErrorKind::AddrNotAvailable => {
                    Some("this machine does not have that address; 0.0.0.0 means all that it has")
                }
                _ => None,
            },
        ),
        ServeError::Tls { .. } => (
            Exit::Usage,
            Some("both are PEM files; the certificate's may hold those above it, too"),
        ),
        ServeError::Settings(_) => (
            Exit::Usage,
            Some("docs/configuration.md lists all settings"),
        ),
        ServeError::Load(LoadError::Store(StoreError::Location { .. })) => (Exit::Usage, None),
        ServeError::Load(LoadError::Store(
            StoreError::Io { place, .. } | StoreError::Remote { place, .. },
        )) if place.contains("://") => (Exit::Network, Some("check the address and the network")),
        ServeError::Load(LoadError::JsonSitemap { .. }) => (
            Exit::Failed,
            Some("`sitecast check` says more about it; `sitecast publish` makes it anew"),
        ),
        ServeError::Load(LoadError::Inconsistent { .. }) => (
            Exit::Failed,
            Some("start again when the publication is done; if there is none, publish again"),
        ),
        _ => (Exit::Failed, None),
    };
    let failure = Failure::new(exit, message);
    match hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}
