//! XML namespaces: the resolution of prefixes.

use super::Attributes;

/// The namespaces that are distinguished.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Namespace {
    /// The namespace of sitemaps, or that of the document's root element.
    Core,
    Scp,
    Xhtml,
    Other,
}

/// The prefixes declared at the current position in the document.
#[derive(Debug, Default)]
pub(crate) struct Namespaces {
    bindings: Vec<Binding>,
    /// The prefix of the root element.
    root_prefix: String,
    root_namespace: Option<String>,
    /// True if the root's prefix was declared again within the document.
    root_rebound: bool,
}

#[derive(Debug)]
struct Binding {
    prefix: String,
    namespace: String,
    depth: usize,
}

const XHTML: &str = "http://www.w3.org/1999/xhtml";
/// The longest prefix and namespace together, in bytes. Longer declarations are ignored.
const LONGEST_BINDING: usize = 2_048;
/// The most bindings at one position. Further declarations are ignored.
const MOST_BINDINGS: usize = 256;

impl Namespaces {
    /// Sets the root element. Call it after [`Self::enter`].
    pub(crate) fn set_root(&mut self, name: &str) {
        self.root_prefix = prefix_of(name).to_owned();
        self.root_namespace = self.lookup(&self.root_prefix).map(str::to_owned);
        self.root_rebound = false;
    }

    /// Returns true if names without a prefix are in the root's namespace.
    pub(crate) fn root_is_plain(&self) -> bool {
        self.root_prefix.is_empty() && !self.root_rebound
    }

    /// The namespace of the root element, as declared.
    pub(crate) fn root_namespace(&self) -> Option<&str> {
        self.root_namespace.as_deref()
    }

    /// Adds the declarations of a tag. `depth` is the depth of its element.
    pub(crate) fn enter(&mut self, attributes: &Attributes<'_>, depth: usize) {
        for (prefix, namespace) in attributes.declarations() {
            let absurd = prefix.len() + namespace.len() > LONGEST_BINDING;
            if self.bindings.len() < MOST_BINDINGS && !absurd {
                self.root_rebound |= prefix == self.root_prefix;
                self.bindings.push(Binding {
                    prefix: prefix.to_owned(),
                    namespace: namespace.to_owned(),
                    depth,
                });
            }
        }
    }

    /// Removes the declarations of the element that ends at this depth.
    #[inline]
    pub(crate) fn leave(&mut self, depth: usize) {
        while self
            .bindings
            .last()
            .is_some_and(|binding| binding.depth >= depth)
        {
            self.bindings.pop();
        }
    }

    fn lookup(&self, prefix: &str) -> Option<&str> {
        self.bindings
            .iter()
            .rev()
            .find(|binding| binding.prefix == prefix)
            .map(|binding| binding.namespace.as_str())
    }

    /// Returns the namespace and local name of an element, and the form of its prefix declaration.
    #[inline]
    pub(crate) fn resolve<'n>(&self, name: &'n str) -> Name<'n> {
        let (prefix, local) = split(name);
        if prefix == self.root_prefix && !self.root_rebound {
            let namespace = Namespace::Core;
            return Name {
                namespace,
                local,
                form: Form::Exact,
            };
        }
        let found = self.lookup(prefix);
        let namespace = match found {
            Some(namespace) if is_scp_namespace(namespace) => Namespace::Scp,
            Some(XHTML) => Namespace::Xhtml,
            Some(namespace) if self.root_namespace.as_deref() == Some(namespace) => Namespace::Core,
            Some(namespace) if is_sitemap_namespace(namespace) => Namespace::Core,
            Some(_) => Namespace::Other,
            None => match prefix {
                "" => Namespace::Core,
                "scp" => Namespace::Scp,
                "xhtml" => Namespace::Xhtml,
                _ => Namespace::Other,
            },
        };
        Name {
            namespace,
            local,
            form: match found {
                None if !prefix.is_empty() => Form::Undeclared,
                Some(other) if namespace == Namespace::Scp && other != crate::SCP_NAMESPACE => {
                    Form::Variant
                }
                _ => Form::Exact,
            },
        }
    }

    /// Returns true if the prefix `xhtml` stands for the namespace of XHTML.
    pub(super) fn has_plain_xhtml(&self) -> bool {
        self.lookup("xhtml") == Some(XHTML)
    }

    /// Returns a prefix that does not stand for another namespace than that of SCP: `scp` if possible.
    pub(crate) fn free_prefix(&self) -> String {
        let taken = |prefix: &str| {
            self.lookup(prefix)
                .is_some_and(|namespace| namespace != crate::SCP_NAMESPACE)
        };
        std::iter::once("scp".to_owned())
            .chain((2..).map(|number| format!("scp{number}")))
            .find(|prefix| !taken(prefix))
            .unwrap_or_default()
    }

    /// Returns true if the prefix stands for the namespace of SCP.
    pub(crate) fn is_scp(&self, prefix: &str) -> bool {
        self.lookup(prefix) == Some(crate::SCP_NAMESPACE)
    }
}

/// The parts of an element's name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Name<'n> {
    pub(crate) namespace: Namespace,
    pub(crate) local: &'n str,
    pub(crate) form: Form,
}

/// The declaration of a prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// The declaration is correct, or there is no prefix.
    Exact,
    /// The declared namespace is similar to that of SCP.
    Variant,
    /// The prefix is not declared.
    Undeclared,
}

/// Returns true for the namespace of SCP, in any spelling and version.
fn is_scp_namespace(namespace: &str) -> bool {
    namespace.contains("scp-protocol.org/schemas/sitemap")
}

/// Returns true for the namespace of sitemaps, in any spelling.
fn is_sitemap_namespace(namespace: &str) -> bool {
    let rest = namespace
        .strip_prefix("https://")
        .or_else(|| namespace.strip_prefix("http://"))
        .unwrap_or(namespace);
    let rest = rest.strip_prefix("www.").unwrap_or(rest);
    // A slash or the end must follow, which excludes `sitemap-image` and similar namespaces.
    ["sitemaps.org/schemas/sitemap", "google.com/schemas/sitemap"]
        .iter()
        .filter_map(|known| rest.strip_prefix(known))
        .any(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The prefix of a name, empty if there is none.
pub(super) fn prefix_of(name: &str) -> &str {
    split(name).0
}

/// Splits a name into prefix and local name. Names are short, so a plain search is fastest.
#[inline]
fn split(name: &str) -> (&str, &str) {
    match name.bytes().position(|byte| byte == b':') {
        None => ("", name),
        Some(at) => (
            name.get(..at).unwrap_or_default(),
            name.get(at + 1..).unwrap_or_default(),
        ),
    }
}
