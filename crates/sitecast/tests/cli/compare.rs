//! `sitecast compare`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use assert_cmd::Command;
use serde_json::Value;
use sitecast_testserver::{Answer, Folder, Server};

use crate::browser::Browser;
use crate::shown;

/// A folder to work in, and one in which temporary files would be left.
struct World {
    folder: tempfile::TempDir,
    temporary: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            temporary: tempfile::tempdir().unwrap(),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let mut command = Command::cargo_bin("sitecast").unwrap();
        command.current_dir(self.folder.path());
        command.arg("compare").args(arguments);
        command.env("TMPDIR", self.temporary.path());
        for name in ["SITECAST_CONFIG", "SITECAST_COLOR", "NO_COLOR"] {
            command.env_remove(name);
        }
        let output = command.output().unwrap();
        let left: Vec<_> = fs::read_dir(self.temporary.path()).unwrap().collect();
        assert!(left.is_empty(), "left behind: {left:?}");
        output
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let output = self.run(&[arguments, &["--json"]].concat());
        assert!(output.status.success(), "{}", shown(&output));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    fn page(&self, name: &str, topic: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, html(topic)).unwrap();
    }
}

fn html(topic: &str) -> String {
    let words: String = (0..40)
        .map(|n| format!("{topic} has a property with the number {n}, which is told in full. "))
        .collect();
    format!(
        "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>About {topic}</title></head>\
         <body><nav><a href=\"/\">Home</a></nav><main><h1>About {topic}</h1><p>Everything that is worth \
         knowing about {topic} is written down here, in sentences of some length.</p><p>{words}</p></main></body></html>"
    )
}

fn example() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/tea-house");
    root.display().to_string()
}

/// All files below a folder, with what is in them.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let bytes = fs::read(&path).unwrap();
                found.push((path, bytes));
            }
        }
    }
    found.sort();
    found
}

