//! The policy descriptor: uses of the content that the owner allows, and conditions.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sitecast_scp::{HttpUrl, Timestamp};

use crate::canonical::{canonicalize, canonicalize_rounding};
use crate::page::excerpt;

/// The profile of the descriptor.
pub const POLICY_PROFILE: &str = "tct-policy-1";

/// The policy of a site. Deserializing it from a configuration file is strict: an unknown name or a wrong type is an error.
/// [`Policy::parse`] is lenient.
///
/// ```
/// use sitecast_tct::Policy;
///
/// let policy: Policy = toml::from_str(r#"
///     version = 3
///     updated = "2025-10-15T12:00:00Z"
///     purposes = { allow_ai_input = true, allow_ai_train = false }
///     rate_hints = { max_requests_per_day = 10000 }
/// "#)?;
/// assert!(policy.to_json().starts_with(r#"{"profile":"tct-policy-1","purposes":{"allow_ai_input":true,"#));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Policy {
    /// The number of this revision, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<u32>,
    /// The time from which the policy applies.
    #[serde(with = "time", skip_serializing_if = "Option::is_none")]
    pub effective: Option<Timestamp>,
    /// The time of the last change.
    #[serde(with = "time", skip_serializing_if = "Option::is_none")]
    pub updated: Option<Timestamp>,
    /// Links to documents for people.
    #[serde(skip_serializing_if = "PolicyUrls::is_empty")]
    pub policy_urls: PolicyUrls,
    /// Allowed uses of the content.
    #[serde(skip_serializing_if = "Purposes::is_empty")]
    pub purposes: Purposes,
    /// Duties of those who use the content.
    #[serde(skip_serializing_if = "Requirements::is_empty")]
    pub requirements: Requirements,
    /// Advice on the rate of requests.
    #[serde(skip_serializing_if = "RateHints::is_empty")]
    pub rate_hints: RateHints,
}

/// Links to documents for people.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PolicyUrls {
    /// The terms of service.
    #[serde(with = "link", skip_serializing_if = "Option::is_none")]
    pub terms_of_service: Option<HttpUrl>,
    /// The prices of access.
    #[serde(with = "link", skip_serializing_if = "Option::is_none")]
    pub payment_info: Option<HttpUrl>,
    /// A contact page.
    #[serde(with = "link", skip_serializing_if = "Option::is_none")]
    pub contact: Option<HttpUrl>,
}

/// Allowed uses of the content. A use with `None` is neither allowed nor forbidden.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Purposes {
    /// Input of an AI model: retrieval, context.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_ai_input: Option<bool>,
    /// Training of AI models.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_ai_train: Option<bool>,
    /// Search indexes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_search_indexing: Option<bool>,
}

/// Duties of those who use the content.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Requirements {
    /// Name the owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attribution_required: Option<bool>,
    /// Link to the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link_back_required: Option<bool>,
    /// Notify the owner of commercial use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice_required: Option<bool>,
}

/// Advice on the rate of requests.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RateHints {
    /// The most requests per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_requests_per_second: Option<f64>,
    /// The most requests per day.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_requests_per_day: Option<u32>,
    /// A note for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

macro_rules! emptiness {
    ($($name:ident),*) => {$(
        impl $name {
            fn is_empty(&self) -> bool {
                *self == Self::default()
            }
        }
    )*};
}

emptiness!(PolicyUrls, Purposes, Requirements, RateHints);

/// Serde modules for optional values that are strings in JSON. An empty string is `None`.
macro_rules! as_text {
    ($name:ident, $type:ty) => {
        mod $name {
            use serde::de::Error;
            use serde::{Deserialize, Deserializer, Serializer};

            pub(super) fn serialize<S: Serializer>(
                value: &Option<$type>,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                match value {
                    Some(value) => serializer.collect_str(value),
                    None => serializer.serialize_none(),
                }
            }

            pub(super) fn deserialize<'de, D: Deserializer<'de>>(
                deserializer: D,
            ) -> Result<Option<$type>, D::Error> {
                let text = Option::<String>::deserialize(deserializer)?.unwrap_or_default();
                if text.is_empty() {
                    return Ok(None);
                }
                text.parse().map(Some).map_err(D::Error::custom)
            }
        }
    };
}

