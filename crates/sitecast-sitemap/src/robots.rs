//! robots.txt: the Robots Exclusion Protocol (RFC 9309), with `Crawl-delay` and `Sitemap`.

mod lines;
mod named;
mod path;

use std::borrow::Cow;
use std::collections::HashSet;
use std::io::{self, Read};
use std::time::Duration;

use encoding_rs::Encoding;
use url::Url;

use crate::location::absolute;
use lines::{Directive, Line};
use path::Pattern;

pub use lines::RobotsProblem;
pub use named::NamedGroup;

/// The number of bytes of a robots.txt that are read. RFC 9309 §2.5 requires at least 500 KiB.
pub const MAX_ROBOTS_BYTES: usize = 500 << 10;

/// The rules and sitemaps of a robots.txt.
///
/// Parsing never fails: lines that cannot be understood are ignored, and [`Self::warnings`] lists them.
///
/// ```
/// use sitecast_sitemap::Robots;
///
/// let robots = Robots::parse(b"User-agent: *\nDisallow: /private/\nAllow: /private/open$\n\
///     Sitemap: https://example.com/sitemap.xml\n");
/// assert!(robots.is_allowed("sitecast", "https://example.com/private/open"));
/// assert!(!robots.is_allowed("sitecast", "https://example.com/private/opened"));
/// assert_eq!(robots.sitemaps(), ["https://example.com/sitemap.xml"]);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Robots {
    groups: Vec<Group>,
    sitemaps: Vec<String>,
    base: Option<Url>,
    warnings: Vec<RobotsWarning>,
}

#[derive(Debug, Clone, Default)]
struct Group {
    agents: Vec<Agent>,
    rules: Vec<Rule>,
    /// The first agent to which the next `Crawl-delay` applies; those before it have their own.
    undelayed: usize,
}

impl Group {
    fn has_agent(&self, token: &str) -> bool {
        self.agents.iter().any(|agent| agent.token == token)
    }
}

#[derive(Debug, Clone)]
struct Agent {
    /// The product token in lower case; `*` stands for all other agents.
    token: String,
    /// The product token as written.
    name: String,
    crawl_delay: Option<Duration>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Rule {
    allow: bool,
    pattern: Pattern,
}

/// A line that was ignored or corrected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RobotsWarning {
    /// The number of the line, from 1.
    pub line: u64,
    /// The problem with the line.
    pub problem: RobotsProblem,
}

impl Robots {
    /// Parses a robots.txt. Bytes beyond [`MAX_ROBOTS_BYTES`] are ignored.
    pub fn parse(bytes: &[u8]) -> Self {
        Self::parse_at(bytes, None)
    }

    /// Parses a robots.txt, and resolves relative `Sitemap` URLs against `base`, the URL of the file.
    pub fn parse_at(bytes: &[u8], base: Option<&Url>) -> Self {
        let mut robots = Self {
            base: base.cloned(),
            ..Self::default()
        };
        let whole = bytes.len() <= MAX_ROBOTS_BYTES;
        let bytes = bytes.get(..MAX_ROBOTS_BYTES).unwrap_or(bytes);
        let decoded;
        let text = match Encoding::for_bom(bytes) {
            Some((encoding, mark)) if encoding != encoding_rs::UTF_8 => {
                robots.warn(1, RobotsProblem::Encoding);
                decoded = encoding
                    .decode_without_bom_handling(bytes.get(mark..).unwrap_or_default())
                    .0;
                decoded.as_bytes()
            }
            Some((_, mark)) => bytes.get(mark..).unwrap_or_default(),
            None => bytes,
        };
        // Ignore a line that crosses the limit: its beginning is a different rule.
        let end = if whole {
            text.len()
        } else {
            memchr::memrchr2(b'\n', b'\r', text).unwrap_or(0)
        };
        let mut agents_open = false;
        let mut last = 1;
        for (number, line) in lines::lines(text.get(..end).unwrap_or_default()) {
            last = number;
            if std::str::from_utf8(line).is_err() {
                robots.warn(number, RobotsProblem::NotUtf8);
            }
            let Line { directive, problem } = Line::parse(line);
            if let Some(problem) = problem {
                robots.warn(number, problem);
            }
            if let Some(directive) = directive {
                robots.take(directive, number, &mut agents_open);
            }
        }
        if !whole {
            robots.warn(last, RobotsProblem::TooLarge);
        }
        let mut seen = HashSet::new();
        robots.sitemaps.retain(|url| seen.insert(url.clone()));
        robots
    }

