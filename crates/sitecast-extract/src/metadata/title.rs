//! The title of a page: `<title>` without the site's name, or a heading that fits better.

use super::Survey;
use super::head::Heading;
use super::schema::is_article;
use super::separators::{SplitTitle, front_page_title, without_site};
use super::site_name::{NameMatch, ends_with_words};
use super::text::{cut_at_word, fold, folds_to, overlap, unescaped_line};
use crate::dom::NodeId;

/// Titles are cut to this length.
const MAX_CHARS: usize = 300;

/// Returns the title; empty only if the page has no text and its URL has no path.
pub(super) fn title(survey: &Survey<'_>) -> String {
    let title = Candidates::of(survey).choose();
    let title = title
        .filter(|title| !title.is_empty())
        .or_else(|| {
            survey
                .head
                .headings(survey.source)
                .first()
                .map(|heading| heading.text.clone())
        })
        .unwrap_or_else(|| readable(&survey.url_parts.slug()));
    cut_at_word(&title, MAX_CHARS).to_owned()
}

/// Returns the heading with the title, or else the first main heading.
pub(super) fn title_heading(survey: &Survey<'_>, title: &str) -> Option<NodeId> {
    let title = fold(title);
    let shows = |heading: &&Heading| folds_to(&heading.text, &title);
    let ends = |heading: &&Heading| ends_with_words(&fold(&heading.text), &title);
    let has_piece = |heading: &&Heading| heading.pieces().any(|piece| folds_to(piece, &title));
    let main = &survey.head.main_headings;
    main.iter()
        .find(shows)
        .or_else(|| main.iter().find(has_piece))
        .or_else(|| main.iter().find(ends))
        .or_else(|| {
            let headings = survey.head.headings(survey.source).iter();
            headings.filter(|_| !title.is_empty()).find(shows)
        })
        .or_else(|| main.first())
        .map(|heading| heading.node)
}

/// Returns true for headings that do not depend on the subject of a page.
pub(super) fn is_generic_heading(folded: &str) -> bool {
    matches!(
        folded,
        "menu"
            | "main menu"
            | "navigation"
            | "search"
            | "home"
            | "homepage"
            | "blog"
            | "news"
            | "related products"
            | "related posts"
            | "table of contents"
            | "open menu close menu"
            | "site navigation"
            | "skip to content"
            | "loading"
            | "cookie policy"
            | "contents"
            | "welcome"
            | "view topic"
    )
}

/// Returns the `headline` of the article in JSON-LD; empty if there is none.
pub(super) fn headline(survey: &Survey<'_>) -> String {
    let nodes = survey.graph.nodes.iter();
    let mut articles = nodes.filter(|node| node.main && is_article(node.map));
    let headline = articles.find_map(|node| node.map.get("headline")?.as_str());
    headline.map(unescaped_line).unwrap_or_default()
}

struct Candidates<'s, 'd> {
    survey: &'s Survey<'d>,
    /// The text of `<title>`.
    title: &'s str,
    /// `title` without the site's name, or else `social` without it.
    stripped: String,
    /// The title for social networks.
    social: &'s str,
    headline: String,
    /// `<title>` and the title for social networks are the same.
    agreed: bool,
    /// All titles for machines, folded: whole, without the site's name, and their first parts.
    stated: Vec<String>,
    /// The main headings that may be titles.
    headings: Vec<&'s str>,
    /// `headings` without the site's name.
    proper: Vec<&'s str>,
}

impl<'s, 'd> Candidates<'s, 'd> {
    fn of(survey: &'s Survey<'d>) -> Self {
        let (head, site) = (&survey.head, &survey.site);
        let title = head.title.as_str();
        let social = head
            .meta(&["og:title"])
            .or_else(|| head.meta(&["twitter:title"]))
            .unwrap_or_default();
        let strip = |text: &str| {
            if text.is_empty() {
                String::new()
            } else if survey.kind.root {
                front_page_title(text, site)
            } else {
                without_site(text, site)
            }
        };
        let (stripped, social_stripped) = (strip(title), strip(social));
        let headline = headline(survey);
        let beginnings = [title, social].into_iter().flat_map(|text| {
            let split = SplitTitle::of(text);
            (1..split.parts.len().min(10))
                .map(move |to| split.join(0, to))
                .collect::<Vec<_>>()
        });
        let stated = [title, social, &stripped, &social_stripped, &headline]
            .into_iter()
            .map(str::to_owned)
            .chain(beginnings)
            .map(|text| fold(&text))
            .filter(|text| !text.is_empty())
            .collect();
        let folded_title = fold(&stripped);
        let mut seen = Vec::new();
        let mut headings = Vec::new();
        for heading in &head.main_headings {
            let folded = fold(&heading.text);
            if (is_generic_heading(&folded) && folded != folded_title) || seen.contains(&folded) {
                continue;
            }
            seen.push(folded);
            headings.push(heading.text.as_str());
        }
        let proper = headings
            .iter()
            .copied()
            .filter(|text| !site.is_site(text, NameMatch::Exact))
            .collect();
        let agreed = fold(&stripped) == fold(&social_stripped);
        let stripped = if stripped.is_empty() {
            social_stripped
        } else {
            stripped
        };
        Self {
            survey,
            title,
            stripped,
            social,
            headline,
            agreed,
            stated,
            headings,
            proper,
        }
    }

    fn choose(&self) -> Option<String> {
        self.headline_in_heading()
            .or_else(|| self.repeated_heading())
            .or_else(|| self.repeated_heading_without_site())
            .or_else(|| self.repeated_piece())
            .or_else(|| {
                let base = self.base();
                self.better_heading(&base)
                    .map(str::to_owned)
                    .or(Some(base).filter(|base| !base.is_empty()))
            })
            .or_else(|| self.headings.first().map(|&text| text.to_owned()))
    }

