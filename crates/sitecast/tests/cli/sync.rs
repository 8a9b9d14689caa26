//! `sitecast sync`.

use std::collections::BTreeMap;
use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use assert_cmd::Command;
use serde_json::Value;
use sitecast_index::{Filter, FolderIndex, Index};
use sitecast_testserver::{Answer, Folder, Request, Server};

type Intercept = Box<dyn Fn(&Request) -> Option<Answer> + Send>;

/// A site on loopback, and a folder to work in.
struct World {
    folder: tempfile::TempDir,
    server: Server,
    base: String,
    intercept: Arc<Mutex<Option<Intercept>>>,
}

fn html(topic: &str) -> String {
    format!(
        "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>About {topic}</title></head>\
         <body><nav><a href=\"/\">Home</a></nav><main><h1>About {topic}</h1><p>Everything that is worth \
         knowing about {topic} is written down here, in sentences of some length, so that nobody takes it \
         for a menu. It goes on for a while: {topic} has a history, a present and a future.</p></main></body></html>"
    )
}

impl World {
    fn new(pages: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let base = format!("http://{}/", listener.local_addr().unwrap());
        let intercept: Arc<Mutex<Option<Intercept>>> = Arc::default();
        let served = Folder::new(&folder.path().join("public"));
        let server = Server::listen(listener, {
            let intercept = Arc::clone(&intercept);
            move |request| {
                let intercepted = intercept.lock().unwrap().as_ref().and_then(|f| f(request));
                intercepted.unwrap_or_else(|| served.answer(request))
            }
        })
        .unwrap();
        let world = Self {
            folder,
            server,
            base,
            intercept,
        };
        world.page("index.html", "the house");
        for n in 1..pages {
            world.page(&format!("{n}/index.html"), &format!("number {n}"));
        }
        world
    }

    fn intercept(&self, f: impl Fn(&Request) -> Option<Answer> + Send + 'static) {
        *self.intercept.lock().unwrap() = Some(Box::new(f));
    }

    fn page(&self, name: &str, topic: &str) {
        let path = self.folder.path().join("public").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, html(topic)).unwrap();
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::cargo_bin("sitecast").unwrap();
        command.current_dir(self.folder.path()).args(arguments);
        command.env("XDG_DATA_HOME", self.folder.path().join("data"));
        for name in [
            "SITECAST_CONFIG",
            "SITECAST_COLOR",
            "NO_COLOR",
            "SITECAST_INDEX",
        ] {
            command.env_remove(name);
        }
        command
    }

    fn publish(&self, more: &[&str]) {
        let arguments = ["publish", "public", "--no-cache", "--base-url", &self.base];
        let output = self.command(&[&arguments, more].concat()).output().unwrap();
        assert!(output.status.success(), "{}", super::shown(&output));
    }

    fn sync(&self, more: &[&str]) -> Output {
        let arguments = [
            "sync",
            &self.base,
            "--allow-private",
            "--contact",
            "me@example.com",
        ];
        self.command(&[&arguments, more].concat()).output().unwrap()
    }

    /// What a run shows, with what differs from run to run made the same.
    fn shown(&self, output: &Output) -> String {
        let mut shown = super::shown(output).replace(&self.base, "http://site/");
        let mut at = 0;
        // Times, and sizes of what holds times and ports.
        while let Some(found) = shown[at..].find("202") {
            let start = at + found;
            let is_time = |end: usize| {
                shown.get(start..end).is_some_and(|text| {
                    text.chars()
                        .all(|c| c.is_ascii_digit() || "-:TZ".contains(c))
                        && text.ends_with('Z')
                })
            };
            match [start + 20, start + 16]
                .into_iter()
                .find(|end| is_time(*end))
            {
                Some(end) => shown.replace_range(start..end, "TIME"),
                None => at = start + 3,
            }
            at = at.max(start);
        }
        let words: Vec<String> = shown
            .split_inclusive([' ', '\n'])
            .map(|word| word.to_owned())
            .collect();
        let mut result = String::new();
        for (number, word) in words.iter().enumerate() {
            let next = words
                .get(number + 1)
                .map(|next| next.trim_end_matches([' ', '\n', ',', ':', ';']));
            let is_size = next.is_some_and(|next| matches!(next, "kB" | "bytes"));
            result.push_str(if is_size { "N " } else { word });
        }
        result
    }

    fn index(&self) -> PathBuf {
        self.folder.path().join("data/sitecast/index")
    }
}

