//! What somebody may have meant by a name that is not one.

use super::kind::listed;
use super::setting::{header, join};
use super::table::{names_in, settings, tables};

/// What other tools call it.
const ELSEWHERE: [(&str, &str); 10] = [
    ("url", "publish.base_url"),
    ("site", "publish.base_url"),
    ("siteurl", "publish.base_url"),
    ("output", "publish.out"),
    ("destination", "publish.out"),
    ("input", "publish.source"),
    ("ignore", "publish.exclude"),
    ("frequency", "publish.sections.<name>.update_freq"),
    ("port", "serve.listen"),
    ("useragent", "sync.contact"),
];

/// More names than these help nobody.
const MOST_NAMES: usize = 14;

/// Names have some 25 letters; what is longer is no typo.
const MOST_LETTERS: usize = 60;

/// What was meant by `name` in a table, as a hint.
pub(crate) fn hint(table: &str, name: &str) -> String {
    let all = "docs/configuration.md lists all settings";
    if let Some(meant) = closest(table, name) {
        return format!("did you mean {meant}? {all}");
    }
    let names = names_in(table);
    if table.is_empty() || names.is_empty() || names.len() > MOST_NAMES {
        return all.to_owned();
    }
    format!("`{}` has {}; {all}", header(table), listed(&names, "and"))
}

/// What was meant by a full name, as a hint: about its first part that is not known.
pub(crate) fn meant(key: &str) -> String {
    let mut table = String::new();
    for part in key.split('.') {
        let inner = join(&table, part);
        if !super::table::has_table(&inner) {
            return hint(&table, part);
        }
        table = inner;
    }
    hint("", key)
}

/// The names nearest to `name`: in its own table, else in another.
fn closest(table: &str, name: &str) -> Option<String> {
    let wanted: String = letters(name).chars().take(MOST_LETTERS).collect();
    let near = |candidate: &str, share: usize| {
        let distance = strsim::osa_distance(&wanted, &letters(candidate));
        (distance <= (wanted.chars().count() / share).max(1)).then_some(distance)
    };
    let here = names_in(table).into_iter();
    let here = here.filter_map(|name| near(name, 3).map(|distance| (distance, name)));
    if let Some((_, name)) = here.min() {
        let full = join(table, name);
        return Some(if super::table::has_table(&full) {
            spelled(&full)
        } else {
            format!("`{name}`")
        });
    }
    let everywhere: Vec<String> = settings()
        .map(|(table, setting)| table.full(setting))
        .chain(tables().map(|table| table.key.to_owned()))
        .collect();
    let last = |key: &str| {
        let last = key.rsplit('.').next().unwrap_or_default();
        last.trim_end_matches("[]").to_owned()
    };
    let ranked = everywhere.iter();
    let ranked = ranked.filter_map(|key| near(&last(key), 4).map(|distance| (distance, key)));
    let ranked: Vec<(usize, &String)> = ranked.collect();
    let best = ranked.iter().map(|(distance, _)| *distance).min();
    let elsewhere = || {
        let known = ELSEWHERE.iter().find(|(name, _)| *name == wanted)?;
        Some(spelled(known.1))
    };
    let Some(best) = best else {
        return elsewhere();
    };
    if best > 0
        && let Some(known) = elsewhere()
    {
        return Some(known);
    }
    let keys = ranked.iter().filter(|(distance, _)| *distance == best);
    let keys: Vec<String> = keys.map(|(_, key)| spelled(key)).take(3).collect();
    Some(keys.join(" or "))
}

/// `` `base_url` in `[publish]` ``, or `` `[publish.artefacts]` ``.
fn spelled(key: &str) -> String {
    let within = || tables().find(|table| super::table::is_within(table.key, key));
    if let Some(table) = super::table::table(key).or_else(within) {
        return format!("`{}`", table.header());
    }
    match key.rsplit_once('.') {
        Some((table, name)) => format!("`{name}` in `{}`", header(table)),
        None => format!("`{key}` before the first table"),
    }
}

/// A name without what people spell differently: `baseURL`, `base-url`, `base_url`.
fn letters(name: &str) -> String {
    let kept = name.chars().filter(|c| !matches!(c, '_' | '-' | ' '));
    kept.flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_put_right_in_the_same_table() {
        for (table, name, meant) in [
            ("limits", "page_bloks", "did you mean `page_blocks`?"),
            ("publish", "baseURL", "did you mean `base_url`?"),
            ("publish", "base-url", "did you mean `base_url`?"),
            (
                "publish",
                "artifacts",
                "did you mean `[publish.artefacts]`?",
            ),
            (
                "publish",
                "section",
                "did you mean `[publish.sections.<name>]`?",
            ),
            ("serve", "protect", "did you mean `[[serve.protected]]`?"),
            ("", "colour", "did you mean `color`?"),
            ("", "publsh", "did you mean `[publish]`?"),
            ("publish.sections.<name>", "path", "did you mean `paths`?"),
            (
                "policy.purposes",
                "allow_ai_training",
                "did you mean `allow_ai_train`?",
            ),
        ] {
            let hint = hint(table, name);
            assert!(hint.starts_with(meant), "{table} {name}: {hint}");
        }
    }

    #[test]
    fn a_name_of_another_table_is_shown_its_place() {
        for (table, name, meant) in [
            (
                "",
                "base_url",
                "did you mean `base_url` in `[publish]` or `base_url` in `[serve]`?",
            ),
            ("serve", "strict", "did you mean `strict` in `[check]`?"),
            ("", "artifacts", "did you mean `[publish.artefacts]`?"),
            (
                "publish",
                "llms_txt",
                "did you mean `llms_txt` in `[publish.artefacts]`?",
            ),
            (
                "publish",
                "color",
                "did you mean `color` before the first table?",
            ),
            ("publish", "output", "did you mean `out` in `[publish]`?"),
            ("serve", "port", "did you mean `listen` in `[serve]`?"),
        ] {
            let hint = hint(table, name);
            assert!(hint.starts_with(meant), "{table} {name}: {hint}");
        }
    }

    #[test]
    fn where_nothing_is_near_the_choice_is_shown() {
        assert_eq!(
            hint("serve.tls", "zzzzzz"),
            "`[serve.tls]` has `certificate` and `key`; docs/configuration.md lists all settings"
        );
        assert_eq!(
            hint("", "zzzzzz"),
            "docs/configuration.md lists all settings"
        );
    }
}
