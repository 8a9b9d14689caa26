//! Checks that every test named in docs/conformance.md exists.

use std::fs;
use std::path::Path;

fn sources(folder: &Path, all: &mut String) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, all);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            *all += &fs::read_to_string(path).unwrap();
        }
    }
}

#[test]
fn every_test_named_in_the_conformance_table_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut code = String::new();
    sources(&root.join("crates"), &mut code);
    let table = fs::read_to_string(root.join("docs/conformance.md")).unwrap();
    let mut named = 0;
    for row in table
        .lines()
        .filter(|line| line.starts_with("| ") && !line.starts_with("| clause"))
    {
        let tests = row.trim_end_matches(" |").rsplit(" | ").next().unwrap();
        for name in tests.split('`').skip(1).step_by(2) {
            assert!(
                code.contains(&format!("fn {name}(")),
                "no test `{name}`, which is named in: {row}"
            );
            named += 1;
        }
    }
    assert!(named > 60, "{named}");
}
