#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| sitecast_publish::fuzzing::owner_rules(data));
