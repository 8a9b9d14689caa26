//! Short messages for the errors of a bucket's server.

use object_store::Error;

/// The most characters of a message.
const LONGEST: usize = 300;

/// Returns the server's own message and code, or else the deepest cause.
pub(super) fn explain(error: &Error) -> String {
    let whole = error.to_string();
    if let Some(code) = element(&whole, "Code") {
        return match element(&whole, "Message") {
            Some(message) => format!("{message} ({code})"),
            None => code.to_owned(),
        };
    }
    let mut cause: &dyn std::error::Error = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    cause.to_string().chars().take(LONGEST).collect()
}

/// Returns true if the bucket does not exist, as opposed to the object.
pub(super) fn lacks_bucket(error: &Error) -> bool {
    element(&error.to_string(), "Code") == Some("NoSuchBucket")
}

/// Returns true if the condition of a put did not hold.
pub(super) fn is_conflict(error: &Error) -> bool {
    matches!(
        error,
        Error::AlreadyExists { .. } | Error::Precondition { .. } | Error::NotModified { .. }
    )
}

/// Returns true if the server reports that it does not support conditional puts.
pub(super) fn is_not_implemented(error: &Error) -> bool {
    let whole = error.to_string();
    element(&whole, "Code") == Some("NotImplemented") || whole.contains("501 Not Implemented")
}

pub(super) fn is_refusal(error: &Error) -> bool {
    matches!(
        error,
        Error::PermissionDenied { .. } | Error::Unauthenticated { .. }
    )
}

fn element<'text>(xml: &'text str, name: &str) -> Option<&'text str> {
    let (_, rest) = xml.split_once(&format!("<{name}>"))?;
    let (content, _) = rest.split_once(&format!("</{name}>"))?;
    (!content.is_empty()).then_some(content)
}
