//! Errors that end a check, and the wording of errors of the operating system.

use std::io;

use url::Url;

/// An error that ends the check. Problems of the checked files are findings and not errors.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckError {
    /// A file that was read before cannot be read again.
    #[error("cannot read `{name}`: {source}")]
    Read {
        /// The path or URL of the file.
        name: String,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The sink refused a report.
    #[error("cannot report: {0}")]
    Sink(#[source] io::Error),
}

/// The reason why a URL is refused before anything is fetched.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UrlProblem {
    /// The URL has a user name or a password.
    #[error("the URL has a password in it, which would end up in reports")]
    Password,
    /// The text is not an http or https URL.
    #[error("`{0}` is not a URL")]
    Malformed(
        /// The text.
        String,
    ),
}

/// Parses an http or https URL without a password.
pub fn parse_url(text: &str) -> Result<Url, UrlProblem> {
    match Url::parse(text) {
        Ok(url) if !url.username().is_empty() || url.password().is_some() => {
            Err(UrlProblem::Password)
        }
        Ok(url) if matches!(url.scheme(), "http" | "https") => Ok(url),
        _ => Err(UrlProblem::Malformed(text.to_owned())),
    }
}

/// Returns the message of an I/O error without its number, and in plain words for the most common errors.
pub fn io_reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::IsADirectory => "it is a folder".to_owned(),
        _ => without_error_numbers(&error.to_string()),
    }
}

/// Removes the numbers of the operating system's errors from a message: `Is a directory (os error 21)`.
pub fn without_error_numbers(message: &str) -> String {
    let Some((before, rest)) = message.split_once(" (os error ") else {
        return message.to_owned();
    };
    let after = rest.split_once(')').map_or("", |(_, after)| after);
    format!("{before}{}", without_error_numbers(after))
}
