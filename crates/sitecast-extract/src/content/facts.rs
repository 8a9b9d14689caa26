//! Facts about a page from its head, its URL and its markup, which show the kind of page.

use foldhash::HashSet;

use memchr::memmem::Finder;

use super::phrases::{PHRASES, Phrases};
use super::words::{WordFilter, ascii_words};
use crate::dom::{Dom, NodeId, Tag};
use crate::layout::Fnv;

/// Do not compare texts of more bytes with the title.
const LONGEST_LIKE_TITLE: usize = 300;
/// Do not search texts of more words for phrases of labels and buttons.
const MOST_WORDS_OF_PHRASE: u32 = 25;

/// Facts about a whole page.
#[derive(Debug, Default)]
pub(crate) struct PageFacts {
    title_words: HashSet<u64>,
    title_filter: WordFilter,
    values: Vec<(&'static str, f32)>,
}

/// schema.org types that distinguish kinds of pages.
const TYPES: &[(&str, &[&str])] = &[
    (
        "article",
        &["\"Article\"", "NewsArticle", "BlogPosting", "\"Report\""],
    ),
    ("product", &["\"Product\"", "ProductGroup"]),
    ("offer", &["\"Offer\"", "AggregateOffer"]),
    ("list", &["ItemList", "CollectionPage"]),
    ("forum", &["DiscussionForumPosting", "QAPage"]),
    ("faq", &["FAQPage"]),
    (
        "service",
        &["\"Service\"", "LocalBusiness", "ProfessionalService"],
    ),
    ("recipe", &["\"Recipe\""]),
    (
        "documentation",
        &["TechArticle", "HowTo", "SoftwareApplication"],
    ),
];

/// Facts that show that a page is not an article.
const OTHER_KINDS: [&str; 12] = [
    "og_product",
    "product",
    "offer",
    "list",
    "forum",
    "service",
    "documentation",
    "generator_docs",
    "url_docs",
    "url_forum",
    "url_product",
    "url_list",
];

impl PageFacts {
    pub(crate) fn of(dom: &Dom, url: &str) -> Self {
        let mut title = String::new();
        let mut types = vec![0.0; TYPES.len()];
        let mut og_article = 0.0;
        let mut og_product = 0.0;
        let mut og_type = 0.0;
        let mut generator_docs = 0.0;
        let (
            mut articles,
            mut mains,
            mut h1,
            mut paragraphs,
            mut items,
            mut times,
            mut inputs,
            mut pres,
            mut tables,
            mut images,
            mut prices,
        ) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
        let price = Finder::new("rice");
        for (id, element) in dom.elements(NodeId::ROOT) {
            match element.tag {
                Tag::Title if title.is_empty() => {
                    title = dom.children(id).filter_map(|c| dom.text(c)).collect();
                }
                Tag::Meta => {
                    let content = element.attribute("content").unwrap_or_default();
                    match element.attribute("property").or(element.attribute("name")) {
                        Some("og:type") => {
                            og_type = 1.0;
                            og_article = f32::from(u8::from(content.contains("article")));
                            og_product = f32::from(u8::from(content.contains("product")));
                        }
                        Some("generator") => {
                            let generator = content.to_ascii_lowercase();
                            generator_docs = f32::from(u8::from(
                                [
                                    "sphinx",
                                    "mkdocs",
                                    "docusaurus",
                                    "mdbook",
                                    "vitepress",
                                    "doxygen",
                                    "javadoc",
                                ]
                                .iter()
                                .any(|name| generator.contains(name)),
                            ));
                        }
                        Some(name) if name.starts_with("product:") => og_product = 1.0,
                        _ => {}
                    }
                }
                Tag::Script => {
                    for text in dom.children(id).filter_map(|c| dom.text(c)) {
                        for (found, (_, names)) in types.iter_mut().zip(TYPES) {
                            if names.iter().any(|name| text.contains(name)) {
                                *found = 1.0;
                            }
                        }
                    }
                }
                Tag::Article => articles += 1.0,
                Tag::Main => mains += 1.0,
                Tag::H1 => h1 += 1.0,
                Tag::P => paragraphs += 1.0,
                Tag::Li => items += 1.0,
                Tag::Time => times += 1.0,
                Tag::Input | Tag::Select | Tag::Textarea => inputs += 1.0,
                Tag::Pre => pres += 1.0,
                Tag::Table => tables += 1.0,
                Tag::Img => images += 1.0,
                _ => {}
            }
            if element
                .attribute("class")
                .is_some_and(|class| names_price(class.as_bytes(), &price))
            {
                prices += 1.0;
            }
        }
        let path = url
            .split_once("://")
            .and_then(|(_, rest)| rest.split_once('/'))
            .map_or("", |(_, path)| path);
        let path = path.split(['?', '#']).next().unwrap_or_default();
        let host = url
            .split("://")
            .nth(1)
            .unwrap_or_default()
            .split('/')
            .next()
            .unwrap_or_default();
        let last = path
            .trim_end_matches('/')
            .rsplit('/')
            .next()
            .unwrap_or_default();
        let lower = path.to_ascii_lowercase();
        let any = |words: &[&str]| {
            f32::from(u8::from(
                lower
                    .split(['/', '-', '_', '.'])
                    .any(|part| words.contains(&part)),
            ))
        };
        let mut values = vec![
            ("og_type", og_type),
            ("og_article", og_article),
            ("og_product", og_product),
            ("generator_docs", generator_docs),
            ("articles", articles),
            ("mains", mains),
            ("h1", h1),
            ("p", paragraphs),
            ("li", items),
            ("time", times),
            ("inputs", inputs),
            ("pre", pres),
            ("tables", tables),
            ("images", images),
            ("prices", prices),
            (
                "url_depth",
                path.split('/').filter(|part| !part.is_empty()).count() as f32,
            ),
            ("url_last", last.len() as f32),
            ("url_hyphens", last.matches('-').count() as f32),
            (
                "url_digits",
                path.bytes().filter(u8::is_ascii_digit).count() as f32,
            ),
            ("url_query", f32::from(u8::from(url.contains('?')))),
            (
                "url_blog",
                any(&[
                    "blog", "news", "article", "articles", "story", "post", "posts",
                ]),
            ),
            (
                "url_docs",
                any(&[
                    "docs",
                    "doc",
                    "documentation",
                    "guide",
                    "guides",
                    "api",
                    "reference",
                    "manual",
                    "wiki",
                    "tutorial",
                    "help",
                ]) + f32::from(u8::from(host.starts_with("docs."))),
            ),
            (
                "url_forum",
                any(&[
                    "forum",
                    "forums",
                    "thread",
                    "threads",
                    "t",
                    "topic",
                    "questions",
                    "discussion",
                    "viewtopic",
                    "community",
                    "comments",
                    "showthread",
                ]),
            ),
            (
                "url_product",
                any(&["product", "products", "p", "item", "dp", "shop", "buy"]),
            ),
            (
                "url_list",
                any(&[
                    "category",
                    "categories",
                    "collections",
                    "collection",
                    "tag",
                    "tags",
                    "c",
                    "archive",
                    "browse",
                    "search",
                ]),
            ),
        ];
        for (found, (name, _)) in types.into_iter().zip(TYPES) {
            values.push((name, found));
        }
        let words = title.split(|c: char| !c.is_alphanumeric());
        let words = words.filter(|word| !word.is_empty());
        let mut title_filter = WordFilter::default();
        let lower = title.to_lowercase();
        for word in lower.split(|c: char| !c.is_alphanumeric()) {
            title_filter.add(word.as_bytes());
        }
        Self {
            title_words: words.map(hash).collect(),
            title_filter,
            values,
        }
    }