fn held(index: &Path) -> BTreeMap<String, String> {
    let index = FolderIndex::open(index).unwrap();
    let mut pages = index.pages(&Filter::default()).unwrap();
    let mut held = BTreeMap::new();
    while let Some(page) = pages.next_page().unwrap() {
        held.insert(page.url, page.line);
    }
    held
}

/// A certificate for `localhost`, and its key.
fn tls_files() -> [String; 2] {
    let tls = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sitecast-serve/tests/tls");
    ["certificate.pem", "key.pem"].map(|name| tls.join(name).display().to_string())
}

#[test]
fn a_first_sync_and_one_after_a_change_say_what_they_did() {
    let world = World::new(40);
    world.publish(&[]);
    let first = world.sync(&[]);
    insta::assert_snapshot!("first", world.shown(&first));
    let unchanged = world.sync(&[]);
    insta::assert_snapshot!("unchanged", world.shown(&unchanged));
    world.page("1/index.html", "something else");
    fs::remove_dir_all(world.folder.path().join("public/2")).unwrap();
    std::thread::sleep(Duration::from_millis(1100));
    world.publish(&[]);
    let delta = world.sync(&[]);
    insta::assert_snapshot!("delta", world.shown(&delta));
    assert_eq!(held(&world.index()).len(), 39);
}

#[test]
fn explain_says_what_the_site_offers() {
    let world = World::new(5);
    world.publish(&[]);
    insta::assert_snapshot!("explain", world.shown(&world.sync(&["--explain"])));
    let plain = World::new(3);
    insta::assert_snapshot!("explain_plain", plain.shown(&plain.sync(&["--explain"])));
}

