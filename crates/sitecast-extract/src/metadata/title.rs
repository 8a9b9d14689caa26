//! The title of a page: `<title>` without the site's name, or the heading that says it better.

use super::Survey;
use super::head::Heading;
use super::schema::is_article;
use super::separators::{Parted, front_title, without_site};
use super::site_name::{Likeness, ends_with_words};
use super::text::{cut_at_word, fold, folds_to, overlap, shown};
use crate::dom::NodeId;

/// Longer ones are no titles any more; nobody shows them.
const MAX_CHARS: usize = 300;

/// The title; empty only if the page has no word and its URL has no path.
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
        .unwrap_or_else(|| readable(&survey.address.slug()));
    cut_at_word(&title, MAX_CHARS).to_owned()
}

/// The heading that shows the title, or else the first main one.
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

/// Headings that pages have whatever they are about.
pub(super) fn is_furniture(folded: &str) -> bool {
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

/// What the JSON-LD of a page calls the article; empty if it does not.
pub(super) fn headline(survey: &Survey<'_>) -> String {
    let nodes = survey.graph.nodes.iter();
    let mut articles = nodes.filter(|node| node.main && is_article(node.map));
    let headline = articles.find_map(|node| node.map.get("headline")?.as_str());
    headline.map(shown).unwrap_or_default()
}

struct Candidates<'s, 'd> {
    survey: &'s Survey<'d>,
    /// `<title>`, and without the site's name.
    title: &'s str,
    stripped: String,
    /// The title for social networks.
    social: &'s str,
    headline: String,
    /// Search engines and social networks are told the same title.
    agreed: bool,
    /// What machines are told, folded.
    stated: Vec<String>,
    /// The main headings that may be titles.
    headings: Vec<&'s str>,
    /// Those of them that are not the site's name.
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
                front_title(text, site)
            } else {
                without_site(text, site)
            }
        };
        let (stripped, social_stripped) = (strip(title), strip(social));
        let headline = headline(survey);
        let beginnings = [title, social].into_iter().flat_map(|text| {
            let parted = Parted::of(text);
            (1..parted.parts.len().min(10))
                .map(move |to| parted.join(0, to))
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
            if (is_furniture(&folded) && folded != folded_title) || seen.contains(&folded) {
                continue;
            }
            seen.push(folded);
            headings.push(heading.text.as_str());
        }
        let proper = headings
            .iter()
            .copied()
            .filter(|text| !site.is_site(text, Likeness::Same))
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

    /// The headline that a heading shows beside a label: `[Solved] Which soup?`
    fn headline_in_heading(&self) -> Option<String> {
        let headline = fold(&self.headline);
        self.pieces()
            .find(|piece| !headline.is_empty() && folds_to(piece, &headline))
            .map(str::to_owned)
    }

    /// What a main heading says beside its labels, numbers and buttons, if machines are told it.
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

    /// A main heading that machines are told too.
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
        let parted = Parted::of(heading);
        let count = parted.parts.len();
        if count > 1
            && parted
                .parts
                .last()
                .is_some_and(|last| site.is_site(last, Likeness::Akin))
        {
            return Some(parted.join(0, count - 1));
        }
        Some(heading.to_owned())
    }

    fn repeated_heading_without_site(&self) -> Option<String> {
        self.proper
            .iter()
            .map(|text| without_site(text, &self.survey.site))
            .find(|text| self.stated.contains(&fold(text)))
    }

    /// The best title that is no heading.
    fn base(&self) -> String {
        let site = &self.survey.site;
        // What is told elsewhere and begins or ends `<title>` shows where the title proper ends.
        let title = fold(self.title);
        for other in [self.social, &self.headline] {
            let folded = fold(other);
            let is_part = title
                .strip_prefix(&folded)
                .is_some_and(|rest| rest.starts_with(' '))
                || title
                    .strip_suffix(&folded)
                    .is_some_and(|rest| rest.ends_with(' '));
            if !folded.is_empty() && is_part && !site.is_site(other, Likeness::Akin) {
                let parted = Parted::of(other);
                let ends_with_site = parted.parts.len() > 1
                    && parted
                        .parts
                        .last()
                        .is_some_and(|last| site.is_site(last, Likeness::Akin));
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
        // `| Site`: a template without a title.
        let untitled = Parted::of(self.title).parts.first() == Some(&"");
        if !self.proper.is_empty() && (site.is_site(base, Likeness::Same) || untitled) {
            return String::new();
        }
        base.clone()
    }

    /// A heading to be preferred to `base` although they differ.
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
            let telling = |text: &str| fold(text).split(' ').count();
            return (likest.0 > 0.8 && telling(likest.1) >= 3 && telling(base) >= 2)
                .then_some(likest.1);
        }
        // `Blog: Ten soups`, `12 May Ten soups`: what all are told is the title.
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
        // Measured on 385 pages whose only heading and title differ: the one nearer to the URL is
        // the title; on articles, and where machines are told different titles, it is the heading.
        let better = by_url > 0.05
            || (by_url > -0.5 && likeness > 0.2 && (kind.article || !self.agreed))
            || (by_url > -0.1 && likeness > 0.5 && !kind.root);
        better.then_some(first)
    }

    /// Which share of the words in the URL are in the text.
    fn nearness_to_url(&self, text: &str) -> f64 {
        let slug = fold(&self.survey.address.slug());
        let slug: std::collections::BTreeSet<&str> =
            slug.split(' ').filter(|word| !word.is_empty()).collect();
        let text = fold(text);
        let text: std::collections::BTreeSet<&str> = text.split(' ').collect();
        slug.intersection(&text).count() as f64 / slug.len().max(1) as f64
    }
}

/// The last part of a URL as a title.
fn readable(slug: &str) -> String {
    let name = slug.rsplit_once('.').map_or(slug, |(name, _)| name);
    let mut characters = name.trim().chars();
    characters
        .next()
        .map(|first| first.to_uppercase().chain(characters).collect())
        .unwrap_or_default()
}
