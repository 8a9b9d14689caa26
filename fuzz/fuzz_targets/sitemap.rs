#![no_main]

use sitecast_fuzz::sitemaps;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let outcome = sitemaps::check(data);
    sitemaps::check_extended(data, &outcome);
});
