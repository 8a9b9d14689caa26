//! The owner's rules that keep pages from crawlers.
//!
//! A collection goes to everybody. A page that is kept from one crawler, or that asks for a password, is therefore left
//! out of it, unless the settings say that only rules for all crawlers count.
//!
//! | where it is said | module |
//! |---|---|
//! | `<meta name="robots">`, `<meta name="googlebot">`, `X-Robots-Tag`, and the dates in them | `directives`, `date` |
//! | `data-nosnippet` in the HTML | `sitecast_extract::NoSnippet` |
//! | `_headers`, with its patterns | `headers_file`, `pattern` |
//! | `.htaccess` in any folder | `htaccess` |

mod date;
mod directives;
mod headers_file;
mod htaccess;
mod markup;
mod pattern;

use std::collections::BTreeMap;

use sitecast_scp::{Page, Timestamp};
use sitecast_storage::Store;

pub(crate) use directives::Judgement;
pub(crate) use markup::by_markup;

use crate::files::site_file;
use crate::head::Head;
use crate::source::{Items, Raw, Source};
use crate::{BaseUrl, KeepOut, PublishError, Reason};
use headers_file::HeaderRules;
use htaccess::{AccessRules, Verdict};

/// The file of static hosts with headers by path.
const HEADERS: &str = "_headers";
/// Apache's rules for a folder.
const ACCESS: &str = ".htaccess";
/// More bytes of it are not read. Hosts take 100 rules, and Netlify no more than some thousands.
const MOST_HEADERS_BYTES: usize = 1 << 20;
/// More bytes of a `.htaccess` are not read: Apache reads it for every request.
const MOST_ACCESS_BYTES: usize = 256 << 10;
/// Rules of all `.htaccess` files that are kept in memory.
const MOST_ACCESS_RULES: usize = 10_000;

/// The rules about pages in other files of the site.
#[derive(Debug, Default, serde::Serialize)]
pub(crate) struct OwnerRules {
    headers: HeaderRules,
    /// By folder, without a slash at the end; the top is the empty text.
    access: BTreeMap<String, AccessRules>,
    /// Notes for the owner.
    pub(crate) notes: Vec<String>,
}

impl OwnerRules {
    /// Reads `_headers` and every `.htaccess`, of the source and, for the top folder, of where it is published. Dates in
    /// them are compared with `now`.
    pub(crate) fn read(
        source: &dyn Source,
        store: &dyn Store,
        items: &Items,
        keep_out: KeepOut,
        now: Timestamp,
    ) -> Result<Self, PublishError> {
        if keep_out == KeepOut::Robots {
            return Ok(Self::default());
        }
        let mut rules = Self::default();
        let headers = match site_file(source, store, HEADERS) {
            // No host takes a folder for it.
            Err(PublishError::Refused {
                reason: Reason::NotAFile,
                ..
            }) => None,
            read => read?,
        };
        if let Some(bytes) = headers {
            if bytes.len() > MOST_HEADERS_BYTES {
                return Err(refused(HEADERS, "it is larger than 1 MiB"));
            }
            rules.headers = HeaderRules::parse(&bytes, now)
                .ok_or_else(|| refused(HEADERS, "it has too many rules"))?;
        }
        rules.read_access(source, store, items, now)?;
        Ok(rules)
    }

    /// Reads every `.htaccess`.
    fn read_access(
        &mut self,
        source: &dyn Source,
        store: &dyn Store,
        items: &Items,
        now: Timestamp,
    ) -> Result<(), PublishError> {
        let mut count = 0;
        let is_at_top = items.access_files().any(|path| path == ACCESS);
        for path in items.access_files().chain((!is_at_top).then_some(ACCESS)) {
            let bytes = match site_file(source, store, path) {
                Ok(bytes) => bytes.ok_or(None),
                Err(PublishError::Refused {
                    reason: Reason::NotAFile,
                    ..
                }) => Err(None),
                Err(PublishError::Refused { reason, .. }) => Err(Some(reason)),
                Err(error) => return Err(error),
            };
            let access = match bytes {
                // It vanished, or is not a file, and protects nothing.
                Err(None) => continue,
                Err(Some(reason)) => AccessRules::unknown(path, &reason.to_string()),
                Ok(bytes) if bytes.len() > MOST_ACCESS_BYTES => {
                    AccessRules::unknown(path, "it is larger than 256 KiB")
                }
                Ok(bytes) => AccessRules::parse(path, &bytes, now),
            };
            count += access.len();
            if count > MOST_ACCESS_RULES {
                let why = "all such files together have too many rules";
                return Err(refused(path, why));
            }
            self.notes.extend(access.note(path));
            if access.len() > 0 {
                let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
                self.access.insert(folder.to_owned(), access);
            }
        }
        Ok(())
    }

    /// The rules of a `_headers` and of a folder's `.htaccess`; `None` if the first has too many.
    #[cfg(feature = "fuzzing")]
    pub(crate) fn of_texts(
        headers: &[u8],
        (folder, access): (&str, &[u8]),
        now: Timestamp,
    ) -> Option<Self> {
        let access = AccessRules::parse(&format!("{folder}/{ACCESS}"), access, now);
        Some(Self {
            headers: HeaderRules::parse(headers, now)?,
            access: BTreeMap::from([(folder.to_owned(), access)]),
            notes: Vec::new(),
        })
    }

