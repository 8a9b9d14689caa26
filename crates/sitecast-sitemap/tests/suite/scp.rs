//! Reading of the `scp:` extension.

use sitecast_sitemap::{CollectionKind, ScpBlock, ScpEntry, UpdateFrequency};

use crate::support::{read, urlset};

const NAMESPACE: &str = "https://scp-protocol.org/schemas/sitemap/1.0";

fn block(xml: &str) -> (ScpBlock, Vec<&'static str>) {
    let outcome = read(xml);
    assert!(outcome.error.is_none(), "{:?}", outcome.error);
    let codes = outcome.codes();
    let mut block = ScpBlock::default();
    outcome.scp.into_iter().for_each(|entry| block.add(entry));
    (block, codes)
}

#[test]
fn reads_the_example_of_the_specification() {
    let xml = r#"<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
        xmlns:scp="https://scp-protocol.org/schemas/sitemap/1.0">
  <scp:version>0.1</scp:version>
  <scp:compression>zstd,gzip</scp:compression>
  <scp:section name="all" updateFreq="daily" pages="~12000"/>
  <scp:section name="docs" updateFreq="weekly" pages="200"/>
  <scp:collection section="blog" type="snapshot"
    url="https://r2.example.com/collections/blog-snapshot-day15.scp.gz"
    generated="2000-01-15T00:00:00Z" expires="2000-01-16T00:00:00Z" pages="5247" size="52000000"/>
  <scp:delta section="blog" period="day15"
    url="https://r2.example.com/collections/blog-delta-day15.scp.gz"
    generated="2000-01-15T23:00:00Z" expires="2000-01-17T00:00:00Z"
    pages="47" size="480000" since="2000-01-14T00:00:00Z"/>
</urlset>"#;
    let (block, codes) = block(xml);
    assert_eq!(block.version.as_deref(), Some("0.1"));
    assert_eq!(block.compression, ["zstd", "gzip"]);
    assert_eq!(
        block.sections[0].update_frequency,
        Some(UpdateFrequency::Daily)
    );
    assert_eq!(block.sections[0].pages.unwrap().to_string(), "~12000");
    assert!(!block.sections[1].pages.unwrap().approximate);
    assert_eq!(block.collections[0].kind, CollectionKind::Snapshot);
    assert_eq!(block.collections[0].size, Some(52_000_000));
    let CollectionKind::Delta { period, since } = &block.collections[1].kind else {
        panic!("no delta");
    };
    assert_eq!(
        (period.as_deref(), since.to_string().as_str()),
        (Some("day15"), "2000-01-14T00:00:00Z")
    );
    assert_eq!(codes, ["no-entries"]);
}

#[test]
fn reads_scp_elements_anywhere_with_any_prefix() {
    let url = "<url><loc>https://example.com/</loc></url>";
    for (xml, codes) in [
        (
            format!("<urlset xmlns:x=\"{NAMESPACE}\"><x:version>0.1</x:version>{url}</urlset>"),
            vec![],
        ),
        (
            format!("<urlset xmlns:x=\"{NAMESPACE}\">{url}<x:version>0.1</x:version></urlset>"),
            vec!["scp-after-entries"],
        ),
        (
            format!("<urlset>{url}<version xmlns=\"{NAMESPACE}\">0.1</version>{url}</urlset>"),
            vec!["scp-after-entries"],
        ),
        (
            format!(
                "<s:urlset xmlns:s=\"urn:x\" xmlns=\"{NAMESPACE}\"><version> 0.1 </version><s:url><s:loc>https://example.com/</s:loc></s:url></s:urlset>"
            ),
            vec![],
        ),
        (
            format!(
                "<urlset><wrap xmlns:x=\"{NAMESPACE}\"><x:version>0.1</x:version></wrap>{url}</urlset>"
            ),
            vec!["unknown-element"],
        ),
        (
            format!("<urlset><scp:version>0.1</scp:version>{url}</urlset>"),
            vec!["undeclared-scp"],
        ),
        (
            format!(
                "<sitemapindex xmlns:x=\"{NAMESPACE}\"><x:version>0.1</x:version><sitemap><loc>https://example.com/a.xml</loc></sitemap></sitemapindex>"
            ),
            vec![],
        ),
    ] {
        let (block, found) = block(&format!("<?xml version=\"1.0\"?>{xml}"));
        assert_eq!(block.version.as_deref(), Some("0.1"), "{xml}");
        let found: Vec<_> = found
            .into_iter()
            .filter(|&code| code != "namespace")
            .collect();
        assert_eq!(found, codes, "{xml}");
    }
}