as_text!(time, sitecast_scp::Timestamp);
as_text!(link, sitecast_scp::HttpUrl);

/// The reason why a text is not a policy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PolicyError {
    /// The text is not UTF-8.
    #[error("not UTF-8")]
    NotUtf8,
    /// The text is not JSON, or has no canonical form.
    #[error("{0}")]
    Json(String),
    /// The JSON value is not an object.
    #[error("not a JSON object")]
    NotAnObject,
}

/// A part of a policy that is ignored.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PolicyWarning {
    /// A member that is not in this version of the format.
    #[error("unknown member `{0}`; ignored")]
    Unknown(String),
    /// A member of the wrong type or form.
    #[error("`{0}`: {1}; ignored")]
    Ignored(String, String),
    /// The profile is missing or different.
    #[error("`profile` is not `tct-policy-1`")]
    Profile,
}

impl PolicyWarning {
    /// Returns a short stable name, for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unknown(_) => "unknown-member",
            Self::Ignored(..) => "ignored-member",
            Self::Profile => "unknown-profile",
        }
    }
}

impl Policy {
    /// Returns the descriptor as canonical JSON.
    pub fn to_json(&self) -> String {
        let mut value = serde_json::to_value(self).unwrap_or_default();
        if let Value::Object(members) = &mut value {
            members.insert("profile".to_owned(), POLICY_PROFILE.into());
            members.entry("version").or_insert_with(|| 1.into());
        }
        let json = value.to_string();
        // All numbers fit a double, so this cannot fail.
        canonicalize(&json).unwrap_or(json)
    }

    /// Reads the descriptor of another site. Unknown and invalid members are ignored, with a warning for each.
    pub fn parse(bytes: &[u8]) -> Result<(Self, Vec<PolicyWarning>), PolicyError> {
        // Refuses duplicate names, whose meaning is ambiguous.
        let text = std::str::from_utf8(bytes).map_err(|_| PolicyError::NotUtf8)?;
        let text = text.trim_start_matches('\u{feff}');
        canonicalize_rounding(text).map_err(|error| PolicyError::Json(error.to_string()))?;
        let value: Value =
            serde_json::from_str(text).map_err(|error| PolicyError::Json(error.to_string()))?;
        let Value::Object(members) = value else {
            return Err(PolicyError::NotAnObject);
        };
        let mut warnings = Vec::new();
        if members.get("profile").and_then(Value::as_str) != Some(POLICY_PROFILE) {
            warnings.push(PolicyWarning::Profile);
        }
        let known = clean(members, "", &mut warnings);
        // Each remaining member has been deserialized alone before.
        let policy =
            serde_json::from_value(known).map_err(|error| PolicyError::Json(error.to_string()))?;
        Ok((policy, warnings))
    }
}

fn is_section(path: &str) -> bool {
    matches!(
        path,
        "policy_urls" | "purposes" | "requirements" | "rate_hints"
    )
}

