//! `sitecast check` of folders, URLs and websites.

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::{Arc, Mutex};

use serde_json::Value;
use sitecast_testserver::{Answer, Request, Server};

use crate::serve::Running;
use crate::{page, shown, sitecast};

/// What differs from run to run, made the same.
pub(crate) fn calm(text: &str, base: &str) -> String {
    let text = text.replace(base, "http://site/");
    let mut calm = String::new();
    let mut words = text.split_inclusive([' ', '\n', '/', '`']).peekable();
    while let Some(word) = words.next() {
        let end = |c: char| matches!(c, ' ' | '\n' | '/' | '`' | ',');
        let bare = word.trim_end_matches(end);
        let rest = &word[bare.len()..];
        let next = words
            .peek()
            .map(|next| next.trim_end_matches(|c| end(c) || c == ';'));
        let is_size = matches!(next, Some("kB" | "bytes" | "byte"))
            && bare.chars().all(|c| c.is_ascii_digit() || c == '.');
        if is_size {
            calm.push_str("N ");
        } else if let Some(at) = bare.find("sha256") {
            calm.push_str(&bare[..at]);
            calm.push_str("HASH");
            calm.push_str(rest);
        } else if let Some(at) = bare.find("202").filter(|at| bare[*at..].contains('Z')) {
            let after = bare[at..].find('Z').unwrap() + at + 1;
            calm.push_str(&format!("{}TIME{}{rest}", &bare[..at], &bare[after..]));
        } else if bare.starts_with('(') && bare.ends_with(":1)") {
            calm.push_str(&format!("(N:1){rest}"));
        } else {
            calm.push_str(word);
        }
    }
    calm
}

/// Changes an answer, or leaves it alone.
type Change = Box<dyn Fn(&Request, &mut Answer) + Send>;

/// The example, published under a URL and served by `sitecast serve`, behind a server that can spoil
/// what it says.
struct Site {
    folder: tempfile::TempDir,
    base: String,
    server: Server,
    change: Arc<Mutex<Option<Change>>>,
    _serving: Running,
}

impl Site {
    fn new() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let base = format!("http://{}/", listener.local_addr().unwrap());
        let folder = published(&base);
        let serving = Running::start(folder.path(), &["public"]);
        let upstream = serving.greeting["address"].as_str().unwrap().to_owned();
        let upstream = upstream
            .trim_start_matches("http://")
            .trim_end_matches('/')
            .to_owned();
        let change: Arc<Mutex<Option<Change>>> = Arc::default();
        let server = Server::listen(listener, {
            let change = Arc::clone(&change);
            move |request| {
                let mut answer = forward(&upstream, request);
                if let Some(change) = &*change.lock().unwrap() {
                    change(request, &mut answer);
                }
                answer
            }
        })
        .unwrap();
        Self {
            folder,
            base,
            server,
            change,
            _serving: serving,
        }
    }

    fn spoil(&self, change: impl Fn(&Request, &mut Answer) + Send + 'static) {
        *self.change.lock().unwrap() = Some(Box::new(change));
    }

    /// Spoils one header of what is at paths that end so.
    fn set(&self, end: &'static str, header: &'static str, value: Option<&'static str>) {
        self.spoil(move |request, answer| {
            if request.path.ends_with(end) {
                answer
                    .headers
                    .retain(|(name, _)| !name.eq_ignore_ascii_case(header));
                if let Some(value) = value {
                    answer.headers.push((header.to_owned(), value.to_owned()));
                }
            }
        });
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    fn collection(&self) -> String {
        self.url(&format!(
            "scp/{}",
            collection_in(&self.folder.path().join("public"))
        ))
    }

    fn check(&self, arguments: &[&str]) -> Output {
        check(
            &[
                arguments,
                &[
                    "--allow-private",
                    "--delay",
                    "0",
                    "--contact",
                    "me@example.com",
                ],
            ]
            .concat(),
        )
    }

    fn check_site(&self) -> Output {
        self.check(&["--strict", &self.base])
    }
}

