//! Detection of listing pages by their URLs.

use std::fmt;

/// A kind of page that lists other pages and has no content of its own. It gets no machine page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Listing {
    /// `/category/…`
    Category,
    /// `/tag/…`
    Tag,
    /// `/author/…`
    Author,
    /// `/2025/10/`
    Date,
    /// `/search/?q=…`
    Search,
    /// `/page/2/`
    Pagination,
}

impl Listing {
    /// Detects a listing page by the path and query of its URL. Knows the URL schemes of common content management
    /// systems, and treats a page as content if in doubt.
    ///
    /// ```
    /// use sitecast_tct::sitemap::Listing;
    ///
    /// assert_eq!(Listing::of("https://example.com/category/technology/"), Some(Listing::Category));
    /// assert_eq!(Listing::of("https://example.com/2025/10/"), Some(Listing::Date));
    /// assert_eq!(Listing::of("https://example.com/news/2025/protocol-launch/"), None);
    /// ```
    pub fn of(url: &str) -> Option<Self> {
        let after_scheme = url.split_once("://").map_or(url, |(_, rest)| rest);
        let after_host = after_scheme
            .find(['/', '?', '#'])
            .map_or("", |at| after_scheme.get(at..).unwrap_or_default());
        let without_fragment = after_host.split('#').next().unwrap_or_default();
        let (path, query) = without_fragment
            .split_once('?')
            .unwrap_or((without_fragment, ""));
        let segments: Vec<String> = path
            .split('/')
            .filter(|segment| !segment.is_empty() && *segment != "index.html")
            .map(str::to_ascii_lowercase)
            .collect();
        Self::of_query(query).or_else(|| Self::of_segments(&segments))
    }

    fn of_query(query: &str) -> Option<Self> {
        query.split('&').find_map(|pair| {
            let (name, value) = pair.split_once('=')?;
            match name {
                "s" | "q" | "query" | "search" => Some(Self::Search),
                "page" | "paged" if is_number(value) => Some(Self::Pagination),
                "cat" => Some(Self::Category),
                "tag" => Some(Self::Tag),
                "author" => Some(Self::Author),
                _ => None,
            }
        })
    }

    fn of_segments(segments: &[String]) -> Option<Self> {
        let names: Vec<&str> = segments.iter().map(String::as_str).collect();
        match names.as_slice() {
            [.., "page", number] if is_number(number) => return Some(Self::Pagination),
            ["search"] => return Some(Self::Search),
            [.., "categories" | "category"] => return Some(Self::Category),
            [.., "tags" | "tag"] => return Some(Self::Tag),
            [.., "authors" | "author"] => return Some(Self::Author),
            [.., year, month, day] if is_year(year) && is_month(month) && is_day(day) => {
                return Some(Self::Date);
            }
            [.., year, month] if is_year(year) && is_month(month) => return Some(Self::Date),
            // A year alone is an archive at the root; below a folder it can be anything.
            [year] if is_year(year) => return Some(Self::Date),
            _ => {}
        }
        // Near the start of the path and followed by a name: `/blog/tag/rust/`.
        names.iter().take(2).zip(1..).find_map(|(name, at)| {
            if names.len() <= at {
                return None;
            }
            match *name {
                "category" | "categories" => Some(Self::Category),
                "tag" | "tags" => Some(Self::Tag),
                "author" | "authors" => Some(Self::Author),
                _ => None,
            }
        })
    }
}

impl fmt::Display for Listing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Category => "a category",
            Self::Tag => "a tag",
            Self::Author => "an author's pages",
            Self::Date => "a date archive",
            Self::Search => "search results",
            Self::Pagination => "a further page of a listing",
        })
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_year(text: &str) -> bool {
    text.len() == 4 && is_number(text) && (text.starts_with("19") || text.starts_with("20"))
}

fn is_within(text: &str, most: u8) -> bool {
    text.len() <= 2
        && is_number(text)
        && text
            .parse()
            .is_ok_and(|number: u8| (1..=most).contains(&number))
}

fn is_month(text: &str) -> bool {
    is_within(text, 12)
}

fn is_day(text: &str) -> bool {
    is_within(text, 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detects_listings_by_url() {
        use Listing::*;
        for (path, listing) in [
            ("/category/technology/", Some(Category)),
            ("/tag/web-protocols/", Some(Tag)),
            ("/blog/tags/rust", Some(Tag)),
            ("/tags/", Some(Tag)),
            ("/2025/10/", Some(Date)),
            ("/blog/2025/10/3/", Some(Date)),
            ("/2025/", Some(Date)),
            ("/search/?q=protocol", Some(Search)),
            ("/?s=protocol", Some(Search)),
            ("/search/", Some(Search)),
            ("/author/john/", Some(Author)),
            ("/blog/page/2/", Some(Pagination)),
            ("/blog/?page=2", Some(Pagination)),
            ("/", None),
            ("", None),
            ("/about/", None),
            ("/blog/understanding-tct/", None),
            ("/news/2025/protocol-launch/", None),
            ("/2025/10/03/the-post/", None),
            ("/reports/2025/", None),
            ("/docs/guide/search/", None),
            ("/docs/api/tag/create/", None),
            ("/page/about/", None),
            ("/?id=3", None),
            ("/post/#tag/x", None),
        ] {
            assert_eq!(
                Listing::of(&format!("https://example.com{path}")),
                listing,
                "{path}"
            );
        }
    }
}
