//! `sitecast serve`.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command as Process, Stdio};
use std::time::{Duration, Instant};

use assert_cmd::Command;
use serde_json::Value;

use crate::shown;

fn example() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/tea-house");
    root.display().to_string()
}

/// The example, published into a temporary folder.
fn published() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    Command::cargo_bin("sitecast")
        .unwrap()
        .current_dir(folder.path())
        .args([
            "publish",
            &example(),
            "--base-url",
            "https://example.com",
            "--no-cache",
            "-q",
        ])
        .args(["--out", "public"])
        .assert()
        .success();
    folder
}

/// A server that was started from the command line; killed if the test does not end it.
pub(crate) struct Running {
    child: Child,
    out: BufReader<std::process::ChildStdout>,
    pub(crate) greeting: Value,
}

impl Running {
    pub(crate) fn start(folder: &Path, arguments: &[&str]) -> Self {
        Self::start_at(folder, &[&["--listen", "127.0.0.1:0"], arguments].concat())
    }

    /// With arguments that say where.
    pub(crate) fn start_at(folder: &Path, arguments: &[&str]) -> Self {
        let program = Process::new(assert_cmd::cargo::cargo_bin("sitecast"));
        Self::start_program(program, folder, arguments)
    }

    fn start_program(mut program: Process, folder: &Path, arguments: &[&str]) -> Self {
        let mut child = program
            .current_dir(folder)
            .args(["serve", "--json"])
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        let greeting = serde_json::from_str(&line).unwrap();
        Self {
            child,
            out,
            greeting,
        }
    }

    fn get(&self, target: &str) -> String {
        self.get_with(target, "Accept: */*")
    }