    /// Returns the part of a heading that is the headline, without a label: `[Solved] Which soup?`
    fn headline_in_heading(&self) -> Option<String> {
        let headline = fold(&self.headline);
        self.pieces()
            .find(|piece| !headline.is_empty() && folds_to(piece, &headline))
            .map(str::to_owned)
    }

    /// Returns the longest part of a main heading, without labels, numbers and buttons, that is a title for machines.
    fn repeated_piece(&self) -> Option<String> {
        self.pieces()
            .filter(|piece| {
                let folded = fold(piece);
                folded.contains(' ') && self.stated.contains(&folded)
            })
            .max_by_key(|piece| piece.len())
            .map(str::to_owned)
    }

    fn pieces(&self) -> impl Iterator<Item = &'s str> {
        let headings = self.survey.head.main_headings.iter();
        headings
            .filter(|heading| self.proper.contains(&heading.text.as_str()))
            .flat_map(Heading::pieces)
    }

    /// Returns a main heading that is a title for machines.
    fn repeated_heading(&self) -> Option<String> {
        let heading = *self
            .proper
            .iter()
            .find(|text| self.stated.contains(&fold(text)))?;
        let site = &self.survey.site;
        if let Some((first, _)) = heading.split_once(['|', '｜'])
            && fold(first).split(' ').count() >= 2
        {
            return Some(first.trim_end().to_owned());
        }
        let split = SplitTitle::of(heading);
        let count = split.parts.len();
        if count > 1
            && split
                .parts
                .last()
                .is_some_and(|last| site.is_site(last, NameMatch::Close))
        {
            return Some(split.join(0, count - 1));
        }
        Some(heading.to_owned())
    }

    fn repeated_heading_without_site(&self) -> Option<String> {
        self.proper
            .iter()
            .map(|text| without_site(text, &self.survey.site))
            .find(|text| self.stated.contains(&fold(text)))
    }

    /// Returns the best title that is not a heading.
    fn base(&self) -> String {
        let site = &self.survey.site;
        // Another title that begins or ends `<title>` shows which part is the site's name.
        let title = fold(self.title);
        for other in [self.social, &self.headline] {
            let folded = fold(other);
            let is_part = title
                .strip_prefix(&folded)
                .is_some_and(|rest| rest.starts_with(' '))
                || title
                    .strip_suffix(&folded)
                    .is_some_and(|rest| rest.ends_with(' '));
            if !folded.is_empty() && is_part && !site.is_site(other, NameMatch::Close) {
                let split = SplitTitle::of(other);
                let ends_with_site = split.parts.len() > 1
                    && split
                        .parts
                        .last()
                        .is_some_and(|last| site.is_site(last, NameMatch::Close));
                return if ends_with_site {
                    without_site(other, site)
                } else {
                    other.to_owned()
                };
            }
        }
        let base = if self.stripped.is_empty() {
            &self.headline
        } else {
            &self.stripped
        };
        // `| Site`: the template got no title.
        let untitled = SplitTitle::of(self.title).parts.first() == Some(&"");
        if !self.proper.is_empty() && (site.is_site(base, NameMatch::Exact) || untitled) {
            return String::new();
        }
        base.clone()
    }

    /// Returns a heading that is a better title than `base`.
    fn better_heading(&self, base: &str) -> Option<&'s str> {
        let first = *self.proper.first()?;
        if base.is_empty() {
            return Some(first);
        }
        if first.chars().count() > MAX_CHARS {
            return None;
        }
        if self.proper.len() > 1 {
            let likest = self
                .proper
                .iter()
                .map(|&text| (overlap(text, base), text))
                .fold(
                    (0.0, first),
                    |best, next| if next.0 > best.0 { next } else { best },
                );
            let word_count = |text: &str| fold(text).split(' ').count();
            return (likest.0 > 0.8 && word_count(likest.1) >= 3 && word_count(base) >= 2)
                .then_some(likest.1);
        }
        // `Blog: Ten soups`, `12 May Ten soups`: the title for machines is better.
        if self.agreed && ends_with_words(&fold(first), &fold(base)) {
            return None;
        }
        let compared = if self.stripped.is_empty() {
            self.social
        } else {
            &self.stripped
        };
        let likeness = overlap(first, compared);
        let by_url = self.nearness_to_url(first) - self.nearness_to_url(base);
        let kind = &self.survey.kind;
        // Measured on 385 pages whose only heading and title differ: the one nearer to the URL is the title. On articles, and if
        // the titles for machines differ, it is the heading.
        let better = by_url > 0.05
            || (by_url > -0.5 && likeness > 0.2 && (kind.article || !self.agreed))
            || (by_url > -0.1 && likeness > 0.5 && !kind.root);
        better.then_some(first)
    }

    /// Returns the share of the words of the URL's last segment that are in the text, 0 to 1.
    fn nearness_to_url(&self, text: &str) -> f64 {
        let slug = fold(&self.survey.url_parts.slug());
        let slug: std::collections::BTreeSet<&str> =
            slug.split(' ').filter(|word| !word.is_empty()).collect();
        let text = fold(text);
        let text: std::collections::BTreeSet<&str> = text.split(' ').collect();
        slug.intersection(&text).count() as f64 / slug.len().max(1) as f64
    }
}

/// Returns the last segment of a URL as a title.
fn readable(slug: &str) -> String {
    let name = slug.rsplit_once('.').map_or(slug, |(name, _)| name);
    let mut characters = name.trim().chars();
    characters
        .next()
        .map(|first| first.to_uppercase().chain(characters).collect())
        .unwrap_or_default()
}
