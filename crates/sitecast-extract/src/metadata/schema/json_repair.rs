//! Repair of common mistakes in JSON: raw line ends in strings, superfluous commas, comments, lone surrogates.

use std::iter::Peekable;
use std::str::Chars;

/// Escapes control characters and backslashes in strings, drops comments and trailing commas.
pub(super) fn repair(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let mut characters = text.chars().peekable();
    let mut in_string = false;
    // The offset in `out` of a comma with only white space after it so far.
    let mut comma = None;
    while let Some(c) = characters.next() {
        if in_string {
            match c {
                '"' => {
                    in_string = false;
                    out.push('"');
                }
                '\\' => match characters.peek() {
                    Some('u') => {
                        characters.next();
                        push_escaped(&mut characters, &mut out);
                    }
                    Some('"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't') => {
                        out.push('\\');
                        out.extend(characters.next());
                    }
                    Some('\'') => {}
                    _ => out.push_str("\\\\"),
                },
                '\n' => out.push_str("\\n"),
                '\t' => out.push_str("\\t"),
                c if (c as u32) < 0x20 => {}
                c => out.push(c),
            }
            continue;
        }
        match c {
            '"' => {
                in_string = true;
                comma = None;
                out.push('"');
            }
            '/' if characters.peek() == Some(&'*') => {
                characters.next();
                let mut star = false;
                for c in characters.by_ref() {
                    if star && c == '/' {
                        break;
                    }
                    star = c == '*';
                }
            }
            '/' if characters.peek() == Some(&'/') => {
                while characters.next_if(|c| *c != '\n').is_some() {}
            }
            c if c.is_whitespace() || c == '\u{feff}' => out.push(' '),
            ',' => {
                // Drop repeated commas.
                if comma.is_none() {
                    comma = Some(out.len());
                    out.push(',');
                }
            }
            c => {
                if let (']' | '}', Some(at)) = (c, comma) {
                    out.truncate(at);
                }
                comma = None;
                out.push(c);
            }
        }
    }
    if let Some(at) = comma {
        out.truncate(at);
    }
    out
}

/// Copies the escape after `\u`. A lone surrogate, as in text cut in the middle of an emoji, is replaced: Rust strings cannot
/// hold it.
fn push_escaped(characters: &mut Peekable<Chars<'_>>, out: &mut String) {
    let unit = code_unit(characters);
    let (lead, trail) = (0xd800..0xdc00, 0xdc00..0xe000);
    let Some(unit) = unit else {
        out.push_str("\\ufffd");
        return;
    };
    if lead.contains(&unit) {
        let mut ahead = characters.clone();
        if ahead.next() == Some('\\')
            && ahead.next() == Some('u')
            && let Some(second) = code_unit(&mut ahead).filter(|second| trail.contains(second))
        {
            *characters = ahead;
            out.push_str(&format!("\\u{unit:04x}\\u{second:04x}"));
            return;
        }
    }
    let whole = !lead.contains(&unit) && !trail.contains(&unit);
    out.push_str(&format!("\\u{:04x}", if whole { unit } else { 0xfffd }));
}

/// Reads four hexadecimal digits, if they are there.
fn code_unit(characters: &mut Peekable<Chars<'_>>) -> Option<u32> {
    let mut ahead = characters.clone();
    let mut unit = 0;
    for _ in 0..4 {
        unit = unit * 16 + ahead.next()?.to_digit(16)?;
    }
    *characters = ahead;
    Some(unit)
}
