use super::*;

fn problem(text: &str) -> (usize, String, String) {
    let problem = read(text).unwrap_err();
    (problem.line.unwrap_or(0), problem.message, problem.hint)
}

#[test]
fn settings_are_found_with_their_lines() {
    let text = "color = \"never\"\n\n[publish.sections.blog]\npaths = [\n  \"/blog/**\",\n]\n\
                [policy]\npurposes = { allow_ai_train = false }\n[[serve.protected]]\nprefix = \"/a\"\n\
                [[serve.protected]]\nprefix = \"/b\"\ntokens_file = \"t\"\n";
    let found = read(text).unwrap();
    let found: Vec<(&str, usize, String)> = found
        .iter()
        .map(|found| (found.key.as_str(), found.line, to_toml(&found.value)))
        .collect();
    let expected = [
        ("color", 1, "\"never\""),
        ("publish.sections.blog.paths", 4, "[\"/blog/**\"]"),
        ("policy.purposes.allow_ai_train", 8, "false"),
        ("serve.protected[0].prefix", 10, "\"/a\""),
        ("serve.protected[1].prefix", 12, "\"/b\""),
        ("serve.protected[1].tokens_file", 13, "\"t\""),
    ];
    let expected = expected.map(|(key, line, value)| (key, line, value.to_owned()));
    assert_eq!(found, expected);
}

#[test]
fn a_name_that_is_none_is_said_with_its_line() {
    for (text, line, message) in [
        (
            "[limits]\npage_blocks = 1\npage_bloks = 1",
            3,
            "`[limits]` has no setting `page_bloks`",
        ),
        (
            "\nbase_url = \"x\"",
            2,
            "there is no setting `base_url` before the first table",
        ),
        (
            "[publish.artifacts]\ntct = true",
            1,
            "there is no table `[publish.artifacts]`",
        ),
        (
            "[publish.sections.blog]\npath = []",
            2,
            "`[publish.sections.<name>]` has no setting `path`",
        ),
        (
            "publish = { sorce = \"x\" }",
            1,
            "`[publish]` has no setting `sorce`",
        ),
        (
            "[[serve.protected]]\nprefix = \"/a\"\ntoken = \"x\"",
            3,
            "`[[serve.protected]]` has no setting `token`",
        ),
    ] {
        let (at, said, _) = problem(text);
        assert_eq!((at, said.as_str()), (line, message), "{text}");
    }
}

#[test]
fn a_wrong_value_is_said_with_what_is_allowed() {
    for (text, message) in [
        (
            "color = \"blue\"",
            "`color` is `\"blue\"`, and has to be `auto`, `always` or `never`",
        ),
        (
            "[publish]\nall = \"yes\"",
            "`publish.all` is `\"yes\"`, and has to be `true` or `false`",
        ),
        (
            "[publish]\ndelta_share = -1",
            "`publish.delta_share` is `-1`, and has to be a number above 0",
        ),
        (
            "[publish]\ndelta_share = inf",
            "`publish.delta_share` is `inf`, and has to be a number above 0",
        ),
        (
            "[publish]\nexclude = \"/a\"",
            "`publish.exclude` is `\"/a\"`, and has to be a list of globs, such as `[\"/blog/**\"]`",
        ),
        (
            "[publish]\nexclude = [\"[x\"]",
            "`publish.exclude`: `[x` is not a glob: unclosed character class; missing ']'",
        ),
        (
            "[publish]\nbase_url = \"example.com\"",
            "`publish.base_url`: invalid base URL `example.com`: it is not an absolute URL",
        ),
        (
            "[publish]\ncompression = [\"brotli\"]",
            "`publish.compression` is `[\"brotli\"]`, and has to be a list of `zstd`, `gzip` and `none`",
        ),
        (
            "[publish.sections.blog]\nupdate_freq = \"often\"",
            "`publish.sections.blog.update_freq` is `\"often\"`, and has to be `hourly`, `daily`, `weekly` or `monthly`",
        ),
        (
            "[publish.sections.\"a b\"]",
            "a section is called `a b`, and may have letters, digits, `-` and `_` in its name",
        ),
        (
            "[limits]\nzstd_window_log = 99",
            "`limits.zstd_window_log` is `99`, and has to be a whole number from 10 to 31",
        ),
        (
            "[limits]\ndepth = 1.5",
            "`limits.depth` is `1.5`, and has to be a whole number of at least 0",
        ),
        (
            "[serve]\nlisten = 8080",
            "`serve.listen` is `8080`, and has to be an address and a port, such as `127.0.0.1:8080`",
        ),
        (
            "[serve.tls]\nkey = \"k\"",
            "`[serve.tls]` has no `certificate`, which it needs",
        ),
        (
            "[serve.protected]\nprefix = \"/a\"",
            "`serve.protected` has to be a list of tables",
        ),
        (
            "[[serve.protected]]\nprefix = \"a\"",
            "`serve.protected[0].prefix` is `\"a\"`, and has to be the beginning of a path, such as `/members/`",
        ),
        (
            "[[serve.protected]]\nprefix = \"/a/*\"",
            "`serve.protected[0].prefix` is `\"/a/*\"`, and has to be the beginning of a path, such as `/members/`",
        ),
        (
            "[[serve.protected]]\nprefix = \"/a\"\ntokens = \"geheim\"",
            "`serve.protected[0].tokens` is something else, and has to be a list of texts, such as `[\"a\", \"b\"]`",
        ),
        (
            "limits = 5",
            "`limits` is `5`, and has to be a table of settings",
        ),
        (
            "[policy]\nupdated = 2025-01-15",
            "`policy.updated` is the date `2025-01-15`, and has to be a time in quotes, such as `2025-01-15T10:00:00Z`",
        ),
    ] {
        assert_eq!(problem(text).1, message, "{text}");
    }
}

#[test]
fn the_first_of_several_problems_is_said() {
    let (line, message, _) = problem("[sync]\nzzz = 1\n[check]\nstrict = 1\n");
    assert_eq!(
        (line, message.as_str()),
        (2, "`[sync]` has no setting `zzz`")
    );
}

#[test]
fn what_is_no_toml_is_said_with_its_line() {
    let (line, message, _) = problem("[publish]\nbase_url = https://example.com\n");
    assert_eq!(line, 2);
    assert!(message.contains("quote"), "{message}");
}
