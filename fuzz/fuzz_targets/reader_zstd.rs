#![no_main]

// Content over several frames, split where the input says, one byte changed.
libfuzzer_sys::fuzz_target!(|input: (u8, u16, &[u8])| {
    let (part, damage, data) = input;
    sitecast_fuzz::check_parts(data, part, damage, |part| {
        let mut frame = vec![0; zstd_safe::compress_bound(part.len())];
        let length = zstd_safe::compress(frame.as_mut_slice(), part, 1).unwrap();
        frame.truncate(length);
        frame
    });
});