fn forward(upstream: &str, request: &Request) -> Answer {
    let mut stream = TcpStream::connect(upstream).unwrap();
    write!(
        stream,
        "{} {} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n",
        request.method, request.path
    )
    .unwrap();
    for (name, value) in &request.headers {
        if !matches!(name.to_ascii_lowercase().as_str(), "host" | "connection") {
            write!(stream, "{name}: {value}\r\n").unwrap();
        }
    }
    stream.write_all(b"\r\n").unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    let end = bytes
        .windows(4)
        .position(|four| four == b"\r\n\r\n")
        .unwrap();
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let mut lines = head.lines();
    let status = lines
        .next()
        .unwrap()
        .split(' ')
        .nth(1)
        .unwrap()
        .parse()
        .unwrap();
    let mut answer = Answer::status(status);
    for line in lines {
        let (name, value) = line.split_once(": ").unwrap();
        // It is said anew; for HEAD there is no body to measure.
        if !matches!(name, "content-length" | "connection" | "date") {
            answer = answer.with(name, value);
        }
    }
    answer.body = bytes[end + 4..].to_vec();
    answer
}

fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/tea-house")
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

/// The example, published in place.
fn published(base: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    copy(&example(), &folder.path().join("public"));
    let output = sitecast(&["publish", "public", "--no-cache", "-q", "--base-url", base])
        .current_dir(&folder)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", shown(&output));
    folder
}

/// The name of a zstd collection.
fn collection_in(public: &Path) -> String {
    let mut names = fs::read_dir(public.join("scp")).unwrap();
    let found = names.find_map(|entry| {
        let name = entry.unwrap().file_name().into_string().unwrap();
        name.ends_with(".zst").then_some(name)
    });
    found.unwrap()
}

fn check(arguments: &[&str]) -> Output {
    sitecast(&[&["check"], arguments].concat())
        .output()
        .unwrap()
}

fn report(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The exit code and the codes of all errors and warnings of all targets.
fn codes(output: &Output) -> (i32, Vec<String>) {
    let report = report(output);
    let mut codes = Vec::new();
    for target in report["targets"].as_array().unwrap() {
        for list in ["errors", "warnings"] {
            for finding in target[list].as_array().unwrap() {
                codes.push(finding["code"].as_str().unwrap().to_owned());
            }
        }
    }
    codes.sort();
    codes.dedup();
    (output.status.code().unwrap(), codes)
}

fn only(exit: i32, codes: &[&str]) -> (i32, Vec<String>) {
    (exit, codes.iter().map(|code| (*code).to_owned()).collect())
}

const BASE: &str = "https://tea.example/";

/// Publishes, spoils something, and checks the folder.
fn spoilt(spoil: impl FnOnce(&Path)) -> (i32, Vec<String>) {
    let folder = published(BASE);
    let public = folder.path().join("public");
    spoil(&public);
    codes(&check(&["--json", public.to_str().unwrap()]))
}

fn edit(path: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.contains(from), "{text}");
    fs::write(path, text.replacen(from, to, 1)).unwrap();
}

// A folder.

#[test]
fn a_published_folder_is_clean() {
    let folder = published(BASE);
    let output = sitecast(&["check", "--strict", "public"])
        .current_dir(&folder)
        .output()
        .unwrap();
    insta::assert_snapshot!("folder", calm(&shown(&output), BASE));
    let output = sitecast(&["check", "--json", "public"])
        .current_dir(&folder)
        .output()
        .unwrap();
    let report = report(&output);
    let targets = report["targets"].as_array().unwrap();
    let kinds: Vec<&str> = targets
        .iter()
        .map(|t| t["kind"].as_str().unwrap())
        .collect();
    assert_eq!(
        kinds.iter().filter(|kind| **kind == "machine-page").count(),
        4
    );
    let site = targets.last().unwrap();
    assert_eq!(
        (
            &site["kind"],
            &site["base_url"],
            &site["files"],
            &site["files_not_ok"]
        ),
        (&"folder".into(), &BASE.into(), &10.into(), &0.into())
    );
    assert_eq!(
        (
            &site["collections"],
            &site["collections_checked"],
            &site["items"],
            &site["pages_checked"]
        ),
        (&2.into(), &2.into(), &4.into(), &4.into())
    );
}

#[test]
fn a_collection_that_is_named_and_missing_is_found() {
    let missing = |public: &Path| {
        fs::remove_file(public.join("scp").join(collection_in(public))).unwrap();
    };
    assert_eq!(spoilt(missing), only(3, &["missing"]));
}

