#![no_main]

use std::io::Write;

// Content over several members, split where the input says, one byte changed.
libfuzzer_sys::fuzz_target!(|input: (u8, u16, &[u8])| {
    let (part, damage, data) = input;
    sitecast_fuzz::check_parts(data, part, damage, |part| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(part).unwrap();
        encoder.finish().unwrap()
    });
});
