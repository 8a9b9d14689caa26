//! Tells our files from those of the owner, which stay as they are.

use sitecast_scp::HttpUrl;
use sitecast_tct::{Policy, RateHints, ReadPage};

use crate::BaseUrl;

/// The mark of files that we may replace: sitemaps, Markdown, `llms.txt`.
pub(crate) const MARK: &str = "Made by Sitecast; written anew with each publication";

/// Returns true if a text has our mark.
pub(crate) fn is_marked(bytes: &[u8]) -> bool {
    memchr::memmem::find(bytes, MARK.as_bytes()).is_some()
}

/// Returns true if a file is the machine page of this very page.
pub(crate) fn is_machine_page_of(bytes: &[u8], page: &HttpUrl) -> bool {
    ReadPage::parse(bytes, bytes.len())
        .is_ok_and(|read| read.hash.is_some() && read.canonical_url == *page)
}

/// Returns the policy for an owner who sets none. `sitemap` names the collections.
pub(crate) fn usual_policy(base: &BaseUrl, sitemap: &str) -> Policy {
    policy_about(base.url_of(sitemap).as_str())
}

fn policy_about(sitemap: &str) -> Policy {
    Policy {
        version: Some(1),
        rate_hints: RateHints {
            note: Some(format!(
                "Take the collections that {sitemap} names rather than single pages."
            )),
            ..RateHints::default()
        },
        ..Policy::default()
    }
}

/// Returns true if a policy is the usual one, perhaps for another base.
pub(crate) fn is_usual_policy(bytes: &[u8]) -> bool {
    const SITEMAP: &str = "{sitemap}";
    let usual = policy_about(SITEMAP).to_json();
    usual.split_once(SITEMAP).is_some_and(|(start, end)| {
        bytes.starts_with(start.as_bytes()) && bytes.ends_with(end.as_bytes())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_policy_is_known_again_for_any_base_and_another_is_not() {
        for base in ["https://example.com/", "https://example.org/docs/"] {
            let policy = usual_policy(&base.parse().unwrap(), "sitemap.xml").to_json();
            assert!(is_usual_policy(policy.as_bytes()), "{policy}");
        }
        for other in ["", "{}", "{\"version\":1}"] {
            assert!(!is_usual_policy(other.as_bytes()), "{other}");
        }
    }

    #[test]
    fn a_machine_page_is_ours_if_it_is_of_this_very_page() {
        let page: HttpUrl = "https://example.com/a".parse().unwrap();
        let ours = r#"{"canonical_url":"https://example.com/a","content":"x","hash":"sha256-x","profile":"tct-1","title":"A"}"#;
        assert!(is_machine_page_of(ours.as_bytes(), &page));
        assert!(!is_machine_page_of(
            ours.replace("com/a", "com/b").as_bytes(),
            &page
        ));
        assert!(!is_machine_page_of(b"{\"models\":[]}", &page));
    }
}
