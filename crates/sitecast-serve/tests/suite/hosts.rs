//! Other web servers: with the configurations of docs/hosting.md they send the same headers as ours. Validators that
//! they cannot compute are their own, but must work.

use std::fs;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use sitecast_publish::HostKind;

use crate::client::{Answer, Connection};
use crate::fixture::{FIRST, SECOND, Served, Site, eventually, words};

/// Returns the first code block of a language in docs/hosting.md.
fn documented(language: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/hosting.md");
    let text = fs::read_to_string(path).unwrap();
    let (_, rest) = text.split_once(&format!("```{language}\n")).unwrap();
    rest.split_once("```").unwrap().0.to_owned()
}

/// Another web server, stopped when dropped.
struct Other {
    child: Child,
    address: SocketAddr,
    _folder: tempfile::TempDir,
}

impl Drop for Other {
    /// nginx and Apache stop their workers on a request to stop, and leave them running when they are killed.
    fn drop(&mut self) {
        let pid = self.child.id().to_string();
        let _ = Command::new("kill").args(["-TERM", &pid]).status();
        let _ = self.child.wait();
    }
}

impl Other {
    /// Starts the server; `None` if the program is missing, which is an error only where `CI` is set.
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

/// A site with a snapshot, a delta and unusual names. The host's header file is written with the first publication and
/// must still be right after the second.
fn served(kind: HostKind) -> Served {
    let mut site = Site::new();
    site.options.artefacts.hosts = vec![kind];
    site.publish(FIRST);
    let header_file = site.path().join(kind.file_name());
    let before = fs::read(&header_file).unwrap();
    site.page("tea", &words("another tea"));
    site.page("a (b)+c", &words("brackets"));
    site.publish(SECOND);
    if kind != HostKind::Netlify {
        assert!(fs::read(&header_file).unwrap() == before, "{kind:?}");
    }
    site.serve()
}

/// The headers that matter to agents. Validators are compared if the host can compute them.
const NAMES: [&str; 7] = [
    "content-type",
    "content-encoding",
    "content-length",
    "content-range",
    "cache-control",
    "link",
    "vary",
];

fn compare(name: &str, served: &Served, other: &Other) {
    let machine = [
        "/llm.json",
        "/tea/llm.json",
        "/k%C3%A4se/llm.json",
        "/a%20(b)+c/llm.json",
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
        let (ours, theirs) = (served.get(target), other.request("GET", target, &[]));
        let (our_tag, their_tag) = (ours.header("etag"), theirs.header("etag"));
        assert!(their_tag.starts_with('"'), "{name}: {target}: {their_tag}");
        let times = (ours.header("last-modified"), theirs.header("last-modified"));
        // Request headers, with the tag and the time of the server under test.
        type Conditions = fn(&str, &str) -> Vec<(&'static str, String)>;
        let cases: [Conditions; 10] = [
            |_, _| vec![],
            |tag, _| vec![("If-None-Match", tag.to_owned())],
            |tag, _| vec![("If-None-Match", format!("\"x\", {tag}"))],
            |_, _| vec![("If-None-Match", "*".to_owned())],
            |_, _| vec![("If-None-Match", "\"other\"".to_owned())],
            |_, time| {
                let since = ("If-Modified-Since", time.to_owned());
                vec![("If-None-Match", "\"other\"".to_owned()), since]
            },
            |_, time| vec![("If-Modified-Since", time.to_owned())],
            |_, _| vec![("Range", "bytes=0-9".to_owned())],
            |_, _| {
                vec![
                    ("Range", "bytes=0-9".to_owned()),
                    ("If-Range", "\"other\"".to_owned()),
                ]
            },
            |_, _| vec![("Range", "bytes=99999999-".to_owned())],
        ];
        for conditions in cases {
            let (our_case, their_case) = (
                conditions(&our_tag, &times.0),
                conditions(&their_tag, &times.1),
            );
            for method in ["GET", "HEAD"] {
                if method == "HEAD" && our_case.iter().any(|(name, _)| *name == "Range") {
                    // Other servers return 206, which RFC 9110 does not define for this.
                    continue;
                }
                let ours = served.request(method, target, &as_strs(&our_case));
                let theirs = other.request(method, target, &as_strs(&their_case));
                let place = format!("{name}: {method} {target} {their_case:?}");
                assert_eq!(theirs.status, ours.status, "{place}");
                if ours.status == 416 && name == "apache" {
                    // It omits the length of the file.
                    continue;
                }
                if ours.status == 416 {
                    assert_eq!(
                        theirs.get("content-range"),
                        ours.get("content-range"),
                        "{place}"
                    );
                    continue;
                }
                assert_eq!(theirs.get("etag"), Some(their_tag.clone()), "{place}");
                for header in NAMES {
                    if ours.status == 304
                        && matches!(
                            header,
                            "content-type" | "content-length" | "content-encoding"
                        )
                    {
                        continue;
                    }
                    if header == "content-length"
                        && name == "caddy"
                        && theirs.get(header).is_none()
                        && theirs.get("content-encoding").is_some()
                    {
                        // It sends compressed files over 2 KB in chunks.
                        continue;
                    }
                    assert_eq!(theirs.get(header), ours.get(header), "{place}: {header}");
                    compared += 1;
                }
                assert!(theirs.body == ours.body, "{place}");
            }
        }
    }
    assert!(compared > 800, "{compared}");
    compare_files(name, served, other);
    compare_html(name, served, other);
    compare_private(name, served, other);
    // The address of a folder's page ends with a slash; otherwise its relative links break.
    for (target, location) in [("/tea", "/tea/"), ("/k%C3%A4se", "/k%C3%A4se/")] {
        let theirs = other.request("GET", target, &[]);
        assert!(
            matches!(theirs.status, 301 | 308),
            "{name}: {target}: {}",
            theirs.status
        );
        assert!(
            theirs
                .header("location")
                .to_ascii_lowercase()
                .ends_with(&location.to_ascii_lowercase()),
            "{name}: {target}: {}",
            theirs.header("location")
        );
        assert_eq!(served.get(target).status, 301);
    }
    // The `Link` of a response must not echo an unusual spelling of the request.
    for target in [
        "/tea/llm%2Ejson",
        "/x/%2E%2E/tea/llm.json",
        "//tea/llm.json",
    ] {
        let theirs = other.request("GET", target, &[]);
        let link = theirs.get("link").unwrap_or_default();
        let links = link.split(", ").filter(|link| link.contains("canonical"));
        for link in links {
            assert!(
                link.starts_with("<https://example.com/"),
                "{name}: {target}: {link}"
            );
        }
    }
}

fn as_strs<'a>(headers: &'a [(&'static str, String)]) -> Vec<(&'static str, &'a str)> {
    let pairs = headers.iter().map(|(name, value)| (*name, value.as_str()));
    pairs.collect()
}

/// Private files, and one that is public.
fn compare_private(name: &str, served: &Served, other: &Other) {
    let private = [
        "_headers",
        "_redirects",
        "sitecast.nginx.conf",
        "sitecast.caddy",
        "sitecast.toml",
        "tea/sitecast.toml",
        "sitecast.toml~",
        "sitecast.toml.bak",
        "tea/index.html~",
        "tea/page.html.orig",
        "tea/#page.html#",
        ".git/config",
        "tea/.env",
        ".well-known/.secret",
    ];
    let public = ".well-known/security.txt";
    for file in private.into_iter().chain([public]) {
        if !served.site.path().join(file).exists() {
            served.site.write(file, "# for some");
        }
        let target = format!("/{}", file.replace('#', "%23"));
        let expected = if file == public { 200 } else { 404 };
        let theirs = other.request("GET", &target, &[]);
        assert_eq!(theirs.status, expected, "{name}: {target}");
        assert_eq!(served.get(&target).status, expected, "{target}");
    }
    assert_eq!(other.request("GET", "/nothing", &[]).status, 404, "{name}");
}

/// Files of the whole site. Other servers have their own tables of types and their own tags, so only what agents need
/// is compared.
fn compare_files(name: &str, served: &Served, other: &Other) {
    for target in ["/sitemap.xml", "/robots.txt", "/llm-policy.json"] {
        for method in ["GET", "HEAD"] {
            let (ours, theirs) = (
                served.request(method, target, &[]),
                other.request(method, target, &[]),
            );
            assert_eq!(theirs.status, ours.status, "{name}: {target}");
            assert!(theirs.body == ours.body, "{name}: {target}");
            for header in ["content-length", "content-encoding"] {
                assert_eq!(theirs.get(header), ours.get(header), "{name}: {target}");
            }
            let etag = theirs.header("etag");
            assert!(etag.starts_with('"'), "{name}: {target}: {etag}");
            let again = other.request(method, target, &[("If-None-Match", &etag)]);
            assert_eq!(again.status, 304, "{name}: {target}");
        }
    }
}

/// HTML pages: each server has its own tag, all else is equal.
fn compare_html(name: &str, served: &Served, other: &Other) {
    let headers = ["content-type", "content-length", "link", "last-modified"];
    for target in ["/", "/tea/", "/k%C3%A4se/", "/plain.html", "/plain"] {
        for method in ["GET", "HEAD"] {
            let place = format!("{name}: {method} {target}");
            let ours = served.request(method, target, &[]);
            let theirs = other.request(method, target, &[]);
            assert_eq!((ours.status, theirs.status), (200, 200), "{place}");
            for header in headers {
                assert_eq!(theirs.get(header), ours.get(header), "{place}: {header}");
            }
            assert_eq!(theirs.body, ours.body, "{place}");
            assert!(theirs.header("etag").starts_with('"'), "{place}");
            let modified = ours.header("last-modified");
            let conditions = |answer: &Answer| {
                [
                    ("If-None-Match", answer.header("etag")),
                    ("If-Modified-Since", modified.clone()),
                ]
            };
            for ((condition, our), (_, their)) in
                conditions(&ours).into_iter().zip(conditions(&theirs))
            {
                let ours = served.request(method, target, &[(condition, &our)]);
                let theirs = other.request(method, target, &[(condition, &their)]);
                assert_eq!((ours.status, theirs.status), (304, 304), "{place}");
                // Our 304 also has a `Link` to the JSON sitemap, which RFC 9110 does not require.
                assert!(ours.get("link").is_some(), "{place}");
            }
        }
    }
}

#[test]
fn nginx_with_the_documented_configuration_sends_the_same_headers() {
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
        // The worker must be able to read a temporary folder of this user.
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
fn caddy_with_the_documented_configuration_sends_the_same_headers() {
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

/// Apache is configured by the folder's `.htaccess`.
#[test]
fn apache_with_the_written_file_sends_the_same_headers() {
    let served = served(HostKind::Apache);
    let root = served.site.path().display().to_string();
    let modules = Path::new("/usr/lib/apache2/modules");
    if !modules.exists() && std::env::var_os("CI").is_none() {
        return;
    }
    let other = Other::start("apache2", |folder, port| {
        let loaded: String = [
            "mpm_event",
            "authz_core",
            "setenvif",
            "headers",
            "mime",
            "dir",
            "rewrite",
            "alias",
        ]
        .iter()
        .map(|name| {
            format!(
                "LoadModule {name}_module {}/mod_{name}.so\n",
                modules.display()
            )
        })
        .collect();
        let here = folder.display();
        let site = documented("apache").replace("/srv/site", &root);
        let user = if fs::metadata("/proc/self")
            .is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0)
        {
            // Apache does not run as root, so its user must be able to read the folder.
            let open = <fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o755);
            fs::set_permissions(served.site.path(), open).unwrap();
            "User nobody\nGroup nogroup"
        } else {
            ""
        };
        let config = format!(
            "ServerRoot {here}\nListen 127.0.0.1:{port}\nServerName example.com\nPidFile {here}/pid\n\
             ErrorLog {here}/errors\nMutex pthread\n{loaded}{user}\nTypesConfig /etc/mime.types\n{site}"
        );
        let arguments = ["-D", "FOREGROUND", "-f", &format!("{here}/config")];
        (config, arguments.map(str::to_owned).to_vec())
    });
    if let Some(other) = other {
        // The tag of a file less than a second old is weak.
        std::thread::sleep(std::time::Duration::from_millis(2_100));
        compare("apache", &served, &other);
    }
}

/// Returns the headers that a `_headers` file sets for a path. All matching rules apply, and a header of several rules
/// is sent with all values.
fn of_headers_file(text: &str, path: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut applies = false;
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let Some(header) = line.strip_prefix("  ") else {
            applies = match line.split_once('*') {
                None => line == path,
                Some((start, end)) => {
                    let rest = path.strip_prefix(start);
                    rest.is_some_and(|rest| rest.ends_with(end))
                }
            };
            continue;
        };
        if applies {
            let (name, value) = header.split_once(": ").unwrap();
            let name = name.to_ascii_lowercase();
            match found.iter_mut().find(|(known, _)| *known == name) {
                Some((_, values)) => values.push_str(&format!(", {value}")),
                None => found.push((name, value.to_owned())),
            }
        }
    }
    found
}

/// The hosts are not available here; this applies their rules.
#[test]
fn headers_file_of_static_hosts_matches_our_server() {
    let served = served(HostKind::Netlify);
    let text = fs::read_to_string(served.site.path().join("_headers")).unwrap();
    let snapshot = served.collection("snapshot", ".gz");
    let delta = served.collection("delta", ".zst");
    let machine = ["content-type", "etag", "cache-control", "link", "vary"];
    let collection = ["content-type", "content-encoding", "cache-control"];
    for (target, needed) in [
        ("/", &["link"][..]),
        ("/llm.json", &machine),
        ("/tea/llm.json", &machine),
        ("/k%C3%A4se/llm.json", &machine),
        ("/plain.html.llm.json", &machine),
        ("/llm-sitemap.json", &machine[..1]),
        (&snapshot, &collection),
        (&delta, &collection),
    ] {
        let ours = served.get(target);
        let theirs = of_headers_file(&text, target);
        for (name, value) in &theirs {
            assert_eq!(ours.get(name).as_ref(), Some(value), "{target}: {name}");
        }
        for name in needed {
            let has = theirs.iter().any(|(known, _)| known == name);
            assert!(has, "{target} has no {name}:\n{text}");
        }
    }
}
