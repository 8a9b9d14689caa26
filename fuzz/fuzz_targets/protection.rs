#![no_main]

use sitecast_serve::fuzzing::mentions_members;

/// However an address is spelt in a text that is served, its protected part is found.
fn spelt(address: &str, spelling: u8) -> String {
    let each = |write: fn(char) -> String| address.chars().map(write).collect::<String>();
    match spelling % 8 {
        0 => address.to_owned(),
        1 => each(|c| format!("%{:02x}", u32::from(c))),
        2 => each(|c| format!("%25{:02X}", u32::from(c))),
        3 => each(|c| format!("\\u{:04x}", u32::from(c))),
        4 => each(|c| format!("&#{};", u32::from(c))),
        5 => each(|c| format!("&amp;#x{:x};", u32::from(c))),
        6 => address.replace('/', "\\/"),
        _ => address.to_uppercase(),
    }
}

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    mentions_members(data);
    let Some((spelling, noise)) = data.split_first() else {
        return;
    };
    // Bytes before the address may make it another one, as in `\\` before `u002f`, or the whole a text in UTF-16.
    let noise: Vec<u8> = noise
        .iter()
        .copied()
        .filter(|byte| byte.is_ascii_alphanumeric())
        .collect();
    let mut text = b"see ".to_vec();
    text.extend_from_slice(&noise);
    text.push(b' ');
    text.extend_from_slice(spelt("/members/club", *spelling).as_bytes());
    text.push(b' ');
    text.extend_from_slice(&noise);
    assert!(
        mentions_members(&text),
        "{}",
        String::from_utf8_lossy(&text)
    );
});
