//! The groups of named crawlers, for counting the pages that each may not fetch.

use std::collections::{BTreeMap, HashMap};

use super::{Robots, Rule, path};

/// The most names that are read; real robots.txt files list a few hundred crawlers.
const MOST_NAMES: usize = 1_000;
/// The most sets of rules that are returned, since the caller tries each with each URL.
const MOST_GROUPS: usize = 100;

/// Crawlers with the same rules.
#[derive(Debug, Clone)]
pub struct NamedGroup<'r> {
    /// The names of the crawlers, in the spelling of their first occurrence.
    pub names: Vec<String>,
    rules: Vec<&'r [Rule]>,
}

impl NamedGroup<'_> {
    /// Returns true if these crawlers may not fetch the URL.
    pub fn disallows(&self, url: &str) -> bool {
        let path = path::normalize_path(path::path_and_query(url).as_bytes());
        let rules = self.rules.iter().copied().flatten();
        rules
            .filter(|rule| rule.pattern.matches(&path))
            .map(|rule| (rule.pattern.len(), rule.allow))
            .max()
            .is_some_and(|(_, allow)| !allow)
    }
}

impl Robots {
    /// Returns the crawlers that are named and have at least one `Disallow` rule, grouped by their rules. Reads at most
    /// 1,000 names and returns at most 100 groups.
    pub fn named_groups(&self) -> Vec<NamedGroup<'_>> {
        // Most files repeat the same rules for each name.
        let mut first: HashMap<&[Rule], usize> = HashMap::new();
        let mut order: Vec<(&str, &str)> = Vec::new();
        let mut groups_of: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, group) in self.groups.iter().enumerate() {
            let at = *first.entry(&group.rules).or_insert(at);
            for agent in &group.agents {
                let is_known = groups_of.contains_key(agent.token.as_str());
                if matches!(agent.token.as_str(), "" | "*")
                    || (!is_known && order.len() == MOST_NAMES)
                {
                    continue;
                }
                if !is_known {
                    order.push((&agent.token, &agent.name));
                }
                let groups = groups_of.entry(&agent.token).or_default();
                if !groups.contains(&at) {
                    groups.push(at);
                }
            }
        }
        let mut found: Vec<NamedGroup<'_>> = Vec::new();
        let mut places: BTreeMap<&[usize], usize> = BTreeMap::new();
        for (token, name) in &order {
            let Some(groups) = groups_of.get(token) else {
                continue;
            };
            if let Some(same) = places.get(groups.as_slice()) {
                if let Some(same) = found.get_mut(*same) {
                    same.names.push((*name).to_owned());
                }
                continue;
            }
            let rules = groups.iter().filter_map(|at| self.groups.get(*at));
            let rules: Vec<&[Rule]> = rules.map(|group| group.rules.as_slice()).collect();
            let keeps_out = rules.iter().copied().flatten().any(|rule| !rule.allow);
            if keeps_out && found.len() < MOST_GROUPS {
                places.insert(groups, found.len());
                found.push(NamedGroup {
                    names: vec![(*name).to_owned()],
                    rules,
                });
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_crawlers_with_the_same_rules() {
        let robots = Robots::parse(
            b"User-agent: *\nDisallow: /x\n\nUser-agent: GPTBot\nDisallow: /\n\nUser-agent: CCBot\nDisallow: /\n\n\
              User-agent: Googlebot\nDisallow: /a\nAllow: /a/b\n\nUser-agent: Bingbot\nDisallow:\n\n\
              User-agent: gptbot\nDisallow: /\n",
        );
        let groups = robots.named_groups();
        let names: Vec<_> = groups.iter().map(|group| group.names.join(" ")).collect();
        assert_eq!(names, ["GPTBot CCBot", "Googlebot"]);
        assert!(groups[0].disallows("https://example.com/y"));
        assert!(groups[1].disallows("https://example.com/a/c"));
        assert!(!groups[1].disallows("https://example.com/a/b"));
        assert!(!groups[1].disallows("https://example.com/x"));
    }

    #[test]
    fn bounds_the_number_of_names_and_rules() {
        let many: String = (0..5_000)
            .map(|n| format!("User-agent: b{n}\nDisallow: /{}\n\n", n % 300))
            .collect();
        let robots = Robots::parse(many.as_bytes());
        let groups = robots.named_groups();
        assert_eq!(groups.len(), MOST_GROUPS);
        let names: usize = groups.iter().map(|group| group.names.len()).sum();
        assert!(names <= MOST_NAMES, "{names}");
    }
}
