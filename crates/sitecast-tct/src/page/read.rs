//! Reading machine pages of other sites, and verifying their hashes.

use std::collections::HashSet;
use std::fmt;

use serde_json::Value;
use sitecast_scp::{HttpUrl, JsonObject, LanguageTag, Timestamp};

use super::{excerpt, is_known_profile};
use crate::canonical::canonicalize_rounding;
use crate::{CanonicalError, ContentHash, canonicalize, fingerprint};

/// A machine page of another site, read and verified.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadPage {
    /// The declared profile.
    pub profile: Option<String>,
    /// The URL of the page for people.
    pub canonical_url: HttpUrl,
    /// The title of the page.
    pub title: String,
    /// The content as plain text.
    pub content: String,
    /// The declared hash.
    pub hash: Option<String>,
    /// The result of verifying the declared hash.
    pub verification: Verification,
    /// The recomputed hash by Method A: over the canonical form without `hash`.
    pub method_a: ContentHash,
    /// The language of the content.
    pub language: Option<LanguageTag>,
    /// The time of first publication.
    pub published: Option<Timestamp>,
    /// The time of the last change (`modified`, or `lastModified` of later drafts).
    pub modified: Option<Timestamp>,
    /// Schema.org data (JSON-LD).
    pub structured_data: Option<JsonObject>,
    /// Defects that do not prevent reading.
    pub warnings: Vec<PageWarning>,
}

/// The result of comparing a machine page with its declared hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verification {
    /// Correct by Method A: the hash of the canonical JSON.
    MethodA,
    /// Correct by Method B: the hash of the normalised content.
    MethodB,
    /// No hash is declared, as in later drafts.
    Absent,
    /// Wrong by both methods.
    Mismatch,
}

/// The reason why a text is not a machine page.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PageError {
    /// The text is not UTF-8.
    #[error("not UTF-8 at byte {0}")]
    NotUtf8(usize),
    /// The text is not JSON, or has no canonical form.
    #[error(transparent)]
    Json(#[from] CanonicalError),
    /// The JSON value is not an object.
    #[error("not a JSON object")]
    NotAnObject,
    /// A required member is missing.
    #[error("`{0}` is missing")]
    Missing(&'static str),
    /// A required member has the wrong type or form.
    #[error("`{0}` is not {1}")]
    Invalid(&'static str, &'static str),
    /// The text is larger than the limit.
    #[error("larger than {0} bytes")]
    TooLarge(usize),
}

impl PageError {
    /// Returns a short stable name, for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotUtf8(_) => "not-utf8",
            Self::Json(CanonicalError::Json(_)) => "not-json",
            Self::Json(CanonicalError::Number(_)) => "unportable-number",
            Self::NotAnObject => "not-an-object",
            Self::Missing(_) => "missing-member",
            Self::Invalid(..) => "wrong-type",
            Self::TooLarge(_) => "too-large",
        }
    }
}

/// A defect of a machine page that does not prevent reading.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PageWarning {
    /// The profile is not one that this crate knows.
    Profile(String),
    /// The profile is missing.
    NoProfile,
    /// The hash is missing.
    NoHash,
    /// The hash is not `sha256-` and 64 lower-case hexadecimal digits.
    HashSpelling(String),
    /// The bytes are not canonical JSON, so they do not match a strong entity tag by Method A.
    NotCanonical,
    /// A number that does not fit a double, so that programs may compute different hashes.
    UnportableNumber(String),
    /// A byte order mark, which JSON must not have.
    ByteOrderMark,
    /// Content in the form of the first implementations, `{"text": …}`.
    LegacyContent,
    /// Content with HTML tags.
    Markup,
    /// An optional member of the wrong type or form, which is ignored.
    IgnoredMember(&'static str, &'static str),
}

impl PageWarning {
    /// Returns a short stable name, for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Profile(_) => "unknown-profile",
            Self::NoProfile => "no-profile",
            Self::NoHash => "no-hash",
            Self::HashSpelling(_) => "hash-spelling",
            Self::NotCanonical => "not-canonical",
            Self::UnportableNumber(_) => "unportable-number",
            Self::ByteOrderMark => "byte-order-mark",
            Self::LegacyContent => "legacy-content",
            Self::Markup => "markup-in-content",
            Self::IgnoredMember(..) => "ignored-member",
        }
    }
}

