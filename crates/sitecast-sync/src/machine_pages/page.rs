//! One machine page: asked for, verified, and made a page of.

use sitecast_extract::fold;
use sitecast_fetch::{FetchError, Head, Request, Validators};
use sitecast_index::{OriginKind, PageFacts};
use sitecast_scp::{Block, LanguageTag, Page};
use sitecast_tct::sitemap::Item;
use sitecast_tct::{Canonical, Parity, ReadPage, Verification, clean_etag, fingerprint, page_text};
use url::Url;

use super::JSON;
use crate::batch::Fresh;
use crate::site::SiteRun;
use crate::{CanonicalRule, SyncError};

/// What came of asking for a machine page.
pub(crate) enum Answer {
    Fresh(Box<Fresh>),
    Unchanged,
    Gone,
    /// As many pages were asked for as may be in one run.
    NotAsked,
    /// It cannot be used, and why.
    Unusable(String),
    /// It cannot be used, since no header names the page it is for. Where one has none, hardly any has.
    Unlinked,
}

impl Answer {
    /// Why it cannot be used, if it cannot.
    pub(crate) fn problem(&self) -> Option<&str> {
        match self {
            Self::Unusable(why) => Some(why),
            Self::Unlinked => Some("no `Link` header names the page it is for"),
            _ => None,
        }
    }
}

impl SiteRun<'_> {
    /// Takes a machine page, unless its hash is that of ours, or `most` were asked for in this run.
    pub(crate) fn machine_page(&mut self, item: &Item, most: u64) -> Result<Answer, SyncError> {
        let (facts, is_ours) = self.has_hash_of(item)?;
        if is_ours {
            return Ok(Answer::Unchanged);
        }
        if self.asked_pages >= most {
            return Ok(Answer::NotAsked);
        }
        self.asked_pages += 1;
        let ours = facts.as_ref().and_then(|facts| facts.etag.clone());
        let Ok(url) = Url::parse(item.m_url.as_str()) else {
            return Ok(Answer::Unusable("its URL cannot be used".to_owned()));
        };
        // With the tag of what we have. With that of the sitemap, as the draft's example does it, the
        // answer to a change would be that nothing changed.
        let mut request = Request::new(url, self.options.tct_limits.page_bytes as u64)
            .accept(JSON)
            .unless_matches(Validators {
                etag: ours,
                last_modified: None,
            });
        let answer = self.ask(&request, item, facts.as_ref())?;
        let Some(stale) = answer.stale else {
            return Ok(answer.answer);
        };
        // Not what the sitemap says: a cache on the way may be behind. TCT, "Replay and Stale
        // Intermediaries".
        request.no_cache = true;
        let answer = self.ask(&request, item, facts.as_ref())?;
        if let (Answer::Fresh(page), Some(facts)) = (&answer.answer, &facts)
            && page.modified < facts.modified
        {
            self.report.warn(format!(
                "`{}` is older than what is here, which stays",
                item.m_url
            ));
            return Ok(Answer::Unchanged);
        }
        if answer.stale.is_some() {
            self.report.warn(format!(
                "`{}` has the hash {stale}, the sitemap another; the page counts",
                item.m_url
            ));
        }
        Ok(answer.answer)
    }

    /// What is known of our copy, if it was a machine page; and whether it has the hash that the sitemap says.
    pub(crate) fn has_hash_of(&self, item: &Item) -> Result<(Option<PageFacts>, bool), SyncError> {
        let facts = self.facts_of(item)?;
        let facts = facts.filter(|facts| facts.origin == OriginKind::Tct);
        let ours = facts.as_ref().and_then(|facts| facts.etag.as_deref());
        let is_ours = match (&item.hash, ours) {
            (Some(hash), Some(ours)) => clean_etag(ours) == hash,
            _ => false,
        };
        Ok((facts, is_ours))
    }

    /// What is known of our copy, wherever it came from.
    pub(crate) fn facts_of(&self, item: &Item) -> Result<Option<PageFacts>, SyncError> {
        Ok(self.index.facts(&self.site, item.c_url.as_str())?)
    }

    fn ask(
        &mut self,
        request: &Request,
        item: &Item,
        facts: Option<&PageFacts>,
    ) -> Result<Asking, SyncError> {
        let limit = self.options.tct_limits.page_bytes;
        let response = self.client.get(request)?;
        let head = response.head.clone();
        let plain = |answer| Asking {
            answer,
            stale: None,
        };
        match head.status {
            200 => {}
            304 => return Ok(plain(Answer::Unchanged)),
            410 => return Ok(plain(Answer::Gone)),
            status => {
                let why = format!("the server answers {status}");
                return Ok(plain(Answer::Unusable(why)));
            }
        }
        let body = response.decoded(limit as u64)?;
        let read = match ReadPage::parse(&body, limit) {
            Ok(read) => read,
            Err(error) => return Ok(plain(Answer::Unusable(error.to_string()))),
        };
        let Judged { read, stale, etag } = match judge(&head, item, read, self.options.canonical) {
            Ok(judged) => judged,
            Err(refused) => return Ok(plain(refused)),
        };
        let page = match self.page_of(item, read, facts) {
            Ok(page) => page,
            Err(why) => return Ok(plain(Answer::Unusable(why))),
        };
        let line =
            serde_json::to_string(&page).map_err(|error| FetchError::Setup(error.to_string()))?;
        Ok(Asking {
            answer: Answer::Fresh(Box::new(Fresh {
                url: item.c_url.to_string(),
                line,
                modified: page.modified,
                language: page.language.as_str().to_owned(),
                fingerprint: *fingerprint(&page_text(&page)).bytes(),
                etag,
            })),
            stale,
        })
    }

    /// The machine page as a page of a collection.
    fn page_of(
        &self,
        item: &Item,
        read: ReadPage,
        facts: Option<&PageFacts>,
    ) -> Result<Page, String> {
        let modified = read.modified.or(item.modified).unwrap_or(self.now);
        // From the future it could never be replaced.
        let modified = modified.min(self.now);
        // Its text is another, so it did change, whatever it says.
        let modified = match facts {
            Some(facts) if read.modified.is_none() && modified <= facts.modified => self.now,
            _ => modified,
        };
        let language = read.language.unwrap_or_else(LanguageTag::undetermined);
        let mut page = Page::new(item.c_url.clone(), read.title, modified, language);
        page.published = read.published;
        page.schema = read.structured_data;
        let mut parts: Vec<&str> = read.content.split("\n\n").map(str::trim).collect();
        parts.retain(|part| !part.is_empty());
        // The text begins with the title.
        if parts.len() > 1
            && parts
                .first()
                .is_some_and(|first| *first == page.title.trim())
        {
            parts.remove(0);
        }
        page.content = parts
            .into_iter()
            .map(|part| Block::Text {
                text: part.to_owned(),
            })
            .collect();
        fold(&mut page, self.options.scp_limits.page_blocks);
        Ok(page)
    }
}

