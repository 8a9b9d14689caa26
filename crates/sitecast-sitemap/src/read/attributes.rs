//! The attributes of a tag, taken apart once.

use std::borrow::Cow;

use super::xml::resolve_all;

/// More attributes than any honest tag has; the rest is passed over.
const MOST: usize = 64;

/// The attributes of a tag: names and values as written, and what is wrong with their form.
#[derive(Debug, Default)]
pub(crate) struct Attributes<'t> {
    list: Vec<(&'t str, &'t str)>,
    problem: Option<&'static str>,
}

impl<'t> Attributes<'t> {
    /// Takes apart what stands in a tag behind its name.
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

    /// Takes one attribute from the beginning of the text; answers what is behind it.
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
            self.note("an attribute that comes twice");
        } else {
            self.list.push((name, value));
        }
    }

    fn note(&mut self, problem: &'static str) {
        self.problem.get_or_insert(problem);
    }

    /// What a strict parser would end at, if anything.
    pub(crate) fn problem(&self) -> Option<&'static str> {
        self.problem
    }

    /// The value of an attribute, its references resolved where they can be.
    pub(super) fn get(&self, name: &str) -> Option<Cow<'t, str>> {
        let (_, value) = self.list.iter().find(|(known, _)| *known == name)?;
        Some(resolve_all(value))
    }

    /// The namespaces that are declared, each with its prefix.
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
    fn well_formed_ones_are_taken_apart() {
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
    fn what_is_wrong_is_noted_and_the_rest_read() {
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
        /// Where the parser underneath finds nothing wrong, both read the same.
        #[test]
        fn agrees_with_the_parser_underneath(raw in "( |a|b:c|=|\"|'|x|>|\n|1){0,30}") {
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
