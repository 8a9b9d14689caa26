//! The blocks written so far, and media, links and quotations that wait for their place among them.

use foldhash::HashSet;

use sitecast_scp::{Block, HeadingLevel, HttpUrl};

use super::link::Link;
use super::marked::{Marked, MarkedBlock};

/// Media and links to write after the block that contains them.
#[derive(Default)]
struct Pending {
    media: Vec<Block>,
    links: Vec<Link>,
    linked: HashSet<HttpUrl>,
}

/// A quotation before its end tag.
#[derive(Debug, Default)]
struct OpenQuote {
    text: Marked,
    /// Offset of its last paragraph, if it has several.
    last_paragraph: Option<usize>,
    citation: Option<String>,
    /// Index of the last block written from it.
    block: Option<usize>,
    /// Number of figures around it.
    figures: usize,
}

/// A figure before its end tag.
#[derive(Debug, Default)]
struct OpenFigure {
    /// Index of the quotation in it.
    quote: Option<usize>,
    /// Index of a video or sound in it without a name of its own.
    nameless: Option<usize>,
    /// A caption that came before its quotation.
    caption: Option<String>,
}

#[derive(Default)]
pub(super) struct Output {
    pub(super) blocks: Vec<MarkedBlock>,
    pending: Pending,
    quotes: Vec<OpenQuote>,
    figures: Vec<OpenFigure>,
    last_heading: Option<usize>,
    /// Index of the last video or sound.
    pub(super) last_player: Option<usize>,
    last_image: Option<HttpUrl>,
}

impl Output {
    pub(super) fn is_in_quote(&self) -> bool {
        !self.quotes.is_empty()
    }

    pub(super) fn is_in_figure(&self) -> bool {
        !self.figures.is_empty()
    }

    /// Returns true if the innermost open element of quotations and figures is a quotation.
    pub(super) fn captions_are_citations(&self) -> bool {
        self.quotes
            .last()
            .is_some_and(|quote| quote.figures == self.figures.len())
    }

    pub(super) fn heading(&self) -> Option<&str> {
        match &self.blocks.get(self.last_heading?)?.block {
            Block::Heading { text, .. } => Some(text),
            _ => None,
        }
    }

    pub(super) fn paragraph(&mut self, text: Marked) {
        if text.is_empty() {
            return self.flush_pending();
        }
        match self.quotes.last_mut() {
            Some(quote) => quote.push(text),
            None => self.emit(MarkedBlock::of(text, |text| Block::Text { text })),
        }
    }

    /// Writes the open quotation so far, before a block that is not part of it.
    pub(super) fn flush_quote(&mut self) {
        let Some(quote) = self.quotes.last_mut() else {
            return;
        };
        quote.last_paragraph = None;
        let text = std::mem::take(&mut quote.text);
        if text.is_empty() {
            return;
        }
        let at = self.blocks.len();
        quote.block = Some(at);
        if let Some(figure) = self.figures.last_mut() {
            figure.quote = Some(at);
        }
        self.emit(MarkedBlock::of(text, |text| Block::Quote {
            text,
            citation: None,
        }));
    }

    /// Adds a block, then the media and links that were found in it.
    pub(super) fn emit(&mut self, block: impl Into<MarkedBlock>) {
        let block = block.into();
        match &block.block {
            Block::Heading { .. } => self.last_heading = Some(self.blocks.len()),
            Block::Video(_) | Block::Audio(_) => self.last_player = Some(self.blocks.len()),
            _ => {}
        }
        self.blocks.push(block);
        self.write_pending();
    }

    pub(super) fn emit_heading(&mut self, level: u8, text: Marked) {
        if text.is_empty() {
            return self.flush_pending();
        }
        let level = HeadingLevel::clamped(level);
        self.emit(MarkedBlock::of(text, |text| Block::Heading { level, text }));
    }

    /// Writes pending media and links, unless an open quotation will come before them.
    pub(super) fn flush_pending(&mut self) {
        if self.quotes.is_empty() {
            self.write_pending();
        }
    }

    fn write_pending(&mut self) {
        for block in std::mem::take(&mut self.pending.media) {
            if matches!(block, Block::Video(_) | Block::Audio(_)) {
                self.last_player = Some(self.blocks.len());
            }
            self.blocks.push(block.into());
        }
        for Link { url, text, rel } in self.pending.links.drain(..) {
            self.blocks.push(Block::Link { url, text, rel }.into());
        }
        // `clear` would take time in proportion to the largest set so far.
        self.pending.linked = HashSet::default();
    }

    /// Adds a link, unless the same block has it already.
    pub(super) fn link(&mut self, link: Link) {
        if self.pending.linked.insert(link.url.clone()) {
            self.pending.links.push(link);
        }
    }

    /// Adds media: immediately if `at_once` and no quotation is open, otherwise after the open block.
    pub(super) fn media(&mut self, block: Block, at_once: bool) {
        if let Block::Image { url, .. } = &block {
            // The same image again comes from a lazy-loading script and its `noscript`.
            if self.last_image.as_ref() == Some(url) {
                return;
            }
            self.last_image = Some(url.clone());
        }
        if at_once && self.quotes.is_empty() {
            self.blocks.push(block.into());
        } else {
            self.pending.media.push(block);
        }
    }