    fn get_with(&self, target: &str, header: &str) -> String {
        let address = self.greeting["address"].as_str().unwrap();
        let address = address
            .strip_prefix("http://")
            .unwrap()
            .trim_end_matches('/');
        let mut stream = TcpStream::connect(address).unwrap();
        write!(
            stream,
            "GET {target} HTTP/1.1\r\nHost: x\r\n{header}\r\nConnection: close\r\n\r\n"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    /// Tells it to end, as systemd would.
    fn terminate(&self) {
        let pid = self.child.id().to_string();
        Process::new("kill").args(["-TERM", &pid]).status().unwrap();
    }

    /// Ends it, and says how it ended.
    fn end(self) -> (Option<i32>, String) {
        self.terminate();
        self.ended()
    }

    fn ended(mut self) -> (Option<i32>, String) {
        let started = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(
                started.elapsed() < Duration::from_secs(20),
                "it does not end"
            );
            std::thread::sleep(Duration::from_millis(20));
        };
        let mut rest = String::new();
        self.out.read_to_string(&mut rest).unwrap();
        (status.code(), rest)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn serves_until_it_is_told_to_stop() {
    let folder = published();
    let running = Running::start(folder.path(), &["public", "--log-format", "json"]);
    assert_eq!(running.greeting["version"], 1);
    assert_eq!(running.greeting["pages"], 4);
    assert_eq!(running.greeting["collections"], 2);
    assert_eq!(running.greeting["metrics"], Value::Null);
    let answer = running.get("/green-tea/llm.json");
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert!(answer.contains("etag: \"sha256-"), "{answer}");
    let (code, log) = running.end();
    assert_eq!(code, Some(0));
    let line: Value = serde_json::from_str(log.trim()).unwrap();
    assert_eq!(line["target"], "/green-tea/llm.json");
}

#[test]
fn a_download_is_finished_after_sigterm_and_a_second_one_ends_it_at_once() {
    let folder = published();
    let size = 32 << 20;
    std::fs::write(folder.path().join("public/big.bin"), vec![7; size]).unwrap();
    for patient in [true, false] {
        let running = Running::start(folder.path(), &["public"]);
        let mut download = TcpStream::connect(running.address()).unwrap();
        write!(download, "GET /big.bin HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
        let mut first = [0; 1000];
        download.read_exact(&mut first).unwrap();
        running.terminate();
        let started = Instant::now();
        while TcpStream::connect(running.address()).is_ok() {
            assert!(started.elapsed() < Duration::from_secs(10));
            std::thread::sleep(Duration::from_millis(10));
        }
        if patient {
            let mut rest = Vec::new();
            download.read_to_end(&mut rest).unwrap();
            assert!(first.len() + rest.len() > size);
            assert_eq!(running.ended().0, Some(0));
        } else {
            running.terminate();
            assert_eq!(running.ended().0, Some(1));
        }
    }
}

#[test]
fn settings_come_from_the_file() {
    let folder = published();
    let config = "[serve]\nsource = \"public\"\nmetrics = \"127.0.0.1:0\"\nlegacy_slug = \"llm/\"\n\
        [serve.rate_limit]\nper_second = 1\nburst = 50\n\
        [[serve.protected]]\nprefix = \"/green-tea/\"\ntokens = [\"sesame\"]\n";
    std::fs::write(folder.path().join("sitecast.toml"), config).unwrap();
    let running = Running::start(folder.path(), &[]);
    assert!(
        running.greeting["metrics"]
            .as_str()
            .unwrap()
            .ends_with("/metrics")
    );
    assert!(running.get("/black-tea/llm/").starts_with("HTTP/1.1 308 "));
    assert!(
        running
            .get("/llm.json")
            .contains("ratelimit-policy: \"client\";q=50;w=50")
    );
    assert!(
        running
            .get("/green-tea/llm.json")
            .starts_with("HTTP/1.1 401 ")
    );
    assert!(running.get("/sitemap.xml").starts_with("HTTP/1.1 401 "));
    assert_eq!(running.end().0, Some(0));
}

#[test]
fn trusted_proxies_come_from_the_file() {
    let folder = published();
    let config = "[serve]\nsource = \"public\"\ntrusted_proxies = [\"::1\", \"127.0.0.0/8\"]\n\
        forwarded_header = \"forwarded\"\n[serve.rate_limit]\nper_second = 0.001\nburst = 1\n";
    std::fs::write(folder.path().join("sitecast.toml"), config).unwrap();
    let running = Running::start(folder.path(), &[]);
    for (client, status) in [("192.0.2.1", 200), ("192.0.2.2", 200), ("192.0.2.1", 429)] {
        let answer = running.get_with("/llm.json", &format!("Forwarded: for={client}"));
        let expected = format!("HTTP/1.1 {status} ");
        assert!(answer.starts_with(&expected), "{client}: {answer}");
    }
}

fn fails(name: &str, config: &str, arguments: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("public")).unwrap();
    std::fs::write(folder.path().join("a.html"), "").unwrap();
    std::fs::write(folder.path().join("sitecast.toml"), config).unwrap();
    let output = Command::cargo_bin("sitecast")
        .unwrap()
        .current_dir(folder.path())
        .arg("serve")
        .args(arguments)
        .output()
        .unwrap();
    insta::assert_snapshot!(name, shown(&output));
}

#[test]
fn what_is_wrong_is_said() {
    fails("serve_of_nothing", "", &["nothing"]);
    fails("serve_of_a_file", "", &["a.html"]);
    fails("serve_of_a_website", "", &["https://example.com"]);
    fails("serve_on_no_address", "", &["public", "--listen", "8080"]);
    fails(
        "serve_with_a_bad_prefix",
        "[[serve.protected]]\nprefix = \"members\"\ntokens = [\"x\"]\n",
        &["public"],
    );
    fails(
        "serve_without_tokens",
        "[[serve.protected]]\nprefix = \"/members/\"\n",
        &["public"],
    );
    fails(
        "serve_with_a_bad_limit",
        "[serve.limits]\nidle_seconds = -1.0\n",
        &["public"],
    );
    fails(
        "serve_with_a_rate_of_nothing",
        "[serve.rate_limit]\nper_second = 0.0\nburst = 1\n",
        &["public"],
    );
    fails(
        "serve_with_a_proxy_that_is_no_address",
        "[serve]\ntrusted_proxies = [\"10.0.0.0/8\", \"proxy.example\"]\n",
        &["public"],
    );
    fails(
        "serve_with_a_typo",
        "[serve]\nlissten = \"x\"\n",
        &["public"],
    );
    fails(
        "serve_with_no_certificate",
        "[serve.tls]\ncertificate = \"a.html\"\nkey = \"a.html\"\n",
        &["public"],
    );
}

#[test]
fn an_address_that_is_taken_is_said() {
    let folder = published();
    // By another program, or by ourselves.
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let running = Running::start(folder.path(), &["public"]);
    for address in [taken.local_addr().unwrap().to_string(), running.address()] {
        let output = Command::cargo_bin("sitecast")
            .unwrap()
            .current_dir(folder.path())
            .args(["serve", "public", "--listen", &address])
            .timeout(Duration::from_secs(20))
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(1));
        let said = String::from_utf8(output.stderr).unwrap();
        let expected = format!("cannot listen on `{address}`");
        assert!(said.contains(&expected), "{said}");
        assert!(said.contains("choose another port with --listen"), "{said}");
    }
}

impl Running {
    fn address(&self) -> String {
        let address = self.greeting["address"].as_str().unwrap();
        address
            .strip_prefix("http://")
            .unwrap()
            .trim_end_matches('/')
            .to_owned()
    }

    /// Kilobytes of memory that the server has, where the system tells.
    fn memory(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("VmRSS:"))?;
        line.trim().trim_end_matches(" kB").parse().ok()
    }
}

#[test]
fn ten_thousand_idle_connections_are_held() {
    let folder = published();
    // All of them come from one address.
    let config = "[serve.limits]\nconnections_per_client = 0\n";
    std::fs::write(folder.path().join("sitecast.toml"), config).unwrap();
    let running = Running::start(folder.path(), &["public"]);
    let before = running.memory();
    let mut held = Vec::new();
    for number in 0..10_000 {
        match TcpStream::connect(running.address()) {
            Ok(stream) => held.push(stream),
            Err(error) => {
                let limit = error.to_string();
                assert!(limit.contains("Too many open files"), "{number}: {error}");
                std::io::stderr()
                    .write_all(
                        format!("skipped: only {number} files may be open here\n").as_bytes(),
                    )
                    .unwrap();
                return;
            }
        }
    }
    // All are alive: each tenth one is used, and others are still let in.
    for stream in held.iter_mut().step_by(10) {
        stream
            .set_read_timeout(Some(Duration::from_secs(20)))
            .unwrap();
        stream
            .write_all(b"HEAD /llm.json HTTP/1.1\r\nHost: x\r\n\r\n")
            .unwrap();
        let mut first = [0; 15];
        stream.read_exact(&mut first).unwrap();
        assert_eq!(&first, b"HTTP/1.1 200 OK");
    }
    assert!(running.get("/llm.json").starts_with("HTTP/1.1 200 OK"));
    if let (Some(before), Some(after)) = (before, running.memory()) {
        let each = after.saturating_sub(before) / 10;
        assert!(each < 20_000, "{each} bytes for each connection");
    }
}

/// Sends many requests on one connection, and reads all answers.
fn hammer(address: &str, requests: usize) {
    let mut stream = TcpStream::connect(address).unwrap();
    let one = "GET /green-tea/llm.json HTTP/1.1\r\nHost: x\r\n\r\n\
        GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n\
        GET /green-tea/llm.json HTTP/1.1\r\nHost: x\r\nIf-None-Match: *\r\n\r\n\
        GET /llm-sitemap.json HTTP/1.1\r\nHost: x\r\nAccept-Encoding: zstd\r\n\r\n";
    let batch = one.repeat(25);
    let mut buffer = vec![0; 1 << 20];
    let mut text = Vec::new();
    for _ in 0..requests / 100 {
        stream.write_all(batch.as_bytes()).unwrap();
        let mut answers = 0;
        text.clear();
        while answers < 100 {
            let read = stream.read(&mut buffer).unwrap();
            assert_ne!(read, 0);
            text.extend_from_slice(&buffer[..read]);
            answers = text.windows(9).filter(|part| part == b"HTTP/1.1 ").count();
        }
        // The last body may still be on its way, but nothing waits behind it.
        std::thread::yield_now();
        stream.set_nonblocking(true).unwrap();
        while let Ok(1..) = stream.read(&mut buffer) {}
        stream.set_nonblocking(false).unwrap();
    }
}

#[test]
fn memory_does_not_grow_with_requests() {
    let folder = published();
    let running = Running::start(folder.path(), &["public"]);
    hammer(&running.address(), 5_000);
    let before = running.memory();
    hammer(&running.address(), 30_000);
    if let (Some(before), Some(after)) = (before, running.memory()) {
        let grown = after.saturating_sub(before);
        assert!(grown < 2_000, "{grown} kB more after 30,000 requests");
    }
}

#[test]
fn whoever_syncs_the_address_of_a_copy_is_told_how_to() {
    let folder = published();
    let running = Running::start(folder.path(), &["public"]);
    let address = running.greeting["address"].as_str().unwrap();
    let sync = |arguments: &[&str]| {
        let mut command = Command::cargo_bin("sitecast").unwrap();
        command.current_dir(folder.path()).args([
            "sync",
            "--index",
            "index",
            "--contact",
            "a@example.org",
        ]);
        command.args(arguments).output().unwrap()
    };
    let output = sync(&[address, "--allow-private"]);
    let words = shown(&output);
    assert_eq!(output.status.code(), Some(1), "{words}");
    let (_, hint) = words
        .split_once(" hint: to ask this server in its place: sitecast sync ")
        .unwrap();
    let arguments: Vec<&str> = hint.split_whitespace().collect();
    let output = sync(&arguments);
    assert!(output.status.success(), "{}", shown(&output));
}

#[test]
fn a_site_below_a_path_is_named_with_its_path() {
    let folder = tempfile::tempdir().unwrap();
    Command::cargo_bin("sitecast")
        .unwrap()
        .current_dir(folder.path())
        .args(["publish", &example(), "--no-cache", "-q"])
        .args(["--base-url", "https://example.com/tea/", "--out", "public"])
        .assert()
        .success();
    let running = Running::start(folder.path(), &["public"]);
    let home = running.greeting["home"].as_str().unwrap().to_owned();
    let address = running.greeting["address"].as_str().unwrap().to_owned();
    assert_eq!(home, format!("{address}tea/"));
    let answer = running.get("/tea/llm-sitemap.json");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    running.end();
}

/// The program as a user that is not root, who may read everything.
#[cfg(target_os = "linux")]
fn as_plain_user(folder: &Path) -> Process {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::os::unix::process::CommandExt;

    const NOBODY: u32 = 65_534;
    let program = assert_cmd::cargo::cargo_bin("sitecast");
    if std::fs::metadata("/proc/self").unwrap().uid() != 0 {
        return Process::new(program);
    }
    // Where the program is built may be closed to others.
    let copy = folder.join("sitecast");
    std::fs::copy(program, &copy).unwrap();
    std::fs::set_permissions(folder, PermissionsExt::from_mode(0o755)).unwrap();
    let mut process = Process::new(copy);
    process.uid(NOBODY).gid(NOBODY);
    process
}

/// `cp -al` and `rsync --link-dest` give every file a second name, and the root of a disk has a `lost+found`.
#[test]
#[cfg(target_os = "linux")]
fn folders_that_may_not_be_read_keep_no_site_from_being_served() {
    use std::os::unix::fs::PermissionsExt;

    for (closed, status) in [("lost+found", "200"), ("members/secret", "401")] {
        let folder = published();
        let public = folder.path().join("public");
        std::fs::write(
            folder.path().join("sitecast.toml"),
            "[[serve.protected]]\nprefix = \"/members/\"\ntokens = [\"open-sesame\"]\n",
        )
        .unwrap();
        std::fs::write(public.join("one.html"), "<p>One").unwrap();
        std::fs::hard_link(public.join("one.html"), public.join("two.html")).unwrap();
        let closed = public.join(closed);
        std::fs::create_dir_all(&closed).unwrap();
        std::fs::set_permissions(&closed, PermissionsExt::from_mode(0o000)).unwrap();
        let program = as_plain_user(folder.path());
        let arguments = ["public", "--listen", "127.0.0.1:0"];
        let server = Running::start_program(program, folder.path(), &arguments);
        let answer = server.get("/two.html");
        std::fs::set_permissions(&closed, PermissionsExt::from_mode(0o755)).unwrap();
        assert_eq!(answer.get(9..12), Some(status), "{closed:?}: {answer}");
    }
}
