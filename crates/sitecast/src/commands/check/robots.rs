use std::io::Read;

use sitecast_sitemap::{MAX_ROBOTS_BYTES, Robots};
use url::Url;

use super::file::read_limited;
use crate::output::report::{Facts, RobotsFacts, TargetReport};

pub(super) fn check(
    source: &mut impl Read,
    gzip: bool,
    base: Option<&Url>,
    report: &mut TargetReport,
) {
    let mut facts = RobotsFacts::default();
    if let Some(bytes) = read_limited(source, MAX_ROBOTS_BYTES, gzip, report) {
        report.uncompressed(bytes.len() as u64);
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
    report.facts(Facts::Robots(facts));
}