/// Keeps the members that can be deserialized, and tries each alone.
fn clean(
    members: serde_json::Map<String, Value>,
    within: &str,
    warnings: &mut Vec<PolicyWarning>,
) -> Value {
    let mut kept = serde_json::Map::new();
    for (name, value) in members {
        let path = if within.is_empty() {
            name.clone()
        } else {
            format!("{within}.{name}")
        };
        let value = match value {
            Value::Null => continue,
            _ if path == "profile" || path == "extensions" => continue,
            Value::Object(inner) if is_section(&path) => clean(inner, &name, warnings),
            // Serde would accept an array as the fields of a section in order.
            _ if is_section(&path) => {
                warnings.push(PolicyWarning::Ignored(path, "not an object".to_owned()));
                continue;
            }
            value => value,
        };
        let mut alone = serde_json::Map::from_iter([(name.clone(), value.clone())]);
        if !within.is_empty() {
            alone = serde_json::Map::from_iter([(within.to_owned(), Value::Object(alone))]);
        }
        match serde_json::from_value::<Policy>(Value::Object(alone)) {
            Ok(_) => {
                kept.insert(name, value);
            }
            Err(error) => {
                let error = error.to_string();
                // Replaces names of Rust types, which mean nothing to the author of the file.
                let error = ["u64", "u32", "f64"]
                    .iter()
                    .fold(error, |error, name| error.replace(name, "a number"));
                warnings.push(if error.starts_with("unknown field") {
                    PolicyWarning::Unknown(excerpt(&path))
                } else {
                    PolicyWarning::Ignored(excerpt(&path), excerpt(&error))
                });
            }
        }
    }
    Value::Object(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXAMPLE: &str = r#"{
      "profile": "tct-policy-1", "version": 1, "effective": "2025-10-01T00:00:00Z", "updated": "2025-10-15T12:00:00Z",
      "policy_urls": {"terms_of_service": "https://example.com/terms/", "payment_info": "https://example.com/pricing/", "contact": "https://example.com/contact/"},
      "purposes": {"allow_ai_input": true, "allow_ai_train": false, "allow_search_indexing": true},
      "requirements": {"attribution_required": true, "link_back_required": false, "notice_required": true},
      "rate_hints": {"max_requests_per_second": null, "max_requests_per_day": 10000, "note": "Advisory limits, honor system"}
    }"#;

    #[test]
    fn reads_and_writes_the_drafts_example() {
        let (policy, warnings) = Policy::parse(EXAMPLE.as_bytes()).unwrap();
        assert_eq!(warnings, []);
        assert_eq!(policy.purposes.allow_ai_train, Some(false));
        assert_eq!(policy.rate_hints.max_requests_per_second, None);
        assert_eq!(policy.rate_hints.max_requests_per_day, Some(10_000));
        assert_eq!(
            policy.policy_urls.contact.as_ref().unwrap().as_str(),
            "https://example.com/contact/"
        );
        let json = policy.to_json();
        assert_eq!(Policy::parse(json.as_bytes()).unwrap(), (policy, vec![]));
        assert_eq!(crate::canonicalize(&json).unwrap(), json);
    }

    #[test]
    fn ignores_unknown_and_invalid_members() {
        let json = r#"{"version":"one","updated":"yesterday","policy_urls":{"contact":"mailto:me@example.com","terms_of_service":""},
            "purposes":{"allow_ai_input":true,"allow_dreams":true},"extensions":{},"future":{"a":1},"rate_hints":[1]}"#;
        let (policy, warnings) = Policy::parse(json.as_bytes()).unwrap();
        assert_eq!(policy.purposes.allow_ai_input, Some(true));
        assert_eq!(policy.version, None);
        let codes: Vec<_> = warnings.iter().map(PolicyWarning::code).collect();
        assert_eq!(
            codes
                .iter()
                .filter(|code| **code == "unknown-member")
                .count(),
            2,
            "{warnings:?}"
        );
        assert_eq!(
            codes
                .iter()
                .filter(|code| **code == "ignored-member")
                .count(),
            4,
            "{warnings:?}"
        );
        assert!(codes.contains(&"unknown-profile"));
        let twice = br#"{"purposes":{"allow_ai_train":false,"allow_ai_train":true}}"#;
        assert!(matches!(Policy::parse(twice), Err(PolicyError::Json(_))));
        assert!(matches!(
            Policy::parse(b"[]"),
            Err(PolicyError::NotAnObject)
        ));
        assert!(matches!(Policy::parse(b"{"), Err(PolicyError::Json(_))));
    }

    #[test]
    fn rejects_invalid_configurations() {
        for toml in [
            "purpose = {}",
            "version = \"one\"",
            "updated = \"yesterday\"",
            "policy_urls = { contact = \"mailto:me@example.com\" }",
            "purposes = { allow = true }",
        ] {
            assert!(toml::from_str::<Policy>(toml).is_err(), "{toml}");
        }
        assert_eq!(
            toml::from_str::<Policy>("").unwrap().to_json(),
            r#"{"profile":"tct-policy-1","version":1}"#
        );
    }
}