/// An answer, and the hash it came with if the sitemap says another.
struct Asking {
    answer: Answer,
    stale: Option<String>,
}

/// The page's hash as its tag, where the host has put a tag of its own in its place: static hosts cannot compute the hash, and
/// it was computed here. A tag that is a hash and another one is not a host's own.
fn own_tag(head: &Head, read: &ReadPage) -> Option<String> {
    let tag = clean_etag(head.validators.etag.as_deref()?);
    let hash = read.hash.as_deref()?;
    (read.verification == Verification::MethodA && !tag.starts_with("sha256-"))
        .then(|| format!("\"{hash}\""))
}

/// A machine page that may be kept.
struct Judged {
    read: ReadPage,
    /// The hash it came with if the sitemap says another.
    stale: Option<String>,
    /// The entity tag, or the hash that stands in for it.
    etag: Option<String>,
}

/// Checks that the page is the one that was asked for, and whole.
fn judge(head: &Head, item: &Item, read: ReadPage, rule: CanonicalRule) -> Result<Judged, Answer> {
    let refused = |why: &str| Answer::Unusable(why.to_owned());
    let expected = Url::parse(item.c_url.as_str()).map_err(|error| refused(&error.to_string()))?;
    let linked = match Canonical::check(head.links(), &head.url, &expected) {
        Canonical::Matches => true,
        Canonical::Missing => false,
        Canonical::Differs(_) => {
            return Err(Answer::Unusable(format!(
                "its `Link` header names another page than `{expected}`"
            )));
        }
    };
    // Without a hash in a sitemap nothing but the page itself says which page it is for.
    if !linked && (rule == CanonicalRule::Strict || item.hash.is_none()) {
        return Err(Answer::Unlinked);
    }
    if read.canonical_url.as_str() != item.c_url.as_str()
        && Url::parse(read.canonical_url.as_str()).ok() != Some(expected)
    {
        return Err(refused("its `canonical_url` is another page"));
    }
    if read.verification == Verification::Mismatch {
        return Err(refused("its content is not what its hash says"));
    }
    let is_verified = matches!(
        read.verification,
        Verification::MethodA | Verification::MethodB
    );
    let (tag, payload) = if linked {
        (
            own_tag(head, &read).or_else(|| head.validators.etag.clone()),
            read.hash.as_deref(),
        )
    } else if is_verified {
        // A host that cannot set `Link` makes up its own entity tags, too; the hash was computed.
        let hash = read.hash.as_deref().map(clean_etag);
        (hash.map(|hash| format!("\"{hash}\"")), None)
    } else {
        return Err(refused(
            "neither a `Link` header nor a hash of its own says what it is",
        ));
    };
    let stale = match Parity::check(item.hash.as_deref(), tag.as_deref(), payload) {
        Parity::Holds => None,
        Parity::SitemapDiffers if linked => {
            Some(clean_etag(tag.as_deref().unwrap_or_default()).to_owned())
        }
        Parity::SitemapDiffers => return Err(refused("its hash is another than the sitemap's")),
        Parity::NoTag => return Err(refused("it has no entity tag")),
        Parity::PayloadDiffers => return Err(refused("its hash is another than its entity tag")),
    };
    Ok(Judged {
        read,
        stale,
        etag: tag,
    })
}