#[test]
fn the_report_for_programs_has_its_documented_shape() {
    let world = World::new(5);
    world.publish(&[]);
    let output = world.sync(&["--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["version"], 1);
    let site = &report["sites"][0];
    assert_eq!((&site["ok"], &site["way"]), (&true.into(), &"scp".into()));
    assert_eq!(site["pages"]["new"], 5);
    assert_eq!(site["collections"][0]["kind"], "snapshot");
    // What their HTML weighs only those know who fetch it.
    assert_eq!(
        site["crawling"],
        serde_json::json!({"requests": 5, "bytes": null})
    );
    assert!(site["error"].is_null() && site["requests"] == 3);
    let explained = world.sync(&["--json", "--explain"]);
    let report: Value = serde_json::from_slice(&explained.stdout).unwrap();
    assert_eq!(report["sites"][0]["sections"][0]["take"], "nothing");
}

#[test]
fn private_addresses_are_refused_unless_they_are_allowed() {
    let world = World::new(2);
    let output = world
        .command(&["sync", &world.base, "--contact", "me@example.com"])
        .output()
        .unwrap();
    insta::assert_snapshot!("private", world.shown(&output));
    assert!(world.server.take_log().is_empty());
}

/// SCP, "Transport Security", and TCT, "HTTPS and TLS".
#[test]
fn certificates_must_be_validated() {
    let world = World::new(5);
    let port = TcpListener::bind(("127.0.0.1", 0))
        .and_then(|listener| listener.local_addr())
        .unwrap()
        .port();
    let site = format!("https://localhost:{port}/");
    let published = world
        .command(&["publish", "public", "--no-cache", "--base-url", &site])
        .output()
        .unwrap();
    assert!(published.status.success(), "{}", super::shown(&published));
    let [certificate, key] = tls_files();
    let address = format!("0.0.0.0:{port}");
    let arguments = [
        "public",
        "--listen",
        &address,
        "--tls-certificate",
        &certificate,
        "--tls-key",
        &key,
    ];
    let _server = super::serve::Running::start_at(world.folder.path(), &arguments);
    let sync = |site: &str, trusted: bool| {
        let mut command = world.command(&[
            "sync",
            site,
            "--allow-private",
            "--delay",
            "0",
            "--contact",
            "me@example.com",
        ]);
        if trusted {
            command.env("SSL_CERT_FILE", &certificate);
        } else {
            command.env_remove("SSL_CERT_FILE");
        }
        command.output().unwrap()
    };
    // Nobody whom this machine trusts has signed it.
    let refused = sync(&site, false);
    assert_eq!(refused.status.code(), Some(6), "{}", super::shown(&refused));
    assert!(
        super::shown(&refused).contains("no authority that this machine trusts has signed"),
        "{}",
        super::shown(&refused)
    );
    // It is of another host.
    let refused = sync(&format!("https://127.0.0.2:{port}/"), true);
    assert_eq!(refused.status.code(), Some(6), "{}", super::shown(&refused));
    assert!(
        super::shown(&refused).contains("certificate is not valid for `127.0.0.2`"),
        "{}",
        super::shown(&refused)
    );
    // A server for HTTP alone.
    let plain = super::serve::Running::start(world.folder.path(), &["public"]);
    let address = plain.greeting["address"].as_str().unwrap();
    let refused = sync(&address.replace("http://", "https://"), true);
    assert_eq!(refused.status.code(), Some(6), "{}", super::shown(&refused));
    assert!(
        super::shown(&refused).contains("does not speak TLS"),
        "{}",
        super::shown(&refused)
    );
    assert!(held(&world.index()).is_empty());
    let trusted = sync(&site, true);
    assert_eq!(trusted.status.code(), Some(0), "{}", super::shown(&trusted));
    assert_eq!(held(&world.index()).len(), 5);
}

/// Another address, and the name and the certificate of the site.
#[test]
fn a_server_that_speaks_tls_stands_in_for_a_site_by_its_name() {
    let world = World::new(5);
    let published = world
        .command(&[
            "publish",
            "public",
            "--no-cache",
            "--base-url",
            "https://localhost",
        ])
        .output()
        .unwrap();
    assert!(published.status.success(), "{}", super::shown(&published));
    let [certificate, key] = tls_files();
    let arguments = [
        "public",
        "--tls-certificate",
        &certificate,
        "--tls-key",
        &key,
    ];
    let server = super::serve::Running::start(world.folder.path(), &arguments);
    let address = server.greeting["address"].as_str().unwrap();
    assert!(address.starts_with("https://"), "{address}");
    let sync = |site: &str, address: &str| {
        world
            .command(&["sync", site, "--delay", "0", "--contact", "me@example.com"])
            .args(["--connect-to", address])
            .env("SSL_CERT_FILE", &certificate)
            .output()
            .unwrap()
    };
    let refused = sync("https://other.example", address);
    assert_eq!(refused.status.code(), Some(6), "{}", super::shown(&refused));
    assert!(
        super::shown(&refused).contains("certificate is not valid for `other.example`"),
        "{}",
        super::shown(&refused)
    );
    let without_name = sync("https://127.0.0.1", address);
    assert!(
        super::shown(&without_name).contains("needs a site with a host name"),
        "{}",
        super::shown(&without_name)
    );
    let plain = sync("https://localhost", address.trim_start_matches("https://"));
    assert_eq!(plain.status.code(), Some(6), "{}", super::shown(&plain));
    assert!(held(&world.index()).is_empty());
    let synced = sync("https://localhost", address);
    assert_eq!(synced.status.code(), Some(0), "{}", super::shown(&synced));
    assert_eq!(held(&world.index()).len(), 5);
}

#[test]
fn exit_codes_tell_how_it_went() {
    let world = World::new(30);
    world.publish(&[]);
    let code = |output: &Output| output.status.code().unwrap();
    assert_eq!(code(&world.sync(&[])), 0);
    // 6: nobody there; 4: one of two sites.
    let nobody = ["sync", "http://127.0.0.1:1", "--allow-private"];
    assert_eq!(code(&world.command(&nobody).output().unwrap()), 6);
    assert_eq!(code(&world.sync(&["http://127.0.0.1:1"])), 4);
    // 2: what is no site, no section.
    assert_eq!(
        code(
            &world
                .command(&["sync", "ftp://example.com"])
                .output()
                .unwrap()
        ),
        2
    );
    assert_eq!(code(&world.sync(&["--section", "shop"])), 2);
    // 4: too many deletions.
    for n in 1..28 {
        fs::remove_dir_all(world.folder.path().join(format!("public/{n}"))).unwrap();
    }
    std::thread::sleep(Duration::from_millis(1100));
    world.publish(&["--allow-deletions"]);
    let refused = world.sync(&[]);
    insta::assert_snapshot!("refused", world.shown(&refused));
    assert_eq!(held(&world.index()).len(), 30);
    assert_eq!(code(&world.sync(&["--allow-deletions"])), 0);
    assert_eq!(held(&world.index()).len(), 3);
    // 5: what comes is not what it says it is, and there is nothing else.
    let world = World::new(5);
    world.publish(&[]);
    world.intercept(|request| match request.path.as_str() {
        "/robots.txt" | "/sitemap.xml" => None,
        path if path.contains(".scp") => Some(Answer::text(200, "rubbish\n")),
        _ => Some(Answer::status(404)),
    });
    assert_eq!(code(&world.sync(&["--delay", "0"])), 5);
    // 4: a page that cannot be had.
    world.intercept(|request| (request.path == "/1/").then(|| Answer::status(500)));
    let part = world.sync(&["--prefer", "html", "--delay", "0"]);
    assert_eq!(code(&part), 4, "{}", super::shown(&part));
}

#[test]
fn sync_explains_itself() {
    insta::assert_snapshot!("help", super::shown(&super::run(&["sync", "--help"])));
}

/// A number that looks random, the same ones in each run.
fn random(state: &mut u64) -> u64 {
    *state = state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

/// Kills a sync at a hundred moments, in all three ways, for the first time and after the site has changed; each
/// time the next sync has to end with exactly what the site has.
#[test]
#[cfg(unix)]
fn killed_at_any_moment_the_next_sync_is_right() {
    let world = World::new(60);
    world.publish(&[]);
    let mut state = 42;
    let (mut kills, mut changes) = (0, 0);
    for way in ["scp", "tct", "html"] {
        let options = ["--allow-private", "--prefer", way, "--delay", "0", "-q"];
        let sync = |index: &str| {
            let arguments = [&["sync", &world.base, "--index", index], &options[..]].concat();
            let output = world.command(&arguments).output().unwrap();
            assert!(output.status.success(), "{way}: {}", super::shown(&output));
            texts(&held(&world.folder.path().join(index)))
        };
        for index in 0..6 {
            let index = format!("{way}-{index}");
            // First from nothing, then after each of two changes.
            for version in 0..3 {
                if version > 0 {
                    changes += 1;
                    for page in 1..4 {
                        world.page(
                            &format!("{page}/index.html"),
                            &format!("change {changes} of {page}"),
                        );
                    }
                    let gone = world.folder.path().join(format!("public/{}", 60 - changes));
                    fs::remove_dir_all(gone).unwrap();
                    // Collections are told apart by the second.
                    std::thread::sleep(Duration::from_millis(1_000));
                    world.publish(&["-q"]);
                }
                // What it should come to, and how long that takes.
                let start = Instant::now();
                let truth = sync("truth");
                let duration = start.elapsed();
                assert_eq!(truth.len(), 60 - changes);
                fs::remove_dir_all(world.folder.path().join("truth")).unwrap();
                for _ in 0..2 {
                    let moment = duration.mul_f64(random(&mut state) as f64 / (1u64 << 31) as f64);
                    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_sitecast"))
                        .args(["sync", &world.base, "--index", &index])
                        .args(options)
                        .current_dir(world.folder.path())
                        .stdout(Stdio::null())
                        .stderr(Stdio::null())
                        .spawn()
                        .unwrap();
                    std::thread::sleep(moment);
                    child.kill().unwrap();
                    child.wait().unwrap();
                    kills += 1;
                }
                assert_eq!(sync(&index), truth, "{index}, version {version}");
            }
        }
    }
    assert!(kills >= 100, "{kills}");
}

/// The lines without the time at which a page was seen, where it does not say when it changed.
fn texts(held: &BTreeMap<String, String>) -> BTreeMap<String, Value> {
    let without = |line: &String| {
        let mut page: Value = serde_json::from_str(line).unwrap();
        page.as_object_mut().unwrap().remove("modified");
        page
    };
    held.iter()
        .map(|(url, line)| (url.clone(), without(line)))
        .collect()
}
