//! A hash of what a page shows, independent of its markup.
//!
//! A publisher uses it to recognise edits that concern only the markup. So the hash may differ where readers see no
//! difference, but must differ where they see one, or where the owner's instructions for a part of the page differ.

use std::hash::BuildHasher;

use foldhash::HashMap;
use foldhash::quality::FixedState;
use serde::{Deserialize, Serialize};
use sitecast_scp::split_plain_words;

use crate::dom::{Dom, Element, NodeId, Tag};
use crate::layout::{Layout, is_hidden, is_ignorable};
use crate::metadata::Metadata;
use crate::owner::{Directive, Directives};

/// A hash of everything that a page shows: its words in order, the texts of images and players, instructions of the
/// owner, and hidden parts. White space, class names, ids and wrapper elements do not count. Two versions of a page
/// with the same hash differ at most in their markup.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ShownHash(u64);

impl ShownHash {
    pub(crate) fn of(
        dom: &Dom,
        layout: &Layout,
        directives: &Directives,
        metadata: &Metadata,
    ) -> Self {
        let mut text_shown = canonical_text(dom, layout, directives);
        // Both may serve as the title or, without other text, the content of the page.
        for text in [Some(&metadata.headline), metadata.description.as_ref()] {
            text_shown.push(ITEM);
            text_shown.push_str(text.map_or("", String::as_str));
        }
        Self(FixedState::default().hash_one(text_shown))
    }
}

// Control characters, which collapsed texts do not contain.
const STATE: char = '\u{1}';
const ITEM: char = '\u{2}';
const START: char = '\u{3}';
const END: char = '\u{4}';

/// Writes everything a page shows as one text, followed by metadata sorted by name.
fn canonical_text(dom: &Dom, layout: &Layout, directives: &Directives) -> String {
    let mut writer = Writer {
        layout,
        directives: vec![None; layout.segments.len()],
        out: String::with_capacity(layout.text.len() + 256),
        space: false,
        segment: None,
        state: State::default(),
        hidden: 0,
        hidden_by_class: 0,
        pre: 0,
        math: 0,
        open: Vec::new(),
        hiding: HashMap::default(),
        metadata: Vec::new(),
    };
    for (segment, order, _) in directives.of_segments(layout) {
        if let Some(slot) = writer.directives.get_mut(segment) {
            *slot = Some(order);
        }
    }
    for id in dom.descendants(NodeId::ROOT) {
        writer.close(id);
        if let Some(text) = dom.text(id) {
            writer.text(id, text);
        } else if let Some(element) = dom.element(id) {
            writer.element(dom, id, element, directives);
        }
    }
    writer.close(NodeId::at(dom.len()));
    // The order of names has no meaning; of several values for one name, the first counts.
    let mut metadata = std::mem::take(&mut writer.metadata);
    metadata.sort_by_key(|(name, _)| *name);
    for (name, value) in metadata {
        writer.item(name, value);
    }
    writer.out
}

/// The state of a text besides its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct State {
    hidden: bool,
    on_demand: bool,
    hidden_by_class: bool,
    order: Option<Directive>,
}

struct Writer<'a> {
    layout: &'a Layout,
    /// The owner's instruction for each segment.
    directives: Vec<Option<Directive>>,
    out: String,
    /// A space is due before the next word.
    space: bool,
    /// The segment of the last word.
    segment: Option<usize>,
    state: State,
    /// Ends of subtrees, as node indices: hidden by attributes, hidden by a class, preformatted, a formula.
    hidden: usize,
    hidden_by_class: usize,
    pre: usize,
    math: usize,
    /// Ends of open elements that change the meaning of their text.
    open: Vec<usize>,
    /// Results for class attributes: pages repeat them.
    hiding: HashMap<&'a str, bool>,
    /// Names and values of the page's metadata.
    metadata: Vec<(&'a str, &'a str)>,
}

impl<'a> Writer<'a> {
    fn close(&mut self, id: NodeId) {
        while self.open.pop_if(|end| *end <= id.index()).is_some() {
            self.out.push(END);
        }
    }

