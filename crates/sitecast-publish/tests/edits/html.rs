//! HTML as a list of tags and what is between them, as written, so that an edit changes nothing else.

/// A part of a page, as written.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Piece {
    Tag(Tag),
    Text(String),
    /// What edits leave alone: comments, declarations, scripts, styles, drawings, formulas.
    Raw(String),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tag {
    /// As written; compare with [`Tag::is`].
    pub(crate) name: String,
    pub(crate) is_end: bool,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) closes_itself: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Attribute {
    pub(crate) name: String,
    /// Without quotes, its entities as written; `None` where there is only a name.
    pub(crate) value: Option<String>,
    pub(crate) quote: char,
}

impl Tag {
    pub(crate) fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    pub(crate) fn is_one_of(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.is(name))
    }

    pub(crate) fn value(&self, name: &str) -> Option<&str> {
        let mut found = self.attributes.iter();
        let found = found.find(|attribute| attribute.name.eq_ignore_ascii_case(name))?;
        found.value.as_deref()
    }

    fn write(&self, out: &mut String) {
        out.push_str(if self.is_end { "</" } else { "<" });
        out.push_str(&self.name);
        for attribute in &self.attributes {
            out.push(' ');
            out.push_str(&attribute.name);
            if let Some(value) = &attribute.value {
                out.push('=');
                out.push(attribute.quote);
                out.push_str(value);
                out.push(attribute.quote);
            }
        }
        out.push_str(if self.closes_itself { " />" } else { ">" });
    }
}

/// A start tag.
pub(crate) fn start(name: &str, attributes: &[(&str, &str)]) -> Piece {
    let attributes = attributes.iter().map(|(name, value)| Attribute {
        name: (*name).to_owned(),
        value: Some((*value).to_owned()),
        quote: '"',
    });
    Piece::Tag(Tag {
        name: name.to_owned(),
        is_end: false,
        attributes: attributes.collect(),
        closes_itself: false,
    })
}

pub(crate) fn end(name: &str) -> Piece {
    Piece::Tag(Tag {
        name: name.to_owned(),
        is_end: true,
        attributes: Vec::new(),
        closes_itself: false,
    })
}

/// Elements of which only the start tag is edited.
const LEFT_ALONE: &[&str] = &[
    "script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes", "noscript",
    "template", "svg", "math",
];

pub(crate) fn pieces(html: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = html;
    while !rest.is_empty() {
        let (piece, length) = first(rest);
        let inside = match &piece {
            Piece::Tag(tag) if !tag.is_end && !tag.closes_itself && tag.is_one_of(LEFT_ALONE) => {
                Some(until_end(&rest[length..], &tag.name))
            }
            _ => None,
        };
        pieces.push(piece);
        rest = &rest[length..];
        if let Some(inside) = inside.filter(|inside| *inside > 0) {
            pieces.push(Piece::Raw(rest[..inside].to_owned()));
            rest = &rest[inside..];
        }
    }
    pieces
}

pub(crate) fn written(pieces: &[Piece]) -> String {
    let mut html = String::new();
    for piece in pieces {
        match piece {
            Piece::Tag(tag) => tag.write(&mut html),
            Piece::Text(text) | Piece::Raw(text) => html.push_str(text),
        }
    }
    html
}

/// How far it is to the end tag.
fn until_end(rest: &str, name: &str) -> usize {
    let lower = rest.to_ascii_lowercase();
    let end = format!("</{}", name.to_ascii_lowercase());
    lower.find(&end).unwrap_or(rest.len())
}

fn first(rest: &str) -> (Piece, usize) {
    let raw = |length: usize| (Piece::Raw(rest[..length].to_owned()), length);
    let until = |end: &str| rest.find(end).map_or(rest.len(), |at| at + end.len());
    if rest.starts_with("<!--") {
        return raw(until("-->"));
    }
    if rest.starts_with("<!") || rest.starts_with("<?") {
        return raw(until(">"));
    }
    if let Some((tag, length)) = tag(rest) {
        return (Piece::Tag(tag), length);
    }
    // A `<` that begins no tag is text.
    let begins_tag = |at: &usize| {
        rest[*at + 1..].starts_with(|c: char| c.is_ascii_alphabetic() || "/!?".contains(c))
    };
    let mut marks = rest
        .match_indices('<')
        .map(|(at, _)| at)
        .filter(|at| *at > 0);
    let length = marks.find(begins_tag).unwrap_or(rest.len());
    (Piece::Text(rest[..length].to_owned()), length)
}

