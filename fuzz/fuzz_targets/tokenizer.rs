#![no_main]

use sitecast_extract::{Limits, outlines_of_both_tokenizers};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let html = String::from_utf8_lossy(data);
    // What is cut off is cut off alike.
    for limits in [
        Limits::default(),
        Limits {
            depth: 6,
            nodes: 30,
            ..Limits::default()
        },
    ] {
        let [ours, theirs] = outlines_of_both_tokenizers(&html, &limits);
        assert_eq!(ours, theirs);
    }
});
