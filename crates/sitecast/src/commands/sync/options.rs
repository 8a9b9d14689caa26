use std::time::Duration;

use sitecast_fetch::{Addresses, Options as FetchOptions};
use sitecast_index::{OriginKind, Quota};
use sitecast_sync::{CanonicalRule, Options};

use crate::cli::{Sync, Visit, Way};
use crate::config::kind::is_contact;
use crate::config::{CanonicalName, SiteConfig};
use crate::failure::{Exit, Failure};
use crate::settings::Settings;

/// Who is asking, as far as it is known without being told.
pub(crate) const AGENT: &str = concat!("sitecast/", env!("CARGO_PKG_VERSION"));

const DAY: u64 = 24 * 3600;

/// Flags over a site's own table over `[sync]` over what is usual.
pub(crate) fn sync(arguments: &Sync, settings: &Settings, site: Option<&SiteConfig>) -> Options {
    let config = &settings.sync;
    let usual = limited(settings);
    let own = |of: fn(&SiteConfig) -> Option<u64>| site.and_then(of);
    let prefer = site.and_then(|site| site.prefer).or(config.prefer);
    let prefer = arguments.prefer.or(prefer).map(|way| match way {
        Way::Scp => OriginKind::Scp,
        Way::Tct => OriginKind::Tct,
        Way::Html => OriginKind::Html,
    });
    let days = |days: u64| Duration::from_secs(days.saturating_mul(DAY));
    let sections = site.and_then(|site| site.sections.as_ref());
    let canonical = site.and_then(|site| site.canonical).or(config.canonical);
    let hosts = site.and_then(|site| site.collection_hosts.as_ref());
    Options {
        prefer,
        sections: if arguments.section.is_empty() {
            sections.unwrap_or(&config.sections).clone()
        } else {
            arguments.section.clone()
        },
        snapshot_every: if arguments.full {
            Duration::ZERO
        } else {
            own(|site| site.snapshot_days)
                .or(config.snapshot_days)
                .map_or(usual.snapshot_every, days)
        },
        allow_deletions: arguments.allow_deletions,
        collection_hosts: hosts
            .or(config.collection_hosts.as_ref())
            .map(|hosts| hosts.iter().map(|host| host.to_ascii_lowercase()).collect()),
        html_pages: arguments
            .max_pages
            .or(own(|site| site.max_pages))
            .or(config.max_pages)
            .unwrap_or(usual.html_pages),
        quota: Quota {
            pages: own(|site| site.quota_pages).or(config.quota_pages),
            bytes: own(|site| site.quota_bytes).or(config.quota_bytes),
        },
        retention: own(|site| site.retention_days)
            .or(config.retention_days)
            .map(days),
        canonical: match canonical {
            Some(CanonicalName::Lenient) => CanonicalRule::Lenient,
            Some(CanonicalName::Strict) | None => CanonicalRule::Strict,
        },
        ..usual
    }
}

/// What is usual, with the limits that are set.
pub(crate) fn limited(settings: &Settings) -> Options {
    Options {
        scp_limits: settings.limits().clone(),
        sitemap_limits: settings.sitemap_limits().clone(),
        tct_limits: settings.tct_limits().clone(),
        extract_limits: settings.extract_limits().clone(),
        comments: settings.comments,
        ..Options::default()
    }
}

/// How to behave as a guest.
pub(crate) fn fetching(arguments: &Visit, settings: &Settings) -> Result<FetchOptions, Failure> {
    let config = &settings.sync;
    let contact = arguments.contact.as_ref().or(config.contact.as_ref());
    let agent = match contact {
        Some(contact) if !is_contact(contact) => {
            let message = format!("`{contact}` cannot be sent as a contact");
            return Err(Failure::new(Exit::Usage, message)
                .hint("it is a URL or an e-mail address: --contact https://example.com/bot"));
        }
        Some(contact) => format!("{AGENT} (+{contact})"),
        None => AGENT.to_owned(),
    };
    let mut options = FetchOptions::new(agent);
    options.delay = match arguments.delay {
        Some(seconds) => Duration::try_from_secs_f64(seconds).map_err(|_| {
            Failure::new(
                Exit::Usage,
                format!("`{seconds}` is not a delay in seconds"),
            )
            .hint("it is a number such as 0.5")
        })?,
        None => config.delay.unwrap_or(options.delay),
    };
    if let Some(seconds) = arguments.max_time.or(config.max_time) {
        options.visit_time = Duration::from_secs(seconds);
    }
    if let Some(seconds) = config.max_url_time {
        options.url_time = Duration::from_secs(seconds);
    }
    if arguments.allow_private || config.allow_private {
        options.addresses = Addresses::All;
    }
    Ok(options)
}
