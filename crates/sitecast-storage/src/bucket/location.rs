//! Building S3 clients from `s3://bucket/prefix`, options and the environment.

use std::collections::BTreeMap;
use std::time::Duration;

use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::{ClientOptions, HeaderValue, RetryConfig};
use url::Url;

use crate::{BucketOptions, StoreError, StorePath};

const USER_AGENT: &str = concat!("sitecast/", env!("CARGO_PKG_VERSION"));
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// The longest pause while an object is being read.
const READ_TIMEOUT: Duration = Duration::from_secs(30);
/// The time limit for one writing request, of 16 MiB at most.
const WRITE_TIMEOUT: Duration = Duration::from_secs(300);

/// Any one of these variables means that credentials are configured.
const CREDENTIALS: [&str; 4] = [
    "AWS_ACCESS_KEY_ID",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
];

/// The parsed location of a bucket, and its clients.
pub(super) struct Location {
    pub(super) name: String,
    pub(super) prefix: Option<StorePath>,
    /// For reads and lists: no limit on the total time, only on pauses.
    pub(super) reading: AmazonS3,
    /// For all other requests, with a limit on the total time.
    pub(super) writing: AmazonS3,
    /// True if requests are not signed, because no credentials were found.
    pub(super) anonymous: bool,
}

impl Location {
    pub(super) fn new(
        location: &str,
        options: &BucketOptions,
        variables: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Self, StoreError> {
        let wrong = |problem: String| StoreError::Location {
            location: location.to_owned(),
            problem,
        };
        let (bucket, prefix) = split(location).map_err(wrong)?;
        let variables = Variables::new(variables);
        let endpoint = variables
            .first(&["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT"])
            .or(options.endpoint.as_deref());
        let virtual_host = match variables.first(&["AWS_VIRTUAL_HOSTED_STYLE_REQUEST"]) {
            Some(value) => is_on(value),
            None => match options.path_style {
                Some(path_style) => !path_style,
                // A certificate for `*.s3.amazonaws.com` is not valid for `a.b.s3.amazonaws.com`.
                None => endpoint.is_none() && !bucket.contains('.'),
            },
        };

        let mut builder = variables
            .builder()
            .with_bucket_name(bucket)
            .with_virtual_hosted_style_request(virtual_host)
            // Not all servers support bulk deletes.
            .with_disable_bulk_delete(true)
            .with_retry(RetryConfig {
                max_retries: 6,
                retry_timeout: Duration::from_secs(120),
                ..RetryConfig::default()
            });
        if variables
            .first(&["AWS_REGION", "AWS_DEFAULT_REGION"])
            .is_none()
            && let Some(region) = &options.region
        {
            builder = builder.with_region(region);
        }
        let mut plain_http = variables.first(&["AWS_ALLOW_HTTP"]).is_some_and(is_on);
        let mut anonymous = false;
        if let Some(endpoint) = endpoint {
            let server = server(endpoint, virtual_host.then_some(bucket)).map_err(wrong)?;
            plain_http |= server.starts_with("http:");
            builder = builder.with_endpoint(server);
            // Otherwise the library would request the role of an Amazon instance, which is useless on another server.
            anonymous = variables.first(&CREDENTIALS).is_none();
            if anonymous {
                builder = builder.with_skip_signature(true);
            }
        }

        let client = ClientOptions::new()
            .with_user_agent(HeaderValue::from_static(USER_AGENT))
            .with_allow_http(plain_http)
            .with_connect_timeout(CONNECT_TIMEOUT);
        let build = |client| {
            let builder = builder.clone().with_client_options(client);
            builder.build().map_err(|error| wrong(error.to_string()))
        };
        let patient = client.clone().with_timeout_disabled();
        Ok(Self {
            name: location.trim_end_matches('/').to_owned(),
            prefix,
            reading: build(patient.with_read_timeout(READ_TIMEOUT))?,
            writing: build(client.with_timeout(WRITE_TIMEOUT))?,
            anonymous,
        })
    }
}

/// The environment variables `AWS_…` that are not empty: build systems set unknown variables to the empty string.
struct Variables(BTreeMap<String, String>);

impl Variables {
    fn new(all: impl IntoIterator<Item = (String, String)>) -> Self {
        let ours = |(name, value): &(String, String)| name.starts_with("AWS_") && !value.is_empty();
        Self(all.into_iter().filter(ours).collect())
    }

    fn first(&self, names: &[&str]) -> Option<&str> {
        let found = names.iter().find_map(|name| self.0.get(*name));
        found.map(String::as_str)
    }

