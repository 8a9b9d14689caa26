//! Language of a listing, from the names that highlighters give to its elements.

use crate::blocks::class::{classes, has_class};
use crate::dom::{Dom, Element, NodeId, Tag};

/// Look for the language on this many elements around the listing.
const WRAPPERS: usize = 3;

const PREFIXES: &[&str] = &[
    "language-",
    "lang-",
    "highlight-source-",
    "highlight-",
    "src-",
];

const ATTRIBUTES: &[&str] = &[
    "data-lang",
    "data-language",
    "data-code-language",
    "data-enlighter-language",
];

/// Names that highlighters use where there is no language.
const NONE: &[&str] = &[
    "auto",
    "code",
    "default",
    "mdx-code-block",
    "none",
    "nohighlight",
    "no-highlight",
    "plain",
    "plaintext",
    "text",
    "txt",
    "undefined",
    "unknown",
];

/// Human languages, which pages name in the same way.
const HUMAN: &[&str] = &[
    "ar", "cn", "de", "en", "en-us", "en-gb", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt",
    "pt-br", "ru", "sv", "tr", "uk", "zh", "zh-cn",
];

/// Classes that mark a bare name beside them as a language.
const HIGHLIGHTERS: &[&str] = &[
    "hljs",
    "sourcecode",
    "highlight",
    "prettyprint",
    "syntaxhighlighter",
    "src",
    "prism",
    "brush",
    "codehilite",
    "shiki",
    "chroma",
    "crayon-syntax",
    "de1",
];

/// Languages that may stand without a prefix beside one of [`HIGHLIGHTERS`].
const KNOWN: &[&str] = &[
    "actionscript",
    "apache",
    "asm",
    "awk",
    "bash",
    "bat",
    "c",
    "c++",
    "clojure",
    "cmake",
    "cobol",
    "coffeescript",
    "console",
    "cpp",
    "crystal",
    "cs",
    "csharp",
    "css",
    "csv",
    "cuda",
    "d",
    "dart",
    "delphi",
    "diff",
    "docker",
    "dockerfile",
    "elisp",
    "elixir",
    "elm",
    "erlang",
    "fortran",
    "fsharp",
    "gherkin",
    "glsl",
    "go",
    "golang",
    "gradle",
    "graphql",
    "groovy",
    "handlebars",
    "haskell",
    "hcl",
    "html",
    "http",
    "ini",
    "java",
    "javascript",
    "jinja",
    "js",
    "jscript",
    "json",
    "jsonc",
    "jsx",
    "julia",
    "kotlin",
    "latex",
    "less",
    "lisp",
    "lua",
    "makefile",
    "markdown",
    "matlab",
    "md",
    "mysql",
    "nasm",
    "nginx",
    "nim",
    "nix",
    "objc",
    "objectivec",
    "ocaml",
    "pascal",
    "perl",
    "php",
    "plsql",
    "postgresql",
    "powershell",
    "prolog",
    "properties",
    "protobuf",
    "ps1",
    "puppet",
    "py",
    "python",
    "python3",
    "r",
    "racket",
    "rb",
    "rst",
    "ruby",
    "rs",
    "rust",
    "sass",
    "scala",
    "scheme",
    "scss",
    "sh",
    "shell",
    "sol",
    "solidity",
    "sql",
    "svelte",
    "swift",
    "tcl",
    "terraform",
    "tex",
    "toml",
    "ts",
    "tsx",
    "twig",
    "typescript",
    "vb",
    "vbnet",
    "verilog",
    "vhdl",
    "vim",
    "vue",
    "wasm",
    "xml",
    "yaml",
    "yml",
    "zig",
    "zsh",
];

/// Returns the language that a listing or an element around it names.
pub(crate) fn language_around(dom: &Dom, top: NodeId) -> Option<String> {
    dom.ancestors(top)
        .take(WRAPPERS + 1)
        .take_while(|id| *id == top || may_wrap(dom.tag(*id)))
        .find_map(|id| of_element(dom.element(id)?))
}

/// Returns true if an element may exist only to wrap a listing. Other elements may have classes with the human
/// language of the page.
fn may_wrap(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::Div
            | Tag::Figure
            | Tag::Td
            | Tag::Tr
            | Tag::Tbody
            | Tag::Table
            | Tag::Span
            | Tag::P
            | Tag::Pre
            | Tag::Code
            | Tag::Other
    )
}

pub(super) fn of_element(element: Element<'_>) -> Option<String> {
    ATTRIBUTES
        .iter()
        .find_map(|name| accept(element.attribute(name)?))
        .or_else(|| of_classes(element))
        // WP-Syntax and GitHub put it into `lang`, which elsewhere holds a human language.
        .or_else(|| {
            let name = element.attribute("lang")?;
            (element.tag == Tag::Pre && is_known(name))
                .then(|| accept(name))
                .flatten()
        })
}

/// Returns the language that the `class` of an element names.
pub(crate) fn of_classes(element: Element<'_>) -> Option<String> {
    let mut words = classes(element);
    while let Some(word) = words.next() {
        if let Some(found) = PREFIXES
            .iter()
            .find_map(|prefix| strip_prefix(word, prefix))
        {
            match accept(found) {
                Some(language) => return Some(language),
                None => continue,
            }
        }
        // `brush: js; toolbar: false`, with or without the space.
        if let Some(found) = strip_prefix(word, "brush:") {
            let name = if found.is_empty() {
                words.next()?
            } else {
                found
            };
            return accept(name.trim_end_matches(';'));
        }
    }
    if has_class(element, &["mermaid"]) {
        return Some("mermaid".to_owned());
    }
    if has_class(element, HIGHLIGHTERS) {
        return classes(element)
            .find(|word| is_known(word))
            .and_then(accept);
    }
    None
}

fn strip_prefix<'a>(word: &'a str, prefix: &str) -> Option<&'a str> {
    let (start, rest) = word.split_at_checked(prefix.len())?;
    start.eq_ignore_ascii_case(prefix).then_some(rest)
}

fn is_known(word: &str) -> bool {
    KNOWN.iter().any(|known| word.eq_ignore_ascii_case(known))
}

fn accept(name: &str) -> Option<String> {
    let name = name.trim().to_ascii_lowercase();
    let is_name = (1..=32).contains(&name.len())
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'#' | b'.' | b'_' | b'-'));
    let names_none = NONE.contains(&name.as_str()) || HUMAN.contains(&name.as_str());
    (is_name && !names_none).then_some(name)
}
