//! Pages that are left out because of the names of their files.

use crate::Reason;

/// Returns the reason in the name of a file not to publish it.
pub(crate) fn by_name(path: &str) -> Option<Reason> {
    let lower = path.to_ascii_lowercase();
    let mut parts = lower.rsplit('/');
    let file = parts.next().unwrap_or_default();
    let folder = parts.next().unwrap_or_default();
    // `post?id=1.html` of a mirror: which URL it was fetched from is not certain, and none leads to such a file.
    if lower.contains('?') {
        let why =
            "its name has a `?`, so that its URL is not known; publish it as a line with its `url`";
        return Some(Reason::Unusable(why.to_owned()));
    }
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let stem = if stem == "index" { folder } else { stem };
    if matches!(
        stem,
        "400" | "401" | "403" | "404" | "410" | "500" | "502" | "503" | "50x"
    ) {
        return Some(Reason::ErrorPage);
    }
    let is_hex = |text: &str| text.len() == 16 && text.bytes().all(|b| b.is_ascii_hexdigit());
    let verifies = stem.strip_prefix("google").is_some_and(is_hex)
        || stem.strip_prefix("yandex_").is_some_and(is_hex);
    if verifies {
        return Some(Reason::Verification);
    }
    lower
        .split('/')
        .any(|part| matches!(part, "_drafts" | "drafts"))
        .then_some(Reason::Draft)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_pages_drafts_and_proofs_are_known_by_their_names() {
        for (path, reason) in [
            ("404.html", Some(Reason::ErrorPage)),
            ("zh/404/index.html", Some(Reason::ErrorPage)),
            ("googleabcdef0123456789.html", Some(Reason::Verification)),
            ("blog/_drafts/new.html", Some(Reason::Draft)),
            ("drafts/new/index.html", Some(Reason::Draft)),
            ("about-404.html", None),
            ("google.html", None),
            ("index.html", None),
            ("overdrafts/index.html", None),
        ] {
            assert_eq!(by_name(path), reason, "{path}");
        }
    }

    #[test]
    fn files_of_a_mirror_with_a_query_in_their_names_are_refused() {
        for path in ["post?id=1.html", "a?b/index.html"] {
            let reason = by_name(path).unwrap();
            assert!(
                reason.to_string().contains("its URL is not known"),
                "{path}: {reason}"
            );
        }
    }
}