impl fmt::Display for PageWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Profile(profile) => {
                write!(f, "`profile` is `{profile}`, which is not supported")
            }
            Self::NoProfile => f.write_str("`profile` is missing"),
            Self::NoHash => f.write_str("`hash` is missing, so the page cannot be verified"),
            Self::HashSpelling(hash) => {
                write!(
                    f,
                    "`hash` is `{hash}`, not `sha256-` and 64 lower-case hexadecimal digits"
                )
            }
            Self::NotCanonical => f.write_str("the bytes are not canonical JSON (RFC 8785)"),
            Self::UnportableNumber(number) => {
                write!(
                    f,
                    "the number {number} does not fit a double; it should be a string"
                )
            }
            Self::ByteOrderMark => f.write_str("the file begins with a byte order mark"),
            Self::LegacyContent => {
                f.write_str("`content` is an object with a `text`, not a string")
            }
            Self::Markup => f.write_str("`content` seems to contain HTML tags"),
            Self::IgnoredMember(member, expected) => {
                write!(f, "`{member}` is not {expected}; ignored")
            }
        }
    }
}

impl ReadPage {
    /// Reads a machine page of any draft, of at most `limit` bytes, and verifies its hash.
    pub fn parse(bytes: &[u8], limit: usize) -> Result<Self, PageError> {
        if bytes.len() > limit {
            return Err(PageError::TooLarge(limit));
        }
        let mut json =
            std::str::from_utf8(bytes).map_err(|error| PageError::NotUtf8(error.valid_up_to()))?;
        let mut warnings = Vec::new();
        while let Some(rest) = json.strip_prefix('\u{feff}') {
            json = rest;
            warnings.push(PageWarning::ByteOrderMark);
        }
        let mut portable = true;
        let canonical = match canonicalize(json) {
            // A number with too many digits is tolerated; one beyond the range of a double is not.
            Err(CanonicalError::Number(number)) if is_finite(&number) => {
                warnings.push(PageWarning::UnportableNumber(number));
                portable = false;
                canonicalize_rounding(json)?
            }
            result => result?,
        };
        let invalid = |error: serde_json::Error| CanonicalError::Json(error.to_string());
        let Value::Object(mut members) = serde_json::from_str(json).map_err(invalid)? else {
            return Err(PageError::NotAnObject);
        };
        if portable && canonical != json {
            warnings.push(PageWarning::NotCanonical);
        }
        let profile = optional_text(&mut members, "profile", &mut warnings);
        match profile.as_deref() {
            None => warnings.push(PageWarning::NoProfile),
            Some(profile) if is_known_profile(profile) => {}
            Some(other) => warnings.push(PageWarning::Profile(excerpt(other))),
        }
        let hash = optional_text(&mut members, "hash", &mut warnings);
        // Canonical JSON stays canonical when a member is removed.
        let canonical = without_hash(&canonical).unwrap_or(canonical);
        let method_a = ContentHash::of(canonical.as_bytes());
        // Some publishers hash their own order of names and spelling of numbers.
        let as_received = without_hash(json).map(|json| ContentHash::of(json.as_bytes()));
        let canonical_url = text(&mut members, "canonical_url")?
            .parse()
            .map_err(|_| PageError::Invalid("canonical_url", "an absolute http or https URL"))?;
        let title = text(&mut members, "title")?;
        let content = content(&mut members, &mut warnings)?;
        let language = optional(
            &mut members,
            "language",
            "a BCP 47 language tag",
            &mut warnings,
        );
        let published = optional(&mut members, "published", TIME, &mut warnings);
        let modified = optional(&mut members, "modified", TIME, &mut warnings);
        let last_modified = optional(&mut members, "lastModified", TIME, &mut warnings);
        let structured_data = match members.remove("structured_data") {
            Some(Value::Object(data)) => Some(JsonObject::from(data)),
            None | Some(Value::Null) => None,
            Some(_) => {
                warnings.push(PageWarning::IgnoredMember("structured_data", "an object"));
                None
            }
        };
        let hashes = [Some(method_a), as_received];
        let verification = verify(hash.as_deref(), hashes, &content, &mut warnings);
        Ok(Self {
            language,
            published,
            modified: modified.or(last_modified),
            structured_data,
            profile,
            canonical_url,
            title,
            content,
            hash,
            verification,
            method_a,
            warnings,
        })
    }
}

