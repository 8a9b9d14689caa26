use super::*;

#[test]
fn cleans_names() {
    for (text, name) in [
        ("Jane Doe", "Jane Doe"),
        ("By Jane Doe", "Jane Doe"),
        ("by: Jane Doe", "Jane Doe"),
        ("Written by Jane Doe", "Jane Doe"),
        ("ByJane Doe", "Jane Doe"),
        ("Byron Doe", "Byron Doe"),
        ("Words by Jane Doe", "Jane Doe"),
        ("Words: Jane Doe", "Jane Doe"),
        ("Article written by: Jane Doe |", "Jane Doe"),
        ("Author: Jane Doe", "Jane Doe"),
        ("Von Jane Doe", "Jane Doe"),
        ("Par Jane Doe", "Jane Doe"),
        ("Posted by Jane Doe on May 7, 2024", "Jane Doe"),
        ("Jane Doe May 7, 2024", "Jane Doe"),
        ("Jane Doe 7/5/2024", "Jane Doe"),
        ("Jane Doe • 5 min read", "Jane Doe"),
        ("Jane Doe - Staff", "Jane Doe"),
        ("Jane Doe in Politics", "Jane Doe"),
        ("Jane Doe Updated yesterday", "Jane Doe"),
        ("<a href='x'>Jane</a> Doe", "Jane Doe"),
        ("@jane", "jane"),
        ("Jane O&#8217;Doe", "Jane O’Doe"),
        ("Anne-Marie Doe", "Anne-Marie Doe"),
        ("Di Stefano", "Di Stefano"),
        ("May Lastname", "May Lastname"),
    ] {
        assert_eq!(clean_name(text), name, "{text}");
    }
}

#[test]
fn drops_full_stop_of_sentences_only() {
    for (text, name) in [
        ("By Jane Doe.", "Jane Doe"),
        ("Jane Doe Jr.", "Jane Doe Jr."),
        ("Jane D.", "Jane D."),
        ("J. R. R.", "J. R. R."),
        ("Jane Doe, Ph.D.", "Jane Doe, Ph.D."),
        ("Example Inc.", "Example Inc."),
    ] {
        assert_eq!(clean_name(text), name, "{text}");
    }
}

#[test]
fn drops_roles() {
    assert_eq!(without_role("Jane Doe, Senior Writer"), "Jane Doe");
    assert_eq!(without_role("Jane Doe (Editor)"), "Jane Doe");
    assert_eq!(without_role("Jane Doe Editor-in-Chief"), "Jane Doe");
    assert_eq!(without_role("Jane Playwriter"), "Jane Playwriter");
}
