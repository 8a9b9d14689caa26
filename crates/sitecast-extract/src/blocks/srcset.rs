//! `srcset`: one image in several sizes.

/// One image of a `srcset`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Candidate<'a> {
    pub(super) url: &'a str,
    /// Width in pixels; 0 if the `srcset` has none.
    pub(super) width: u32,
    /// Image pixels for each CSS pixel.
    pub(super) density: f32,
}

/// Parses a `srcset` (HTML, "Parsing a srcset attribute"). URLs may contain commas; white space or a comma at the end
/// terminates them.
pub(super) fn candidates(srcset: &str) -> impl Iterator<Item = Candidate<'_>> {
    let mut rest = srcset;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == ',');
        let end = rest
            .find(|c: char| c.is_ascii_whitespace())
            .unwrap_or(rest.len());
        let (url, after) = rest.split_at_checked(end)?;
        if url.is_empty() {
            return None;
        }
        let bare = url.trim_end_matches(',');
        let (descriptors, after) = if bare.len() < url.len() {
            ("", after)
        } else {
            let end = after.find(',').unwrap_or(after.len());
            after.split_at_checked(end)?
        };
        rest = after;
        let mut candidate = Candidate {
            url: bare,
            width: 0,
            density: 1.0,
        };
        for descriptor in descriptors.split_ascii_whitespace() {
            if let Some(width) = descriptor.strip_suffix('w') {
                candidate.width = width.parse().unwrap_or(0);
            } else if let Some(density) = descriptor.strip_suffix('x') {
                candidate.density = density.parse().unwrap_or(1.0);
            }
        }
        Some(candidate)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(srcset: &str) -> Vec<(&str, u32, f32)> {
        candidates(srcset)
            .map(|candidate| (candidate.url, candidate.width, candidate.density))
            .collect()
    }

    #[test]
    fn accepts_commas_in_urls_and_missing_descriptors() {
        assert_eq!(
            read("a.jpg 320w, https://x.example/w_640,h_2/b.jpg 640w,\n c.jpg"),
            [
                ("a.jpg", 320, 1.0),
                ("https://x.example/w_640,h_2/b.jpg", 640, 1.0),
                ("c.jpg", 0, 1.0)
            ]
        );
        assert_eq!(
            read("a.jpg, b.jpg 2x"),
            [("a.jpg", 0, 1.0), ("b.jpg", 0, 2.0)]
        );
        assert_eq!(read(" ,, "), []);
        assert_eq!(read("a.jpg nonsense 1.5x"), [("a.jpg", 0, 1.5)]);
    }
}
