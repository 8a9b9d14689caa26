#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    sitecast_fuzz::tct::check_page(data);
});
