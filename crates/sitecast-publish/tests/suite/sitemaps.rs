//! The sitemap that names the collections, as sites have it and as settings change.

use std::fs;
use std::io::{Read, Write};

use sitecast_publish::SitemapForm;

use crate::site::{BASE, Published, Site, publish_folder, words};

const FIRST: &str = "2025-06-01T12:00:00Z";
const NEXT: &str = "2025-06-02T12:00:00Z";
const THIRD: &str = "2025-06-03T12:00:00Z";
const OWN: &str = "<?xml version=\"1.0\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\
    <url><loc>https://example.com/</loc></url></urlset>\n";

#[test]
fn switched_off_later_a_sitemap_names_no_collections_and_the_chain_goes_on() {
    for own in [false, true] {
        let mut site = Site::new();
        if own {
            site.write("sitemap.xml", OWN);
        }
        site.publish(FIRST);
        site.options.artefacts.sitemap = SitemapForm::Off;
        site.page("tea", &words("another tea"));
        assert_eq!(site.publish(NEXT).pages.changed, 1);
        let sitemap = site.path().join("sitemap.xml");
        assert_eq!(sitemap.exists(), own);
        if own {
            assert!(
                Published::read(site.path(), BASE)
                    .scp
                    .collections
                    .is_empty()
            );
        }
        // Neither from the old head again, nor lost.
        let report = site.publish(THIRD);
        assert_eq!((report.pages.changed, report.collections.len()), (0, 0));
        site.options.artefacts.sitemap = SitemapForm::Extended;
        site.publish(THIRD);
        let pages = site.published().followed("all");
        let tea = sitecast_scp::to_text(&pages["https://example.com/tea/"]);
        assert!(tea.contains("another tea"));
    }
}

#[test]
fn a_compressed_sitemap_stays_compressed() {
    let site = Site::new();
    let index = "<sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"><sitemap><loc>https://example.com/pages.xml.gz</loc></sitemap></sitemapindex>";
    site.write("sitemap.xml", index);
    fs::write(site.path().join("pages.xml.gz"), gzip(OWN)).unwrap();
    site.publish(FIRST);
    let file = fs::File::open(site.path().join("pages.xml.gz")).unwrap();
    let mut xml = String::new();
    flate2::read::GzDecoder::new(file)
        .read_to_string(&mut xml)
        .unwrap();
    assert!(
        xml.contains("<scp:collection") && xml.contains("<loc>https://example.com/</loc>"),
        "{xml}"
    );
    let before = site.files();
    site.publish(NEXT);
    assert_eq!(site.files(), before);
}

#[test]
fn a_sitemap_that_breaks_at_its_end_is_named_in_robots_txt_with_ours_beside_it() {
    let site = Site::new();
    // Readers take what they can of it; it cannot be extended.
    let broken = OWN.replace("</urlset>", "</url></urlset>");
    site.write("sitemap.xml", &broken);
    site.publish(FIRST);
    assert_eq!(site.read("sitemap.xml"), broken);
    let beside = Published::read_sitemap(site.path(), BASE, "sitecast-sitemap.xml");
    assert_eq!(beside.snapshot("all").len(), 5);
    assert!(site.read("robots.txt").contains("/sitecast-sitemap.xml"));
    // Mended, it is the one, and ours is gone.
    site.write("sitemap.xml", OWN);
    site.publish(NEXT);
    assert_eq!(site.published().snapshot("all").len(), 5);
    assert!(!site.path().join("sitecast-sitemap.xml").exists());
}

#[test]
fn collections_may_move_to_another_folder() {
    let mut site = Site::new();
    site.publish(FIRST);
    site.options.collections = "collections".to_owned();
    site.page("tea", &words("another tea"));
    let report = site.publish(NEXT);
    assert_eq!((report.pages.changed, report.pages.unchanged), (1, 4));
    assert!(site.read("sitemap.xml").contains("/collections/all-delta-"));
    assert_eq!(site.published().followed("all").len(), 5);
}

fn gzip(text: &str) -> Vec<u8> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(text.as_bytes()).unwrap();
    gzip.finish().unwrap()
}

/// It has what the pages do not tell: priorities, pages that are made elsewhere.
#[test]
fn a_sitemap_that_is_there_with_gzip_alone_stays_as_it_is() {
    for in_place in [true, false] {
        let site = Site::new();
        let theirs = gzip(OWN);
        fs::write(site.path().join("sitemap.xml.gz"), &theirs).unwrap();
        let out = tempfile::tempdir().unwrap();
        let out = match in_place {
            true => site.path(),
            false => out.path(),
        };
        for now in [FIRST, NEXT, THIRD] {
            site.page("tea", &words(&format!("tea of {now}")));
            let report = publish_folder(site.path(), out, &site.options, now).unwrap();
            let notes = report
                .notes
                .iter()
                .filter(|note| note.contains("`sitemap.xml.gz` is no copy"));
            assert_eq!(notes.count(), 1, "{:?}", report.notes);
            assert_eq!(
                fs::read(site.path().join("sitemap.xml.gz")).unwrap(),
                theirs
            );
            assert_eq!(out.join("sitemap.xml.gz").exists(), in_place);
            assert_eq!(Published::read(out, BASE).followed("all").len(), 5);
        }
    }
}

