#![no_main]

// Lines that the writer takes come back from the reader as they were.
libfuzzer_sys::fuzz_target!(|text: &str| {
    let lines: Vec<&str> = text.lines().collect();
    sitecast_fuzz::write_and_read(&lines);
});
