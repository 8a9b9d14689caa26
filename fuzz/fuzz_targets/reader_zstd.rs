#![no_main]

use sitecast_scp::Compression;

// Split over frames at places that the input chooses, a file reads as it does whole; and damage to
// the frames is never more than an error.
libfuzzer_sys::fuzz_target!(|input: (u8, u16, &[u8])| {
    let (part, damage, data) = input;
    if Compression::detect(data) != Compression::None {
        return; // Whole it would be read as something else.
    }
    let mut frames = Vec::new();
    for part in data.chunks(usize::from(part).max(1)) {
        let mut frame = vec![0; zstd_safe::compress_bound(part.len())];
        let length = zstd_safe::compress(frame.as_mut_slice(), part, 1).unwrap();
        frames.extend_from_slice(&frame[..length]);
    }
    let whole = sitecast_fuzz::read(data);
    let split = sitecast_fuzz::read(frames.as_slice());
    let limited =
        |end: &Result<String, String>| matches!(end, Err(message) if message.contains("bomb"));
    if !data.is_empty() && !frames.is_empty() && !limited(&split.end) {
        assert_eq!(split, whole);
    }
    if let Some(byte) = frames.get_mut(usize::from(damage)) {
        *byte = byte.wrapping_add(1);
        sitecast_fuzz::check(&frames);
    }
});