#[test]
fn accepts_similar_namespaces_and_reports_invalid_values() {
    for namespace in [
        "http://scp-protocol.org/schemas/sitemap/1.0",
        "https://scp-protocol.org/schemas/sitemap/2.0",
    ] {
        let outcome = read(urlset(&format!(
            "<x:version xmlns:x=\"{namespace}\">0.1</x:version>"
        )));
        assert_eq!(outcome.scp.len(), 1);
        assert_eq!(outcome.codes(), ["scp-namespace", "no-entries"]);
    }
    let odd = format!(
        r#"<w xmlns:scp="{NAMESPACE}"><scp:compression></scp:compression><scp:section name="" updateFreq="daily" pages="1"/>
        <scp:delta section="a" period="x" url="https://example.com/a" generated="2025-01-15T00:00:00Z" expires="2025-01-14T00:00:00Z" pages="1" size="2" since="2025-01-16T00:00:00Z"/></w>"#
    );
    let outcome = read(urlset(&odd));
    assert_eq!(
        outcome.codes(),
        [
            "unknown-element",
            "scp-schema",
            "invalid-scp-element",
            "scp-schema",
            "scp-schema",
            "no-entries"
        ]
    );
}

#[test]
fn ignores_the_prefix_scp_of_another_namespace() {
    let (block, _) = block(
        "<?xml version=\"1.0\"?><urlset xmlns:scp=\"urn:other\"><scp:version>0.1</scp:version></urlset>",
    );
    assert!(block.is_empty());
}

#[test]
fn drops_elements_without_required_attributes() {
    let inside = format!(
        r#"<scp:version xmlns:scp="{NAMESPACE}">one</scp:version>
        <w xmlns:scp="{NAMESPACE}">
        <scp:compression>Zstd, gzip</scp:compression>
        <scp:section updateFreq="daily" pages="1"/>
        <scp:section name="a" updateFreq="often" pages="many"/>
        <scp:collection section="a" type="snapshot" url="/relative" generated="2025-01-15T00:00:00Z"/>
        <scp:collection section="a" type="full" url="https://example.com/a" generated="2025-01-15T00:00:00Z"/>
        <scp:collection section="b" type="snapshot" url="https://example.com/b" generated="2025-01-15"/>
        <scp:collection section="c" type="delta" url="https://example.com/c" generated="2025-01-15T00:00:00Z" expires="2025-01-16T00:00:00Z" pages="1" size="2" since="2025-01-14T00:00:00Z" period="x" checksum="sha256:ab"/>
        <scp:delta section="d" url="https://example.com/d" generated="2025-01-15T00:00:00Z"/>
        <scp:future x="1"/></w>"#
    );
    let outcome = read(urlset(&inside));
    let codes = outcome.codes();
    let sections: Vec<_> = outcome
        .scp
        .iter()
        .filter_map(|entry| match entry {
            ScpEntry::Section(section) => Some(section.name.as_str()),
            _ => None,
        })
        .collect();
    let collections: Vec<_> = outcome
        .scp
        .iter()
        .filter_map(|entry| match entry {
            ScpEntry::Collection(collection) => Some(collection),
            _ => None,
        })
        .collect();
    assert_eq!(sections, ["a"]);
    assert_eq!(
        collections
            .iter()
            .map(|c| c.section.as_str())
            .collect::<Vec<_>>(),
        ["b", "c"]
    );
    assert!(matches!(collections[1].kind, CollectionKind::Delta { .. }));
    assert_eq!(collections[1].checksum.as_deref(), Some("sha256:ab"));
    assert!(outcome.scp.contains(&ScpEntry::Compression(vec![
        "zstd".to_owned(),
        "gzip".to_owned()
    ])));
    let count = |code| codes.iter().filter(|&&found| found == code).count();
    assert_eq!(count("invalid-scp-element"), 5, "{codes:?}");
    assert_eq!(count("unknown-scp-element"), 1);
    assert!(count("scp-schema") >= 5);
}
