//! The settings' globs: excluded paths, and the pages of each section.

use globset::{Glob, GlobSet, GlobSetBuilder};
use sitecast_extract::path_glob;

use crate::ledger::{MOST_SECTIONS, SectionBits};
use crate::{Options, PublishError};

/// The globs of the settings, ready to be used.
#[derive(Debug)]
pub(crate) struct Rules {
    exclude: GlobSet,
    /// `None` for a section of all pages.
    sections: Vec<Option<GlobSet>>,
}

impl Rules {
    pub(crate) fn new(options: &Options) -> Result<Self, PublishError> {
        if options.sections.is_empty() {
            return Err(settings("there is no section to publish"));
        }
        if options.sections.len() > MOST_SECTIONS {
            return Err(settings(&format!(
                "there are more than {MOST_SECTIONS} sections"
            )));
        }
        let mut names: Vec<&str> = options.sections.iter().map(|s| s.name.as_str()).collect();
        names.sort_unstable();
        if let Some([name, _]) = names.windows(2).find(|pair| pair.first() == pair.last()) {
            return Err(settings(&format!("there are two sections called `{name}`")));
        }
        let sections = options
            .sections
            .iter()
            .map(|section| match section.paths.as_slice() {
                [] => Ok(None),
                paths => globs(paths).map(Some),
            })
            .collect::<Result<_, _>>()?;
        Ok(Self {
            exclude: globs(&options.exclude)?,
            sections,
        })
    }

    /// Returns true if the settings exclude a path.
    pub(crate) fn excludes(&self, path: &str) -> bool {
        self.exclude.is_match(path)
    }

    /// The sections that a path belongs to.
    pub(crate) fn sections(&self, path: &str) -> SectionBits {
        let mut bits = 0;
        for (number, globs) in self.sections.iter().enumerate() {
            if globs.as_ref().is_none_or(|globs| globs.is_match(path)) {
                bits |= 1 << number;
            }
        }
        bits
    }
}

/// Checks a glob that pages can be chosen with.
pub fn check_glob(pattern: &str) -> Result<(), PublishError> {
    glob(pattern).map(|_| ())
}

fn glob(pattern: &str) -> Result<Glob, PublishError> {
    path_glob(pattern).map_err(|error| settings(&error.to_string()))
}

fn globs(patterns: &[String]) -> Result<GlobSet, PublishError> {
    let mut builder = GlobSetBuilder::new();
    for pattern in patterns {
        builder.add(glob(pattern)?);
    }
    builder
        .build()
        .map_err(|error| settings(&format!("the globs are too much together: {error}")))
}

fn settings(problem: &str) -> PublishError {
    PublishError::Settings(problem.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Section;

    fn options(sections: &[(&str, &[&str])]) -> Options {
        let mut options = Options::new("https://example.com".parse().unwrap());
        options.sections = sections
            .iter()
            .map(|(name, paths)| Section {
                name: name.parse().unwrap(),
                paths: paths.iter().map(|path| (*path).to_owned()).collect(),
                ..Section::all()
            })
            .collect();
        options
    }

    #[test]
    fn globs_choose_the_pages_of_sections() {
        let rules = Rules::new(&options(&[
            ("all", &[]),
            ("blog", &["/blog/**"]),
            ("docs", &["docs/**", "**/manual.html"]),
        ]))
        .unwrap();
        assert_eq!(rules.sections("/"), 0b001);
        assert_eq!(rules.sections("/blog/2025/first/"), 0b011);
        assert_eq!(rules.sections("/docs/a"), 0b101);
        assert_eq!(rules.sections("/blog/manual.html"), 0b111);
    }

    #[test]
    fn wrong_settings_are_named() {
        let error =
            |sections: &[(&str, &[&str])]| Rules::new(&options(sections)).unwrap_err().to_string();
        assert!(error(&[]).contains("no section"));
        assert!(error(&[("a", &[]), ("a", &["/x"])]).contains("two sections called `a`"));
        assert!(error(&[("a", &["[x"])]).contains("`[x` is not a glob"));
    }
}
