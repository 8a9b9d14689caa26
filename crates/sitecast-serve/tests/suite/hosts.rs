//! Other web servers with the configurations of docs/hosting.md give the same headers as ours.

use std::fs;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use sitecast_publish::HostKind;

use crate::client::{Answer, Connection};
use crate::fixture::{FIRST, SECOND, Served, Site, eventually, words};

/// The first code block of a kind in docs/hosting.md.
fn documented(language: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/hosting.md");
    let text = fs::read_to_string(path).unwrap();
    let (_, rest) = text.split_once(&format!("```{language}\n")).unwrap();
    rest.split_once("```").unwrap().0.to_owned()
}

/// A web server of others; killed when the test is over.
struct Other {
    child: Child,
    address: SocketAddr,
    _folder: tempfile::TempDir,
}

impl Drop for Other {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Other {
    /// Starts it; `None` where the program is missing, which is fine but on the machine that decides.
    #[expect(clippy::print_stderr, reason = "says that a test did not test")]
    fn start(
        program: &str,
        config: impl FnOnce(&Path, u16) -> (String, Vec<String>),
    ) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = free.local_addr().unwrap();
        let (text, arguments) = config(folder.path(), address.port());
        fs::write(folder.path().join("config"), text).unwrap();
        drop(free);
        let child = Command::new(program)
            .args(arguments)
            .current_dir(folder.path())
            .env("XDG_DATA_HOME", folder.path())
            .env("XDG_CONFIG_HOME", folder.path())
            .stdout(Stdio::null())
            .stderr(fs::File::create(folder.path().join("stderr")).unwrap())
            .spawn();
        let child = match child {
            Ok(child) => child,
            Err(_) if std::env::var_os("CI").is_none() => {
                eprintln!("skipped: there is no {program} here");
                return None;
            }
            Err(error) => panic!("{program} is needed here: {error}"),
        };
        let other = Self {
            child,
            address,
            _folder: folder,
        };
        eventually("the other server listens", || {
            TcpStream::connect(address).is_ok()
        });
        Some(other)
    }

    fn request(&self, method: &str, target: &str, headers: &[(&str, &str)]) -> Answer {
        Connection::open(self.address).request(method, target, headers)
    }
}

/// A site with a snapshot, a delta, and odd names, with the host's header file in it.
fn served(kind: HostKind) -> Served {
    let mut site = Site::new();
    site.options.artefacts.hosts = vec![kind];
    site.publish(FIRST);
    site.page("tea", &words("another tea"));
    site.publish(SECOND);
    site.serve()
}

/// The headers that matter to agents.
const NAMES: [&str; 9] = [
    "content-type",
    "content-encoding",
    "content-length",
    "content-range",
    "etag",
    "last-modified",
    "cache-control",
    "link",
    "vary",
];

