//! Load generation with wrk.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;

/// A load: the requested path and the concurrency.
#[derive(Clone, Copy)]
pub(crate) struct Load<'l> {
    pub(crate) path: &'l str,
    /// The value of `If-None-Match`.
    pub(crate) matching: Option<&'l str>,
    pub(crate) threads: usize,
    pub(crate) connections: u32,
    pub(crate) seconds: u32,
}

/// The result of a run.
#[derive(Clone, Copy)]
pub(crate) struct Run {
    pub(crate) requests: u64,
    pub(crate) per_second: f64,
    pub(crate) bytes_per_second: f64,
    /// 99th percentile of the latency, in milliseconds.
    pub(crate) p99: f64,
}

impl Load<'_> {
    pub(crate) fn run(&self, address: SocketAddr, scratch: &Path) -> Run {
        let mut command = Command::new("wrk");
        // Downloads of more than two seconds are slow, not errors.
        command.args(["--latency", "--timeout", "60s"]);
        command.args(["-t", &self.threads.to_string()]);
        command.args(["-c", &self.connections.to_string()]);
        command.args(["-d", &format!("{}s", self.seconds)]);
        if let Some(tag) = self.matching {
            let script = scratch.join("match.lua");
            fs::write(
                &script,
                format!("wrk.headers[\"If-None-Match\"] = '{tag}'\n"),
            )
            .unwrap();
            command.arg("-s").arg(script);
        }
        let output = command
            .arg(format!("http://{address}/{}", self.path))
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(
            !text.contains("Non-2xx") && !text.contains("Socket errors"),
            "{text}"
        );
        read(&text)
    }
}

fn read(text: &str) -> Run {
    let value = |name: &str| {
        let line = text
            .lines()
            .find(|line| line.trim_start().starts_with(name))
            .unwrap_or_else(|| panic!("{text}"));
        line.split_whitespace().last().unwrap().to_owned()
    };
    let scaled = |text: &str, units: &[(&str, f64)]| {
        let (unit, factor) = units.iter().find(|(unit, _)| text.ends_with(unit)).unwrap();
        text.strip_suffix(unit).unwrap().parse::<f64>().unwrap() * factor
    };
    let total = text
        .lines()
        .find(|line| line.contains(" requests in "))
        .and_then(|line| line.split_whitespace().next());
    Run {
        requests: total.unwrap().parse().unwrap(),
        per_second: value("Requests/sec:").parse().unwrap(),
        bytes_per_second: scaled(
            &value("Transfer/sec:"),
            &[
                ("GB", 1_073_741_824.0),
                ("MB", 1_048_576.0),
                ("KB", 1_024.0),
                ("B", 1.0),
            ],
        ),
        p99: scaled(
            &value("99%"),
            &[("us", 0.001), ("ms", 1.0), ("s", 1_000.0), ("m", 60_000.0)],
        ),
    }
}
