#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| sitecast_serve::fuzzing::request(data));
