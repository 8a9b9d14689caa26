//! Which headers many files share, and which pattern names those files.

use std::collections::BTreeMap;

use super::Entry;
#[cfg(test)]
use super::{HostedFile, distinct};

/// Headers, and the files that they are for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rule {
    /// Which files.
    pub(crate) target: Target,
    /// Names and values, each name once.
    pub(crate) headers: Vec<(&'static str, String)>,
}

/// One path, or all that begin and end alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Target {
    /// This path.
    File(String),
    /// `start`, anything, `end`: no format of those we write has more than one star for sure.
    Pattern {
        /// What the path begins with.
        start: String,
        /// What it ends with.
        end: String,
    },
}

impl Target {
    /// Whether the path is meant.
    pub(crate) fn matches(&self, path: &str) -> bool {
        match self {
            Self::File(file) => file == path,
            Self::Pattern { start, end } => path
                .strip_prefix(start.as_str())
                .is_some_and(|rest| rest.ends_with(end.as_str())),
        }
    }
}

/// The headers of all files, with those that the files of a kind share said once. The patterns come first.
///
/// All rules that match a file are for it, and none of its headers is in two of them: hosts that apply all would
/// send it twice.
#[cfg(test)]
pub(super) fn rules(files: &[HostedFile]) -> Vec<Rule> {
    rules_of(&distinct(files).iter().collect::<Vec<_>>())
}

pub(super) fn rules_of(files: &[&Entry<'_>]) -> Vec<Rule> {
    let mut families: BTreeMap<Family<'_>, Vec<&Entry<'_>>> = BTreeMap::new();
    for file in files {
        if let Some(family) = Family::of(file.path) {
            families.entry(family).or_default().push(file);
        }
    }
    let mut rules = Vec::new();
    // Those of a file's headers that a pattern has said.
    let mut said: BTreeMap<&str, Vec<&'static str>> = BTreeMap::new();
    for (family, members) in &families {
        let target = family.target(members);
        let own = members.len();
        let matched = files
            .iter()
            .filter(|file| target.matches(file.path))
            .count();
        let shared = shared_headers(members);
        // Alone, a file is named. And a pattern that means others, too, would give them what is not theirs.
        if own < 2 || matched != own || shared.is_empty() {
            continue;
        }
        for member in members {
            said.insert(member.path, shared.iter().map(|(name, _)| *name).collect());
        }
        rules.push(Rule {
            target,
            headers: shared,
        });
    }
    for file in files {
        let said = said.get(file.path).map_or(&[][..], Vec::as_slice);
        let headers: Vec<_> = file
            .headers
            .iter()
            .filter(|(name, _)| !said.contains(name))
            .cloned()
            .collect();
        if !headers.is_empty() {
            rules.push(Rule {
                target: Target::File(file.path.to_owned()),
                headers,
            });
        }
    }
    rules
}

/// Headers that all have, with the same value.
fn shared_headers(members: &[&Entry<'_>]) -> Vec<(&'static str, String)> {
    let Some((first, others)) = members.split_first() else {
        return Vec::new();
    };
    let mut shared = first.headers.clone();
    shared.retain(|header| others.iter().all(|other| other.headers.contains(header)));
    shared
}

/// Files that are alike by their names.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Family<'f> {
    /// Snapshots, or deltas, of one section in one compression.
    Collections { start: &'f str, end: &'f str },
    /// Machine pages, Markdown twins: wherever they are.
    Beside { end: &'static str },
}

impl<'f> Family<'f> {
    fn of(path: &'f str) -> Option<Self> {
        for kind in ["-snapshot-", "-delta-"] {
            let Some((before, after)) = path.rsplit_once(kind) else {
                continue;
            };
            let end = after.find(".scp").and_then(|at| after.get(at..))?;
            let start = path.get(..before.len() + kind.len())?;
            return (!after.contains('/')).then_some(Self::Collections { start, end });
        }
        let beside = |end: &'static str| Some(Self::Beside { end });
        match path.rsplit_once('/')?.1 {
            "llm.json" => beside("llm.json"),
            name if name.ends_with(".llm.json") => beside("llm.json"),
            name if name.ends_with(".md") => beside(".md"),
            _ => None,
        }
    }

    fn target(&self, members: &[&Entry<'_>]) -> Target {
        match self {
            Self::Collections { start, end } => Target::Pattern {
                start: (*start).to_owned(),
                end: (*end).to_owned(),
            },
            Self::Beside { end } => Target::Pattern {
                start: common_folder(members).to_owned(),
                end: (*end).to_owned(),
            },
        }
    }
}

/// The folder that all are in, with its slash.
fn common_folder<'f>(members: &[&Entry<'f>]) -> &'f str {
    let mut paths = members.iter().map(|member| member.path);
    let mut folder = paths.next().map_or("/", folder_of);
    for path in paths {
        while !path.starts_with(folder) {
            folder = folder_of(folder.strip_suffix('/').unwrap_or(folder));
        }
    }
    folder
}

/// The path up to its last slash; `/` at least.
fn folder_of(path: &str) -> &str {
    path.rfind('/')
        .and_then(|slash| path.get(..=slash))
        .unwrap_or("/")
}
