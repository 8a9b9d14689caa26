//! The template as it is published, for a next run without a cache: with another template pages would come out
//! differently whose HTML is the same.

use serde::{Deserialize, Serialize};
use sitecast_extract::{Extractor, SiteTemplate};
use sitecast_storage::Store;
use twox_hash::XxHash3_128;

use super::{HtmlSizes, Kept, Site, TemplateOrigin};
use crate::Options;
use crate::address::Style;
use crate::artefacts::MARK;
use crate::files::{own_path, read_all};
use crate::ledger::Fingerprint;

/// The path of the file.
pub(crate) const PATH: &str = "sitecast-template.json";

/// Changes whenever what is stored means something else.
const VERSION: u32 = 1;

/// The file.
#[derive(Serialize, Deserialize)]
pub(crate) struct PublishedTemplate {
    comment: String,
    version: u32,
    /// Those that decide what a template makes of a page.
    settings: String,
    style: Style,
    html: HtmlSizes,
    /// The pages of the sample as they were when it was published, in order: [`sampled`] of each.
    sample: Vec<u64>,
    template: String,
}

/// A page of the sample with its bytes, as a number.
pub(crate) fn sampled(key: &str, bytes: &Fingerprint) -> u64 {
    XxHash3_128::oneshot(&[key.as_bytes(), bytes].concat()) as u64
}

fn settings(options: &Options) -> String {
    format!(
        "{} {:?} {:?} {} {:?}",
        options.base,
        options.extract_limits,
        options.keep_out.nosnippet(),
        options.extract_rules.fingerprint(),
        options.comments,
    )
}

impl PublishedTemplate {
    /// The file for a site with this sample; `None` without one.
    pub(crate) fn write(
        site: &Site<'_>,
        mut sample: Vec<u64>,
        options: &Options,
    ) -> Option<Vec<u8>> {
        if sample.is_empty() {
            return None;
        }
        sample.sort_unstable();
        let published = Self {
            comment: MARK.to_owned(),
            version: VERSION,
            settings: settings(options),
            style: site.style,
            html: site.html,
            sample,
            template: site.template.store(),
        };
        serde_json::to_vec(&published).ok()
    }

    /// Reads the published template; `None` if there is none that can be used. An unreadable file does not end the run:
    /// some hosts answer 403 for files that do not exist.
    pub(crate) fn read(store: &dyn Store, options: &Options) -> Option<Self> {
        let (bytes, _) = read_all(store, &own_path(PATH)).ok()??;
        let published: Self = serde_json::from_slice(&bytes).ok()?;
        let fits = published.version == VERSION && published.settings == settings(options);
        fits.then_some(published)
    }

    /// Returns true if a page of the sample is as it was.
    pub(crate) fn has(&self, sampled: u64) -> bool {
        self.sample.binary_search(&sampled).is_ok()
    }

    /// The site as it was; `None` if it was learnt with another version of the extraction.
    pub(crate) fn into_site(self, extractor: Extractor<'_>) -> Option<Site<'_>> {
        Some(Site {
            style: self.style,
            template: SiteTemplate::restore(&self.template, extractor)?,
            html: self.html,
            sampled: Kept::default(),
            other_host: None,
            origin: TemplateOrigin::LastPublication,
        })
    }
}
