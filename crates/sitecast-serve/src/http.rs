//! What HTTP itself asks for, one concern per file, named as RFC 9110 names it.

pub(crate) mod base64;
pub(crate) mod body;
pub(crate) mod chunk;
pub(crate) mod conditions;
pub(crate) mod content_type;
pub(crate) mod date;
pub(crate) mod encoding;
pub(crate) mod host;
pub(crate) mod multipart;
pub(crate) mod open;
pub(crate) mod range;
pub(crate) mod target;