    /// The reason to leave out a page, by the item of the source and its URL.
    pub(crate) fn reason(&self, key: &str, url: &str, base: &BaseUrl) -> Option<Reason> {
        let by_header = if self.headers.is_empty() {
            None
        } else {
            self.headers.reason(key, url, base)
        };
        by_header.or_else(|| self.by_access(key))
    }

    /// Apache joins the files from the top to the page's folder, then the sections for single files.
    fn by_access(&self, key: &str) -> Option<Reason> {
        if self.access.is_empty() {
            return None;
        }
        let name = key.rsplit('/').next().unwrap_or(key);
        let ends = key.match_indices('/').map(|(at, _)| at);
        let folders: Vec<&AccessRules> = std::iter::once("")
            .chain(ends.filter_map(|end| key.get(..end)))
            .filter_map(|folder| self.access.get(folder))
            .collect();
        let mut verdict = Verdict::default();
        for of_files in [false, true] {
            for rules in &folders {
                verdict.join(rules.verdict(name, of_files));
            }
        }
        verdict.reason()
    }
}

fn refused(path: &str, why: &str) -> PublishError {
    PublishError::Refused {
        path: path.to_owned(),
        reason: Reason::Unusable(format!(
            "{why}, so that nobody knows which pages it keeps out; `keep_out = \"robots\"` passes over it"
        )),
    }
}

/// Judges HTML by its robots directives.
pub(crate) fn of_html(
    head: &Head,
    raw: &Raw,
    page: &Page,
    keep_out: KeepOut,
    now: Timestamp,
) -> Judgement {
    let mut judgement = of_page(page, keep_out, now);
    judgement.hear_head(head, raw, keep_out, now);
    judgement
}

/// Judges HTML by its head alone.
pub(crate) fn of_head(head: &Head, raw: &Raw, keep_out: KeepOut, now: Timestamp) -> Judgement {
    let mut judgement = Judgement::default();
    judgement.hear_head(head, raw, keep_out, now);
    judgement
}

/// Judges a page that is made already.
pub(crate) fn of_page(page: &Page, keep_out: KeepOut, now: Timestamp) -> Judgement {
    let mut judgement = Judgement::default();
    for directive in &page.robots {
        judgement.hear(directive, None, keep_out, now);
    }
    judgement
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(files: &[(&str, &str)]) -> OwnerRules {
        let now = "2025-06-01T12:00:00Z".parse().unwrap();
        let access = files.iter().map(|(folder, text)| {
            let rules = AccessRules::parse(&format!("{folder}/.htaccess"), text.as_bytes(), now);
            ((*folder).to_owned(), rules)
        });
        OwnerRules {
            headers: HeaderRules::default(),
            access: access.collect(),
            notes: Vec::new(),
        }
    }

    fn is_kept_out(rules: &OwnerRules, key: &str) -> bool {
        let base = "https://example.com/".parse().unwrap();
        rules
            .reason(key, &format!("https://example.com/{key}"), &base)
            .is_some()
    }

    #[test]
    fn a_folder_beneath_may_open_what_one_above_closes() {
        let rules = rules(&[
            ("a", "Require valid-user\n"),
            ("a/open", "Require all granted\n"),
            ("a/open/shut", "Deny from all\n"),
        ]);
        for (key, kept_out) in [
            ("index.html", false),
            ("a.html", false),
            ("ab/index.html", false),
            ("a/index.html", true),
            ("a/b/c.html", true),
            ("a/open/index.html", false),
            ("a/open/shut/x.html", true),
        ] {
            assert_eq!(is_kept_out(&rules, key), kept_out, "{key}");
        }
    }

    /// Both Apache's old and its new way have to let readers in.
    #[test]
    fn what_lifts_a_refusal_lifts_no_password_and_no_condition_does() {
        for (above, below, kept_out) in [
            ("Require valid-user", "Allow from all", true),
            ("AuthType Basic", "Order allow,deny\nAllow from all", true),
            ("Deny from all", "Allow from all", false),
            ("Deny from all", "Require all granted", true),
            ("Require valid-user", "Require all granted", false),
            (
                "Require valid-user",
                "<If \"%{REMOTE_ADDR} == '10.0.0.1'\">\nRequire all granted\n</If>",
                true,
            ),
            (
                "Require valid-user",
                "<If \"x\">\n</If>\n<Else>\nRequire all granted\n</Else>",
                true,
            ),
            (
                "Require valid-user",
                "<IfModule mod_authz_core.c>\nRequire all granted\n</IfModule>\n\
                 <IfModule !mod_authz_core.c>\nAllow from all\n</IfModule>",
                false,
            ),
            (
                "Header set X-Robots-Tag noindex",
                "Header unset X-Robots-Tag env=OPEN",
                true,
            ),
            (
                "Header set X-Robots-Tag noindex",
                "<If \"x\">\nHeader set X-Robots-Tag index\n</If>",
                true,
            ),
            (
                "Header set X-Robots-Tag noindex",
                "Header unset X-Robots-Tag",
                false,
            ),
        ] {
            let rules = rules(&[("a", above), ("a/b", below)]);
            assert!(is_kept_out(&rules, "a/x.html"));
            assert_eq!(is_kept_out(&rules, "a/b/x.html"), kept_out, "{below}");
        }
    }

    #[test]
    fn sections_for_files_come_after_all_folders() {
        let rules = rules(&[
            (
                "",
                "<FilesMatch \"secret\">\nRequire valid-user\n</FilesMatch>\n",
            ),
            ("a", "Require all granted\n"),
        ]);
        assert!(is_kept_out(&rules, "a/secret.html"));
        assert!(!is_kept_out(&rules, "a/other.html"));
    }
}
