use sitecast_scp::{Block, HttpUrl, LanguageTag, Marks, Page};

use crate::analysis::{Analysis, analyze};
use crate::blocks::{Delimiters, MarkedBlock, Marking, blocks};
use crate::content::{Model, select};
use crate::decided::{Context, Scores, decided};
use crate::decode::decode;
use crate::dom::{NodeId, Tag, parse};
use crate::metadata::{
    MetadataElements, SiteLanguages, Source, base_url, description_of, language_of, metadata,
};
use crate::selection::Kept;
use crate::{Comments, Coverage, ExtractError, Html, Limits, NoSnippet, Rules, ShownHash};

/// An extracted page, and facts found on the way.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Extracted {
    /// The page. [`Page::robots`] holds its robots directives.
    pub page: Page,
    /// The encoding of its bytes.
    pub encoding: &'static str,
    /// The share of its `<main>` or `<article>` that is content; `None` without such an element, or with several.
    pub coverage: Option<Coverage>,
    /// True if the page states when it changed; otherwise `modified` is the time it was fetched.
    pub states_modified: bool,
    /// A hash of everything the page shows, independent of markup; only for pages of a known site.
    pub shown: Option<ShownHash>,
}

/// Extracts a page on its own: finds its main content by structure and text.
///
/// With more pages of the site, [`SiteTemplate`](crate::SiteTemplate) gives better results.
///
/// ```
/// use sitecast_extract::{Html, extract_page};
///
/// let url = "https://example.com/tea".parse()?;
/// let html = b"<title>Tea</title><nav><a href=/>Home</a></nav><article><h1>Tea</h1>
///     <p>Pour boiling water over the leaves and wait for three minutes, no longer.</p></article>";
/// let extracted = extract_page(&Html::new(&url, html, "2025-01-15T09:00:00Z".parse()?))?;
/// assert_eq!(extracted.page.title, "Tea");
/// assert_eq!(extracted.page.content.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn extract_page(html: &Html<'_>) -> Result<Extracted, ExtractError> {
    Extractor::default().extract_page(html)
}

/// [`extract_page`] with other limits, another model, or rules of the owner.
#[derive(Debug, Clone)]
pub struct Extractor<'a> {
    /// Limits on the size of a page.
    pub limits: Limits,
    /// The model that scores text.
    pub model: &'a Model,
    /// The owner's rules for parts of pages.
    pub rules: Rules,
    /// Leave out `data-nosnippet` parts or keep them.
    pub nosnippet: NoSnippet,
    /// Leave out readers' comments below an article or keep them.
    pub comments: Comments,
}

impl Default for Extractor<'_> {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            model: Model::bundled(),
            rules: Rules::default(),
            nosnippet: NoSnippet::default(),
            comments: Comments::default(),
        }
    }
}

impl Extractor<'_> {
    /// Extracts a page on its own.
    pub fn extract_page(&self, html: &Html<'_>) -> Result<Extracted, ExtractError> {
        let analysis = analyze(html, self)?;
        Ok(assemble(
            html,
            &analysis,
            &Scores::alone(&analysis),
            &KnownSite::default(),
        ))
    }

    /// Extracts a page with the inline markup of its texts, for [`sitecast_scp::to_marked_markdown`].
    pub fn extract_marked(&self, html: &Html<'_>) -> Result<(Extracted, Marks), ExtractError> {
        let analysis = analyze(html, self)?;
        let marking = Marking::Inline(Delimiters::of(html.bytes, &analysis.dom));
        let scores = Scores::alone(&analysis);
        let site = KnownSite::default();
        Ok(assemble_marked(html, &analysis, &scores, &site, marking))
    }
}

/// Facts about a site for the metadata of its pages.
#[derive(Debug, Clone, Default)]
pub(crate) struct KnownSite {
    /// The site's names in its titles.
    pub(crate) names: Vec<String>,
    pub(crate) languages: SiteLanguages,
}

/// Builds the page from the scores of its segments.
pub(crate) fn assemble(
    html: &Html<'_>,
    analysis: &Analysis,
    scores: &Scores<'_>,
    site: &KnownSite,
) -> Extracted {
    assemble_marked(html, analysis, scores, site, Marking::Nothing).0
}

