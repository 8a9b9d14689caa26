//! A real browser without a window, driven by the DevTools protocol through two pipes.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use serde_json::{Value, json};

const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Browser {
    child: Child,
    commands: File,
    messages: Receiver<Value>,
    session: Option<String>,
    number: u64,
    /// Everything that happened beside the answers.
    pub(crate) events: Vec<Value>,
    _folder: tempfile::TempDir,
}

impl Browser {
    /// `None` where there is no browser, unless there has to be one.
    pub(crate) fn start() -> Option<Self> {
        let names = ["chromium", "chromium-browser", "google-chrome"];
        let program = names.into_iter().find(|name| {
            let found = Command::new(name)
                .arg("--version")
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status();
            found.is_ok_and(|status| status.success())
        });
        let Some(program) = program else {
            assert!(std::env::var_os("CI").is_none(), "Chromium is needed here");
            std::io::stderr()
                .write_all(b"skipped: there is no Chromium here\n")
                .unwrap();
            return None;
        };
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let pipes = [path("in"), path("out")];
        assert!(
            Command::new("mkfifo")
                .args(&pipes)
                .status()
                .unwrap()
                .success()
        );
        // The browser reads commands from its third file and answers into its fourth.
        let child = Command::new("sh")
            .args([
                "-c",
                "in=$1 out=$2; shift 2; exec \"$@\" 3<\"$in\" 4>\"$out\"",
                "sh",
            ])
            .args(&pipes)
            .args([program, "--headless", "--no-sandbox", "--disable-gpu"])
            .args(["--no-first-run", "--disable-background-networking"])
            .args(["--disable-component-update", "--disable-sync"])
            .args(["--disable-dev-shm-usage", "--remote-debugging-pipe"])
            .arg(format!("--user-data-dir={}", path("profile").display()))
            .arg("about:blank")
            .stdout(Stdio::null())
            .stderr(File::create(path("stderr")).unwrap())
            .spawn()
            .unwrap();
        let commands = File::options().write(true).open(&pipes[0]).unwrap();
        let answers = File::open(&pipes[1]).unwrap();
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            for message in BufReader::new(answers).split(0) {
                let Ok(message) = message else { break };
                let message = serde_json::from_slice(&message).unwrap();
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        let mut browser = Self {
            child,
            commands,
            messages,
            session: None,
            number: 0,
            events: Vec::new(),
            _folder: folder,
        };
        let target = browser.ask("Target.createTarget", json!({ "url": "about:blank" }));
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        let session = browser.ask("Target.attachToTarget", attach);
        browser.session = session["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Network", "Log"] {
            browser.ask(&format!("{domain}.enable"), json!({}));
        }
        Some(browser)
    }

    /// Sends a command and waits for its answer.
    pub(crate) fn ask(&mut self, method: &str, parameters: Value) -> Value {
        self.number += 1;
        let mut command = json!({ "id": self.number, "method": method, "params": parameters });
        if let Some(session) = &self.session {
            command["sessionId"] = json!(session);
        }
        self.commands
            .write_all(format!("{command}\0").as_bytes())
            .unwrap();
        loop {
            let message = self
                .next(PATIENCE)
                .unwrap_or_else(|| panic!("no answer to {method}"));
            if message["id"] == self.number {
                assert!(message["error"].is_null(), "{method}: {message}");
                return message["result"].clone();
            }
        }
    }

    /// The next message; events are also kept.
    fn next(&mut self, patience: Duration) -> Option<Value> {
        match self.messages.recv_timeout(patience) {
            Ok(message) => {
                if message["id"].is_null() {
                    self.events.push(message.clone());
                }
                Some(message)
            }
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => panic!("the browser has ended"),
        }
    }

    /// Opens a file as it would look on a screen of this width, in the light or in the dark.
    pub(crate) fn open(&mut self, file: &Path, width: u32, scheme: &str) {
        let phone = width < 600;
        self.ask(
            "Emulation.setDeviceMetricsOverride",
            json!({ "width": width, "height": 800, "deviceScaleFactor": 1, "mobile": phone }),
        );
        let scheme = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.ask("Emulation.setEmulatedMedia", json!({ "features": scheme }));
        let seen = self.events.len();
        let url = url::Url::from_file_path(file).unwrap();
        let opened = self.ask("Page.navigate", json!({ "url": url.as_str() }));
        assert!(opened["errorText"].is_null(), "{opened}");
        let is_loaded = |event: &Value| event["method"] == "Page.loadEventFired";
        while !self.events[seen..].iter().any(is_loaded) {
            self.next(PATIENCE).expect("the page does not load");
        }
    }

    /// The value of a JavaScript expression in the page.
    pub(crate) fn evaluate(&mut self, expression: &str) -> Value {
        let answer = self.ask(
            "Runtime.evaluate",
            json!({ "expression": expression, "returnByValue": true }),
        );
        assert!(answer["exceptionDetails"].is_null(), "{answer}");
        answer["result"]["value"].clone()
    }

    /// URLs that were asked for.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.events
            .iter()
            .filter(|event| event["method"] == "Network.requestWillBeSent")
            .map(|event| {
                event["params"]["request"]["url"]
                    .as_str()
                    .unwrap()
                    .to_owned()
            })
            .collect()
    }

    /// What the page has to complain of: messages of the console, of the browser, and errors of scripts.
    pub(crate) fn complaints(&self) -> Vec<&Value> {
        let kinds = [
            "Runtime.consoleAPICalled",
            "Runtime.exceptionThrown",
            "Log.entryAdded",
            "Page.javascriptDialogOpening",
        ];
        self.events
            .iter()
            .filter(|event| kinds.iter().any(|kind| event["method"] == *kind))
            .collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
