//! What others publish: files in the style of the SCP reference generator and of the first TCT servers.

use sitecast_index::OriginKind;
use sitecast_tct::ContentHash;
use sitecast_testserver::Answer;

use crate::world::{MONDAY, World};

/// As the reference generator of SCP writes it: its own spacing and order of members, checksum over the file
/// without it, gzip, `scp:` elements after the pages, sizes that are estimates, names that are used again.
#[test]
fn the_output_of_the_scp_reference_is_understood() {
    let world = World::empty();
    let base = &world.base;
    let page = format!(
        "{{\"url\": \"{base}blog/post-1\", \"title\": \"Post \\u00e9\", \"description\": \"About\", \"author\": \"Jane\", \
         \"published\": \"2025-01-10T09:00:00Z\", \"modified\": \"2025-01-15T09:00:00Z\", \"language\": \"en\", \
         \"robots\": [\"noarchive\"], \"content\": [{{\"type\": \"heading\", \"level\": 1, \"text\": \"Post\"}}, \
         {{\"type\": \"video\", \"sources\": [{{\"url\": \"{base}v.mp4\", \"format\": \"mp4\"}}], \"title\": \"Film\"}}]}}\n"
    );
    let metadata = |checksum: &str| {
        format!(
            "{{\"collection\": {{\"id\": \"blog-1\", \"section\": \"blog\", \"type\": \"snapshot\", \
             \"generated\": \"2026-01-05T00:00:00Z\", {checksum}\"version\": \"0.1\"}}}}\n"
        )
    };
    let hash = ContentHash::of(format!("{}{page}", metadata("")).as_bytes()).to_string();
    let checksum = format!("\"checksum\": \"{}\", ", hash.replace("sha256-", "sha256:"));
    world.write("blog.scp", &format!("{}{page}", metadata(&checksum)));
    world.write(
        "sitemap.xml",
        &format!(
            "<?xml version='1.0' encoding='utf-8'?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" \
             xmlns:scp=\"https://scp-protocol.org/schemas/sitemap/1.0\">\n\
             <url><loc>{base}blog/post-1</loc><lastmod>2025-01-15</lastmod></url>\n\
             <scp:version>0.1</scp:version>\n<scp:compression>zstd,gzip</scp:compression>\n\
             <scp:section name=\"blog\" updateFreq=\"daily\" pages=\"~5000\"/>\n\
             <scp:collection section=\"blog\" type=\"snapshot\" url=\"{base}blog.scp\" \
             generated=\"2026-01-05T00:00:00Z\" expires=\"2026-01-06T00:00:00Z\" pages=\"1\" size=\"800\"/>\n</urlset>\n"
        ),
    );
    let report = world.sync("2026-01-05T12:00:00Z");
    assert_eq!(report.way, Some(OriginKind::Scp));
    let held = world.held();
    let line = &held[&format!("{base}blog/post-1")];
    assert_eq!(format!("{line}\n"), page, "byte for byte");
}

/// As the first TCT servers (a WordPress plugin) answer: `/llm/` below each page, version 1 without `etag`,
/// hash by Method B over the content, legacy content, weak entity tags from a proxy.
#[test]
fn machine_pages_of_the_first_servers_are_understood() {
    let world = World::empty();
    let base = world.base.clone();
    let content = "Title\n\nWhat the post says, at some length.";
    let hash = sitecast_tct::fingerprint(content).to_string();
    let payload = format!(
        "{{\"profile\":\"tct-1\",\"llm_url\":\"{base}post/llm/\",\"canonical_url\":\"{base}post/\",\"hash\":\"{hash}\",\
         \"title\":\"Title\",\"content\":{{\"text\":{}}},\"language\":\"en\"}}",
        serde_json::to_string(content).unwrap()
    );
    let sitemap = format!(
        "{{\"version\":1,\"profile\":\"tct-1\",\"items\":[{{\"cUrl\":\"{base}post/\",\"mUrl\":\"{base}post/llm/\",\
         \"modified\":\"2025-10-01T12:34:56+00:00\",\"contentHash\":\"{hash}\"}}]}}"
    );
    world.intercept({
        let (base, hash) = (base.clone(), hash.clone());
        move |request| match request.path.as_str() {
            "/" => Some(Answer::html("<p>Home").with(
                "Link",
                "</llm-sitemap.json>; rel=\"index\"; type=\"application/json\"",
            )),
            "/llm-sitemap.json" => Some(Answer::text(200, sitemap.clone())),
            "/post/llm/"
                if request
                    .header("if-none-match")
                    .is_some_and(|tag| tag.contains(&hash)) =>
            {
                Some(Answer::status(304))
            }
            "/post/llm/" => Some(
                Answer::text(200, payload.clone())
                    .with("ETag", format!("W/\"{hash}\""))
                    .with("Link", format!("<{base}post/>; rel=\"canonical\"")),
            ),
            _ => None,
        }
    });
    let report = world.sync(MONDAY);
    assert_eq!(report.way, Some(OriginKind::Tct), "{report:?}");
    let line = &world.held()[&format!("{base}post/")];
    assert!(
        line.contains("What the post says, at some length.")
            && line.contains("\"title\":\"Title\""),
        "{line}"
    );
    world.server.take_log();
    world.sync(MONDAY);
    assert!(
        !world.server.take_paths().contains(&"/post/llm/".to_owned()),
        "the hash is the same"
    );
}