fn assemble_marked(
    html: &Html<'_>,
    analysis: &Analysis,
    scores: &Scores<'_>,
    site: &KnownSite,
    marking: Marking,
) -> (Extracted, Marks) {
    let Analysis {
        dom,
        layout,
        directives,
        ..
    } = analysis;
    let metadata_elements = MetadataElements::of(dom);
    let base = base_url(&metadata_elements, html.base.unwrap_or(html.url));
    let decided = decided(analysis, scores);
    let kept = select(
        layout,
        &scores.probabilities,
        &decided,
        scores.recall,
        &mut (),
    );
    let mut content = blocks(
        dom,
        &Kept::new(dom, layout, &kept, directives),
        &base,
        marking,
    );
    let metadata = metadata(&Source {
        dom,
        metadata_elements: &metadata_elements,
        layout,
        url: html.url,
        base: &base,
        content_language: html.content_language,
        robots_tag: html.robots_tag,
        last_modified: html.last_modified,
        seen: html.seen,
        site_names: &site.names,
        site_languages: &site.languages,
    });
    let is_wanted = scores.context == Context::InSite;
    let shown = is_wanted.then(|| ShownHash::of(dom, layout, directives, &metadata));
    drop_title(&mut content, &metadata.title);
    let (mut content, marks): (Vec<Block>, Vec<_>) = content
        .into_iter()
        .map(|MarkedBlock { block, marks }| (block, marks))
        .unzip();
    if content.is_empty()
        && let Some(description) = &metadata.description
    {
        // Pages that scripts render have no other text.
        content.push(Block::Text {
            text: description.clone(),
        });
    }
    let mut page = Page::new(
        html.url.clone(),
        metadata.title,
        metadata
            .modified
            .or(metadata.published)
            .unwrap_or(html.seen),
        metadata
            .language
            .or_else(|| language_of(&layout.text))
            .unwrap_or_else(LanguageTag::undetermined),
    );
    page.description = metadata
        .description
        .unwrap_or_else(|| description_of(&content));
    page.author = metadata.author;
    page.published = metadata.published;
    page.canonical = metadata.canonical;
    page.schema = metadata.schema;
    page.robots = metadata.robots;
    page.content = content;
    let extracted = Extracted {
        page,
        coverage: Coverage::of(layout, &kept, &decided),
        encoding: analysis.encoding,
        states_modified: metadata.states_modified,
        shown,
    };
    (extracted, Marks::new(marks))
}

/// Removes the title from the content: the page has it as metadata, and only some templates repeat it in the text.
fn drop_title(content: &mut Vec<MarkedBlock>, title: &str) {
    let same = |text: &str| lower_words(text).eq(lower_words(title));
    let blocks = || content.iter().map(|found| &found.block);
    let at = blocks().position(
        |block| matches!(block, Block::Heading { level, text } if level.get() == 1 && same(text)),
    );
    let mut rest = blocks().filter(|block| !matches!(block, Block::Link { .. }));
    if let Some(at) = at
        && rest.nth(1).is_some()
    {
        content.remove(at);
        // The title of a post is a link to the post.
        let is_own = |block: &Block| matches!(block, Block::Link { text, .. } if same(text));
        if content.get(at).is_some_and(|found| is_own(&found.block)) {
            content.remove(at);
        }
    }
}

fn lower_words(text: &str) -> impl Iterator<Item = String> {
    text.split_whitespace().map(str::to_lowercase)
}

/// Search at most this many bytes of a page for its URL.
const STATED_WITHIN: usize = 4 << 20;

/// Returns the URL that a page states for itself: its canonical link or its `og:url`.
pub fn stated_url(bytes: &[u8], limits: &Limits) -> Option<HttpUrl> {
    let most = limits.bytes.min(STATED_WITHIN);
    let (text, _) = decode(bytes.get(..most).unwrap_or(bytes), None, "");
    let dom = parse(&text, limits);
    let canonical = dom.elements(NodeId::ROOT).filter_map(|(_, element)| {
        let is = element.tag == Tag::Link && element.has_word("rel", "canonical");
        is.then(|| element.attribute("href"))?
    });
    let shared = dom.elements(NodeId::ROOT).filter_map(|(_, element)| {
        let is = element.tag == Tag::Meta && element.attribute("property") == Some("og:url");
        is.then(|| element.attribute("content"))?
    });
    canonical
        .chain(shared)
        .find_map(|url| url.trim().parse().ok())
}
