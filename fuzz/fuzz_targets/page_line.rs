#![no_main]

use sitecast_scp::{LineProblem, Page, PageError};

// One line as a page: our scanner calls JSON what serde_json calls JSON, and a page that is taken
// as it is comes back the same once it is written.
libfuzzer_sys::fuzz_target!(|line: &str| {
    let limits = sitecast_fuzz::options().limits;
    let result = Page::from_line(line, &limits);
    let is_json = serde_json::from_str::<serde_json::Value>(line).is_ok();
    match &result {
        Err(PageError::Line(LineProblem::NotJson { .. } | LineProblem::Empty)) => assert!(!is_json),
        // What we reject a page for may be what serde_json does not take: depth, surrogates, huge numbers.
        Err(_) => {}
        Ok((page, warnings)) => {
            let mut page = page.clone();
            page.robots.clear(); // Read from older drafts, never written.
            let written = serde_json::to_string(&page).unwrap();
            if warnings.is_empty() {
                let (again, warnings) =
                    Page::from_line(&written, &sitecast_scp::Limits::default()).unwrap();
                assert!(warnings.is_empty() && again == page);
            }
        }
    }
});
