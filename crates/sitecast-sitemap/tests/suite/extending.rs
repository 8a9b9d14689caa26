//! Insertion of `scp:` elements into existing sitemaps.

use proptest::prelude::*;
use sitecast_sitemap::{Limits, ScpBlock, WriteError, extend};

use crate::support::{gzip, read, scp_block, urlset};

fn extended(xml: impl AsRef<[u8]>, scp: &ScpBlock) -> Result<String, WriteError> {
    let mut out = Vec::new();
    extend(xml.as_ref(), &mut out, scp, &Limits::default())?;
    Ok(String::from_utf8(out).unwrap())
}

const REAL: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<?xml-stylesheet type="text/xsl" href="/sitemap.xsl"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
	xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"
	xmlns:video='http://www.google.com/schemas/sitemap-video/1.1' xmlns:xhtml="http://www.w3.org/1999/xhtml" >
  <!-- made by hand -->
  <url><loc>https://example.com/?a=1&b=2</loc><priority>0.5</priority>
    <image:image><image:loc>https://example.com/a.png</image:loc></image:image>
    <xhtml:link rel="alternate" hreflang="de" href="https://example.com/de"/></url>
  <video:video><![CDATA[ <scp:version>not markup</scp:version> ]]></video:video>
</urlset>
<!-- the end -->
"#;

#[test]
fn keeps_everything_else_byte_for_byte() {
    let new = extended(REAL, &scp_block()).unwrap();
    let outcome = read(&new);
    assert_eq!(outcome.scp.len(), 5);
    assert!(!outcome.codes().contains(&"scp-after-entries"));
    // Without the declaration and the elements, the result is the old file.
    let start = new.find(" xmlns:scp=").unwrap();
    let end = new.find("\n  <!-- made by hand -->").unwrap();
    let restored = format!("{}{}{}", &new[..start], " >", &new[end..]);
    assert_eq!(restored, REAL);
}

#[test]
fn is_idempotent_and_replaces_old_elements() {
    let once = extended(REAL, &scp_block()).unwrap();
    assert_eq!(extended(&once, &scp_block()).unwrap(), once);
    let less = ScpBlock {
        version: Some("0.2".to_owned()),
        ..ScpBlock::default()
    };
    let changed = extended(&once, &less).unwrap();
    assert_eq!(read(&changed).scp.len(), 1);
    assert_eq!(extended(&changed, &scp_block()).unwrap(), once);
}

#[test]
fn removes_old_elements_anywhere_with_any_prefix() {
    let old = r#"<urlset xmlns:x="https://scp-protocol.org/schemas/sitemap/1.0"><url><loc>https://example.com/</loc></url>
  <x:version>0.0</x:version>
  <section xmlns="https://scp-protocol.org/schemas/sitemap/1.0" name="a"><deep><er/></deep></section>
  <url><loc>https://example.com/2</loc></url></urlset>"#;
    let scp = ScpBlock {
        version: Some("0.1".to_owned()),
        ..ScpBlock::default()
    };
    assert_eq!(
        extended(old, &scp).unwrap(),
        r#"<urlset xmlns:x="https://scp-protocol.org/schemas/sitemap/1.0" xmlns:scp="https://scp-protocol.org/schemas/sitemap/1.0">
  <scp:version>0.1</scp:version><url><loc>https://example.com/</loc></url>
  <url><loc>https://example.com/2</loc></url></urlset>"#
    );
    let undeclared = "<urlset><scp:version>0.0</scp:version></urlset>";
    assert_eq!(read(extended(undeclared, &scp).unwrap()).scp.len(), 1);
    // An empty block removes the old elements.
    assert!(
        read(extended(old, &ScpBlock::default()).unwrap())
            .scp
            .is_empty()
    );
}

#[test]
fn does_not_reuse_the_prefix_of_another_namespace() {
    let old = r#"<urlset xmlns:scp="urn:other"><scp:thing/><url><loc>https://example.com/</loc></url></urlset>"#;
    let scp = ScpBlock {
        version: Some("0.1".to_owned()),
        ..ScpBlock::default()
    };
    let new = extended(old, &scp).unwrap();
    assert!(
        new.contains("<scp:thing/>") && new.contains("<scp2:version>0.1</scp2:version>"),
        "{new}"
    );
    assert_eq!(read(&new).scp.len(), 1);
    assert_eq!(extended(&new, &scp).unwrap(), new);
}