fn compare(name: &str, served: &Served, other: &Other) {
    let machine = [
        "/llm.json",
        "/tea/llm.json",
        "/k%C3%A4se/llm.json",
        "/plain.html.llm.json",
        "/llm-sitemap.json",
    ];
    let collections: Vec<String> = [
        ("snapshot", ".gz"),
        ("snapshot", ".zst"),
        ("delta", ".gz"),
        ("delta", ".zst"),
    ]
    .iter()
    .map(|(part, end)| served.collection(part, end))
    .collect();
    let mut compared = 0;
    for target in machine
        .into_iter()
        .chain(collections.iter().map(String::as_str))
    {
        let first = served.get(target);
        let etag = first.header("etag");
        let modified = first.header("last-modified");
        let list = format!("\"x\", {etag}");
        // The time of a JSON sitemap is that of its file, which is the same for both.
        let since = ("If-Modified-Since", modified.as_str());
        for headers in [
            vec![],
            vec![("If-None-Match", etag.as_str())],
            vec![("If-None-Match", list.as_str())],
            vec![("If-None-Match", "*")],
            vec![("If-None-Match", "\"other\"")],
            vec![("If-None-Match", "\"other\""), since],
            vec![since],
            vec![("Range", "bytes=0-9")],
            vec![("Range", "bytes=-5"), ("If-Range", etag.as_str())],
            vec![("Range", "bytes=0-9"), ("If-Range", "\"other\"")],
            vec![("Range", "bytes=99999999-")],
        ] {
            for method in ["GET", "HEAD"] {
                if method == "HEAD" && headers.iter().any(|(name, _)| *name == "Range") {
                    // Theirs answer 206 to it, which RFC 9110 does not know.
                    continue;
                }
                if name == "caddy" && headers.contains(&("If-Range", &etag)) {
                    // It compares with a tag of its own, and sends the whole: more than is needed.
                    continue;
                }
                let ours = served.request(method, target, &headers);
                let theirs = other.request(method, target, &headers);
                let place = format!("{name}: {method} {target} {headers:?}");
                assert_eq!(theirs.status, ours.status, "{place}");
                if ours.status == 416 {
                    assert_eq!(
                        theirs.get("content-range"),
                        ours.get("content-range"),
                        "{place}"
                    );
                    continue;
                }
                for header in NAMES {
                    if ours.status == 304
                        && matches!(
                            header,
                            "content-type" | "content-length" | "content-encoding"
                        )
                    {
                        continue;
                    }
                    if ours.status == 304
                        && header == "last-modified"
                        && target == "/llm-sitemap.json"
                    {
                        // The draft leaves it open, and nginx leaves it out.
                        continue;
                    }
                    assert_eq!(theirs.get(header), ours.get(header), "{place}: {header}");
                    compared += 1;
                }
                assert!(theirs.body == ours.body, "{place}");
            }
        }
    }
    assert!(compared > 1_000, "{compared}");
    for target in ["/", "/tea/", "/plain.html", "/plain"] {
        let (ours, theirs) = (served.get(target), other.request("GET", target, &[]));
        for header in ["content-type", "content-length", "link", "last-modified"] {
            assert_eq!(
                theirs.get(header),
                ours.get(header),
                "{name}: {target}: {header}"
            );
        }
        assert!(theirs.header("etag").starts_with('"'), "{name}: {target}");
        assert_eq!(theirs.body, ours.body);
    }
    for target in [
        "/_headers",
        "/sitecast.nginx.conf",
        "/sitecast.caddy",
        "/.git/config",
        "/nothing",
    ] {
        assert_eq!(
            other.request("GET", target, &[]).status,
            404,
            "{name}: {target}"
        );
        assert_eq!(served.get(target).status, 404, "{target}");
    }
}

#[test]
fn nginx_with_the_documented_configuration_gives_the_same_headers() {
    let served = served(HostKind::Nginx);
    let root = served.site.path().display().to_string();
    let other = Other::start("nginx", |folder, port| {
        let site = documented("nginx")
            .replace("listen 8080", &format!("listen 127.0.0.1:{port}"))
            .replace("/srv/site", &root);
        let types = ["/etc/nginx/mime.types", "/usr/local/nginx/conf/mime.types"]
            .into_iter()
            .find(|path| Path::new(path).exists())
            .map(|path| format!("include {path};"))
            .unwrap_or_default();
        let here = folder.display();
        // The worker has to be able to read a temporary folder of this user.
        let user = if fs::metadata("/proc/self")
            .is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0)
        {
            "user root;"
        } else {
            ""
        };
        let config = format!(
            "daemon off; {user} error_log stderr; pid {here}/pid; events {{ }}\nhttp {{ access_log off; {types}\n\
             client_body_temp_path {here}/a; proxy_temp_path {here}/b; fastcgi_temp_path {here}/c;\n\
             uwsgi_temp_path {here}/d; scgi_temp_path {here}/e;\n{site}\n}}"
        );
        let config_path = folder.join("config").display().to_string();
        (
            config,
            ["-p", ".", "-c", &config_path].map(str::to_owned).to_vec(),
        )
    });
    if let Some(other) = other {
        compare("nginx", &served, &other);
    }
}

#[test]
fn caddy_with_the_documented_configuration_gives_the_same_headers() {
    let served = served(HostKind::Caddy);
    let root = served.site.path().display().to_string();
    let other = Other::start("caddy", |_, port| {
        let site = documented("caddyfile")
            .replace(
                "http://:8080",
                &format!("http://127.0.0.1:{port}, http://example.com:{port}"),
            )
            .replace("/srv/site", &root);
        let config = format!("{{\n\tadmin off\n\tauto_https off\n}}\n{site}");
        let arguments = ["run", "--config", "config", "--adapter", "caddyfile"];
        (config, arguments.map(str::to_owned).to_vec())
    });
    if let Some(other) = other {
        compare("caddy", &served, &other);
    }
}