/// Without what differs from run to run: sizes of what holds times, and how long things took.
fn steady(output: &Output) -> String {
    let shown = shown(output);
    let lines = shown.lines().map(|line| {
        if line.trim_start().starts_with("parsing") {
            return "  parsing TIMES".to_owned();
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        let is_unit = |word: Option<&&str>| {
            word.is_some_and(|word| {
                matches!(word.trim_end_matches([',', ':']), "kB" | "bytes" | "%")
            })
        };
        let steady: Vec<&str> = words
            .iter()
            .enumerate()
            .map(|(at, word)| match *word {
                word if is_unit(words.get(at + 1)) && word.starts_with(char::is_numeric) => "N",
                word => word,
            })
            .collect();
        steady.join(" ")
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn way<'j>(json: &'j Value, name: &str) -> &'j Value {
    let ways = json["ways"].as_array().unwrap();
    ways.iter().find(|way| way["way"] == name).unwrap()
}

#[test]
fn compare_explains_itself() {
    insta::assert_snapshot!(shown(&World::new().run(&["--help"])));
}

#[test]
fn a_folder_is_compared_in_a_table() {
    let world = World::new();
    let before = files(Path::new(&example()));
    let output = world.run(&[&example(), "--base-url", "https://tea.example"]);
    insta::assert_snapshot!(steady(&output));
    assert_eq!(files(Path::new(&example())), before, "the site was touched");
    assert!(files(world.folder.path()).is_empty());
}

#[test]
fn figures_fit_what_is_there() {
    let world = World::new();
    for n in 0..120 {
        world.page(&format!("site/{n}/index.html"), &format!("topic {n}"));
    }
    world.page("site/index.html", "the house");
    let json = world.json(&["site", "--base-url", "https://example.com"]);
    assert_eq!(json["version"], 1);
    assert_eq!(json["pages"], 121);
    assert_eq!(json["change"]["kind"], "simulated");
    assert_eq!(json["change"]["changed"], 2);
    let there: usize = files(&world.path("site"))
        .iter()
        .map(|(_, b)| b.len())
        .sum();
    assert_eq!(json["html"]["uncompressed_bytes"], there);
    let number = |value: &Value| value.as_u64().unwrap();
    // robots.txt, the sitemap, and each page; each time.
    for name in ["html-gzip", "html-br"] {
        for visit in ["first", "unchanged", "changed"] {
            assert_eq!(way(&json, name)[visit]["requests"], 123, "{name} {visit}");
        }
        let bodies = number(&json["html"][name.replace("html-", "") + "_bytes"]);
        let first = number(&way(&json, name)["first"]["bytes"]);
        let headers = (first - bodies) / 123;
        assert!((100..400).contains(&headers), "{headers} bytes of headers");
        let unchanged = number(&way(&json, name)["unchanged"]["bytes"]);
        assert!(
            unchanged < 123 * 300,
            "{unchanged} bytes, though nothing changed"
        );
    }
    // robots.txt, the sitemap, the snapshot; nothing; the delta.
    for name in ["scp-gzip", "scp-zstd"] {
        let requests = ["first", "unchanged", "changed"]
            .map(|visit| number(&way(&json, name)[visit]["requests"]));
        assert_eq!(requests, [3, 2, 3], "{name}");
    }
    let tct = ["first", "unchanged", "changed"]
        .map(|visit| number(&way(&json, "tct-gzip")[visit]["requests"]));
    assert!(
        tct[0] > 121 && tct[1] < 6 && tct[2] == tct[1] + 2,
        "{tct:?}"
    );
    let collections = json["collections"].as_array().unwrap();
    let kinds: Vec<_> = collections
        .iter()
        .map(|c| (&c["kind"], &c["pages"]))
        .collect();
    assert_eq!(kinds.len(), 2);
    assert_eq!(
        (kinds[0].0, kinds[0].1),
        (&Value::from("snapshot"), &Value::from(121))
    );
    assert_eq!(
        (kinds[1].0, kinds[1].1),
        (&Value::from("delta"), &Value::from(2))
    );
    let zstd = number(&way(&json, "scp-zstd")["first"]["bytes"]);
    let gzip = number(&way(&json, "scp-gzip")["first"]["bytes"]);
    let difference =
        number(&collections[0]["gzip_bytes"]) as i64 - number(&collections[0]["zstd_bytes"]) as i64;
    assert_eq!(gzip as i64 - zstd as i64, difference);
    let saved = json["savings"]["first_bytes"].as_f64().unwrap();
    let html = number(&way(&json, "html-gzip")["first"]["bytes"]);
    assert!((saved - (1.0 - zstd as f64 / html as f64)).abs() < 0.001);
    assert_eq!(json["tokens"]["html"], there / 4);
}

#[test]
fn another_folder_is_the_change() {
    let world = World::new();
    for n in 0..10 {
        world.page(&format!("old/{n}.html"), &format!("topic {n}"));
        world.page(&format!("new/{n}.html"), &format!("topic {n}"));
    }
    world.page("new/3.html", "something else");
    world.page("new/10.html", "the tenth");
    fs::remove_file(world.path("new/7.html")).unwrap();
    let base = ["--base-url", "https://example.com"];
    let json = world.json(&[&["old", "--changed", "new"], &base[..]].concat());
    let change = &json["change"];
    assert_eq!(change["kind"], "folder");
    assert_eq!(
        (&change["new"], &change["changed"], &change["deleted"]),
        (&Value::from(1), &Value::from(1), &Value::from(1))
    );
    // Ten that were there and the new one.
    assert_eq!(way(&json, "html-gzip")["changed"]["requests"], 13);
    let same = world.run(&[&["old", "--changed", "old"], &base[..]].concat());
    let said = String::from_utf8(same.stderr).unwrap();
    assert!(said.contains("there was no change to measure"), "{said}");
}

#[test]
fn a_published_folder_is_compared_as_if_it_were_not() {
    let world = World::new();
    for n in 0..5 {
        world.page(&format!("public/{n}.html"), &format!("topic {n}"));
    }
    let base = ["--base-url", "https://example.com"];
    let before = world.json(&[&["public"], &base[..]].concat());
    Command::cargo_bin("sitecast")
        .unwrap()
        .current_dir(world.folder.path())
        .args(["publish", "public", "--no-cache", "-q"])
        .args(base)
        .assert()
        .success();
    let files_before = files(&world.path("public"));
    let after = world.json(&[&["public"], &base[..]].concat());
    assert_eq!(before["pages"], after["pages"]);
    assert_eq!(way(&after, "scp-zstd")["first"]["requests"], 3);
    assert_eq!(files(&world.path("public")), files_before);
}

#[test]
fn a_live_site_is_fetched_and_what_it_offers_is_measured() {
    let world = World::new();
    for n in 0..8 {
        world.page(&format!("public/{n}/index.html"), &format!("topic {n}"));
    }
    world.page("public/index.html", "the house");
    let served = Folder::new(&world.path("public"));
    let server = Server::start(move |request| served.answer(request)).unwrap();
    let site = server.url("/");
    Command::cargo_bin("sitecast")
        .unwrap()
        .current_dir(world.folder.path())
        .args(["publish", "public", "--no-cache", "-q", "--base-url", &site])
        .assert()
        .success();
    let visit = [
        "--allow-private",
        "--delay",
        "0",
        "--contact",
        "me@example.com",
    ];
    let json = world.json(&[&[site.as_str()], &visit[..]].concat());
    let asked = server.take_paths();
    assert_eq!(json["pages"], 9);
    assert_eq!(json["live"]["way"], "html");
    assert_eq!(json["live"]["pages"], 9);
    assert_eq!(json["offered"]["way"], "scp");
    assert_eq!(json["offered"]["pages"], 9);
    assert_eq!(json["offered"]["requests"], 3);
    // Each page was asked for once; nothing else than what is counted, and the look at what is offered.
    let pages = asked.iter().filter(|path| path.ends_with('/')).count();
    let homes = asked.iter().filter(|path| *path == "/").count();
    assert_eq!(pages - homes, 8, "{asked:?}");
    let few = world.run(&[&[site.as_str(), "--max-pages", "3"], &visit[..]].concat());
    assert!(few.status.success(), "{}", shown(&few));
    let said = shown(&few);
    assert!(said.contains("Compared 3 pages"), "{said}");
}

/// As many content management systems have them: one script, and pages by number.
#[test]
fn pages_whose_urls_have_a_query_are_compared_as_well() {
    let world = World::new();
    let server = Server::start(|request| {
        let number = request.path.strip_prefix("/post.php?id=");
        match (request.path.as_str(), number) {
            ("/", _) => {
                let links: String = (1..20)
                    .map(|n| {
                        format!(
                            "<li><a href=\"/post.php?id={n}&amp;lang=en\">About topic {n}</a></li>"
                        )
                    })
                    .collect();
                let list = format!("</p><ul>{links}</ul></main>");
                Answer::html(html("the house").replace("</p></main>", &list))
            }
            (path, Some(number)) => {
                let own = path.replace('&', "&amp;");
                let canonical = format!("<head><link rel=\"canonical\" href=\"{own}\">");
                Answer::html(html(&format!("topic {number}")).replace("<head>", &canonical))
            }
            _ => Answer::text(404, "nothing here"),
        }
    })
    .unwrap();
    let site = server.url("/");
    let arguments = [
        site.as_str(),
        "--allow-private",
        "--delay",
        "0",
        "--contact",
        "me@example.com",
    ];
    let json = world.json(&arguments);
    assert_eq!(
        (&json["live"]["pages"], &json["pages"]),
        (&20.into(), &20.into()),
        "{json}"
    );
}

/// `publish` and `compare` say the same of the same pages.
#[test]
fn the_weight_of_html_is_the_same_for_all() {
    let world = World::new();
    let run = |arguments: &[&str]| {
        let mut command = Command::cargo_bin("sitecast").unwrap();
        let output = command
            .current_dir(world.folder.path())
            .args(arguments)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", shown(&output));
        output.stdout
    };
    run(&["demo", "--site", "site"]);
    let base = ["--base-url", "https://brise.example"];
    let published = run(&[
        &["publish", "site", "--dry-run", "--no-cache", "--json"],
        &base[..],
    ]
    .concat());
    let published: Value = serde_json::from_slice(&published).unwrap();
    let compared = world.json(&[&["site"], &base[..]].concat());
    let published = published["savings"]["html_gzip_bytes"].as_f64().unwrap();
    let compared = compared["html"]["gzip_bytes"].as_f64().unwrap();
    assert!(
        (published / compared - 1.0).abs() < 0.05,
        "{published} and {compared}"
    );
}

#[test]
fn a_live_site_that_says_no_is_left_alone() {
    let world = World::new();
    let server = Server::start(|request| match request.path.as_str() {
        "/robots.txt" => Answer::text(200, "User-agent: *\nDisallow: /\n"),
        _ => Answer::html("<p>Private"),
    })
    .unwrap();
    let site = server.url("/");
    let output = world.run(&[&site, "--allow-private"]);
    assert_eq!(output.status.code(), Some(6), "{}", shown(&output));
    let said = shown(&output);
    assert!(said.contains("robots.txt disallows"), "{said}");
    let asked = server.take_paths();
    assert!(asked.iter().all(|path| path == "/robots.txt"), "{asked:?}");
    let refused = world.run(&[&site]);
    assert_eq!(refused.status.code(), Some(6));
    assert!(
        shown(&refused).contains("--allow-private"),
        "{}",
        shown(&refused)
    );
}

#[test]
fn what_is_wrong_is_said_before_anything_is_done() {
    let world = World::new();
    fs::write(world.path("a.html"), "<p>").unwrap();
    fs::create_dir(world.path("empty")).unwrap();
    let base = ["--base-url", "https://example.com"];
    let tries: [&[&str]; 7] = [
        &["nowhere"],
        &["a.html"],
        &["empty"],
        &["empty", base[0], base[1]],
        &[
            "empty",
            base[0],
            base[1],
            "--html",
            "no/such/folder/report.html",
        ],
        &["empty", base[0], base[1], "--html", "empty"],
        &["https://example.com", "--changed", "empty"],
    ];
    let said: Vec<String> = tries
        .iter()
        .map(|arguments| shown(&world.run(arguments)))
        .collect();
    insta::assert_snapshot!(said.join("\n"));
}

/// `1234567` as `1,234,567`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[test]
fn the_report_is_right_in_a_real_browser() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let world = World::new();
    // What a folder is called comes into the page, and must not come to life there.
    let source = "<img src=x onerror=alert(1)><script>alert(2)<!--'\"&";
    for n in 0..12 {
        world.page(&format!("{source}/{n}.html"), &format!("topic {n}"));
    }
    let arguments = [
        source,
        "--base-url",
        "https://example.com",
        "--html",
        "report.html",
    ];
    let json = world.json(&arguments);
    let file = world.path("report.html");
    for (width, scheme) in [
        (1280, "light"),
        (1280, "dark"),
        (360, "light"),
        (360, "dark"),
    ] {
        browser.open(&file, width, scheme);
        let at = format!("{width} {scheme}");
        // Nothing sticks out sideways, and nothing has to be scrolled sideways to be seen.
        let overflow = browser.evaluate(
            "[document.documentElement, ...document.querySelectorAll('body *:not(.unseen):not(.unseen *)')]
                .filter(e => e.scrollWidth > e.clientWidth && getComputedStyle(e).overflowX !== 'visible'
                    || e.getBoundingClientRect().right > document.documentElement.clientWidth + 0.5)
                .map(e => e.outerHTML.slice(0, 80))",
        );
        assert_eq!(overflow, serde_json::json!([]), "{at}");
        // Each of the figures has a name beside it or above it.
        let head =
            browser.evaluate("getComputedStyle(document.querySelector('.figures thead')).display");
        let named = browser.evaluate("getComputedStyle(document.querySelector('.figures td[data-name]'), '::before').content");
        assert_eq!(head == "none", width == 360, "{at}");
        assert_eq!(named != "none", width == 360, "{at}: {named}");
        let background = browser.evaluate("getComputedStyle(document.body).backgroundColor");
        let light: u32 = background
            .as_str()
            .unwrap()
            .split(|c: char| !c.is_ascii_digit())
            .filter_map(|part| part.parse::<u32>().ok())
            .sum();
        assert_eq!(light > 380, scheme == "light", "{at}: {background}");
        bars_are_as_long_as_their_figures(&mut browser, &json, &at);
        texts_are_legible(&mut browser, &at);
    }
    let text = browser.evaluate("document.body.innerText");
    let text = text.as_str().unwrap();
    for way in json["ways"].as_array().unwrap() {
        for visit in ["first", "unchanged", "changed"] {
            for figure in ["requests", "bytes"] {
                let number = grouped(way[visit][figure].as_u64().unwrap());
                assert!(text.contains(&number), "{way} {visit} {figure}: {text}");
            }
        }
    }
    for kind in ["html", "markdown"] {
        let number = grouped(json["tokens"][kind].as_u64().unwrap());
        assert!(text.contains(&number), "{number}: {text}");
    }
    let saved = json["savings"]["first_bytes"].as_f64().unwrap();
    // Two figures that are not the same have not the same name.
    let names = |browser: &mut Browser, places: &str| -> Vec<String> {
        let expression =
            format!("[...document.querySelectorAll('{places}')].map(e => e.innerText)");
        serde_json::from_value(browser.evaluate(&expression)).unwrap()
    };
    let tiles = names(&mut browser, ".tiles li");
    assert_eq!(tiles.len(), 4);
    for name in names(&mut browser, "[aria-labelledby=promise] tbody th") {
        let tile = tiles
            .iter()
            .find(|tile| tile.contains(&format!("\n{name}\n")));
        if let Some(tile) = tile {
            let figure = browser.evaluate(&format!(
                "[...document.querySelectorAll('[aria-labelledby=promise] tbody tr')]
                    .find(r => r.querySelector('th').innerText === '{name}').innerText"
            ));
            let shown = tile.lines().next().unwrap();
            assert!(figure.as_str().unwrap().contains(shown), "{tile}: {figure}");
        }
    }
    let headline = browser.evaluate("document.querySelector('.headline strong').innerText");
    assert_eq!(headline, format!("{:.0} %", saved * 100.0));
    assert!(text.contains(source), "{text}");
    assert_eq!(
        browser.evaluate("document.scripts.length + document.images.length"),
        0
    );
    let elsewhere: Vec<String> = browser
        .requests()
        .into_iter()
        .filter(|url| !url.ends_with("/report.html") && !url.starts_with("data:"))
        .collect();
    assert!(elsewhere.is_empty(), "{elsewhere:?}");
    assert!(
        browser.complaints().is_empty(),
        "{:?}",
        browser.complaints()
    );
}

/// Every chart is there, and what is twice as much is twice as long.
fn bars_are_as_long_as_their_figures(browser: &mut Browser, json: &Value, at: &str) {
    let lengths = |browser: &mut Browser, chart: &str| -> Vec<f64> {
        let found = browser.evaluate(&format!(
            "[...document.querySelectorAll('#{chart} rect')].map(r => r.getBoundingClientRect().width)"
        ));
        let found = found.as_array().unwrap();
        found
            .iter()
            .map(|length| length.as_f64().unwrap())
            .collect()
    };
    let visit = |visit: &str, figure: &str| -> Vec<f64> {
        let ways = json["ways"].as_array().unwrap();
        ways.iter()
            .map(|way| way[visit][figure].as_f64().unwrap())
            .collect()
    };
    let some = |of: &str, names: &[&str]| -> Vec<f64> {
        names
            .iter()
            .map(|name| json[of][*name].as_f64().unwrap())
            .collect()
    };
    let charts = [
        ("first-bytes", visit("first", "bytes")),
        ("changed-bytes", visit("changed", "bytes")),
        ("unchanged-bytes", visit("unchanged", "bytes")),
        ("first-requests", visit("first", "requests")),
        (
            "parsing",
            some(
                "parsing",
                &["html_extract_us", "html_parse_us", "scp_read_us"],
            ),
        ),
        ("tokens", some("tokens", &["html", "scp", "markdown"])),
    ];
    for (chart, figures) in charts {
        let lengths = lengths(browser, chart);
        assert_eq!(lengths.len(), figures.len(), "{at} {chart}");
        let most = figures.iter().copied().fold(0.0, f64::max);
        let longest = lengths.iter().copied().fold(0.0, f64::max);
        assert!(longest > 40.0, "{at} {chart}: {lengths:?}");
        for (length, figure) in lengths.iter().zip(&figures) {
            let expected = (figure / most).max(0.004) * longest;
            assert!(
                (length - expected).abs() < 1.0,
                "{at} {chart}: {lengths:?} for {figures:?}"
            );
        }
    }
}

/// Text stands out from its background as WCAG asks for (4.5 to 1).
fn texts_are_legible(browser: &mut Browser, at: &str) {
    let faint = browser.evaluate(
        "(() => {
            const parts = color => color.match(/[\\d.]+/g).map(Number);
            const light = color => {
                const [r, g, b] = parts(color).map(v => v / 255)
                    .map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
                return 0.2126 * r + 0.7152 * g + 0.0722 * b;
            };
            const behind = element => {
                for (let e = element; e; e = e.parentElement) {
                    const color = getComputedStyle(e).backgroundColor;
                    if (parts(color)[3] !== 0) return color;
                }
            };
            const faint = [];
            for (const element of document.querySelectorAll('body *')) {
                const own = [...element.childNodes].some(n => n.nodeType === 3 && n.data.trim());
                if (!own) continue;
                const [a, b] = [light(getComputedStyle(element).color), light(behind(element))];
                const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
                if (contrast < 4.5) faint.push(element.innerText + ' ' + contrast);
            }
            return faint;
        })()",
    );
    assert_eq!(faint, serde_json::json!([]), "{at}");
}