#[test]
fn adds_an_end_tag_to_an_empty_root() {
    let scp = ScpBlock {
        version: Some("0.1".to_owned()),
        ..ScpBlock::default()
    };
    let new = extended(
        "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' />",
        &scp,
    )
    .unwrap();
    assert!(
        new.ends_with("\n  <scp:version>0.1</scp:version>\n</urlset>"),
        "{new}"
    );
    assert!(read(&new).error.is_none());
}

#[test]
fn writes_other_encodings_as_utf_8_and_gzip_uncompressed() {
    let latin = b"<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n<urlset><!-- caf\xe9 --><url><loc>https://example.com/</loc></url></urlset>";
    let new = extended(latin, &scp_block()).unwrap();
    assert!(
        new.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset"),
        "{new}"
    );
    assert!(new.contains("<!-- café -->"));
    assert_eq!(
        extended(gzip(REAL), &scp_block()).unwrap(),
        extended(REAL, &scp_block()).unwrap()
    );
}

#[test]
fn rejects_invalid_bytes_and_keeps_a_byte_order_mark() {
    let error = extended(b"<urlset>\n<!-- caf\xe9 --></urlset>", &scp_block()).unwrap_err();
    assert!(error.to_string().contains("line 2"), "{error}");
    let marked = extended(format!("\u{feff}{REAL}"), &scp_block()).unwrap();
    assert_eq!(
        marked,
        format!("\u{feff}{}", extended(REAL, &scp_block()).unwrap())
    );
}

#[test]
fn rejects_documents_that_cannot_be_extended() {
    for (xml, says) in [
        (
            "<sitemapindex><sitemap><loc>https://example.com/a.xml</loc></sitemap></sitemapindex>",
            "extend the first sitemap",
        ),
        ("<html></html>", "not an XML sitemap"),
        (
            "https://example.com/\n<urlset/>",
            "does not begin with an element",
        ),
        ("<urlset a=\"1>\n<url/></urlset>\" b>", "not well-formed"),
        ("", "it has no elements"),
        ("<urlset><url>", "ends inside `<urlset>`"),
        ("<urlset><url></urlset>", "not well-formed"),
        ("<!DOCTYPE x><urlset/>", "document type"),
    ] {
        let error = extended(xml, &scp_block()).unwrap_err().to_string();
        assert!(error.contains(says), "{xml}: {error}");
    }
    let full = urlset(&format!("<!--{}-->", " ".repeat(1_000)).repeat(52_250));
    assert!(matches!(
        extended(full, &scp_block()),
        Err(WriteError::Full { .. })
    ));
}

proptest! {
    /// Any sitemap keeps its entries, and its other bytes.
    #[test]
    fn keeps_entries_and_is_idempotent(pieces in prop::collection::vec(prop::sample::select(vec![
        "<url><loc>https://example.com/a</loc></url>", "\n", "  ", "<!-- c -->", "<x:y xmlns:x='urn:x' a=\"&lt;\"/>", "text &amp; more",
        "<scp:section xmlns:scp='https://scp-protocol.org/schemas/sitemap/1.0' name='old'/>", "<![CDATA[ <url> ]]>", "<?pi x?>",
    ]), 0..12)) {
        let xml = urlset(&pieces.concat());
        let new = extended(&xml, &scp_block()).unwrap();
        let (before, after) = (read(&xml), read(&new));
        prop_assert_eq!(before.urls, after.urls);
        prop_assert_eq!(after.scp.len(), 5);
        prop_assert_eq!(&extended(&new, &scp_block()).unwrap(), &new);
        // Removing the elements again leaves nothing but the declaration.
        let declaration = " xmlns:scp=\"https://scp-protocol.org/schemas/sitemap/1.0\"";
        let without = extended(&new, &ScpBlock::default()).unwrap().replacen(declaration, "", 1);
        prop_assert_eq!(without, extended(&xml, &ScpBlock::default()).unwrap());
    }
}
