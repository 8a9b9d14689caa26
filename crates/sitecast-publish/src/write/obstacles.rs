//! Obstacles: files of other kinds at the paths that a publication needs.

use std::fs;

use sitecast_sitemap::SEPARATE_SITEMAP;
use sitecast_storage::{ConfinedFolder, Refusal, Store};

use crate::list::site_sitemap::{BESIDE, SITEMAP};
use crate::recall::json_sitemap::JSON_SITEMAP;
use crate::template::published::PATH as TEMPLATE;
use crate::{Options, PublishError, SitemapForm};

/// Fails where a link out of the folder, a folder or a pipe has the name of a file that is about to be put: found before
/// the first is, nothing is left half done.
pub(crate) fn refuse_obstacles(store: &dyn Store, options: &Options) -> Result<(), PublishError> {
    let Some(folder) = store.folder() else {
        return Ok(());
    };
    // A folder that is not there yet has nothing in it.
    let Ok(files) = ConfinedFolder::new(folder) else {
        return Ok(());
    };
    let artefacts = &options.artefacts;
    let has_sitemap = artefacts.sitemap != SitemapForm::Off;
    let names = [
        (SITEMAP, has_sitemap),
        (BESIDE, has_sitemap),
        (SEPARATE_SITEMAP, has_sitemap),
        (JSON_SITEMAP, artefacts.tct),
        ("llm-policy.json", artefacts.policy),
        ("llms.txt", artefacts.llms_txt),
        (TEMPLATE, artefacts.template),
    ];
    for (name, _) in names.iter().filter(|(_, is_put)| *is_put) {
        let path = folder.join(name);
        if fs::symlink_metadata(&path).is_ok()
            && let Err(refusal) = files.open(name)
            // Our sitemap has another name if this is not a file.
            && !(*name == SITEMAP && matches!(refusal, Refusal::NotRegular))
        {
            return Err(PublishError::InTheWay {
                path: path.display().to_string(),
                refusal,
            });
        }
    }
    Ok(())
}