    /// Returns a builder with all variables that the library supports, such as those for roles, except for the endpoint:
    /// one of its variables would override `with_endpoint`.
    fn builder(&self) -> AmazonS3Builder {
        let known = self
            .0
            .iter()
            .filter(|(name, _)| !name.starts_with("AWS_ENDPOINT"));
        known.fold(AmazonS3Builder::new(), |builder, (name, value)| match name
            .to_ascii_lowercase()
            .parse()
        {
            Ok(key) => builder.with_config(key, value),
            Err(_) => builder,
        })
    }
}

fn is_on(value: &str) -> bool {
    ["1", "true", "on", "yes", "y"]
        .iter()
        .any(|on| value.eq_ignore_ascii_case(on))
}

/// Splits `s3://bucket/prefix/` into bucket and prefix.
fn split(location: &str) -> Result<(&str, Option<StorePath>), String> {
    let rest = location
        .strip_prefix("s3://")
        .ok_or("expected `s3://bucket`")?;
    let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
    let in_names = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_');
    if bucket.is_empty() || !bucket.chars().all(in_names) {
        return Err(format!("invalid bucket name `{bucket}`"));
    }
    match prefix.trim_end_matches('/') {
        "" => Ok((bucket, None)),
        prefix => {
            let prefix = prefix
                .parse::<StorePath>()
                .map_err(|error| error.to_string())?;
            Ok((bucket, Some(prefix)))
        }
    }
}

/// Returns the base URL of requests, with the bucket's name before the host's if one is given.
fn server(endpoint: &str, bucket: Option<&str>) -> Result<String, String> {
    let wrong = |why: &str| format!("invalid endpoint `{endpoint}`: {why}");
    let mut url = Url::parse(endpoint).map_err(|error| wrong(&error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(wrong("expected `https://` or `http://`"));
    }
    let host = url.host_str().unwrap_or_default();
    if let Some(bucket) = bucket
        && !host.starts_with(&format!("{bucket}."))
    {
        let host = format!("{bucket}.{host}");
        url.set_host(Some(&host))
            .map_err(|error| wrong(&error.to_string()))?;
    }
    Ok(url.as_str().trim_end_matches('/').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_bucket_and_prefix() {
        assert_eq!(split("s3://bucket").unwrap(), ("bucket", None));
        assert_eq!(split("s3://bucket/").unwrap(), ("bucket", None));
        let (bucket, prefix) = split("s3://my.bucket-1/a/b c/").unwrap();
        assert_eq!((bucket, prefix.unwrap().as_str()), ("my.bucket-1", "a/b c"));
        for wrong in [
            "s3://",
            "s3:///a",
            "s3://b@d/x",
            "s3://b/../c",
            "s3://b/a//c",
            "gs://b",
        ] {
            assert!(split(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn builds_virtual_host_endpoints() {
        let server = |endpoint, bucket| server(endpoint, bucket).unwrap();
        assert_eq!(
            server("http://localhost:8333/", None),
            "http://localhost:8333"
        );
        assert_eq!(
            server("http://localhost:8333", Some("b")),
            "http://b.localhost:8333"
        );
        assert_eq!(
            server("https://b.example.com", Some("b")),
            "https://b.example.com"
        );
        for wrong in ["localhost:8333", "ftp://x", "//x"] {
            assert!(super::server(wrong, None).is_err(), "{wrong}");
        }
        // An IP address has no subdomains.
        assert!(super::server("http://127.0.0.1:8333", Some("b")).is_err());
    }

    fn addressed(options: &BucketOptions, variables: &[(&str, &str)]) -> (String, bool) {
        let variables = variables
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let location = Location::new("s3://b/p", options, variables).unwrap();
        let text = format!("{:?}", location.reading);
        let endpoint = text.split("bucket_endpoint: \"").nth(1).unwrap();
        let endpoint = endpoint.split('"').next().unwrap();
        (endpoint.to_owned(), location.anonymous)
    }

    #[test]
    fn prefers_the_environment_to_options() {
        let none = BucketOptions::default();
        let some = BucketOptions {
            endpoint: Some("https://options.example".to_owned()),
            region: Some("options-1".to_owned()),
            path_style: Some(false),
        };
        let key = ("AWS_ACCESS_KEY_ID", "k");
        let secret = ("AWS_SECRET_ACCESS_KEY", "s");
        assert_eq!(
            addressed(&none, &[]),
            ("https://b.s3.us-east-1.amazonaws.com".to_owned(), false)
        );
        assert_eq!(
            addressed(&some, &[]),
            ("https://b.options.example".to_owned(), true)
        );
        let endpoint = ("AWS_ENDPOINT_URL", "https://environment.example");
        let style = ("AWS_VIRTUAL_HOSTED_STYLE_REQUEST", "false");
        assert_eq!(
            addressed(&some, &[endpoint, style, key, secret]),
            ("https://environment.example/b".to_owned(), false)
        );
        let precise = ("AWS_ENDPOINT_URL_S3", "http://s3.example");
        assert_eq!(
            addressed(&none, &[precise, endpoint]),
            ("http://s3.example/b".to_owned(), true)
        );
        let region = ("AWS_DEFAULT_REGION", "environment-1");
        let empty = ("AWS_REGION", "");
        assert_eq!(
            addressed(&none, &[region, empty]).0,
            "https://b.s3.environment-1.amazonaws.com"
        );
        let only_region = BucketOptions {
            region: Some("options-1".to_owned()),
            ..BucketOptions::default()
        };
        assert_eq!(
            addressed(&only_region, &[]).0,
            "https://b.s3.options-1.amazonaws.com"
        );
    }
}