    fn text(&mut self, id: NodeId, text: &str) {
        let is_pre = id.index() < self.pre;
        let Some(segment) = self.layout.segment_of(id) else {
            // Text outside of segments is not shown, except for white space.
            if text.trim().is_empty() {
                if is_pre {
                    self.out.push_str(text);
                } else {
                    self.space = true;
                }
            }
            return;
        };
        self.space |= self.segment != Some(segment);
        self.segment = Some(segment);
        let parent = self.layout.segments.get(segment);
        let parent = parent.and_then(|segment| self.layout.boxes.get(segment.parent));
        self.set(State {
            hidden: parent.is_some_and(|found| found.hidden),
            on_demand: parent.is_some_and(|found| found.on_demand),
            hidden_by_class: id.index() < self.hidden_by_class,
            order: self.directives.get(segment).copied().flatten(),
        });
        if is_pre {
            self.words(text);
            return;
        }
        let mut rest = text;
        loop {
            let (plain, after) = split_plain_words(rest);
            self.words(plain);
            let mut others = after.chars();
            match others.next() {
                None => break,
                Some(c) if c.is_whitespace() => self.space = true,
                Some(c) if is_ignorable(c) => {}
                Some(c) => self.words(c.encode_utf8(&mut [0; 4])),
            }
            rest = others.as_str();
        }
    }

    fn words(&mut self, words: &str) {
        if !words.is_empty() {
            if std::mem::take(&mut self.space) {
                self.out.push(' ');
            }
            self.out.push_str(words);
        }
    }

    fn set(&mut self, state: State) {
        if state != self.state {
            self.state = state;
            self.space = true;
            self.put_state(state);
        }
    }

    fn put_state(&mut self, state: State) {
        let flags = [state.hidden, state.on_demand, state.hidden_by_class];
        self.out.push(STATE);
        self.out
            .extend(flags.map(|flag| if flag { '1' } else { '0' }));
        self.out.push(match state.order {
            None => ' ',
            Some(Directive::Include) => '+',
            Some(Directive::Exclude) => '-',
        });
    }

    fn element(&mut self, dom: &'a Dom, id: NodeId, element: Element<'a>, directives: &Directives) {
        let end = dom.end_of(id);
        let is_math = element.tag == Tag::Math || id.index() < self.math;
        match element.tag {
            Tag::Br => self.line_break(id),
            Tag::Pre => self.pre = self.pre.max(end),
            Tag::Math => self.math = self.math.max(end),
            Tag::Title => self.title(dom, id),
            Tag::Meta => self.meta(element),
            Tag::Input if element.has_word("type", "checkbox") => {
                for name in ["checked", "disabled"] {
                    let has = element.attribute(name).is_some();
                    self.item(name, if has { "yes" } else { "no" });
                }
            }
            _ => {}
        }
        if is_math || shapes_text(dom, id, element.tag) {
            self.out.push(START);
            self.out.push_str(element.name());
            self.open.push(end);
        }
        if !element.has_attributes() {
            return;
        }
        if end > self.hidden && is_hidden(element) {
            self.hidden = end;
        }
        let classes = element.attribute("class").unwrap_or_default();
        if end > self.hidden_by_class && self.hides(classes) {
            self.hidden_by_class = end;
        }
        // The order of attributes has no meaning.
        let mut attributes: Vec<(&str, &str)> = Vec::new();
        attributes.extend(element.attributes().filter(|(name, _)| match *name {
            // Only programs read the titles of links in the head.
            "alt" | "aria-label" | "title" | "label" | "playlabel" | "data-title" => {
                element.tag != Tag::Link
            }
            "lang" | "colspan" | "rowspan" | "start" | "reversed" => true,
            "value" => element.tag == Tag::Li,
            _ => false,
        }));
        if attributes.is_empty() {
            return;
        }
        attributes.sort_unstable();
        // An image may be left out although the text around it is kept.
        self.put_state(State {
            hidden: id.index() < self.hidden,
            on_demand: false,
            hidden_by_class: id.index() < self.hidden_by_class,
            order: directives.on(id, dom, self.layout).map(|(order, _)| order),
        });
        for (name, value) in attributes {
            self.item(name, value);
        }
    }

    fn line_break(&mut self, id: NodeId) {
        self.space = true;
        if id.index() < self.pre {
            self.out.push('\n');
        }
    }

