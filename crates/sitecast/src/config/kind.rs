//! What values a setting takes.

use serde_json::Value;
use sitecast_extract::Selector;
use sitecast_publish::BaseUrl;
use sitecast_scp::Timestamp;
use sitecast_serve::{ForwardedHeader, Proxies};
use sitecast_storage::StorePath;

/// The largest whole number that a file can say.
pub(crate) const MOST: u64 = i64::MAX as u64;

/// What values a setting takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Switch,
    /// `true`, `false` or one of these names.
    SwitchOr(&'static [&'static str]),
    Text,
    /// A file or a folder.
    Path,
    /// A folder, a bucket, and for some a website.
    Place,
    /// The URL that a site begins with.
    Base,
    Url,
    /// A URL, or nothing.
    Link,
    /// A date-time, or nothing.
    Time,
    /// Where to listen.
    Address,
    /// A folder of the site.
    Folder,
    /// What a path begins with.
    Prefix,
    /// How to reach a person.
    Contact,
    Whole {
        from: u64,
        to: u64,
    },
    /// A number above zero.
    Positive,
    /// A number that may be zero.
    NotNegative,
    Choice(&'static [&'static str]),
    Choices(&'static [&'static str]),
    Texts,
    /// The glob of a path.
    Glob,
    Globs,
    /// CSS selectors.
    Selectors,
    /// Addresses, and networks of them.
    Networks,
}

impl Kind {
    /// What is allowed: `true or false`.
    pub(crate) fn allowed(self) -> String {
        match self {
            Self::Switch => "`true` or `false`".to_owned(),
            Self::SwitchOr(names) => format!("`true`, `false` or {}", quoted(names)),
            Self::Text => "text in quotes".to_owned(),
            Self::Path => "a path in quotes".to_owned(),
            Self::Place => "a place in quotes: a folder, `s3://bucket/prefix` or a URL".to_owned(),
            Self::Base => "the URL of a homepage, such as `https://example.com`".to_owned(),
            Self::Url | Self::Link => "a URL with `http://` or `https://`".to_owned(),
            Self::Time => "a time in quotes, such as `2025-01-15T10:00:00Z`".to_owned(),
            Self::Address => "an address and a port, such as `127.0.0.1:8080`".to_owned(),
            Self::Folder => "the name of a folder, such as `scp`".to_owned(),
            Self::Prefix => "the beginning of a path, such as `/members/`".to_owned(),
            Self::Contact => "a URL or an e-mail address".to_owned(),
            Self::Whole { from, to } if to >= u64::from(u32::MAX) => {
                format!("a whole number of at least {from}")
            }
            Self::Whole { from, to } => format!("a whole number from {from} to {to}"),
            Self::Positive => "a number above 0".to_owned(),
            Self::NotNegative => "a number of at least 0".to_owned(),
            Self::Choice(names) => listed(names, "or"),
            Self::Choices(names) => format!("a list of {}", listed(names, "and")),
            Self::Texts => "a list of texts, such as `[\"a\", \"b\"]`".to_owned(),
            Self::Glob => "a glob in quotes, such as `/blog/**`".to_owned(),
            Self::Selectors => {
                "a list of CSS selectors, such as `[\"main .post\", \"#text\"]`".to_owned()
            }
            Self::Globs => "a list of globs, such as `[\"/blog/**\"]`".to_owned(),
            Self::Networks => {
                "a list of addresses and networks, such as `[\"::1\", \"10.0.0.0/8\"]`".to_owned()
            }
        }
    }