    /// Returns true if the page states that it is an article and nothing shows a discussion, where posts are the
    /// content.
    pub(crate) fn states_article(&self) -> bool {
        (self.has("og_article") || self.has("article"))
            && !OTHER_KINDS.iter().any(|kind| self.has(kind))
    }

    /// Returns true for a page that states that it is an article, and for one that states nothing. An article on a
    /// page new enough to have a `<main>` would state it.
    pub(crate) fn may_be_article(&self) -> bool {
        let states_something = ["og_type", "mains"].iter().chain(&OTHER_KINDS);
        let states_nothing = !states_something.into_iter().any(|kind| self.has(kind));
        states_nothing || self.states_article()
    }

    fn has(&self, wanted: &str) -> bool {
        let mut values = self.values.iter();
        values.any(|(name, value)| *name == wanted && *value > 0.0)
    }

    pub(crate) fn put(&self, mut put: impl FnMut(&str, f32)) {
        for (name, value) in &self.values {
            put(name, *value);
        }
    }

    /// Returns the share of the text's words that are in the title, for short texts, and the number of words of each
    /// kind of [`PHRASES`], for texts of few words.
    pub(crate) fn words(&self, text: &str, words: u32) -> (f32, [f32; PHRASES.len()]) {
        let is_short = text.len() <= LONGEST_LIKE_TITLE;
        let are_few = words <= MOST_WORDS_OF_PHRASE;
        let (mut all, mut shared) = (0.0, 0.0);
        let mut counts = [0.0; PHRASES.len()];
        let phrases = Phrases::known();
        if !text.is_ascii() {
            for word in text.split(|c: char| !c.is_alphanumeric()) {
                if is_short && !word.is_empty() {
                    all += 1.0;
                    shared += flag(self.title_words.contains(&hash(word)));
                }
                if are_few {
                    phrases.count(word.as_bytes(), &mut counts);
                }
            }
        } else if is_short || are_few {
            for word in ascii_words(text) {
                if is_short {
                    all += 1.0;
                    let is_shared = self.title_filter.may_have(word) && self.has_in_title(word);
                    shared += flag(is_shared);
                }
                if are_few {
                    phrases.count(word, &mut counts);
                }
            }
        }
        (if all == 0.0 { 0.0 } else { shared / all }, counts)
    }