#[test]
fn a_size_that_is_not_the_sitemaps_is_found() {
    let wrong = |public: &Path| edit(&public.join("sitemap.xml"), "size=\"1", "size=\"2");
    assert_eq!(spoilt(wrong), only(0, &["size-differs"]));
    let wrong = |public: &Path| {
        edit(
            &public.join("sitemap.xml"),
            "pages=\"4\" size",
            "pages=\"5\" size",
        )
    };
    assert_eq!(spoilt(wrong), only(0, &["pages-differ"]));
}

#[test]
fn a_collection_of_another_section_is_found() {
    let wrong = |public: &Path| {
        let path = public.join("sitemap.xml");
        let text = fs::read_to_string(&path).unwrap();
        let text = text.replace("collection section=\"all\"", "collection section=\"blog\"");
        fs::write(path, text).unwrap();
    };
    assert_eq!(spoilt(wrong), only(3, &["not-as-announced"]));
}

#[test]
fn a_page_that_is_not_what_its_hash_says_is_found() {
    let wrong = |public: &Path| edit(&public.join("green-tea/llm.json"), "Green tea", "Blue tea");
    assert_eq!(spoilt(wrong), only(5, &["hash-mismatch"]));
}

#[test]
fn a_stale_json_sitemap_is_found() {
    let wrong = |public: &Path| {
        let path = public.join("llm-sitemap.json");
        let text = fs::read_to_string(&path).unwrap();
        let at = text.find("sha256-").unwrap() + 7;
        let hash = &text[at..at + 64];
        fs::write(&path, text.replace(hash, &"0".repeat(64))).unwrap();
    };
    assert_eq!(spoilt(wrong), only(5, &["parity"]));
}

#[test]
fn a_machine_page_of_another_page_is_found() {
    let wrong = |public: &Path| {
        let path = public.join("llm-sitemap.json");
        edit(
            &path,
            "https://tea.example/green-tea/\"",
            "https://tea.example/red-tea/\"",
        );
    };
    assert_eq!(spoilt(wrong), only(3, &["canonical-differs"]));
}

#[test]
fn a_machine_page_that_is_missing_is_found() {
    let wrong = |public: &Path| fs::remove_file(public.join("green-tea/llm.json")).unwrap();
    assert_eq!(spoilt(wrong), only(3, &["missing"]));
}

#[test]
fn files_that_nothing_names_are_found() {
    let unnamed = |public: &Path| {
        fs::copy(public.join("llm.json"), public.join("old.json")).unwrap();
    };
    assert_eq!(spoilt(unnamed), only(0, &["unnamed-page"]));
    let folder = published(BASE);
    let public = folder.path().join("public");
    let collection = public.join("scp").join(collection_in(&public));
    fs::copy(collection, public.join("scp/old.scp.zst")).unwrap();
    // Worth a note, and no more.
    let output = check(&["--json", "--strict", public.to_str().unwrap()]);
    assert_eq!(codes(&output), only(0, &["unnamed-collection"]));
}

#[test]
fn a_robots_txt_that_names_no_sitemap_is_found() {
    let wrong = |public: &Path| fs::write(public.join("robots.txt"), "User-agent: *\n").unwrap();
    assert_eq!(spoilt(wrong), only(0, &["robots-without-sitemap"]));
    let wrong = |public: &Path| fs::remove_file(public.join("robots.txt")).unwrap();
    assert_eq!(spoilt(wrong), only(0, &["robots-without-sitemap"]));
}

const SCP: &str = "xmlns:scp=\"https://scp-protocol.org/schemas/sitemap/1.0\"";