    /// Whether a value is allowed. The error is what is wrong beyond [`Self::allowed`], if anything.
    pub(crate) fn check(self, value: &Value) -> Result<(), Option<String>> {
        let text = value.as_str();
        let is = |fits: bool| if fits { Ok(()) } else { Err(None) };
        let is_web = |text: &str| {
            let url = url::Url::parse(text).ok();
            url.is_some_and(|url| matches!(url.scheme(), "http" | "https"))
        };
        match self {
            Self::Switch => is(value.is_boolean()),
            Self::SwitchOr(names) => {
                is(value.is_boolean() || text.is_some_and(|text| names.contains(&text)))
            }
            Self::Text | Self::Path | Self::Place => is(text.is_some()),
            Self::Base => match text.map(str::parse::<BaseUrl>) {
                Some(Ok(_)) => Ok(()),
                Some(Err(error)) => Err(Some(error.to_string())),
                None => Err(None),
            },
            Self::Url => is(text.is_some_and(is_web)),
            Self::Link => is(text.is_some_and(|text| text.is_empty() || is_web(text))),
            Self::Time => {
                is(text.is_some_and(|text| text.is_empty() || text.parse::<Timestamp>().is_ok()))
            }
            Self::Address => {
                is(text.is_some_and(|text| text.parse::<std::net::SocketAddr>().is_ok()))
            }
            Self::Folder => {
                is(text.is_some_and(|text| text.trim_matches('/').parse::<StorePath>().is_ok()))
            }
            // No path has these: what it says would protect nothing.
            Self::Prefix => {
                is(text
                    .is_some_and(|text| text.starts_with('/') && !text.contains(['?', '#', '*'])))
            }
            Self::Contact => is(text.is_some_and(is_contact)),
            Self::Whole { from, to } => is(value
                .as_u64()
                .is_some_and(|number| (from..=to).contains(&number))),
            Self::Positive => is(value.as_f64().is_some_and(|number| number > 0.0)),
            Self::NotNegative => is(value.as_f64().is_some_and(|number| number >= 0.0)),
            Self::Choice(names) => is(text.is_some_and(|text| names.contains(&text))),
            Self::Choices(names) => is(all_texts(value, |text| names.contains(&text))),
            Self::Texts => is(all_texts(value, |_| true)),
            Self::Glob => match text.map(sitecast_publish::check_glob) {
                Some(Ok(())) => Ok(()),
                Some(Err(error)) => Err(Some(error.to_string())),
                None => Err(None),
            },
            Self::Selectors => {
                is(all_texts(value, |_| true))?;
                let selectors = value.as_array().into_iter().flatten();
                for selector in selectors.filter_map(Value::as_str) {
                    let parsed = selector.parse::<Selector>();
                    parsed.map_err(|error| Some(error.to_string()))?;
                }
                Ok(())
            }
            Self::Globs => {
                is(all_texts(value, |_| true))?;
                let globs = value.as_array().into_iter().flatten();
                for glob in globs.filter_map(Value::as_str) {
                    sitecast_publish::check_glob(glob).map_err(|error| Some(error.to_string()))?;
                }
                Ok(())
            }
            Self::Networks => {
                is(all_texts(value, |_| true))?;
                let networks = value.as_array().into_iter().flatten();
                let networks: Vec<&str> = networks.filter_map(Value::as_str).collect();
                Proxies::new(&networks, ForwardedHeader::default())
                    .map(|_| ())
                    .map_err(|text| Some(format!("`{text}` is neither an address nor a network")))
            }
        }
    }
}

/// Whether something can be sent as a contact.
pub(crate) fn is_contact(contact: &str) -> bool {
    let allowed = |c: char| c.is_ascii_graphic() && !matches!(c, '(' | ')' | '\\');
    !contact.is_empty() && contact.len() <= 200 && contact.chars().all(allowed)
}

fn all_texts(value: &Value, fits: impl Fn(&str) -> bool) -> bool {
    value
        .as_array()
        .is_some_and(|values| values.iter().all(|value| value.as_str().is_some_and(&fits)))
}

/// Names as they stand in the file.
fn quoted(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`\"{name}\"`")).collect();
    quoted.join(" or ")
}

/// Names one after the other: `` `a`, `b` or `c` ``.
pub(crate) fn listed(names: &[&str], word: &str) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, before)) => format!("{} {word} {last}", before.join(", ")),
        None => String::new(),
    }
}
