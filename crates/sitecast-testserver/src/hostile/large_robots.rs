use crate::Answer;

/// Returns a robots.txt of at least `bytes` bytes: `lines`, followed by comments.
pub fn large_robots(lines: &str, bytes: usize) -> Answer {
    let comment = "# Nothing to see here.\n";
    let missing = bytes.saturating_sub(lines.len());
    let mut text = lines.to_owned();
    text.push_str(&comment.repeat(missing.div_ceil(comment.len())));
    Answer::text(200, text)
}
