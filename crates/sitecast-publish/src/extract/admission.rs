//! Admission of pages: may a page be published, and at which URL?

use sitecast_scp::{HttpUrl, Page, Timestamp};
use sitecast_sitemap::Robots;

use crate::address::{Address, Style, other_page};
use crate::head::{Head, looks_like_html};
use crate::keep_out::{self, Judgement, OwnerRules, by_markup};
use crate::rules::Rules;
use crate::source::Raw;
use crate::{Options, Reason};

/// The settings of a publication and the files of a site that decide which pages may be published.
pub(crate) struct Admission<'a> {
    pub(crate) options: &'a Options,
    pub(crate) rules: &'a Rules,
    pub(crate) robots: &'a Robots,
    /// Rules in other files of the site that keep pages out.
    pub(crate) owners: &'a OwnerRules,
    pub(crate) style: Style,
    /// The moment of the publication.
    pub(crate) generated: Timestamp,
}

impl Admission<'_> {
    /// The URL of a page, unless its bytes or its head speak against publishing it. Where `known` does not say the URL, it
    /// follows from the key.
    pub(crate) fn url_of_html(
        &self,
        key: &str,
        known: Option<&HttpUrl>,
        bytes: &[u8],
        head: &Head,
    ) -> Result<HttpUrl, Reason> {
        if !looks_like_html(bytes) {
            return Err(Reason::NotHtml);
        }
        if let Some(target) = self.redirect(key, known, head) {
            return Err(Reason::Redirect(target));
        }
        let url = self.address(key, known, head.canonical.as_deref())?;
        match by_markup(bytes) {
            Some(reason) => Err(reason),
            None => Ok(url),
        }
    }

    /// The reason to leave out a page that follows from its key and URL alone.
    pub(crate) fn forbidden(&self, key: &str, url: &str) -> Option<Reason> {
        if !self.robots.is_allowed("*", url) {
            return Some(Reason::RobotsTxt);
        }
        match self.options.base.path_of_page(url) {
            None => Some(Reason::OtherSite),
            Some(path) if self.rules.excludes(&path) => Some(Reason::Settings),
            Some(_) => self.owners.reason(key, url, &self.options.base),
        }
    }

    /// Judges an extracted page and its head.
    pub(crate) fn of_extracted(&self, head: &Head, raw: &Raw, page: &Page) -> Judgement {
        match without_text(page) {
            Some(reason) => Judgement {
                reason: Some(reason),
                has_date_to_come: false,
            },
            None => self.of_owner(head, raw, page),
        }
    }

    /// Judges the owner's directives to crawlers about a page.
    pub(crate) fn of_owner(&self, head: &Head, raw: &Raw, page: &Page) -> Judgement {
        keep_out::of_html(head, raw, page, self.options.keep_out, self.generated)
    }

    /// The page that this one leads on to. A page that only reloads itself leads nowhere.
    fn redirect(&self, key: &str, known: Option<&HttpUrl>, head: &Head) -> Option<String> {
        let target = head.refresh.as_ref()?.url.clone()?;
        let own = match known {
            Some(url) => url::Url::parse(url.as_str()).ok(),
            None => Some(self.style.url(&self.options.base, key)),
        };
        let target = match own.as_ref().map(|own| own.join(&target)) {
            Some(Ok(target)) => target.into(),
            _ => target,
        };
        own.is_none_or(|own| own.as_str() != target)
            .then_some(target)
    }

    fn address(
        &self,
        key: &str,
        known: Option<&HttpUrl>,
        canonical: Option<&str>,
    ) -> Result<HttpUrl, Reason> {
        if let Some(url) = known {
            return match canonical.and_then(|canonical| other_page(url, canonical)) {
                Some(other) => Err(Reason::Canonical(other.into())),
                None => Ok(url.clone()),
            };
        }
        match self.style.address(&self.options.base, key, canonical) {
            Address::Here(url) => url
                .as_str()
                .parse()
                .map_err(|_| Reason::Unusable("its name makes no URL".to_owned())),
            Address::Elsewhere(url) => Err(Reason::Canonical(url.into())),
        }
    }
}

/// The reason to leave out a page without content.
pub(crate) fn without_text(page: &Page) -> Option<Reason> {
    let problem = "it has no text but that of the site's template";
    page.content
        .is_empty()
        .then(|| Reason::Unusable(problem.to_owned()))
}