fn tag(rest: &str) -> Option<(Tag, usize)> {
    let inside = rest.strip_prefix('<')?;
    let (is_end, inside) = match inside.strip_prefix('/') {
        Some(inside) => (true, inside),
        None => (false, inside),
    };
    if !inside.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let stops = |c: char| c.is_ascii_whitespace() || c == '/' || c == '>';
    let (name, mut left) = inside.split_at(inside.find(stops)?);
    let mut tag = Tag {
        name: name.to_owned(),
        is_end,
        attributes: Vec::new(),
        closes_itself: false,
    };
    loop {
        left = left.trim_ascii_start();
        if let Some(after) = left.strip_prefix('>') {
            return Some((tag, rest.len() - after.len()));
        }
        if let Some(after) = left.strip_prefix('/') {
            tag.closes_itself = after.starts_with('>');
            left = after;
            continue;
        }
        let (attribute, after) = attribute(left)?;
        tag.attributes.push(attribute);
        left = after;
    }
}

fn attribute(left: &str) -> Option<(Attribute, &str)> {
    let stops = |c: char| c.is_ascii_whitespace() || matches!(c, '/' | '>' | '=');
    // An `=` may begin a name.
    let at = left.char_indices().skip(1).find(|(_, c)| stops(*c))?.0;
    let (name, after) = left.split_at(at);
    let attribute = |value: Option<&str>, quote| Attribute {
        name: name.to_owned(),
        value: value.map(str::to_owned),
        quote,
    };
    let Some(value) = after.trim_ascii_start().strip_prefix('=') else {
        return Some((attribute(None, '"'), after));
    };
    let value = value.trim_ascii_start();
    for quote in ['"', '\''] {
        if let Some(inside) = value.strip_prefix(quote) {
            let (inside, after) = inside.split_once(quote)?;
            return Some((attribute(Some(inside), quote), after));
        }
    }
    let stops = |c: char| c.is_ascii_whitespace() || c == '>';
    let (bare, after) = value.split_at(value.find(stops)?);
    // Quoted from here on, which is the same.
    let quote = if bare.contains('"') { '\'' } else { '"' };
    Some((attribute(Some(bare), quote), after))
}

/// For each piece that is a start tag with an end tag of its own, where that is. Tags that are out of order have none.
pub(crate) fn ends(pieces: &[Piece]) -> Vec<Option<usize>> {
    let mut ends = vec![None; pieces.len()];
    let mut open: Vec<usize> = Vec::new();
    for (at, piece) in pieces.iter().enumerate() {
        let Piece::Tag(tag) = piece else { continue };
        if !tag.is_end {
            if !tag.is_one_of(EMPTY) && !tag.closes_itself {
                open.push(at);
            }
            continue;
        }
        let is_its_start =
            |at: &usize| matches!(&pieces[*at], Piece::Tag(start) if start.is(&tag.name));
        if let Some(place) = open.iter().rposition(is_its_start) {
            // What was left open in between may end anywhere.
            if place + 1 == open.len() {
                ends[open[place]] = Some(at);
            }
            open.truncate(place);
        }
    }
    ends
}

const EMPTY: &[&str] = &[
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source",
    "track", "wbr",
];

#[test]
fn a_page_is_written_as_it_was_read() {
    let html = "<!DOCTYPE html><html lang=\"en\"><head><title>A < B</title><script>if (a<b) \"</p>\"</script></head>\
        <body class=\"x\"><!-- <p> --><p title='a \"b\"' hidden>1 < 2 &amp; 3<br /><svg><path d=\"M0\"/></svg></p></body></html>";
    let pieces = pieces(html);
    assert_eq!(written(&pieces), html);
    let ends = ends(&pieces);
    let named = |name: &str| {
        pieces
            .iter()
            .position(|piece| matches!(piece, Piece::Tag(tag) if tag.is(name)))
    };
    let end = ends[named("p").unwrap()].unwrap();
    assert!(matches!(&pieces[end], Piece::Tag(tag) if tag.is_end && tag.is("p")));
}
