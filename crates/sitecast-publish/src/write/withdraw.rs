//! Withdraws files of an earlier run that no later run would keep up to date.

use sitecast_scp::Timestamp;
use sitecast_storage::StorePath;

use super::writer::FileWriter;
use crate::PublishError;
use crate::artefacts::{machine_path, machine_url};
use crate::files::own_path;
use crate::recall::crash_marker::CrashMarker;
use crate::recall::json_sitemap::{JSON_SITEMAP, each_machine_page};

impl FileWriter<'_> {
    /// The machine pages, the links to them and the JSON sitemap, after TCT was switched off. The
    /// sitemap goes last: as long as it is there, a run that was killed is completed by the next.
    ///
    /// A JSON sitemap of somebody else's, which names machine pages in another way, is left alone.
    pub(super) fn withdraw_machine_pages(
        &mut self,
        marker: &mut CrashMarker<'_>,
        generated: Timestamp,
    ) -> Result<(), PublishError> {
        let (mut ours, mut others) = (0, 0);
        each_machine_page(self.run.store, self.run.options, |item| {
            let name = machine_url(&item.c_url).ok();
            match name.as_deref() == Some(item.m_url.as_str()) {
                true => ours += 1,
                false => others += 1,
            }
            Ok(())
        })?;
        if ours == 0 || others > 0 {
            return Ok(());
        }
        marker.begin(generated)?;
        if self.run.is_in_place() {
            self.unlink_html()?;
        }
        let base = self.run.options.base.as_url();
        each_machine_page(self.run.store, self.run.options, |item| match machine_path(
            base,
            &item.c_url,
        ) {
            Some(path) => Ok(self.run.store.delete(&path)?),
            None => Ok(()),
        })?;
        self.wrote_many("machine-pages", 0, ours, 0);
        let sitemaps = self.json_sitemaps()?;
        for path in sitemaps.iter().rev() {
            self.run.store.delete(path)?;
        }
        self.wrote_many("json-sitemap", 0, sitemaps.len() as u64, 0);
        Ok(())
    }

    /// The JSON sitemap, and those that it names if there are several.
    pub(super) fn json_sitemaps(&self) -> Result<Vec<StorePath>, PublishError> {
        let mut paths = vec![own_path(JSON_SITEMAP)];
        for number in 1.. {
            let path = own_path(&format!("llm-sitemap-{number}.json"));
            if self.run.store.get(&path)?.is_none() {
                break;
            }
            paths.push(path);
        }
        Ok(paths)
    }
}
