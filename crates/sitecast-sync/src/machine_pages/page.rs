//! One machine page: request, verification and conversion to a page.

use sitecast_extract::fold;
use sitecast_fetch::{FetchError, Head, Request, Validators};
use sitecast_index::{OriginKind, PageFacts};
use sitecast_scp::{Block, LanguageTag, Page};
use sitecast_tct::sitemap::Item;
use sitecast_tct::{Canonical, Parity, ReadPage, Verification, clean_etag, fingerprint, page_text};
use url::Url;

use super::JSON;
use crate::batch::FetchedPage;
use crate::site::SiteRun;
use crate::{CanonicalRule, SyncError};

/// The result of requesting a machine page.
pub(crate) enum PageResult {
    Fresh(Box<FetchedPage>),
    Unchanged,
    Gone,
    /// The visit has reached its limit on pages, so no request was sent.
    LimitReached,
    /// The machine page was rejected, for this reason.
    Unusable(String),
    /// The machine page was rejected because no header names its page. Usually all machine pages of a site lack it.
    Unlinked,
}

impl PageResult {
    /// Returns the reason if the machine page was rejected.
    pub(crate) fn problem(&self) -> Option<&str> {
        match self {
            Self::Unusable(why) => Some(why),
            Self::Unlinked => Some("it has no `Link` header that names its page"),
            _ => None,
        }
    }
}