    /// Reads a robots.txt up to the limit and parses it like [`Self::parse_at`].
    pub fn read(source: impl Read, base: Option<&Url>) -> io::Result<Self> {
        let mut bytes = Vec::new();
        source
            .take(MAX_ROBOTS_BYTES as u64 + 1)
            .read_to_end(&mut bytes)?;
        Ok(Self::parse_at(&bytes, base))
    }

    fn warn(&mut self, line: u64, problem: RobotsProblem) {
        self.warnings.push(RobotsWarning { line, problem });
    }

    fn take(&mut self, directive: Directive<'_>, line: u64, agents_open: &mut bool) {
        match directive {
            Directive::UserAgent(name) => {
                // Several agents in a row share the rules that follow.
                if !std::mem::replace(agents_open, true) {
                    self.groups.push(Group::default());
                }
                let name = product_token(name);
                let token = name.to_ascii_lowercase();
                if token.is_empty() {
                    self.warn(line, RobotsProblem::NoAgent);
                }
                if let Some(group) = self.groups.last_mut() {
                    group.agents.push(Agent {
                        token,
                        name: name.to_owned(),
                        crawl_delay: None,
                    });
                }
            }
            Directive::Allow(path) => self.rule(true, path, line, agents_open),
            Directive::Disallow(path) => self.rule(false, path, line, agents_open),
            // RFC 9309 does not define `Crawl-delay`, so it does not end the list of agents of a group: the rules
            // that follow apply to all of them. The delay applies to the agents listed since the last delay.
            Directive::CrawlDelay(seconds) => {
                let delay = std::str::from_utf8(seconds)
                    .ok()
                    .and_then(|text| text.parse().ok())
                    .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
                match (self.groups.last_mut(), delay) {
                    (None, _) => self.warn(line, RobotsProblem::OutsideOfGroup),
                    (_, None) => self.warn(line, RobotsProblem::CrawlDelay),
                    (Some(group), Some(delay)) => {
                        for agent in group.agents.iter_mut().skip(group.undelayed) {
                            agent.crawl_delay.get_or_insert(delay);
                        }
                        if *agents_open {
                            group.undelayed = group.agents.len();
                        }
                    }
                }
            }
            Directive::Sitemap(url) => {
                let text = std::str::from_utf8(url).unwrap_or_default();
                if absolute(text, None).is_err() {
                    self.warn(line, RobotsProblem::SitemapUrl);
                }
                let url = absolute(text, self.base.as_ref()).ok();
                self.sitemaps.extend(url.map(Cow::into_owned));
            }
        }
    }

    fn rule(&mut self, allow: bool, path: &[u8], line: u64, agents_open: &mut bool) {
        *agents_open = false;
        let Some(group) = self.groups.last_mut() else {
            return self.warn(line, RobotsProblem::OutsideOfGroup);
        };
        // `Disallow:` without a path allows everything, so there is no rule to add.
        if path.is_empty() {
            return;
        }
        let rooted = matches!(path.first(), Some(b'/' | b'*'));
        let pattern = Pattern::new(path);
        group.rules.push(Rule { allow, pattern });
        if !rooted {
            self.warn(line, RobotsProblem::PathWithoutSlash);
        }
    }

    /// The product token of the agent if a group lists it, else `*`.
    fn token_for(&self, agent: &str) -> String {
        let token = product_token(agent.as_bytes()).to_ascii_lowercase();
        let named = !token.is_empty() && self.groups.iter().any(|group| group.has_agent(&token));
        if named { token } else { "*".to_owned() }
    }