    /// Writes a name and a value that are not part of the visible text.
    fn item(&mut self, name: &str, value: &str) {
        self.out.push(ITEM);
        self.out.push_str(name);
        self.out.push(ITEM);
        let mut words = value.split_whitespace();
        self.out.extend(words.next());
        for word in words {
            self.out.push(' ');
            self.out.push_str(word);
        }
        self.out.push(ITEM);
    }

    fn title(&mut self, dom: &Dom, id: NodeId) {
        for text in dom.children(id).filter_map(|child| dom.text(child)) {
            self.item("title", text);
        }
    }

    /// Writes titles, the names of the site, which are removed from titles, and metadata of players.
    fn meta(&mut self, element: Element<'a>) {
        let Some(content) = element.attribute("content") else {
            return;
        };
        if let Some(name @ ("name" | "description")) = element.attribute("itemprop") {
            self.item(name, content);
        }
        let named = ["name", "property"];
        let name = named.iter().find_map(|name| element.attribute(name));
        let names = [
            "og:title",
            "twitter:title",
            "og:site_name",
            "application-name",
        ];
        if let Some(name) =
            name.filter(|name| names.iter().any(|known| name.eq_ignore_ascii_case(known)))
        {
            self.metadata.push((name, content));
        }
    }

    fn hides(&mut self, classes: &'a str) -> bool {
        *self.hiding.entry(classes).or_insert_with(|| hides(classes))
    }
}

/// Elements that change the meaning of the same words: rows, numbered items, superscript digits.
fn shapes_text(dom: &Dom, id: NodeId, tag: Tag) -> bool {
    match tag {
        Tag::Li => dom.parent(id).is_some_and(|list| dom.tag(list) == Tag::Ol),
        Tag::Q
        | Tag::Rt
        | Tag::Sup
        | Tag::Sub
        | Tag::Del
        | Tag::Ins
        | Tag::Dt
        | Tag::Dd
        | Tag::Thead
        | Tag::Tfoot
        | Tag::Tr
        | Tag::Td
        | Tag::Th => true,
        _ => false,
    }
}

/// Returns true if a class name is one that common style sheets use to hide elements.
fn hides(classes: &str) -> bool {
    let lower = classes.to_ascii_lowercase();
    let mut names = lower.split_ascii_whitespace();
    names.any(|name| {
        let mut parts = name.split(|c: char| !c.is_ascii_alphanumeric());
        parts.any(|part| {
            matches!(
                part,
                "hidden"
                    | "hide"
                    | "invisible"
                    | "none"
                    | "offscreen"
                    | "visuallyhidden"
                    | "screenreader"
            )
        }) || name.contains("screen-reader")
            || name.contains("sr-only")
    })
}

#[cfg(test)]
mod tests {
    use crate::{Extractor, Html, Rule, Rules, SiteLearner};

    /// Returns true if two pages have the same hash.
    fn is_same(one: &str, other: &str) -> bool {
        let url = "https://example.com/a".parse().unwrap();
        let seen = "2025-01-15T09:00:00Z".parse().unwrap();
        let mut rule = Rule::new(None).unwrap();
        rule.exclude = vec![".aside".parse().unwrap()];
        let extractor = Extractor {
            rules: Rules::new(None, vec![rule]),
            ..Extractor::default()
        };
        let site = SiteLearner::new(extractor).finish();
        let [one, other] = [one, other].map(|html| {
            let html = Html::new(&url, html.as_bytes(), seen);
            site.extract_page(&html).unwrap().shown.unwrap()
        });
        one == other
    }

