//! Tests of paths: no text yields a path that leaves its store.

use std::path::{Component, Path};

use proptest::prelude::*;
use sitecast_storage::StorePath;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn parses_only_paths_inside_the_store(text in r"([./\\]|\.\.|%2e|~|[a-z \x00-\x1f]|\PC|C:){0,12}") {
        if let Ok(path) = text.parse::<StorePath>() {
            prop_assert_eq!(path.as_str(), &text);
            let components: Vec<_> = Path::new(path.as_str()).components().collect();
            prop_assert!(components.iter().all(|step| matches!(step, Component::Normal(_))));
            prop_assert_eq!(components.len(), path.parts().count());
            prop_assert!(path.parts().all(|part| !part.is_empty() && part != "." && part != ".."));
        }
    }

    #[test]
    fn accepts_any_valid_parts(
        parts in prop::collection::vec(r"[a-z0-9 äß%+#?-][a-z.]{0,8}", 1..6)
    ) {
        let text = parts.join("/");
        let path: StorePath = text.parse().unwrap();
        prop_assert_eq!(path.parts().collect::<Vec<_>>(), parts);
    }
}

#[test]
fn rejects_malformed_paths() {
    let too_long = "x".repeat(241);
    for text in [
        "", "/", "a/", "/a", "a//b", ".", "..", "a/..", "../a", "a/./b", "a\\b", "a\0b", "a\nb",
        &too_long,
    ] {
        assert!(text.parse::<StorePath>().is_err(), "{text:?}");
    }
}
