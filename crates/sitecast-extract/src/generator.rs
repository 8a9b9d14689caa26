//! Recognition of documentation generators by the `<head>` of their pages.

use crate::dom::{Dom, NodeId, Tag};

/// Names in `<meta name=generator>`, in lower case.
const GENERATORS: [&str; 20] = [
    "antora",
    "asciidoctor",
    "docbook",
    "docfx",
    "docusaurus",
    "docutils",
    "doxygen",
    "javadoc",
    "jekyll-theme-just-the-docs",
    "jsdoc",
    "mdbook",
    "mkdocs",
    "nextra",
    "pdoc",
    "retype",
    "rustdoc",
    "sphinx",
    "starlight",
    "typedoc",
    "vitepress",
];

/// Returns true if `<meta name=generator>` names a generator of documentation only.
pub(crate) fn is_made_by_documentation_generator(dom: &Dom) -> bool {
    let head = dom.elements(NodeId::ROOT);
    let mut head = head.take_while(|(_, element)| element.tag != Tag::Body);
    head.any(|(_, element)| {
        let attribute = |name| element.attribute(name).unwrap_or_default();
        element.tag == Tag::Meta
            && attribute("name").eq_ignore_ascii_case("generator")
            && names_generator(attribute("content"))
    })
}

/// Returns true if a documentation generator made a page. Sphinx is recognized by its style sheet alone.
pub(crate) fn is_documentation(dom: &Dom) -> bool {
    let is_sphinx = || {
        let head = dom.elements(NodeId::ROOT);
        let mut head = head.take_while(|(_, element)| element.tag != Tag::Body);
        head.any(|(_, element)| {
            let href = element.attribute("href").unwrap_or_default();
            element.tag == Tag::Link && href.contains("_static/pygments.css")
        })
    };
    is_made_by_documentation_generator(dom) || is_sphinx()
}

fn names_generator(generator: &str) -> bool {
    let generator = generator.to_ascii_lowercase();
    GENERATORS.iter().any(|name| generator.contains(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use crate::dom::parse;

    #[test]
    fn recognizes_documentation_generators() {
        let is = |html: &str| is_made_by_documentation_generator(&parse(html, &Limits::default()));
        assert!(is("<meta name=generator content='Doxygen 1.9.1'>"));
        assert!(is(
            "<meta name=Generator content='mkdocs-1.6.1, mkdocs-material-9.8.1'>"
        ));
        assert!(!is("<meta name=generator content='WordPress 6.8'>"));
        assert!(!is("<meta name=description content='How to use Sphinx'>"));
        assert!(!is("<title>sphinx</title>"));
    }

    #[test]
    fn recognizes_sphinx_by_its_style_sheet() {
        let is = |html: &str| is_documentation(&parse(html, &Limits::default()));
        assert!(is(
            "<link rel=stylesheet href='../_static/pygments.css?v=5ecbeea2'>"
        ));
        assert!(is("<meta name=generator content=mkdocs-1.6.1>"));
        assert!(!is("<link rel=stylesheet href='/static/site.css'>"));
    }
}
