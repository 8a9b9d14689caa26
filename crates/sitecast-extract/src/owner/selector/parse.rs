//! The parser of selectors.

use super::{Combinator, Comparison, Complex, Compound, SelectorError, Test};
use crate::dom::kept_attribute;

/// The most compound selectors in a complex one: matching has a bit for each.
const MAX_COMPOUNDS: usize = 32;

const SUPPORTED: &str = "supported are element names, `*`, `.class`, `#id`, `[attribute]`, `[attribute=value]` with `=`, \
    `~=`, `^=`, `$=`, `*=` or `|=`, spaces, `>` and commas";

pub(super) fn selector(text: &str) -> Result<Vec<Complex>, SelectorError> {
    let mut parser = Parser { rest: text };
    parser.list().map_err(|problem| SelectorError {
        selector: text.to_owned(),
        problem,
    })
}

struct Parser<'t> {
    rest: &'t str,
}

impl Parser<'_> {
    fn list(&mut self) -> Result<Vec<Complex>, String> {
        let mut alternatives = Vec::new();
        loop {
            alternatives.push(self.complex()?);
            if !self.takes(',') {
                return Ok(alternatives);
            }
        }
    }

    fn complex(&mut self) -> Result<Complex, String> {
        let mut complex = Vec::new();
        let mut combinator = Combinator::Descendant;
        self.skip_space();
        loop {
            complex.push((combinator, self.compound()?));
            if complex.len() > MAX_COMPOUNDS {
                return Err(format!("more than {MAX_COMPOUNDS} parts"));
            }
            let had_space = self.skip_space();
            combinator = match self.peek() {
                None | Some(',') => return Ok(complex),
                Some('>') => {
                    self.takes('>');
                    self.skip_space();
                    Combinator::Child
                }
                Some(_) if had_space => Combinator::Descendant,
                Some(other) => return Err(format!("unexpected `{other}`; {SUPPORTED}")),
            };
        }
    }

    fn compound(&mut self) -> Result<Compound, String> {
        let mut compound = Compound::default();
        let mut is_empty = true;
        if self.takes('*') {
            is_empty = false;
        } else if self.peek().is_some_and(begins_name) {
            compound.name = Some(self.name()?.to_lowercase());
            is_empty = false;
        }
        loop {
            let test = match self.peek() {
                Some('.') => {
                    self.takes('.');
                    test("class", Comparison::HasWord, self.name()?)
                }
                Some('#') => {
                    self.takes('#');
                    test("id", Comparison::Equals, self.name()?)
                }
                Some('[') => {
                    self.takes('[');
                    self.attribute()?
                }
                Some(_) | None if !is_empty => return Ok(compound),
                Some(other) if other != ',' && other != '>' => {
                    return Err(format!("unexpected `{other}`; {SUPPORTED}"));
                }
                _ => {
                    return Err(
                        "a part is missing at an end, or before or after `,` or `>`".to_owned()
                    );
                }
            };
            compound.tests.push(test);
            is_empty = false;
        }
    }

    /// Reads the rest of an attribute selector after `[`.
    fn attribute(&mut self) -> Result<Test, String> {
        self.skip_space();
        let name = self.name()?.to_lowercase();
        let Some(attribute) = kept_attribute(&name) else {
            return Err(format!(
                "Sitecast does not keep the attribute `{name}`; among others it keeps `class`, `id`, `role`, `itemprop`, \
                 `itemtype`, `property`, `typeof`, `rel`, `href`, `src`, `name`, `lang`, `title`, `aria-label`, \
                 `data-component`, `data-testid` and `data-sitecast`"
            ));
        };
        self.skip_space();
        let comparison = match self.peek() {
            Some(']') => {
                self.takes(']');
                return Ok(test(attribute, Comparison::Present, String::new()));
            }
            Some('=') => Comparison::Equals,
            Some('~') => Comparison::HasWord,
            Some('^') => Comparison::Begins,
            Some('$') => Comparison::Ends,
            Some('*') => Comparison::Contains,
            Some('|') => Comparison::Language,
            _ => return Err("`]` is missing".to_owned()),
        };
        if comparison != Comparison::Equals {
            self.next();
        }
        if !self.takes('=') {
            return Err("`=` is missing between `[` and `]`".to_owned());
        }
        self.skip_space();
        let value = match self.peek() {
            Some(quote @ ('"' | '\'')) => self.quoted(quote)?,
            _ => self.name()?,
        };
        self.skip_space();
        if !self.takes(']') {
            return Err("`]` is missing".to_owned());
        }
        Ok(test(attribute, comparison, value))
    }

    /// Reads a name; a backslash escapes a single character.
    fn name(&mut self) -> Result<String, String> {
        let mut name = String::new();
        while let Some(c) = self.peek() {
            if c == '\\' {
                self.next();
                let escaped = self.next().ok_or("a character is missing after `\\`")?;
                name.push(escaped);
            } else if in_name(c) {
                self.next();
                name.push(c);
            } else {
                break;
            }
        }
        if name.is_empty() {
            return Err(match self.peek() {
                Some(other) => format!("expected a name, found `{other}`"),
                None => "a name is missing at the end".to_owned(),
            });
        }
        Ok(name)
    }

    fn quoted(&mut self, quote: char) -> Result<String, String> {
        self.next();
        let mut value = String::new();
        loop {
            match self.next() {
                None => return Err(format!("closing {quote} is missing")),
                Some('\\') => value.extend(self.next()),
                Some(c) if c == quote => return Ok(value),
                Some(c) => value.push(c),
            }
        }
    }

    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let next = chars.next();
        self.rest = chars.as_str();
        next
    }

    fn takes(&mut self, wanted: char) -> bool {
        let is_there = self.peek() == Some(wanted);
        if is_there {
            self.next();
        }
        is_there
    }

    fn skip_space(&mut self) -> bool {
        let rest = self.rest.trim_start();
        let skipped = rest.len() < self.rest.len();
        self.rest = rest;
        skipped
    }
}

fn test(attribute: &'static str, comparison: Comparison, value: String) -> Test {
    Test {
        attribute,
        comparison,
        value,
    }
}

fn in_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_') || !c.is_ascii()
}

fn begins_name(c: char) -> bool {
    in_name(c) || c == '\\'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_the_problem() {
        for (text, expected) in [
            ("", "missing"),
            ("  ", "missing"),
            ("a,", "missing"),
            (", a", "missing"),
            ("> a", "missing"),
            ("a >", "missing"),
            ("a:hover", "unexpected `:`"),
            (":root", "unexpected `:`"),
            ("a + b", "unexpected `+`"),
            ("a ~ b", "unexpected `~`"),
            ("a.", "a name is missing"),
            ("a..b", "expected a name, found `.`"),
            ("[", "a name is missing"),
            ("[id", "`]` is missing"),
            ("[id=", "a name is missing"),
            ("[id='x]", "' is missing"),
            ("[id~x]", "`=` is missing"),
            ("[id=x y]", "`]` is missing"),
            ("[onclick]", "does not keep the attribute `onclick`"),
            ("a\\", "missing after `\\`"),
        ] {
            let error = selector(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
        assert!(selector(&"a ".repeat(33)).is_err());
        assert!(selector(&"a ".repeat(32)).is_ok());
    }
}
