//! Which namespace a prefix stands for.

use super::Attributes;

/// The namespaces that make a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Namespace {
    /// That of sitemaps, or of the document's root whatever it is.
    Core,
    Scp,
    Xhtml,
    Other,
}

/// What prefixes stand for at this place of the document.
#[derive(Debug, Default)]
pub(crate) struct Namespaces {
    bindings: Vec<Binding>,
    /// The prefix of the root element.
    root_prefix: String,
    root_namespace: Option<String>,
    /// Whether the root's prefix means something else somewhere inside.
    root_rebound: bool,
}

#[derive(Debug)]
struct Binding {
    prefix: String,
    namespace: String,
    depth: usize,
}

const XHTML: &str = "http://www.w3.org/1999/xhtml";
/// Longer than any honest namespace is.
const LONGEST_BINDING: usize = 2_048;
/// More bindings than any honest document has at one place.
const MOST_BINDINGS: usize = 256;

impl Namespaces {
    /// Takes note of the root element, after [`Self::enter`].
    pub(crate) fn set_root(&mut self, name: &str) {
        self.root_prefix = prefix_of(name).to_owned();
        self.root_namespace = self.lookup(&self.root_prefix).map(str::to_owned);
        self.root_rebound = false;
    }

    /// Whether names without a prefix are in the root's namespace.
    pub(crate) fn root_is_plain(&self) -> bool {
        self.root_prefix.is_empty() && !self.root_rebound
    }

    /// The namespace of the root element, as declared.
    pub(crate) fn root_namespace(&self) -> Option<&str> {
        self.root_namespace.as_deref()
    }

    /// Takes note of what a tag declares. `depth` is that of its element.
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

    /// Forgets what the element declared that ends at this depth.
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

    /// The namespace and local name of an element, and whether its prefix is declared.
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

    /// Whether `xhtml:` is what it says.
    pub(super) fn has_plain_xhtml(&self) -> bool {
        self.lookup("xhtml") == Some(XHTML)
    }

    /// A prefix that stands for nothing yet: `scp` if it can be.
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

    /// Whether the prefix stands for the namespace of SCP.
    pub(crate) fn is_scp(&self, prefix: &str) -> bool {
        self.lookup(prefix) == Some(crate::SCP_NAMESPACE)
    }
}

/// An element's name, taken apart.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Name<'n> {
    pub(crate) namespace: Namespace,
    pub(crate) local: &'n str,
    pub(crate) form: Form,
}

/// How a prefix says what it stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// By a declaration, or by the lack of a prefix.
    Exact,
    /// By a declaration of something that is nearly right.
    Variant,
    /// Not at all.
    Undeclared,
}

/// The namespace of SCP, in whatever spelling and version.
fn is_scp_namespace(namespace: &str) -> bool {
    namespace.contains("scp-protocol.org/schemas/sitemap")
}

/// The namespace of sitemaps, in whatever spelling.
fn is_sitemap_namespace(namespace: &str) -> bool {
    let rest = namespace
        .strip_prefix("https://")
        .or_else(|| namespace.strip_prefix("http://"))
        .unwrap_or(namespace);
    let rest = rest.strip_prefix("www.").unwrap_or(rest);
    // Not `sitemap-image` and the like.
    ["sitemaps.org/schemas/sitemap", "google.com/schemas/sitemap"]
        .iter()
        .filter_map(|known| rest.strip_prefix(known))
        .any(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The prefix of a name, empty if there is none.
pub(super) fn prefix_of(name: &str) -> &str {
    split(name).0
}

/// Prefix and local name. Names are short: a plain search is the fastest.
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
