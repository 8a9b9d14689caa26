//! Reading a robots.txt.

use std::io::Read;

use sitecast_sitemap::{MAX_ROBOTS_BYTES, Robots};
use url::Url;

use super::read_limited;
use crate::report::Report;
use crate::report::facts::{Facts, RobotsFacts};

pub(super) fn check(source: &mut impl Read, gzip: bool, base: Option<&Url>, report: &mut Report) {
    let mut facts = RobotsFacts::default();
    if let Some(bytes) = read_limited(source, MAX_ROBOTS_BYTES, gzip, report) {
        report.uncompressed_bytes = bytes.len() as u64;
        let robots = Robots::parse_at(&bytes, base);
        for warning in robots.warnings() {
            let line = Some(warning.line);
            report.warning(warning.problem.code(), line, None, &warning.problem);
        }
        facts = RobotsFacts {
            groups: robots.group_count() as u64,
            rules: robots.rule_count() as u64,
            sitemaps: robots.sitemaps().to_vec(),
        };
    }
    report.set_facts(Facts::Robots(facts));
}
