//! HTTP mechanisms that are independent of what is served, one per file, mostly RFC 9110.

pub(crate) mod body;
pub(crate) mod chunk;
pub(crate) mod conditions;
pub(crate) mod content_type;
pub(crate) mod cors;
pub(crate) mod date;
pub(crate) mod encoding;
pub(crate) mod host;
pub(crate) mod multipart;
pub(crate) mod range;
pub(crate) mod target;
