//! Interoperability: the output of the SCP reference generator, and the responses of the first TCT servers.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use sitecast_index::OriginKind;
use sitecast_testserver::Answer;

use crate::world::{MONDAY, World, pages_of};

/// Serves the files of the reference implementation unchanged, except for the host and port in the sitemap.
fn serve_reference(world: &World, sitemap: &str) {
    let files = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers/scp");
    for name in ["blog-snapshot.scp.gz", "blog-delta.scp.zst"] {
        fs::copy(files.join(name), world.site.path().join(name)).unwrap();
    }
    let sitemap = fs::read_to_string(files.join(sitemap)).unwrap();
    world.write(
        "sitemap.xml",
        &sitemap.replace("http://127.0.0.1/", &world.base),
    );
}

/// The output has gzip, members in another order, times to the microsecond, no line feed at the end, and a sitemap
/// whose `generated` is its own time of writing, which is later than that of the collection.
#[test]
fn reads_output_of_the_scp_reference() {
    let world = World::empty();
    let lines = |name: &str| pages_of(&world.site.path().join(name));
    serve_reference(&world, "sitemap-1.xml");
    let report = world.sync("2026-11-17T01:56:22Z");
    assert_eq!(report.way, Some(OriginKind::Scp));
    assert_eq!(report.warnings, [""; 0]);
    let snapshot = lines("blog-snapshot.scp.gz");
    assert_eq!(snapshot.len(), 3);
    assert_eq!(world.held(), snapshot, "byte for byte");
    world.server.take_log();
    world.sync("2026-11-17T01:56:22Z");
    assert_eq!(world.server.take_paths(), ["/robots.txt", "/sitemap.xml"]);

    serve_reference(&world, "sitemap-2.xml");
    let report = world.sync("2026-11-17T01:57:00Z");
    assert_eq!(report.applied[0].kind, "delta", "{report:?}");
    let mut expected: BTreeMap<String, String> = snapshot;
    expected.extend(lines("blog-delta.scp.zst"));
    assert_eq!(expected.len(), 4);
    assert_eq!(world.held(), expected);
    world.server.take_log();
    world.sync("2026-11-17T01:58:00Z");
    assert_eq!(world.server.take_paths(), ["/robots.txt", "/sitemap.xml"]);
}

/// The responses of a WordPress site with the first TCT plugin: `/llm/` below each page, `contentHash` and no `etag`,
/// the hash by Method B over the content and in a weak entity tag, members that the draft does not define, an author
/// that is an object. The hash was computed with `vectors.compute` of the Python client.
#[test]
fn reads_machine_pages_of_the_first_servers() {
    let world = World::empty();
    let base = world.base.clone();
    let content =
        "Gr\u{fc}ne Tee's &amp; mehr\n\nWas man \u{fc}ber  Tee wei\u{df}, in ganzen S\u{e4}tzen.";
    let hash = "sha256-e20175896c06bc6219c25486a74fed1715ab64675062804d17298f039d922bb1".to_owned();
    let payload = serde_json::json!({
        "profile": "tct-1",
        "llm_url": format!("{base}post/llm/"),
        "canonical_url": format!("{base}post/"),
        "post_id": 17,
        "post_type": "post",
        "title": "Gr\u{fc}ne Tee's &amp; mehr",
        "modified": "2025-10-01T12:34:56+00:00",
        "published": "2025-09-01T08:00:00+00:00",
        "hash": hash,
        "word_count": 11,
        "slug": "post",
        "excerpt": "Was man \u{fc}ber Tee wei\u{df}",
        "author": {"id": 1, "name": "Jane", "url": format!("{base}author/jane/")},
        "image": null,
        "images": null,
        "headings": [{"level": 2, "text": "Tee", "anchor": null}],
        "categories": null,
        "tags": [{"id": 3, "name": "Tee", "slug": "tee", "url": format!("{base}tag/tee/")}],
        "content": content,
    })
    .to_string();
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
        line.contains("in ganzen S\u{e4}tzen.")
            && line.contains("\"published\":\"2025-09-01T08:00:00Z\""),
        "{line}"
    );
    world.server.take_log();
    world.sync(MONDAY);
    assert!(
        !world.server.take_paths().contains(&"/post/llm/".to_owned()),
        "the hash is the same"
    );
}
