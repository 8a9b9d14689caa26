//! What the head of a page and its URL say about the kind of page it is.

use foldhash::HashSet;

use memchr::memmem::Finder;

use crate::dom::{Dom, NodeId, Tag};
use crate::layout::Fnv;

/// Facts about a whole page.
#[derive(Debug, Default)]
pub(crate) struct PageFacts {
    title_words: HashSet<u64>,
    values: Vec<(&'static str, f32)>,
}

/// Types of schema.org that tell kinds of pages apart.
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

impl PageFacts {
    pub(crate) fn of(dom: &Dom, url: &str) -> Self {
        let mut title = String::new();
        let mut types = vec![0.0; TYPES.len()];
        let mut og_article = 0.0;
        let mut og_product = 0.0;
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
        Self {
            title_words: words(&title).collect(),
            values,
        }
    }

    pub(crate) fn put(&self, mut put: impl FnMut(&str, f32)) {
        for (name, value) in &self.values {
            put(name, *value);
        }
    }

    /// Which share of the text's words are in the page's title.
    pub(crate) fn title_overlap(&self, text: &str) -> f32 {
        if text.len() > 300 {
            return 0.0;
        }
        let (mut all, mut shared) = (0.0, 0.0);
        for word in words(text) {
            all += 1.0;
            if self.title_words.contains(&word) {
                shared += 1.0;
            }
        }
        if all == 0.0 { 0.0 } else { shared / all }
    }
}

/// Whether a class has `price` or `Price` in it; `rice` finds what both have in common.
fn names_price(class: &[u8], rice: &Finder<'_>) -> bool {
    rice.find_iter(class).any(|at| {
        let before = at.checked_sub(1).and_then(|before| class.get(before));
        matches!(before, Some(b'p' | b'P'))
    })
}

/// The words of a text, as hashes: they are only compared.
fn words(text: &str) -> impl Iterator<Item = u64> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(|word| {
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
        })
}
