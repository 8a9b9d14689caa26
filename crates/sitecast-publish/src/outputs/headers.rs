use std::time::{Duration, SystemTime};

use sitecast_scp::Timestamp;
use sitecast_tct::{ContentHash, canonical_link, index_link, policy_link};

use super::machine_pages::json_sitemap_url;
use super::{MACHINE_CACHE, Outputs, Published, SITE_CACHE, served};
use crate::PublishError;
use crate::artefacts::{HostKind, HostedFile, machine_url, merge_headers};
use crate::carrier::{own_path, read_all};
use crate::collections::cache_control;
use crate::previous::checksum;
use crate::schedule::Lifetimes;

/// Pages for which a static host is told each one's headers. Hosts read such files into memory.
const MOST_PAGES: usize = 10_000;

impl Outputs<'_> {
    /// Header files for static hosts. Of hosts that are no longer asked for our part is taken out:
    /// it would go on to name entity tags that are no longer true.
    pub(super) fn header_files(&mut self, published: &Published<'_>) -> Result<(), PublishError> {
        let hosts = &self.options.artefacts.hosts;
        let files = match hosts.is_empty() {
            true => Vec::new(),
            false => self.hosted(published)?,
        };
        for kind in HostKind::ALL {
            let path = own_path(match kind {
                HostKind::Netlify => "_headers",
                HostKind::Apache => ".htaccess",
                HostKind::Nginx => "sitecast.nginx.conf",
                HostKind::Caddy => "sitecast.caddy",
            });
            let there = read_all(self.store, &path)?.map(|(bytes, _)| bytes);
            if hosts.contains(&kind) {
                self.looked_at.push(path.clone());
                if let Some(bytes) = merge_headers(kind, there.as_deref(), &files) {
                    self.put("headers", &path, bytes, served("text/plain", SITE_CACHE))?;
                }
            } else if let Some(rest) =
                there.and_then(|there| merge_headers(kind, Some(&there), &[]))
            {
                if rest.is_empty() {
                    self.store.delete(&path)?;
                    self.wrote_many("headers", 0, 1, 0);
                } else {
                    self.put("headers", &path, rest, served("text/plain", SITE_CACHE))?;
                }
            }
        }
        Ok(())
    }

    /// The files whose headers a host does not get right by itself.
    fn hosted(&self, published: &Published<'_>) -> Result<Vec<HostedFile>, PublishError> {
        let mut files = Vec::new();
        let base = &self.options.base;
        let path_of = |url: &str| url::Url::parse(url).map(|url| url.path().to_owned()).ok();
        if self.options.collections_url.is_none() {
            let sections = self.options.sections.iter().zip(published.chains);
            for (section, chain) in sections {
                let lifetimes = Lifetimes::of(section.update_frequency);
                for link in &chain.links {
                    let checksum = checksum(self.store, link, self.options);
                    let modified = http_date(link.generated);
                    for file in &link.files {
                        let mut headers = vec![("Content-Type", "application/scp".to_owned())];
                        if file.compression != sitecast_scp::Compression::None {
                            headers.push(("Content-Encoding", file.compression.name().to_owned()));
                        }
                        headers.push(("Cache-Control", cache_control(link.kind, lifetimes)));
                        if let Some(checksum) = checksum {
                            headers.push(("ETag", format!("\"{checksum}\"")));
                        }
                        headers.push(("Last-Modified", modified.clone()));
                        files.extend(
                            path_of(base.url_of(file.path.as_str()).as_str())
                                .map(|path| HostedFile { path, headers }),
                        );
                    }
                }
            }
        }
        if !self.options.artefacts.tct {
            return Ok(files);
        }
        let index = json_sitemap_url(base);
        let policy: String = base.url_of("llm-policy.json").into();
        let policy = self.options.artefacts.policy.then(|| policy_link(&policy));
        for path in self.json_sitemaps()? {
            let mut headers = machine_headers();
            headers.extend(policy.clone().map(|link| ("Link", link)));
            if let Some((bytes, _)) = read_all(self.store, &path)? {
                headers.push(("ETag", ContentHash::of(&bytes).etag()));
            }
            let url: String = base.url_of(path.as_str()).into();
            files.extend(path_of(&url).map(|path| HostedFile { path, headers }));
        }
        files.push(HostedFile {
            path: base.as_url().path().to_owned(),
            headers: vec![("Link", index_link(&index))],
        });
        let pages = published.ledger.by_urls();
        let pages = pages.filter(|(_, known)| known.machine.is_some());
        for (url, known) in pages.take(MOST_PAGES) {
            let Ok(page) = url.parse() else {
                continue;
            };
            let Ok(machine) = machine_url(&page) else {
                continue;
            };
            let mut headers = machine_headers();
            headers.push(("Link", canonical_link(page.as_str())));
            headers.push(("Link", index_link(&index)));
            headers.extend(policy.clone().map(|link| ("Link", link)));
            headers.push(("Last-Modified", http_date(known.modified)));
            headers.extend(known.machine.map(|hash| ("ETag", hash.etag())));
            files.extend(path_of(&machine).map(|path| HostedFile { path, headers }));
        }
        Ok(files)
    }
}

/// What machine pages and JSON sitemaps have in common.
fn machine_headers() -> Vec<(&'static str, String)> {
    vec![
        ("Content-Type", "application/json".to_owned()),
        ("Cache-Control", MACHINE_CACHE.to_owned()),
        ("Vary", "Accept-Encoding".to_owned()),
    ]
}

/// `Thu, 15 Jan 2026 10:00:00 GMT`.
fn http_date(time: Timestamp) -> String {
    let seconds = u64::try_from(time.unix_seconds()).unwrap_or_default();
    httpdate::fmt_http_date(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds))
}