    #[test]
    fn ignores_markup() {
        for (one, other) in [
            ("<p>One two</p>", "<P CLASS=x id=y>One\n&#116;wo"),
            (
                "<p>One <b>two</b></p>",
                "<div><div><span>One </span></div>two</div>",
            ),
            (
                "<p>One</p><p>two</p>",
                "<section>One<!-- -->\n\n<div>two</section>",
            ),
            ("<p>O<i>ne</i>", "<p><b>On</b>e&shy;"),
            (
                "<ul><li>One</ul><script>1</script>",
                "<nav><style>2</style>One</nav>",
            ),
            ("<table><tr><td>1", "<table><tbody class=x><tr><td><p>1"),
            (
                "<img alt='A cat' src=1.png>",
                "<img class=c src=2.png alt=' A  cat'>",
            ),
            ("<pre><b>a</b> <i>b</i>", "<pre>a b"),
            ("<p>One<script>1</script>two", "<p>Onetwo"),
            (
                "<meta property=og:title content=A><meta name=twitter:title content=B><p>One",
                "<meta name=twitter:title content=B><meta property=og:title content=A><p>One",
            ),
            (
                "<img alt=A title=B src=1.png>",
                "<img title=B src=1.png alt=A>",
            ),
            ("<p>One <i class=sr>/two/</i>", "<p>One <i>/two/</i>"),
            ("<pre><b>a</b>  b", "<pre class=x>a<i>  b</i>"),
            (
                "<p hidden>One<p>Two",
                "<div style='display:none'>One</div>Two",
            ),
        ] {
            assert!(is_same(one, other), "{one} | {other}");
        }
    }

    #[test]
    fn notices_visible_changes() {
        for (one, other) in [
            ("<p>One two", "<p>One three"),
            ("<p>One two", "<p>two One"),
            ("<p>a part", "<p>apart"),
            ("<p>One<p>Two", "<p>One<p hidden>Two"),
            ("<p>One <b>two", "<p>One <b class='sr-only'>two"),
            (
                "<p>One <b class=d-none>two</b> three",
                "<p>One <b class=d-none>two three</b>",
            ),
            (
                "<div hidden id=a>One</div><a>Open</a>",
                "<div hidden id=a>One</div><a aria-controls=a>Open</a>",
            ),
            (
                "<meta property=og:title content=A><meta property=og:title content=B><p>One",
                "<meta property=og:title content=B><meta property=og:title content=A><p>One",
            ),
            ("<title>One</title><p>Two", "<title>Three</title><p>Two"),
            (
                "<p>One<img alt=Cat src=1.png>",
                "<p>One<img alt=Dog src=1.png>",
            ),
            (
                "<p>One<img alt=Cat src=1.png>Two",
                "<p>One Two<img alt=Cat src=1.png>",
            ),
            (
                "<p>One<img alt=Cat src=1.png>",
                "<p>One<img alt=Cat src=1.png class=d-none>",
            ),
            (
                "<p>One<img alt=Cat src=1.png>",
                "<p>One<img style='display:none' alt=Cat src=1.png>",
            ),
            ("<pre><div>a</div><div>b</div>", "<pre>ab"),
            ("<p lang=de><q>One</q>", "<p lang=en><q>One</q>"),
            ("<ul><li>One</ul>", "<ol><li>One</ol>"),
            ("<ol><li>One</ol>", "<ol start=2><li>One</ol>"),
            ("<table><tr><td><td>1", "<table><tr><td>1<td>"),
            ("<table><tr><td>1<td>2", "<table><tr><td>1<tr><td>2"),
            ("<p>10<sup>2</sup>3", "<p>10<sup>23</sup>"),
            ("<pre>if a:\n  b", "<pre>if a:\nb"),
            (
                "<p>One<math><mfrac><mn>1</mn><mn>2</mn></mfrac></math>",
                "<p>One<math><mn>1</mn><mn>2</mn></math>",
            ),
            (
                "<ul><li><input type=checkbox disabled>One",
                "<ul><li><input type=checkbox disabled checked>One",
            ),
        ] {
            assert!(!is_same(one, other), "{one} | {other}");
        }
    }

    #[test]
    fn notices_changed_instructions_of_the_owner() {
        let page = |attribute: &str| format!("<p>One<p {attribute}>Two <img alt=Cat src=1.png>");
        for attribute in [
            "data-sitecast=exclude",
            "data-sitecast=include",
            "data-nosnippet",
            "class=aside",
        ] {
            assert!(!is_same(&page(""), &page(attribute)), "{attribute}");
        }
        let picture = |attribute: &str| format!("<p>One <img alt=Cat src=1.png {attribute}>");
        assert!(!is_same(&picture(""), &picture("data-sitecast=exclude")));
    }
}