/// A site with a snapshot of the first of the month, and these deltas: since, and generated.
fn chain(deltas: &[(u32, u32)], more: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let text = r#"[{"type":"text","text":"x"}]"#;
    let line = page("a", text).replace("2025", "2024");
    let mut elements = String::new();
    let mut put = |name: &str, metadata: &str, element: &str| {
        let file = format!("{{\"collection\":{{{metadata},\"version\":\"0.1\"}}}}\n{line}\n");
        fs::write(folder.path().join(name), &file).unwrap();
        elements += &format!(
            "<scp:{element} url=\"https://example.com/{name}\" pages=\"1\" size=\"{}\" {more}/>",
            file.len()
        );
    };
    let day = |day: u32| format!("2025-01-{day:02}T00:00:00Z");
    put(
        "s.scp",
        &format!(
            "\"id\":\"s\",\"section\":\"all\",\"type\":\"snapshot\",\"generated\":\"{}\"",
            day(1)
        ),
        &format!(
            "collection section=\"all\" type=\"snapshot\" generated=\"{}\"",
            day(1)
        ),
    );
    for (since, generated) in deltas {
        let (since, generated_at) = (day(*since), day(*generated));
        put(
            &format!("{generated}.scp"),
            &format!(
                "\"id\":\"d\",\"section\":\"all\",\"type\":\"delta\",\"generated\":\"{generated_at}\",\"since\":\"{since}\""
            ),
            &format!(
                "delta section=\"all\" period=\"{generated}\" generated=\"{generated_at}\" since=\"{since}\""
            ),
        );
    }
    let sitemap = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" {SCP}>\
         <scp:version>0.1</scp:version><scp:compression>gzip</scp:compression><scp:section name=\"all\" updateFreq=\"daily\" pages=\"1\"/>\
         {elements}<url><loc>https://example.com/a</loc></url></urlset>"
    );
    fs::write(folder.path().join("sitemap.xml"), sitemap).unwrap();
    fs::write(
        folder.path().join("robots.txt"),
        "Sitemap: https://example.com/sitemap.xml\n",
    )
    .unwrap();
    folder
}

fn codes_of(folder: &tempfile::TempDir) -> (i32, Vec<String>) {
    codes(&check(&["--json", folder.path().to_str().unwrap()]))
}

#[test]
fn a_gap_in_the_chain_of_deltas_is_found() {
    assert_eq!(
        codes_of(&chain(&[(1, 2), (2, 3), (1, 3)], "")),
        only(0, &[])
    );
    assert_eq!(
        codes_of(&chain(&[(1, 2), (3, 4)], "")),
        only(3, &["delta-gap"])
    );
}

#[test]
fn what_has_expired_is_found() {
    let expired = chain(&[(1, 2)], "expires=\"2025-02-01T00:00:00Z\"");
    assert_eq!(codes_of(&expired), only(3, &["expired", "no-snapshot"]));
}

#[test]
fn a_folder_without_anything_says_so() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("index.html"), "<html></html>").unwrap();
    let output = sitecast(&["check", "."])
        .current_dir(&folder)
        .output()
        .unwrap();
    insta::assert_snapshot!("nothing", shown(&output));
}

#[test]
fn what_is_elsewhere_is_not_taken_for_missing() {
    let folder = chain(&[], "");
    let sitemap = folder.path().join("sitemap.xml");
    edit(
        &sitemap,
        "https://example.com/s.scp",
        "https://cdn.example.com/s.scp",
    );
    fs::remove_file(folder.path().join("s.scp")).unwrap();
    assert_eq!(codes_of(&folder), only(0, &["not-in-the-folder"]));
}

// A website, and its files one by one.

#[test]
fn a_published_and_served_site_is_clean() {
    let site = Site::new();
    let output = site.check_site();
    insta::assert_snapshot!("site", calm(&shown(&output), &site.base));
    for path in [
        "robots.txt",
        "sitemap.xml",
        "llm-sitemap.json",
        "llm-policy.json",
        "green-tea/llm.json",
    ] {
        let output = site.check(&["--strict", &site.url(path)]);
        assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    }
    let output = site.check(&["--strict", &site.collection()]);
    insta::assert_snapshot!("collection", calm(&shown(&output), &site.base));
}

#[test]
fn a_sample_of_machine_pages_is_as_large_as_asked_for() {
    let site = Site::new();
    let pages = |sample: &str| {
        let output = site.check(&["--json", "--pages", sample, &site.base]);
        let report = report(&output);
        let targets = report["targets"].as_array().unwrap();
        let pages = targets
            .iter()
            .filter(|target| target["kind"] == "machine-page");
        (
            pages.count(),
            targets.last().unwrap()["pages_checked"].as_u64().unwrap(),
        )
    };
    assert_eq!(pages("2"), (2, 2));
    assert_eq!(pages("0"), (0, 0));
    assert_eq!(pages("all"), (4, 4));
    assert_eq!(
        site.check(&["--pages", "few", &site.base]).status.code(),
        Some(2)
    );
}

