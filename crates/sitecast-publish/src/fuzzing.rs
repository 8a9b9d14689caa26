//! Parsers of this crate for fuzz targets; nothing that anybody else may rely on.

use sitecast_scp::Timestamp;

use crate::keep_out::OwnerRules;

/// Reads a text as `_headers` and as the `.htaccess` of a folder, and asserts that a refusal at the end of either keeps
/// pages out, whatever stands before it.
///
/// # Panics
///
/// If it does not.
pub fn owner_rules(text: &[u8]) {
    let Ok(now) = "2025-06-01T12:00:00Z".parse::<Timestamp>() else {
        return;
    };
    let Ok(base) = "https://example.com/".parse() else {
        return;
    };
    let is_kept_out = |headers: &[u8], access: &[u8]| {
        let rules = OwnerRules::of_texts(headers, ("members", access), now);
        rules.is_none_or(|rules| {
            let url = "https://example.com/members/list";
            rules.reason("members/list.html", url, &base).is_some()
        })
    };
    is_kept_out(text, text);
    let headers = [text, b"\n/members/*\n  X-Robots-Tag: noindex\n"].concat();
    assert!(is_kept_out(&headers, b""));
    // The text may stand in a section, or continue a line that ends in a backslash.
    if !text.iter().any(|byte| matches!(byte, b'<' | b'\\')) {
        let access = [text, b"\nRequire all denied\n"].concat();
        assert!(is_kept_out(b"", &access));
    }
}
