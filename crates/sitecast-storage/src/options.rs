//! Settings of buckets.

use serde::Deserialize;

/// Settings of a bucket in a configuration file. Environment variables, with the names that other tools use, take
/// precedence; keys come only from there.
///
/// | setting | environment variable |
/// |---|---|
/// | `endpoint` | `AWS_ENDPOINT_URL_S3`, `AWS_ENDPOINT_URL` |
/// | `region` | `AWS_REGION`, `AWS_DEFAULT_REGION` |
/// | `path_style` | `AWS_VIRTUAL_HOSTED_STYLE_REQUEST` (the opposite) |
/// | never | `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN`, or the role of the machine |
/// | an endpoint with `http://` | `AWS_ALLOW_HTTP` |
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BucketOptions {
    /// The server, unless it is Amazon's: `https://account.r2.cloudflarestorage.com`.
    pub endpoint: Option<String>,
    /// The region: `eu-central-1`.
    pub region: Option<String>,
    /// True if the bucket's name is in the path (`https://server/bucket/…`), false if it is part of the host name
    /// (`https://bucket.server/…`). By default it is in the path on servers other than Amazon's.
    pub path_style: Option<bool>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_settings_but_no_keys() {
        let options: BucketOptions =
            toml::from_str("endpoint = 'http://localhost:8333'\npath_style = true").unwrap();
        assert_eq!(options.endpoint.as_deref(), Some("http://localhost:8333"));
        assert_eq!(options.path_style, Some(true));
        assert_eq!(
            toml::from_str::<BucketOptions>("").unwrap(),
            BucketOptions::default()
        );
        assert!(toml::from_str::<BucketOptions>("secret_access_key = 'x'").is_err());
    }
}