    /// Adds a video or a sound. `named` is true if it has a name of its own.
    pub(super) fn player(&mut self, block: Block, at_once: bool, named: bool) {
        let at = self.blocks.len();
        self.media(block, at_once);
        if self.blocks.len() > at {
            self.last_player = Some(at);
            if !named && let Some(figure) = self.figures.last_mut() {
                figure.nameless = Some(at);
            }
        }
    }

    pub(super) fn open_quote(&mut self) {
        self.flush_quote();
        self.quotes.push(OpenQuote {
            figures: self.figures.len(),
            ..OpenQuote::default()
        });
    }

    pub(super) fn cite(&mut self, text: String) {
        let text = without_dash(&text);
        if text.is_empty() {
            return;
        }
        if let Some(quote) = self.quotes.last_mut() {
            quote.citation = join_citations(quote.citation.take(), Some(text.to_owned()));
        }
    }

    /// Ends the innermost quotation. `source` is the URL in its `cite` attribute.
    pub(super) fn close_quote(&mut self, source: Option<HttpUrl>) {
        let signature = self.quotes.last_mut().and_then(OpenQuote::take_signature);
        self.flush_quote();
        let Some(quote) = self.quotes.pop() else {
            return;
        };
        let caption = self
            .figures
            .last_mut()
            .and_then(|figure| figure.caption.take());
        let citation = join_citations(quote.citation, caption).or(signature);
        match quote.block {
            Some(at) => {
                let citation = citation.or_else(|| source.map(|url| url.as_str().to_owned()));
                self.set_citation(at, citation);
            }
            // Without a quoted text the citation is all there is.
            None => match citation {
                Some(text) => self.paragraph(text.into()),
                None => self.flush_pending(),
            },
        }
    }

    fn set_citation(&mut self, at: usize, source: Option<String>) {
        if let Some(Block::Quote { citation, .. }) = self.block_mut(at) {
            *citation = source;
        }
    }

    pub(super) fn block_mut(&mut self, at: usize) -> Option<&mut Block> {
        self.blocks.get_mut(at).map(|found| &mut found.block)
    }

    pub(super) fn open_figure(&mut self) {
        self.figures.push(OpenFigure::default());
    }

    /// Adds the caption of the innermost figure. `quote_follows` is true if its quotation is still to come.
    pub(super) fn caption(&mut self, text: Marked, quote_follows: bool) {
        let Some(figure) = self.figures.last_mut().filter(|_| !text.is_empty()) else {
            return self.flush_pending();
        };
        let (quote, nameless) = (figure.quote, figure.nameless.take());
        let quote = quote.and_then(|at| self.blocks.get_mut(at));
        if let Some(Block::Quote { citation, .. }) = quote.map(|found| &mut found.block) {
            let source = without_dash(&text.text).to_owned();
            // Words replace a citation that is only a URL.
            let words = citation.take().filter(|words| !is_url(words));
            *citation = join_citations(words, Some(source));
            return self.flush_pending();
        }
        if quote_follows {
            let source = without_dash(&text.text).to_owned();
            figure.caption = join_citations(figure.caption.take(), Some(source));
            return;
        }
        match nameless.and_then(|at| self.block_mut(at)) {
            Some(Block::Video(video)) => video.name.clone_from(&text.text),
            Some(Block::Audio(audio)) => audio.name.clone_from(&text.text),
            _ => {}
        }
        self.paragraph(text);
    }

    pub(super) fn close_figure(&mut self) {
        if let Some(text) = self.figures.pop().and_then(|figure| figure.caption) {
            self.paragraph(text.into());
        }
    }
}

impl OpenQuote {
    fn push(&mut self, paragraph: Marked) {
        if !self.text.is_empty() {
            self.text.push_str("\n\n");
            self.last_paragraph = Some(self.text.text.len());
        }
        self.text.append(paragraph);
    }

    /// Takes a short last paragraph that begins with a dash: the name of the speaker.
    fn take_signature(&mut self) -> Option<String> {
        let at = self.last_paragraph?;
        let last = self.text.text.get(at..)?;
        if self.citation.is_some() || !last.starts_with(DASHES) || last.len() > 200 {
            return None;
        }
        let signature = without_dash(last).to_owned();
        self.text.truncate(at.saturating_sub(2));
        (!signature.is_empty()).then_some(signature)
    }
}

/// Joins two citations on one line.
fn join_citations(first: Option<String>, second: Option<String>) -> Option<String> {
    match (first, second) {
        (Some(first), Some(second)) if !second.is_empty() => Some(format!("{first}, {second}")),
        (first, second) => first.or(second),
    }
}

fn is_url(citation: &str) -> bool {
    citation.starts_with("https://") || citation.starts_with("http://")
}

const DASHES: [char; 3] = ['—', '–', '―'];

fn without_dash(text: &str) -> &str {
    let text = text.strip_prefix("--").unwrap_or(text);
    text.trim_start_matches(DASHES).trim()
}