    /// Returns true if the agent may fetch the URL, which may also be only a path.
    ///
    /// Only the product token of the agent's name is compared: `sitecast` of `sitecast/1.0 (+https://…)`. The
    /// matching rule with the longest path decides; of equally long ones, an `Allow`.
    pub fn is_allowed(&self, agent: &str, url: &str) -> bool {
        let path = path::normalize_path(path::path_and_query(url).as_bytes());
        // RFC 9309 §2.2.2: robots.txt itself is always allowed.
        if path == b"/robots.txt" {
            return true;
        }
        let token = self.token_for(agent);
        self.groups
            .iter()
            .filter(|group| group.has_agent(&token))
            .flat_map(|group| &group.rules)
            .filter(|rule| rule.pattern.matches(&path))
            .map(|rule| (rule.pattern.len(), rule.allow))
            .max()
            .is_none_or(|(_, allow)| allow)
    }

    /// The `Crawl-delay` for the agent: the time between two requests.
    pub fn crawl_delay(&self, agent: &str) -> Option<Duration> {
        let token = self.token_for(agent);
        let agents = self.groups.iter().flat_map(|group| &group.agents);
        agents
            .filter(|agent| agent.token == token)
            .filter_map(|agent| agent.crawl_delay)
            .max()
    }

    /// The URLs of the `Sitemap` lines, in order and without duplicates.
    pub fn sitemaps(&self) -> &[String] {
        &self.sitemaps
    }

    /// Reduces this to the rules for one agent, without duplicates, and the sitemaps. A parsed file of 500 KiB takes
    /// megabytes, most of them for other agents.
    pub fn for_agent(self, agent: &str) -> Self {
        let token = self.token_for(agent);
        let mut seen = HashSet::new();
        let mut rules = Vec::new();
        let mut agents = Vec::new();
        for group in self.groups {
            if !group.has_agent(&token) {
                continue;
            }
            agents.extend(group.agents.into_iter().filter(|own| own.token == token));
            let new = group
                .rules
                .into_iter()
                .filter(|rule| seen.insert(rule.clone()));
            rules.extend(new);
        }
        // One entry is enough to record that the agent is listed, and its delay.
        let crawl_delay = agents.iter().filter_map(|agent| agent.crawl_delay).max();
        agents.truncate(1);
        for agent in &mut agents {
            agent.crawl_delay = crawl_delay;
        }
        rules.shrink_to_fit();
        agents.shrink_to_fit();
        let mut sitemaps = self.sitemaps;
        sitemaps.shrink_to_fit();
        Self {
            groups: vec![Group {
                agents,
                rules,
                undelayed: 0,
            }],
            sitemaps,
            base: None,
            warnings: Vec::new(),
        }
    }

    /// The approximate memory use in bytes.
    pub fn memory(&self) -> usize {
        // The overhead of the allocator for each allocation.
        const ADDED: usize = 16;
        let rules = self.groups.iter().flat_map(|group| &group.rules);
        let rules = rules.map(|rule| size_of::<Rule>() + rule.pattern.len() + ADDED);
        let agents = self.groups.iter().flat_map(|group| &group.agents);
        let agents = agents.map(|agent| size_of::<Agent>() + 2 * (agent.name.len() + ADDED));
        let sitemaps = self.sitemaps.iter();
        let sitemaps = sitemaps.map(|url| size_of::<String>() + url.len() + ADDED);
        let warnings = self.warnings.len() * size_of::<RobotsWarning>();
        let groups = self.groups.len() * size_of::<Group>();
        rules.chain(agents).chain(sitemaps).sum::<usize>() + warnings + groups
    }

    /// The lines that were ignored or corrected.
    pub fn warnings(&self) -> &[RobotsWarning] {
        &self.warnings
    }

    /// The number of groups.
    pub fn group_count(&self) -> usize {
        self.groups.len()
    }

    /// The number of rules in all groups.
    pub fn rule_count(&self) -> usize {
        self.groups.iter().map(|group| group.rules.len()).sum()
    }
}

/// The product token of an agent's name: `sitecast` of `sitecast/1.0`.
fn product_token(name: &[u8]) -> &str {
    if name.first() == Some(&b'*') {
        return "*";
    }
    let length = name
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
        .count();
    let token = name.get(..length).unwrap_or_default();
    std::str::from_utf8(token).unwrap_or_default()
}

#[cfg(test)]
mod tests;