/// Removes the `hash` member and its comma from the text, without other changes.
fn without_hash(json: &str) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct Hash<'j> {
        #[serde(borrow)]
        hash: &'j serde_json::value::RawValue,
    }
    let value = serde_json::from_str::<Hash<'_>>(json).ok()?.hash.get();
    let from = (value.as_ptr() as usize).checked_sub(json.as_ptr() as usize)?;
    let before = json.get(..from)?.trim_end().strip_suffix(':')?.trim_end();
    let before = before.strip_suffix("\"hash\"")?;
    let after = json.get(from + value.len()..)?;
    Some(match after.trim_start().strip_prefix(',') {
        Some(after) => format!("{before}{}", after.trim_start()),
        None => format!("{}{after}", before.trim_end().trim_end_matches(',')),
    })
}

type Members = serde_json::Map<String, Value>;

fn text(members: &mut Members, name: &'static str) -> Result<String, PageError> {
    match members.remove(name) {
        Some(Value::String(text)) => Ok(text),
        Some(_) => Err(PageError::Invalid(name, "a string")),
        None => Err(PageError::Missing(name)),
    }
}

fn optional_text(
    members: &mut Members,
    name: &'static str,
    warnings: &mut Vec<PageWarning>,
) -> Option<String> {
    match members.remove(name)? {
        Value::String(text) => Some(text),
        _ => {
            warnings.push(PageWarning::IgnoredMember(name, "a string"));
            None
        }
    }
}

fn content(members: &mut Members, warnings: &mut Vec<PageWarning>) -> Result<String, PageError> {
    let content = match members.remove("content") {
        Some(Value::String(text)) => text,
        Some(Value::Object(mut object)) => match object.remove("text") {
            Some(Value::String(text)) => {
                warnings.push(PageWarning::LegacyContent);
                text
            }
            _ => return Err(PageError::Invalid("content", "a string")),
        },
        Some(_) => return Err(PageError::Invalid("content", "a string")),
        None => return Err(PageError::Missing("content")),
    };
    // Later drafts allow Markdown and other types.
    let plain = members
        .get("content_media_type")
        .and_then(Value::as_str)
        .is_none_or(|kind| kind.starts_with("text/plain"));
    if plain && has_tags(&content) {
        warnings.push(PageWarning::Markup);
    }
    Ok(content)
}

/// Returns true if there are an opening and a closing tag of the same name, which prose does not have.
fn has_tags(content: &str) -> bool {
    let name_of = |text: &str| -> Option<(usize, String)> {
        let name = text.bytes().take(20).take_while(u8::is_ascii_alphanumeric);
        let length = name.count();
        let name = text.get(..length).filter(|name| !name.is_empty())?;
        Some((length, name.to_ascii_lowercase()))
    };
    let closed: HashSet<String> = content
        .split("</")
        .skip(1)
        .filter_map(|rest| name_of(rest).map(|(_, name)| name))
        .collect();
    let mut opened = content.split('<').skip(1).filter_map(|rest| {
        let (length, name) = name_of(rest)?;
        let after = rest.get(length..)?;
        after.starts_with(['>', ' ', '/', '\n']).then_some(name)
    });
    opened.any(|name| closed.contains(&name))
}

const TIME: &str = "an RFC 3339 time";

/// Parses an optional member from its text; a malformed one is ignored with a warning.
fn optional<T: std::str::FromStr>(
    members: &mut Members,
    name: &'static str,
    expected: &'static str,
    warnings: &mut Vec<PageWarning>,
) -> Option<T> {
    let value = members.remove(name).filter(|value| !value.is_null())?;
    let parsed = value.as_str().and_then(|text| text.parse().ok());
    if parsed.is_none() {
        warnings.push(PageWarning::IgnoredMember(name, expected));
    }
    parsed
}

fn is_finite(number: &str) -> bool {
    number.parse::<f64>().is_ok_and(f64::is_finite)
}

fn verify(
    hash: Option<&str>,
    method_a: [Option<ContentHash>; 2],
    content: &str,
    warnings: &mut Vec<PageWarning>,
) -> Verification {
    let Some(hash) = hash else {
        warnings.push(PageWarning::NoHash);
        return Verification::Absent;
    };
    if hash.parse::<ContentHash>().is_err() {
        warnings.push(PageWarning::HashSpelling(excerpt(hash)));
    }
    // The first implementations wrote only the digits.
    let normal = hash.to_ascii_lowercase();
    let normal = format!(
        "sha256-{}",
        normal.strip_prefix("sha256-").unwrap_or(&normal)
    );
    if method_a
        .iter()
        .flatten()
        .any(|hash| normal == hash.to_string())
    {
        Verification::MethodA
    } else if normal == fingerprint(content).to_string() {
        Verification::MethodB
    } else {
        Verification::Mismatch
    }
}
