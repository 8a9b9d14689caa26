//! Sinks, progress and verdicts, as a caller of the library sees them.

#![allow(clippy::unwrap_used)]

use std::cell::RefCell;
use std::fs;
use std::io;

use sitecast_check::{CheckError, Checker, Options, Progress, Report, Role, Sink, Verdict};

/// A folder with a robots.txt, a sitemap, and a collection that no sitemap names.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("robots.txt", "Sitemap: https://example.com/sitemap.xml\n"),
        ("sitemap.xml", "https://example.com/\n"),
        ("all.scp", "not a collection\n"),
    ] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

#[derive(Default)]
struct Roles(Vec<(Role, &'static str, Verdict)>);

impl Sink for Roles {
    fn report(&mut self, role: Role, report: Report) -> io::Result<()> {
        self.0.push((role, report.kind, report.verdict));
        Ok(())
    }
}

#[test]
fn reports_files_before_their_folder() {
    let folder = folder();
    let mut roles = Roles::default();
    let verdict = Checker::default().folder(folder.path(), &mut roles);
    assert_eq!(verdict.unwrap(), Verdict::Invalid);
    assert_eq!(
        roles.0,
        [
            (Role::Part, "robots", Verdict::Ok),
            (Role::Part, "sitemap", Verdict::Ok),
            (Role::Part, "unknown", Verdict::Invalid),
            (Role::Target, "folder", Verdict::Invalid),
        ]
    );
}

#[test]
fn an_error_of_the_sink_ends_the_check() {
    struct Full(u32);
    impl Sink for Full {
        fn report(&mut self, _: Role, _: Report) -> io::Result<()> {
            self.0 += 1;
            Err(io::ErrorKind::StorageFull.into())
        }
    }
    let mut full = Full(0);
    let result = Checker::default().folder(folder().path(), &mut full);
    assert!(matches!(result, Err(CheckError::Sink(_))));
    assert_eq!(full.0, 1);
}

#[test]
fn progress_names_each_file_before_it_is_read() {
    #[derive(Default)]
    struct Names(RefCell<Vec<String>>);
    impl Progress for Names {
        fn reading(&self, name: &str) {
            self.0.borrow_mut().push(name.to_owned());
        }
    }
    let folder = folder();
    let names = Names::default();
    let checker = Checker {
        progress: &names,
        ..Checker::default()
    };
    checker.folder(folder.path(), &mut Vec::new()).unwrap();
    let names = names.0.into_inner();
    assert_eq!(names.first().unwrap(), "https://example.com/robots.txt");
    assert!(names.last().unwrap().ends_with("all.scp"), "{names:?}");
}

#[test]
fn strict_checks_treat_warnings_as_problems() {
    let check = |strict| {
        let mut options = Options::default();
        options.strict = strict;
        let source = "Disallow: /\n".as_bytes();
        let mut reports: Vec<Report> = Vec::new();
        let verdict = Checker::new(options).file("robots.txt", Ok(source), &mut reports);
        assert!(!reports[0].warnings.is_empty());
        verdict.unwrap()
    };
    assert_eq!((check(false), check(true)), (Verdict::Ok, Verdict::Invalid));
}

#[test]
fn a_file_that_cannot_be_opened_is_a_finding() {
    let mut reports: Vec<Report> = Vec::new();
    let missing = fs::File::open("nowhere.scp");
    let verdict = Checker::default().file("nowhere.scp", missing, &mut reports);
    assert_eq!(verdict.unwrap(), Verdict::Unreadable);
    let json = serde_json::to_value(&reports[0]).unwrap();
    assert_eq!(
        json["errors"][0]["message"],
        "cannot read `nowhere.scp`: no such file"
    );
}