impl SiteRun<'_> {
    /// Requests and verifies a machine page, unless the copy in the index has the listed hash, or this visit has
    /// requested `most` already.
    pub(crate) fn machine_page(&mut self, item: &Item, most: u64) -> Result<PageResult, SyncError> {
        let (facts, is_ours) = self.has_hash_of(item)?;
        if is_ours {
            return Ok(PageResult::Unchanged);
        }
        if self.asked_pages >= most {
            return Ok(PageResult::LimitReached);
        }
        self.asked_pages += 1;
        let ours = facts.as_ref().and_then(|facts| facts.etag.clone());
        let Ok(url) = Url::parse(item.m_url.as_str()) else {
            return Ok(PageResult::Unusable("its URL is invalid".to_owned()));
        };
        // Sends the entity tag of the copy in the index. With the hash of the sitemap, as in the draft's example, the
        // server would answer 304 although the page changed.
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
        // The hash differs from the sitemap's: a cache on the way may be stale (TCT, "Replay and Stale
        // Intermediaries").
        request.no_cache = true;
        let answer = self.ask(&request, item, facts.as_ref())?;
        if let (PageResult::Fresh(page), Some(facts)) = (&answer.answer, &facts)
            && page.modified < facts.modified
        {
            self.report.warn(format!(
                "`{}` is older than the copy in the index, which is kept",
                item.m_url
            ));
            return Ok(PageResult::Unchanged);
        }
        if answer.stale.is_some() {
            self.report.warn(format!(
                "`{}` has the hash {stale}, but the sitemap lists another one; the page is used",
                item.m_url
            ));
        }
        Ok(answer.answer)
    }

    /// Returns the metadata of the copy in the index if it is a machine page, and true if it has the listed hash.
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

    /// Returns the metadata of the copy in the index, whatever its origin.
    pub(crate) fn facts_of(&self, item: &Item) -> Result<Option<PageFacts>, SyncError> {
        Ok(self.index.facts(&self.site, item.c_url.as_str())?)
    }

    fn ask(
        &mut self,
        request: &Request,
        item: &Item,
        facts: Option<&PageFacts>,
    ) -> Result<Attempt, SyncError> {
        let limit = self.options.tct_limits.page_bytes;
        let response = self.client.get(request)?;
        let head = response.head.clone();
        let plain = |answer| Attempt {
            answer,
            stale: None,
        };
        match head.status {
            200 => {}
            304 => return Ok(plain(PageResult::Unchanged)),
            410 => return Ok(plain(PageResult::Gone)),
            status => {
                let why = format!("the server answers {status}");
                return Ok(plain(PageResult::Unusable(why)));
            }
        }
        let body = response.decoded(limit as u64)?;
        let read = match ReadPage::parse(&body, limit) {
            Ok(read) => read,
            Err(error) => return Ok(plain(PageResult::Unusable(error.to_string()))),
        };
        let Accepted { read, stale, etag } = match check(&head, item, read, self.options.canonical)
        {
            Ok(accepted) => accepted,
            Err(refused) => return Ok(plain(refused)),
        };
        let page = match self.page_of(item, read, facts) {
            Ok(page) => page,
            Err(why) => return Ok(plain(PageResult::Unusable(why))),
        };
        let line =
            serde_json::to_string(&page).map_err(|error| FetchError::Setup(error.to_string()))?;
        Ok(Attempt {
            answer: PageResult::Fresh(Box::new(FetchedPage {
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

    /// Converts a machine page to a page of a collection.
    fn page_of(
        &self,
        item: &Item,
        read: ReadPage,
        facts: Option<&PageFacts>,
    ) -> Result<Page, String> {
        let modified = read.modified.or(item.modified).unwrap_or(self.now);
        // A page from the future could not be replaced before that time.
        let modified = modified.min(self.now);
        // The hash has changed, so the page has, too, even if it gives no later time.
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
        // The text starts with the title, which is a member of its own.
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

/// The result of one request, with the page's hash if it differs from the sitemap's.
struct Attempt {
    answer: PageResult,
    stale: Option<String>,
}

/// Returns the verified hash of the page as its entity tag if the host sent an unrelated one: static hosts cannot compute
/// the hash. A tag in the form of a hash is never replaced, because it claims to be the page's.
fn own_tag(head: &Head, read: &ReadPage) -> Option<String> {
    let tag = clean_etag(head.validators.etag.as_deref()?);
    let hash = read.hash.as_deref()?;
    (read.verification == Verification::MethodA && !tag.starts_with("sha256-"))
        .then(|| format!("\"{hash}\""))
}

/// A machine page that passed verification.
struct Accepted {
    read: ReadPage,
    /// The page's hash if it differs from the sitemap's.
    stale: Option<String>,
    /// The entity tag, or the hash in its place.
    etag: Option<String>,
}

/// Verifies that a machine page is the requested one and intact.
fn check(
    head: &Head,
    item: &Item,
    read: ReadPage,
    rule: CanonicalRule,
) -> Result<Accepted, PageResult> {
    let refused = |why: &str| PageResult::Unusable(why.to_owned());
    let expected = Url::parse(item.c_url.as_str()).map_err(|error| refused(&error.to_string()))?;
    let linked = match Canonical::check(head.links(), &head.url, &expected) {
        Canonical::Matches => true,
        Canonical::Missing => false,
        Canonical::Differs(_) => {
            return Err(PageResult::Unusable(format!(
                "its `Link` header names another page than `{expected}`"
            )));
        }
    };
    // Without the header and without a hash in the sitemap, only the body would name its page.
    if !linked && (rule == CanonicalRule::Strict || item.hash.is_none()) {
        return Err(PageResult::Unlinked);
    }
    if read.canonical_url.as_str() != item.c_url.as_str()
        && Url::parse(read.canonical_url.as_str()).ok() != Some(expected)
    {
        return Err(refused("its `canonical_url` names another page"));
    }
    if read.verification == Verification::Mismatch {
        return Err(refused("its content does not match its hash"));
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
        // A host that cannot set `Link` sends entity tags of its own, so the verified hash stands in for the tag.
        let hash = read.hash.as_deref().map(clean_etag);
        (hash.map(|hash| format!("\"{hash}\"")), None)
    } else {
        return Err(refused(
            "it has neither a `Link` header nor a verified hash",
        ));
    };
    let stale = match Parity::check(item.hash.as_deref(), tag.as_deref(), payload) {
        Parity::Holds => None,
        Parity::SitemapDiffers if linked => {
            Some(clean_etag(tag.as_deref().unwrap_or_default()).to_owned())
        }
        Parity::SitemapDiffers => return Err(refused("its hash differs from the sitemap's")),
        Parity::NoTag => return Err(refused("it has no entity tag")),
        Parity::PayloadDiffers => return Err(refused("its hash differs from its entity tag")),
    };
    Ok(Accepted {
        read,
        stale,
        etag: tag,
    })
}
