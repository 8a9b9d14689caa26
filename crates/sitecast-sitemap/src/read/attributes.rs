//! Tolerant parser for the attributes of a tag.

use std::borrow::Cow;

use super::xml::resolve_all;

/// The most attributes read of one tag. Real tags have fewer; the rest is ignored.
const MOST: usize = 64;

/// The attributes of a tag: names and values as written, and the first syntax error.
#[derive(Debug, Default)]
pub(crate) struct Attributes<'t> {
    list: Vec<(&'t str, &'t str)>,
    problem: Option<&'static str>,
}

impl<'t> Attributes<'t> {
    /// Parses the text of a tag after its name.
    pub(crate) fn parse(raw: &'t str) -> Self {
        let mut attributes = Self::default();
        let mut rest = raw;
        loop {
            let spaced = rest.trim_ascii_start();
            if spaced.is_empty() {
                return attributes;
            }
            if spaced.len() == rest.len() {
                attributes.note("no space between attributes");
            }
            rest = attributes.take_one(spaced);
            if attributes.list.len() >= MOST {
                attributes.note("too many attributes");
                return attributes;
            }
        }
    }

    /// Parses one attribute at the beginning of the text. Returns the text after it.
    fn take_one(&mut self, text: &'t str) -> &'t str {
        let bytes = text.as_bytes();
        let name_end = bytes
            .iter()
            .position(|byte| byte.is_ascii_whitespace() || *byte == b'=')
            .unwrap_or(bytes.len());
        let (name, rest) = text.split_at_checked(name_end).unwrap_or((text, ""));
        if name.is_empty() || name.contains(['"', '\'', '<', '>']) {
            self.note("an attribute without a name");
        }
        let Some(value) = rest.trim_ascii_start().strip_prefix('=') else {
            self.note("an attribute without a value");
            self.push(name, "");
            return rest;
        };
        let value = value.trim_ascii_start();
        let quote = match value.as_bytes().first() {
            Some(quote @ (b'"' | b'\'')) => *quote,
            _ => {
                self.note("an attribute without quotes");
                let end = value
                    .find(|c: char| c.is_ascii_whitespace())
                    .unwrap_or(value.len());
                let (value, rest) = value.split_at_checked(end).unwrap_or((value, ""));
                self.push(name, value);
                return rest;
            }
        };
        let value = value.get(1..).unwrap_or_default();
        match memchr::memchr(quote, value.as_bytes()) {
            Some(end) => {
                let (value, rest) = value.split_at_checked(end).unwrap_or((value, ""));
                if value.contains('<') {
                    self.note("`<` in an attribute");
                }
                self.push(name, value);
                rest.get(1..).unwrap_or_default()
            }
            None => {
                self.note("an attribute whose quotes are not closed");
                ""
            }
        }
    }

    fn push(&mut self, name: &'t str, value: &'t str) {
        if self.list.iter().any(|(known, _)| *known == name) {
            self.note("a duplicate attribute");
        } else {
            self.list.push((name, value));
        }
    }

    fn note(&mut self, problem: &'static str) {
        self.problem.get_or_insert(problem);
    }

    /// The first error at which a strict parser would stop, if any.
    pub(crate) fn problem(&self) -> Option<&'static str> {
        self.problem
    }

    /// The value of an attribute, with its references resolved where possible.
    pub(super) fn get(&self, name: &str) -> Option<Cow<'t, str>> {
        let (_, value) = self.list.iter().find(|(known, _)| *known == name)?;
        Some(resolve_all(value))
    }

    /// The declared namespaces, as prefix and namespace.
    pub(super) fn declarations(&self) -> impl Iterator<Item = (&'t str, &'t str)> {
        self.list.iter().filter_map(|(name, value)| {
            let prefix = match name.strip_prefix("xmlns")? {
                "" => "",
                rest => rest.strip_prefix(':')?,
            };
            Some((prefix, value.trim()))
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn parses_well_formed_attributes() {
        let attributes = Attributes::parse(
            " a=\"1 > 0\"\n\tb = '\"&amp;&x'  xmlns='urn:d' xmlns:p=\" urn:p \"  ",
        );
        assert_eq!(attributes.problem(), None);
        assert_eq!(attributes.get("a").unwrap(), "1 > 0");
        assert_eq!(attributes.get("b").unwrap(), "\"&&x");
        assert_eq!(attributes.get("c"), None);
        let declared: Vec<_> = attributes.declarations().collect();
        assert_eq!(declared, [("", "urn:d"), ("p", "urn:p")]);
        assert_eq!(Attributes::parse("").problem(), None);
    }

    #[test]
    fn reports_problems_and_reads_the_rest() {
        for (raw, last) in [
            (" x a=\"1\"", Some("1")),
            (" b=2 a=\"1\"", Some("1")),
            (" b=\"2\"a=\"1\"", Some("1")),
            (" a=\"1\" a=\"2\"", Some("1")),
            (" b=\"<\" a=\"1\"", Some("1")),
            (" a=\"1", None),
            (" a=", Some("")),
        ] {
            let attributes = Attributes::parse(raw);
            assert!(attributes.problem().is_some(), "{raw}");
            assert_eq!(attributes.get("a").as_deref(), last, "{raw}");
        }
        let many: String = (0..1_000).map(|n| format!(" a{n}=\"\"")).collect();
        assert!(Attributes::parse(&many).problem().is_some());
    }

    proptest! {
        /// If this parser finds no error, quick-xml reads the same attributes.
        #[test]
        fn agrees_with_quick_xml(raw in "( |a|b:c|=|\"|'|x|>|\n|1){0,30}") {
            let ours = Attributes::parse(&raw);
            let content = format!("e {raw}");
            let tag = quick_xml::events::BytesStart::from_content(content.as_str(), 1);
            let theirs: Result<Vec<_>, _> = tag.attributes().collect();
            if ours.problem().is_none() {
                let theirs: Vec<(String, String)> = theirs.unwrap().iter().map(|a| (AsRef::<str>::as_ref(&a.key).to_owned(), a.value.to_string())).collect();
                let ours: Vec<(String, String)> = ours.list.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
                prop_assert_eq!(ours, theirs);
            }
        }
    }
}
