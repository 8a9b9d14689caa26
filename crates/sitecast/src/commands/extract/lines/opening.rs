//! What is plainly not JSON Lines is refused as a whole: an error for each of its lines would say
//! nothing.

use serde::de::IgnoredAny;
use sitecast_extract::foreign_format;

use crate::failure::{Exit, Failure};

/// Why a file with this first line is not read.
pub(super) fn refuse(name: &str, line: &[u8]) -> Option<Failure> {
    let fail = |what: &str, hint: String| {
        let message = format!("`{name}` is not JSON Lines: {what}");
        Some(Failure::new(Exit::Usage, message).hint(hint))
    };
    let piped = |command: &str| match name {
        "-" => format!("… | {command} | sitecast extract --jsonl -"),
        name => format!("{command} {name} | sitecast extract --jsonl -"),
    };
    if line.starts_with(b"\x1f\x8b") {
        return fail(
            "it is gzip data",
            format!("unpack it: {}", piped("gunzip -c")),
        );
    }
    if line.starts_with(b"\x28\xb5\x2f\xfd") {
        return fail(
            "it is zstd data",
            format!("unpack it: {}", piped("zstd -dc")),
        );
    }
    if line.starts_with(b"\xff\xfe") || line.starts_with(b"\xfe\xff") {
        let hint = format!("change it to UTF-8: {}", piped("iconv -f UTF-16 -t UTF-8"));
        return fail("it is UTF-16", hint);
    }
    if let Some(found) = foreign_format(line) {
        return fail(&format!("it is {found}"), wanted());
    }
    let text = line.trim_ascii();
    match text.first() {
        Some(b'<') => fail(
            "it begins like HTML",
            "leave out --jsonl to make one page of it".to_owned(),
        ),
        Some(b'[') => fail(
            "it is a JSON array",
            format!("give each element a line: {}", piped("jq -c '.[]'")),
        ),
        Some(b'{') if text.len() == 1 => fail(
            "an object goes over several lines",
            format!("give each object a line: {}", piped("jq -c .")),
        ),
        Some(b'{') => None,
        _ if serde_json::from_slice::<IgnoredAny>(text).is_ok() => None,
        _ => fail("its first line is no JSON", wanted()),
    }
}

fn wanted() -> String {
    r#"each line is an object such as {"url":"https://example.com/","html":"<p>…"}"#.to_owned()
}
