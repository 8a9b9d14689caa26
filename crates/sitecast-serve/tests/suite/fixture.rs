//! A small site for tests, published and served.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use sitecast_publish::{FolderSource, Options as PublishOptions, publish};
use sitecast_serve::{Options, Server};
use sitecast_storage::{Folder, Store};

use crate::client::{Answer, Connection};

pub(crate) const FIRST: &str = "2026-01-15T10:00:00Z";
pub(crate) const SECOND: &str = "2026-01-16T10:00:00Z";

/// Enough text that extraction does not mistake it for navigation.
pub(crate) fn words(topic: &str) -> String {
    format!(
        "Everything that is worth knowing about {topic} is written down here, in sentences of \
         some length, so that nobody takes it for a menu. It goes on for a while: {topic} has a \
         history, a present and, if we are careful with it, a future."
    )
}

pub(crate) fn html(title: &str, text: &str) -> String {
    format!(
        "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title} | The Site</title></head>\
         <body><nav><a href=\"/\">Home</a> <a href=\"/about/\">About</a></nav>\
         <main><h1>{title}</h1><p>{text}</p></main><footer>© 2025 The Site</footer></body></html>"
    )
}

/// A folder with a site and the options to publish it.
pub(crate) struct Site {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) options: PublishOptions,
}

impl Site {
    /// Pages `/`, `/tea/`, `/coffee/`, `/members/club/`, `/käse/` and `/plain.html`, not yet published.
    pub(crate) fn new() -> Self {
        let site = Self {
            folder: tempfile::tempdir().unwrap(),
            options: PublishOptions::new("https://example.com/".parse().unwrap()),
        };
        site.write("index.html", &html("Home", &words("the house")));
        for topic in ["tea", "coffee", "käse", "members/club"] {
            site.page(topic, &words(topic));
        }
        site.write("plain.html", &html("Plain", &words("plain things")));
        site.write("style.css", "body { color: black }");
        site
    }

    pub(crate) fn published() -> Self {
        let site = Self::new();
        site.publish(FIRST);
        site
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn page(&self, topic: &str, text: &str) {
        self.write(&format!("{topic}/index.html"), &html(topic, text));
    }

    pub(crate) fn write(&self, name: &str, content: &str) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(crate) fn publish(&self, now: &str) {
        let source = FolderSource::open(self.path()).unwrap();
        let store = Folder::new(self.path()).unwrap();
        publish(
            &source,
            &store,
            None,
            &self.options,
            now.parse().unwrap(),
            &(),
        )
        .unwrap();
    }

    pub(crate) fn serve(self) -> Served {
        self.serve_with(|_| {})
    }

    pub(crate) fn serve_with(self, change: impl FnOnce(&mut Options)) -> Served {
        let store = Arc::new(Folder::new(self.path()).unwrap());
        self.serve_from(store, change)
    }

    pub(crate) fn serve_from(
        self,
        store: Arc<dyn Store>,
        change: impl FnOnce(&mut Options),
    ) -> Served {
        let mut options = test_options();
        change(&mut options);
        let server = Server::start(store, options, None, Arc::new(|_| {})).unwrap();
        Served { site: self, server }
    }
}

/// Options for tests: any port, two workers, frequent polling.
pub(crate) fn test_options() -> Options {
    Options {
        listen: SocketAddr::from(([127, 0, 0, 1], 0)),
        workers: 2,
        poll: Duration::from_millis(30),
        shutdown: Duration::from_secs(10),
        ..Options::default()
    }
}

/// A site and the server that serves it.
pub(crate) struct Served {
    pub(crate) site: Site,
    pub(crate) server: Server,
}

impl Served {
    pub(crate) fn connect(&self) -> Connection {
        Connection::open(self.server.address())
    }

    pub(crate) fn request(&self, method: &str, target: &str, headers: &[(&str, &str)]) -> Answer {
        let answer = self.connect().request(method, target, headers);
        assert_eq!(answer.get("transfer-encoding"), None, "{answer:?}");
        answer
    }

    pub(crate) fn get(&self, target: &str) -> Answer {
        self.request("GET", target, &[])
    }

    pub(crate) fn get_with(&self, target: &str, headers: &[(&str, &str)]) -> Answer {
        self.request("GET", target, headers)
    }

    /// Returns the path of the first collection whose name contains `part` and ends with `end`.
    pub(crate) fn collection(&self, part: &str, end: &str) -> String {
        let names = fs::read_dir(self.site.path().join("scp")).unwrap();
        let mut names: Vec<String> = names
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name.contains(part) && name.ends_with(end))
            .collect();
        names.sort();
        format!("/scp/{}", names[0])
    }

    /// Returns a machine page's hash as stated in the JSON sitemap.
    pub(crate) fn hash_of(&self, page: &str) -> String {
        let sitemap = self.get("/llm-sitemap.json").json();
        let items = sitemap["items"].as_array().unwrap();
        let item = items
            .iter()
            .find(|item| item["cUrl"] == format!("https://example.com{page}"))
            .unwrap_or_else(|| panic!("no {page}"));
        item["contentHash"].as_str().unwrap().to_owned()
    }
}

/// Waits until a condition holds, for ten seconds at most.
pub(crate) fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    for _ in 0..500 {
        if holds() {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("timed out waiting until {what}");
}