/// Servers with `gzip_static` send the copy in place of the file.
#[test]
fn a_compressed_copy_of_a_sitemap_is_kept_up_to_date() {
    let read = |path: &std::path::Path| {
        let mut text = String::new();
        let mut file = flate2::read::GzDecoder::new(std::fs::File::open(path).unwrap());
        std::io::Read::read_to_string(&mut file, &mut text).unwrap();
        text
    };
    let robots = "User-agent: *\nDisallow:\n";
    for in_place in [true, false] {
        let site = Site::new();
        site.write("sitemap.xml", OWN);
        site.write("robots.txt", robots);
        for (name, text) in [("sitemap.xml", OWN), ("robots.txt", robots)] {
            let path = site.path().join(format!("{name}.gz"));
            std::fs::write(path, gzip(text)).unwrap();
            site.write(&format!("{name}.br"), "not really");
        }
        let out = tempfile::tempdir().unwrap();
        let out = match in_place {
            true => site.path(),
            false => out.path(),
        };
        let report =
            publish_folder(site.path(), out, &site.options, "2025-06-01T12:00:00Z").unwrap();
        for name in ["sitemap.xml", "robots.txt"] {
            let file = std::fs::read_to_string(out.join(name)).unwrap();
            assert_eq!(read(&out.join(format!("{name}.gz"))), file, "{in_place}");
            assert!(!out.join(format!("{name}.br")).exists());
            assert!(
                report
                    .notes
                    .iter()
                    .any(|note| note.contains(&format!("{name}.br")))
            );
        }
        assert!(read(&out.join("sitemap.xml.gz")).contains("scp:collection"));
        // It goes on with what changes.
        site.page("tea", &words("another tea"));
        publish_folder(site.path(), out, &site.options, "2025-06-01T12:30:00Z").unwrap();
        let sitemap = std::fs::read_to_string(out.join("sitemap.xml")).unwrap();
        assert_eq!(read(&out.join("sitemap.xml.gz")), sitemap, "{in_place}");
        // And nothing is written the next time.
        let again =
            publish_folder(site.path(), out, &site.options, "2025-06-01T13:00:00Z").unwrap();
        assert_eq!(again.artefacts, [], "{in_place}");
    }
}

/// Some readers choke on elements that they do not know.
#[test]
fn a_separate_sitemap_names_the_collections_and_the_others_do_not() {
    for own in [false, true] {
        let mut site = Site::new();
        if own {
            site.write("sitemap.xml", OWN);
        }
        site.options.artefacts.sitemap = SitemapForm::Separate;
        site.publish(FIRST);
        let sitemap = site.read("sitemap.xml");
        assert!(!sitemap.contains("scp"), "{sitemap}");
        if own {
            assert_eq!(sitemap, OWN, "not a byte of it changed");
        }
        let robots = site.read("robots.txt");
        for name in ["sitemap.xml", "sitemap-scp.xml"] {
            let line = format!("Sitemap: https://example.com/{name}\n");
            assert!(robots.contains(&line), "{robots}");
        }
        let separate = site.read("sitemap-scp.xml");
        assert_eq!(
            separate.matches("<url>").count(),
            1,
            "the schema asks for one"
        );
        // The chain goes on from it.
        site.page("tea", &words("another tea"));
        let report = site.publish(NEXT);
        assert_eq!((report.pages.changed, report.pages.unchanged), (1, 4));
        let published = Published::read_sitemap(site.path(), BASE, "sitemap-scp.xml");
        assert_eq!(published.followed("all").len(), 5);
        assert_eq!(site.publish(NEXT).artefacts, []);
    }
}

#[test]
fn the_form_of_the_sitemap_can_be_changed_there_and_back() {
    for own in [false, true] {
        let mut site = Site::new();
        if own {
            site.write("sitemap.xml", OWN);
        }
        site.publish(FIRST);
        site.options.artefacts.sitemap = SitemapForm::Separate;
        site.page("tea", &words("another tea"));
        assert_eq!(site.publish(NEXT).pages.changed, 1);
        assert!(!site.read("sitemap.xml").contains("scp:collection"));
        let separate = Published::read_sitemap(site.path(), BASE, "sitemap-scp.xml");
        assert_eq!(separate.followed("all").len(), 5);
        site.options.artefacts.sitemap = SitemapForm::Extended;
        site.page("tea", &words("a third tea"));
        assert_eq!(site.publish(THIRD).pages.changed, 1);
        assert!(!site.path().join("sitemap-scp.xml").exists());
        assert_eq!(site.published().followed("all").len(), 5);
    }
}
