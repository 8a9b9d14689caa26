#![no_main]

use std::io::Write;

use sitecast_scp::Compression;

// Split over members at places that the input chooses, a file reads as it does whole; and damage to
// the members is never more than an error.
libfuzzer_sys::fuzz_target!(|input: (u8, u16, &[u8])| {
    let (part, damage, data) = input;
    if Compression::detect(data) != Compression::None {
        return; // Whole it would be read as something else.
    }
    let mut members = Vec::new();
    for part in data.chunks(usize::from(part).max(1)) {
        let mut encoder = flate2::write::GzEncoder::new(&mut members, flate2::Compression::fast());
        encoder.write_all(part).unwrap();
        encoder.finish().unwrap();
    }
    let whole = sitecast_fuzz::read(data);
    let split = sitecast_fuzz::read(members.as_slice());
    let limited =
        |end: &Result<String, String>| matches!(end, Err(message) if message.contains("bomb"));
    if !data.is_empty() && !members.is_empty() && !limited(&split.end) {
        assert_eq!(split, whole);
    }
    if let Some(byte) = members.get_mut(usize::from(damage)) {
        *byte = byte.wrapping_add(1);
        sitecast_fuzz::check(&members);
    }
});
