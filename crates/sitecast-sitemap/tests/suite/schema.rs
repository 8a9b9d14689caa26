//! Validation of written documents by the XML Schemas, with an independent validator.

use std::fs;
use std::path::Path;
use std::process::Command;

use sitecast_sitemap::{Limits, ScpBlock, SitemapWriter, WriterOptions, extend, write_index};

use crate::support::scp_block;

/// Validates a document with xmllint: `Ok` if it is valid. Returns `None` after a message if xmllint is not installed,
/// and panics in that case in continuous integration.
fn validate(xml: &[u8]) -> Option<Result<(), String>> {
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas/sitemap/sitemap.xsd");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sitemap.xml");
    fs::write(&file, xml).unwrap();
    let run = Command::new("xmllint")
        .args(["--noout", "--nonet", "--schema"])
        .args([&schema, &file])
        .output();
    match run {
        Ok(output) if output.status.success() => Some(Ok(())),
        Ok(output) => Some(Err(String::from_utf8_lossy(&output.stderr).into_owned())),
        Err(error) => {
            assert!(std::env::var_os("CI").is_none(), "xmllint: {error}");
            eprintln!("skipped: xmllint (Debian: libxml2-utils) is not installed: {error}");
            None
        }
    }
}

fn sitemap(scp: &ScpBlock) -> Vec<u8> {
    let mut writer = SitemapWriter::new(Vec::new(), &WriterOptions::default(), scp).unwrap();
    for url in ["https://example.com/", "https://例え.jp/it's?a=1&b=\"<>"] {
        writer
            .add(
                &url.parse().unwrap(),
                "2025-11-14T10:00:00Z".parse().unwrap(),
            )
            .unwrap();
    }
    writer.finish().unwrap()
}

#[test]
fn writes_documents_that_are_valid_by_the_schemas() {
    let extended = {
        let mut out = Vec::new();
        extend(
            &sitemap(&ScpBlock::default())[..],
            &mut out,
            &scp_block(),
            &Limits::default(),
        )
        .unwrap();
        out
    };
    let index = write_index(
        Vec::new(),
        &WriterOptions::default(),
        [(
            "https://example.com/sitemap-1.xml".parse().unwrap(),
            "2025-11-14".parse().unwrap(),
        )],
    )
    .unwrap();
    for xml in [
        sitemap(&ScpBlock::default()),
        sitemap(&scp_block()),
        extended,
        index,
    ] {
        if let Some(verdict) = validate(&xml) {
            assert_eq!(verdict, Ok(()), "{}", String::from_utf8_lossy(&xml));
        }
    }
}

/// Ensures that the validator detects errors.
#[test]
fn schemas_reject_invalid_documents() {
    let right = String::from_utf8(sitemap(&scp_block())).unwrap();
    for (from, to) in [
        ("updateFreq=\"daily\"", "updateFreq=\"often\""),
        ("<scp:version>0.1<", "<scp:version>one<"),
        (" since=\"", " until=\""),
        ("<lastmod>2025-11-14</lastmod>", ""),
        (
            "sitemaps.org/schemas/sitemap/0.9",
            "sitemaps.org/schemas/sitemap/1.0",
        ),
    ] {
        let wrong = right.replacen(from, to, 1);
        assert_ne!(wrong, right);
        if let Some(verdict) = validate(wrong.as_bytes()) {
            assert!(verdict.is_err(), "{from} -> {to}");
        }
    }
    let (head, tail) = right
        .split_once("  <scp:version>0.1</scp:version>\n")
        .unwrap();
    let late = format!(
        "{head}{}",
        tail.replacen("</urlset>", "<scp:version>0.1</scp:version></urlset>", 1)
    );
    if let Some(verdict) = validate(late.as_bytes()) {
        assert!(verdict.is_err(), "elements after the first url");
    }
}