/// What a change of a header is found as: on the file itself, and in strict mode of the site.
fn found(end: &'static str, header: &'static str, value: Option<&'static str>) -> Vec<String> {
    let site = Site::new();
    site.set(end, header, value);
    let (exit, found) = codes(&site.check(&["--json", "--strict", &site.base]));
    assert_eq!(exit, 3, "{found:?}");
    found
}

#[test]
fn collections_must_have_their_content_type() {
    assert_eq!(
        found(".scp.zst", "Content-Type", Some("application/zstd")),
        ["content-type"]
    );
    assert_eq!(found(".scp.zst", "Content-Type", None), ["content-type"]);
}

#[test]
fn collections_must_have_their_content_encoding() {
    assert_eq!(
        found(".scp.zst", "Content-Encoding", None),
        ["content-encoding"]
    );
    assert_eq!(
        found(".scp.gz", "Content-Encoding", Some("zstd")),
        ["content-encoding"]
    );
}

#[test]
fn collections_should_have_their_checksum_as_tag_and_their_time() {
    assert_eq!(found(".scp.zst", "ETag", None), ["no-etag"]);
    let differs = found(".scp.zst", "ETag", Some("\"1-2\""));
    // The server behind does not know that tag.
    assert_eq!(differs, ["etag-differs", "no-304"]);
    assert_eq!(
        found(".scp.zst", "Last-Modified", None),
        ["no-last-modified"]
    );
    let old = Some("Mon, 01 Jan 2024 00:00:00 GMT");
    assert_eq!(
        found(".scp.zst", "Last-Modified", old),
        ["last-modified-differs"]
    );
    assert_eq!(
        found(".scp.zst", "Cache-Control", None),
        ["no-cache-control"]
    );
}

#[test]
fn machine_pages_must_have_their_content_type() {
    assert_eq!(
        found("green-tea/llm.json", "Content-Type", Some("text/plain")),
        ["content-type"]
    );
}

#[test]
fn machine_pages_must_have_strong_tags() {
    let weak = Site::new();
    weak.spoil(|request, answer| {
        for (name, value) in &mut answer.headers {
            if request.path == "/green-tea/llm.json" && name.eq_ignore_ascii_case("etag") {
                *value = format!("W/{value}");
            }
        }
    });
    let output = weak.check(&["--json", "--strict", &weak.base]);
    assert_eq!(codes(&output), only(3, &["weak-etag"]));
    assert_eq!(found("green-tea/llm.json", "ETag", None), ["no-etag"]);
    assert_eq!(
        found("green-tea/llm.json", "ETag", Some("green")),
        ["invalid-etag", "no-304"]
    );
    assert_eq!(
        found("green-tea/llm.json", "ETag", Some("\"1-2\"")),
        ["etag-differs", "no-304"]
    );
}

#[test]
fn the_tag_of_a_machine_page_must_be_its_hash() {
    let site = Site::new();
    let other = "\"sha256-0000000000000000000000000000000000000000000000000000000000000000\"";
    site.set("green-tea/llm.json", "ETag", Some(other));
    let (exit, found) = codes(&site.check(&["--json", &site.base]));
    assert_eq!((exit, found), only(5, &["no-304", "parity"]));
}

#[test]
fn machine_pages_must_link_to_their_page() {
    assert_eq!(
        found("green-tea/llm.json", "Link", None),
        ["no-canonical-link"]
    );
    let other = Some("<https://example.com/>; rel=\"canonical\"");
    assert_eq!(
        found("green-tea/llm.json", "Link", other),
        ["canonical-link-differs"]
    );
}

#[test]
fn machine_pages_should_be_cacheable() {
    assert_eq!(found("green-tea/llm.json", "Vary", None), ["no-vary"]);
    let agent = Some("Accept-Encoding, User-Agent");
    assert_eq!(
        found("green-tea/llm.json", "Vary", agent),
        ["vary-user-agent"]
    );
    assert_eq!(
        found("green-tea/llm.json", "Cache-Control", None),
        ["no-cache-control"]
    );
    assert_eq!(
        found("green-tea/llm.json", "Last-Modified", None),
        ["no-last-modified"]
    );
}

