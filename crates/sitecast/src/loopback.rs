//! A publication served on this machine alone, and synced as an agent would, under the URLs it will have
//! on the web: nothing is rewritten for the occasion, and what crosses the wire is what would.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use sitecast_fetch::{Addresses, Client, Options as FetchOptions, StandIn, StandInScheme};
use sitecast_index::{FolderIndex, OriginKind};
use sitecast_publish::BaseUrl;
use sitecast_scp::Timestamp;
use sitecast_serve::{Options as ServeOptions, Server};
use sitecast_storage::Store;
use sitecast_sync::{Options as SyncOptions, Progress, SiteReport, Syncer};

use crate::commands::{index_failure, serve, sync};
use crate::failure::{Exit, Failure};
use crate::settings::Settings;

/// Looking for new publications is left to [`Loopback::serve`].
const NEVER: Duration = Duration::from_secs(24 * 3600);

/// A server on a free port of the loopback interface. It ends when this is dropped.
pub(crate) struct Loopback {
    server: Option<Server>,
    site: BaseUrl,
    address: SocketAddr,
}

impl Loopback {
    /// Serves what is published in the store now. After another publication, serve it again.
    ///
    /// `site` is the base URL that it was published with.
    pub(crate) fn serve(store: Arc<dyn Store>, site: &BaseUrl) -> Result<Self, Failure> {
        let options = ServeOptions {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            workers: 1,
            base_url: Some(site.as_url().clone()),
            poll: NEVER,
            notifications: false,
            shutdown: Duration::from_secs(5),
            ..ServeOptions::default()
        };
        let server = Server::start(store, options, None, Arc::new(|_| {}));
        let server = server.map_err(serve::failure)?;
        Ok(Self {
            address: server.address(),
            server: Some(server),
            site: site.clone(),
        })
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// An agent that knows nothing yet, need not be polite, and comes here for the site's URLs. It goes
    /// nowhere else.
    pub(crate) fn client(&self) -> Result<Client, Failure> {
        let mut options = FetchOptions::new(sync::AGENT);
        options.delay = Duration::ZERO;
        // A `Crawl-delay` is for visits to the site itself.
        options.longest_delay = Duration::ZERO;
        // A sitemap on another host is not fetched for a rehearsal.
        options.addresses = Addresses::StandInOnly;
        options.stand_in = Some(StandIn {
            site: self.site.as_url().clone(),
            address: self.address(),
            scheme: StandInScheme::Http,
        });
        Client::new(options).map_err(|error| sync::failure(&error.into()))
    }

    /// Brings the index up to date by one way, as a new process would.
    pub(crate) fn sync(
        &self,
        index: &Path,
        way: OriginKind,
        settings: &Settings,
        progress: &dyn Progress,
    ) -> Result<SiteReport, Failure> {
        let client = self.client()?;
        let url = self.site.to_string().parse().map_err(|_| {
            let message = format!("`{}` is not where a page can be", self.site);
            Failure::new(Exit::Usage, message)
        })?;
        let folder = FolderIndex::open(index).map_err(|error| index_failure(&error))?;
        let options = SyncOptions {
            prefer: Some(way),
            allow_deletions: true,
            html_pages: u64::MAX,
            ..sync::limited(settings)
        };
        let report = Syncer {
            client: &client,
            index: &folder,
            scratch: &index.join("sync"),
            options: &options,
            now: Timestamp::from(SystemTime::now()),
            progress,
        }
        .sync(&url);
        match &report.error {
            Some(error) => Err(sync::failure(error)),
            None => Ok(report),
        }
    }
}

impl Drop for Loopback {
    fn drop(&mut self) {
        if let Some(server) = self.server.take() {
            server.stop();
        }
    }
}

#[cfg(test)]
mod tests {
    use sitecast_publish::{LinesSource, Options, SitemapForm, publish};
    use sitecast_storage::{Attributes, Body, Condition, Memory, Put};

    use super::*;

    fn page(name: &str, text: &str) -> String {
        let html = format!(
            "<html lang=en><title>{name}</title><main><h1>{name}</h1><p>{text}, said in a sentence that is long \
             enough to be taken for one.</p></main>"
        );
        serde_json::json!({ "url": format!("https://tea.example/shop/{name}"), "html": html })
            .to_string()
    }

    #[test]
    fn a_publication_is_synced_under_its_own_urls_by_every_way() {
        let site: BaseUrl = "https://tea.example/shop/".parse().unwrap();
        let settings = Settings::default();
        let store = Arc::new(Memory::default());
        let put = |lines: &[String]| {
            let lines = lines.join("\n");
            let limits = sitecast_scp::Limits::default();
            let source = LinesSource::spooled("lines", lines.as_bytes(), limits).unwrap();
            let mut options = Options::new(site.clone());
            // Below a path, where robots.txt does not name it.
            options.artefacts.sitemap = SitemapForm::Separate;
            let now = Timestamp::from(SystemTime::now());
            publish(&source, &*store, None, &options, now, &()).unwrap();
        };
        put(&[page("green", "Green tea"), page("black", "Black tea")]);
        // The homepage's headers say where the JSON sitemap of a site below a path is.
        store
            .put(Put {
                path: "index.html".parse().unwrap(),
                body: Body::Bytes(b"<p>Tea".to_vec()),
                attributes: Attributes::default(),
                condition: Condition::None,
            })
            .unwrap();
        let folder = tempfile::tempdir().unwrap();
        let index = |way: OriginKind| folder.path().join(format!("{way:?}"));
        let ways = [OriginKind::Scp, OriginKind::Tct];
        let loopback = Loopback::serve(store.clone(), &site).unwrap();
        for way in ways {
            let report = loopback.sync(&index(way), way, &settings, &()).unwrap();
            assert_eq!((report.way, report.pages.new), (Some(way), 2));
            assert_eq!(report.site, "https://tea.example/shop/");
        }
        drop(loopback);
        put(&[page("green", "Sencha"), page("black", "Black tea")]);
        let loopback = Loopback::serve(store.clone(), &site).unwrap();
        for way in ways {
            let report = loopback.sync(&index(way), way, &settings, &()).unwrap();
            assert_eq!((report.way, report.pages.changed), (Some(way), 1));
        }
    }
}
