#![no_main]

use sitecast_extract::{Extractor, Html, SiteLearner, extract_page, fold};
use sitecast_scp::{Limits, Page, to_markdown, to_text};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let url = "https://example.com/a/b?c".parse().unwrap();
    let html = Html::new(&url, data, "2025-01-15T09:00:00Z".parse().unwrap());
    let Ok(extracted) = extract_page(&html) else {
        return;
    };
    // The same bytes give the same page.
    assert_eq!(extract_page(&html).as_ref(), Ok(&extracted));
    let mut page = extracted.page;
    to_markdown(&page);
    let text = to_text(&page);
    fold(&mut page, 20);
    assert!(page.content.len() <= 20);
    if text.trim().is_empty() {
        assert!(to_text(&page).trim().is_empty());
    }
    // It is a page that a reader takes as it is.
    let line = serde_json::to_string(&page).unwrap();
    let (read, warnings) = Page::from_line(&line, &Limits::default()).unwrap();
    // A page without a word is one, too, and is remarked upon.
    assert!(
        warnings.is_empty() || page.content.is_empty(),
        "{warnings:?} in {line}"
    );
    page.robots.clear();
    assert_eq!(read, page);

    let mut learner = SiteLearner::new(Extractor::default());
    learner.add(&html).unwrap();
    learner.finish().extract_page(&html).unwrap();
});