#[test]
fn the_homepage_should_link_to_the_json_sitemap_and_that_to_the_policy() {
    assert_eq!(found("/", "Link", None), ["no-index-link"]);
    assert_eq!(found("llm-sitemap.json", "Link", None), ["no-policy-link"]);
}

#[test]
fn a_server_must_answer_304_and_head_as_get() {
    let site = Site::new();
    site.spoil(|request, answer| {
        if request.path == "/green-tea/llm.json" && answer.status == 304 {
            answer.status = 200;
            answer.body = b"{}".to_vec();
        }
    });
    let output = site.check(&["--json", "--strict", &site.base]);
    assert_eq!(codes(&output), only(3, &["no-304"]));
    site.spoil(|request, answer| {
        if request.path == "/green-tea/llm.json" && request.method == "HEAD" {
            answer
                .headers
                .retain(|(name, _)| !name.eq_ignore_ascii_case("etag"));
        }
    });
    let output = site.check(&["--json", "--strict", &site.base]);
    assert_eq!(codes(&output), only(3, &["head-differs"]));
    site.spoil(|request, answer| {
        if request.path == "/green-tea/llm.json" && request.method == "HEAD" {
            *answer = Answer::status(405);
        }
    });
    let output = site.check(&["--json", "--strict", &site.url("green-tea/llm.json")]);
    assert_eq!(codes(&output), only(3, &["no-head"]));
}

#[test]
fn what_the_site_names_and_does_not_have_is_found() {
    let site = Site::new();
    site.spoil(|request, answer| {
        if request.path.ends_with(".scp.zst") {
            *answer = Answer::text(404, "no");
        }
    });
    assert_eq!(
        codes(&site.check(&["--json", &site.base])),
        only(3, &["missing"])
    );
    site.spoil(|request, answer| {
        if request.path == "/green-tea/llm.json" {
            *answer = Answer::text(410, "gone");
        }
    });
    let output = site.check(&[&site.base]);
    insta::assert_snapshot!("missing", calm(&shown(&output), &site.base));
}

#[test]
fn robots_txt_is_obeyed_and_what_it_forbids_is_said() {
    let site = Site::new();
    let sitemap = site.url("sitemap.xml");
    site.spoil(move |request, answer| {
        if request.path == "/robots.txt" {
            let rules = format!("User-agent: *\nDisallow: /scp/\nSitemap: {sitemap}\n");
            *answer = Answer::text(200, rules);
        }
    });
    assert_eq!(
        codes(&site.check(&["--json", &site.base])),
        only(3, &["missing"])
    );
    let asked = site.server.take_paths();
    assert!(
        !asked.iter().any(|path| path.starts_with("/scp/")),
        "{asked:?}"
    );
}

#[test]
fn a_site_that_offers_nothing_says_so() {
    let server = Server::start(|request| match request.path.as_str() {
        "/robots.txt" => Answer::status(404),
        // Many sites answer every path with a page.
        _ => Answer::html("<!DOCTYPE html><title>Home</title><p>Hello"),
    })
    .unwrap();
    let base = server.url("/");
    let output = check(&[
        &base,
        "--allow-private",
        "--delay",
        "0",
        "--contact",
        "me@example.com",
    ]);
    insta::assert_snapshot!("offers_nothing", calm(&shown(&output), &base));
}

#[test]
fn a_host_that_cannot_be_reached_is_said() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let base = format!("http://{}/", listener.local_addr().unwrap());
    drop(listener);
    let output = check(&[&base, "--allow-private"]);
    insta::assert_snapshot!("unreachable", calm(&shown(&output), &base));
    assert_eq!(check(&["http://127.0.0.1/"]).status.code(), Some(6));
    let site = Site::new();
    assert_eq!(
        site.check(&[&site.url("nowhere.json")]).status.code(),
        Some(6)
    );
}

#[test]
fn passwords_are_not_repeated() {
    let output = check(&["https://me:secret@example.com/"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(!shown(&output).contains("secret"), "{}", shown(&output));
}
