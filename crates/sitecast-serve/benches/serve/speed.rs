//! Speed: requests and bytes per second, latency, and processor time.

use crate::load::{Load, Run};
use crate::servers::Running;
use crate::site::{PAGE, Site};

/// A run and the processor time that the server used for it.
struct Measured {
    run: Run,
    cpu: f64,
}

pub(crate) fn measure(site: &Site, seconds: u32, rounds: u32) {
    println!("speed: medians of {rounds} rounds of {seconds} s each");
    for workers in [1, 2] {
        let servers = [
            Running::sitecast(site, workers),
            Running::nginx(site, workers),
            Running::hyper(site, workers),
        ];
        println!("\n{workers} worker(s), wrk with {workers} thread(s)");
        println!(
            "{:<26}{:<14}{:>12}{:>9}{:>12}{:>18}",
            "", "", "a second", "ratio", "p99", "CPU"
        );
        let load = |path, matching, connections| Load {
            path,
            matching,
            threads: workers,
            connections,
            seconds,
        };
        let tag = Some(site.etag.as_str());
        let small = &servers[..];
        let large = &servers[..2];
        one(
            "304 of a machine page",
            load(PAGE, tag, 64),
            large,
            site,
            rounds,
        );
        one("machine page", load(PAGE, None, 64), small, site, rounds);
        let collection = load(&site.collection, None, 8);
        one("collection, MB", collection, large, site, rounds);
    }
}

fn one(name: &str, load: Load<'_>, servers: &[Running], site: &Site, rounds: u32) {
    let mut measured: Vec<Vec<Measured>> = servers.iter().map(|_| Vec::new()).collect();
    for round in 0..rounds as usize {
        // Rotates the order, so that no server is always the first.
        for turn in 0..servers.len() {
            let at = (turn + round) % servers.len();
            let before = servers[at].cpu_seconds();
            let run = load.run(servers[at].address, site.folder.path());
            let cpu = servers[at].cpu_seconds() - before;
            measured[at].push(Measured { run, cpu });
        }
    }
    let in_bytes = name.ends_with("MB");
    let rate = |one: &Measured| match in_bytes {
        true => one.run.bytes_per_second / 1e6,
        false => one.run.per_second,
    };
    let cpu = |one: &Measured| match in_bytes {
        true => one.cpu * 1e3 / (one.run.bytes_per_second * f64::from(load.seconds) / 1e9),
        false => one.cpu * 1e6 / one.run.requests as f64,
    };
    let unit = if in_bytes { "ms/GB" } else { "µs/answer" };
    let theirs = median(&measured[1], rate);
    for (server, runs) in servers.iter().zip(&measured) {
        let ours = median(runs, rate);
        println!(
            "{name:<26}{:<14}{ours:>12.0}{:>9.2}{:>9.2} ms{:>8.1} {unit}",
            server.name,
            ours / theirs,
            median(runs, |one| one.run.p99),
            median(runs, cpu),
        );
    }
}

fn median(runs: &[Measured], of: impl Fn(&Measured) -> f64) -> f64 {
    let mut values: Vec<f64> = runs.iter().map(of).collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
