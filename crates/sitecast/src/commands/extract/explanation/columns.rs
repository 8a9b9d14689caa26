//! Texts and places, cut to fit in columns of a terminal.

use super::groups::STEP;

/// The start of a text, in so many columns.
pub(super) fn start(text: &str, room: usize) -> String {
    if columns(text) <= room {
        return text.to_owned();
    }
    let mut used = 0;
    let fits = |c: &char| {
        used += width(*c);
        used < room
    };
    let start: String = text.chars().take_while(fits).collect();
    format!("{}…", start.trim_end())
}

/// The last steps of a place, as many as fit in so many columns, or the start of the last one.
pub(super) fn end(place: &str, room: usize) -> String {
    if columns(place) <= room {
        return place.to_owned();
    }
    let ends = place
        .match_indices(STEP)
        .filter_map(|(at, _)| place.get(at..));
    let mut ends = ends.map(|end| format!("…{end}"));
    let last = || place.rsplit(STEP).next().unwrap_or(place);
    ends.find(|end| columns(end) <= room)
        .unwrap_or_else(|| start(last(), room))
}

/// The columns that a text takes in a terminal.
pub(super) fn columns(text: &str) -> usize {
    text.chars().map(width).sum()
}

/// The columns of a character: two for those of East Asian scripts.
fn width(c: char) -> usize {
    match c {
        '\u{1100}'..='\u{115f}'
        | '\u{2e80}'..='\u{a4cf}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe6f}'
        | '\u{ff00}'..='\u{ff60}'
        | '\u{1f300}'..='\u{1faff}'
        | '\u{20000}'..='\u{3fffd}' => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_by_the_columns_that_they_take() {
        assert_eq!(start("three little words", 18), "three little words");
        assert_eq!(start("three little words", 13), "three little…");
        assert_eq!(start("茶茶茶茶", 8), "茶茶茶茶");
        assert_eq!(start("茶茶茶茶", 7), "茶茶茶…");
    }

    #[test]
    fn places_are_cut_at_their_beginning() {
        assert_eq!(end("ul > li", 20), "ul > li");
        assert_eq!(end("nav > ul > li > ul > li", 20), "… > li > ul > li");
        assert_eq!(
            end("div > h2#a-very-long-name-of-a-heading", 20),
            "h2#a-very-long-name…"
        );
    }
}