    /// Returns true if the title contains an ASCII word in any case.
    fn has_in_title(&self, word: &[u8]) -> bool {
        let mut hash = Fnv::default();
        for byte in word {
            hash.write_byte(byte.to_ascii_lowercase());
        }
        self.title_words.contains(&hash.0)
    }
}

/// Returns true if a class contains `price` or `Price`. Searches for `rice`, which both have in common.
fn names_price(class: &[u8], rice: &Finder<'_>) -> bool {
    rice.find_iter(class).any(|at| {
        let before = at.checked_sub(1).and_then(|before| class.get(before));
        matches!(before, Some(b'p' | b'P'))
    })
}

/// Hashes a word in lower case.
fn hash(word: &str) -> u64 {
    let mut hash = Fnv::default();
    for c in word.chars() {
        if c.is_ascii() {
            hash.write_byte(c.to_ascii_lowercase() as u8);
            continue;
        }
        for c in c.to_lowercase() {
            hash.write(c.encode_utf8(&mut [0; 4]));
        }
    }
    hash.0
}

fn flag(value: bool) -> f32 {
    f32::from(u8::from(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use crate::content::phrases::phrases_in;
    use crate::dom::parse;

    #[test]
    fn compares_words_with_the_title_ignoring_case() {
        let html = "<title>Green TEA for the Caf\u{e9} \u{212a}ings</title>";
        let facts = PageFacts::of(&parse(html, &Limits::default()), "");
        let share = |text: &str| facts.words(text, 1).0;
        assert_eq!(share("green tea"), 1.0);
        assert_eq!(share("Tea & coffee"), 0.5);
        assert_eq!(share("the CAF\u{c9}"), 1.0);
        assert_eq!(share("kings"), 1.0);
        assert_eq!(share("caf"), 0.0);
        assert_eq!(share("\u{2026}"), 0.0);
        assert_eq!(share(&"tea ".repeat(75)), 1.0);
        assert_eq!(share(&"tea ".repeat(76)), 0.0);
    }

    #[test]
    fn finds_no_phrases_in_long_texts() {
        let facts = PageFacts::of(&parse("", &Limits::default()), "");
        assert_eq!(facts.words("Share", 25).1, phrases_in("Share"));
        assert_eq!(facts.words("\u{bb} Share", 25).1, phrases_in("Share"));
        assert_eq!(facts.words("Share", 26).1, [0.0; PHRASES.len()]);
    }
}
