//! Pages behind a password form.

use crate::Reason;
use crate::head::readable;

/// Returns the reason in the markup not to publish a page, beside its robots directives.
pub(crate) fn by_markup(html: &[u8]) -> Option<Reason> {
    // WordPress's form in place of a protected post; StatiCrypt's page around an encrypted one. What both end
    // with is looked for: one way through the page.
    let marks: [&[u8]; 2] = [b"class=\"post-password-form\"", b"id=\"staticrypt-form\""];
    let end = b"-form\"";
    let html = &*readable(html);
    memchr::memmem::find_iter(html, end)
        .filter_map(|at| html.get(..at + end.len()))
        .any(|until| marks.iter().any(|mark| until.ends_with(mark)))
        .then_some(Reason::Protected)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_for_a_password_protects() {
        let html = b"<form class=\"post-password-form\" method=post>";
        assert_eq!(by_markup(html), Some(Reason::Protected));
        let html = b"<p>-form\"<form id=\"staticrypt-form\">";
        assert_eq!(by_markup(html), Some(Reason::Protected));
        assert_eq!(by_markup(b"<form class=login>"), None);
    }
}
