use serde::Deserialize;

/// What a configuration file says about buckets. The environment is asked first, in the variables
/// that other tools use; keys are only taken from there.
///
/// | here | environment |
/// |---|---|
/// | `endpoint` | `AWS_ENDPOINT_URL_S3`, `AWS_ENDPOINT_URL` |
/// | `region` | `AWS_REGION`, `AWS_DEFAULT_REGION` |
/// | `path_style` | `AWS_VIRTUAL_HOSTED_STYLE_REQUEST` (the opposite) |
/// | never | `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN`, or the role of the machine |
/// | an endpoint with `http://` | `AWS_ALLOW_HTTP` |
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BucketOptions {
    /// The server, where it is not Amazon's: `https://account.r2.cloudflarestorage.com`.
    pub endpoint: Option<String>,
    /// The region: `eu-central-1`.
    pub region: Option<String>,
    /// Whether the bucket's name stands in the path (`https://server/bucket/…`) or is part of the
    /// host's (`https://bucket.server/…`). Unless it is said, in the path on other servers than
    /// Amazon's.
    pub path_style: Option<bool>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_file_can_fill_it_but_not_with_keys() {
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
