//! Opening a store by its location.

use url::Url;

use crate::{BucketOptions, Folder, Store, StoreError};

/// Opens the store at a location: `s3://bucket/prefix`, or else a folder (`public`, `file:///srv/public`).
///
/// ```
/// use sitecast_storage::{BucketOptions, open};
///
/// let options = BucketOptions::default();
/// assert!(open("public", &options).is_ok());
/// let error = open("gs://bucket", &options).err().map(|error| error.to_string());
/// assert!(error.is_some_and(|error| error.contains("`gs://` is not supported")));
/// ```
pub fn open(location: &str, options: &BucketOptions) -> Result<Box<dyn Store>, StoreError> {
    let wrong = |problem: String| StoreError::Location {
        location: location.to_owned(),
        problem,
    };
    match scheme(location).as_deref() {
        None => Ok(Box::new(Folder::new(location)?)),
        Some("file") => {
            let path = Url::parse(location)
                .ok()
                .and_then(|url| url.to_file_path().ok());
            let path = path.ok_or_else(|| wrong("it does not name a local folder".to_owned()))?;
            Ok(Box::new(Folder::new(path)?))
        }
        Some("s3") => open_bucket(location, options),
        Some("http" | "https") => Err(wrong("a website can only be read".to_owned())),
        Some(other) => Err(wrong(format!(
            "`{other}://` is not supported; use `s3://` or a folder"
        ))),
    }
}

#[cfg(feature = "s3")]
fn open_bucket(location: &str, options: &BucketOptions) -> Result<Box<dyn Store>, StoreError> {
    Ok(Box::new(crate::Bucket::open(location, options)?))
}

#[cfg(not(feature = "s3"))]
fn open_bucket(location: &str, _options: &BucketOptions) -> Result<Box<dyn Store>, StoreError> {
    Err(left_out(location, "s3"))
}

#[cfg(not(feature = "s3"))]
fn left_out(location: &str, feature: &str) -> StoreError {
    StoreError::Location {
        location: location.to_owned(),
        problem: format!("this program was built without the feature `{feature}`"),
    }
}

/// Returns the part before `://` if it is a valid scheme; names of folders may contain `://`, too.
fn scheme(location: &str) -> Option<String> {
    let (scheme, _) = location.split_once("://")?;
    let in_schemes = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    let is_scheme =
        scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && scheme.chars().all(in_schemes);
    is_scheme.then(|| scheme.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(location: &str) -> String {
        open(location, &BucketOptions::default()).unwrap().name()
    }

    #[test]
    fn recognises_folders_and_buckets() {
        assert!(name("public").ends_with("/public"));
        assert_eq!(name("/srv/a b"), "/srv/a b");
        assert_eq!(name("file:///srv/a%20b"), "/srv/a b");
        #[cfg(feature = "s3")]
        assert_eq!(name("s3://bucket/prefix/"), "s3://bucket/prefix");
    }

    #[test]
    fn rejects_unsupported_locations() {
        for location in [
            "gs://b",
            "ftp://x/y",
            "file://elsewhere/x",
            "s3://",
            "http://",
            "https://example.com/",
            "",
        ] {
            let error = open(location, &BucketOptions::default());
            let message = error.err().unwrap().to_string();
            let start = format!("invalid store `{location}`: ");
            assert!(message.starts_with(&start), "{message}");
        }
    }
}
