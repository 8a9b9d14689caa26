//! What a server answers when it is asked again.

use sitecast_fetch::{Client, FetchError, Head, Request, Validators};

use crate::commands::check::place::Answer;
use crate::output::report::{Facts, TargetReport};

/// Asks the server again: on the condition that it is another one, and for the headers alone.
pub(in crate::commands::check) fn questions(
    client: &Client,
    answer: &Answer,
    report: &mut TargetReport,
) {
    if matches!(report.known(), Facts::Site(_) | Facts::Unknown {}) {
        return;
    }
    let mut again = Request::new(answer.head.url.clone(), 0);
    again.accept = answer.request.accept;
    again.coding = answer.request.coding;
    let mut warn = |code, message: &str| report.warning(code, None, None, &message);
    if let Some(etag) = &answer.head.validators.etag {
        let known = Validators {
            etag: Some(etag.clone()),
            last_modified: None,
        };
        match client.get(&again.clone().unless_matches(known)) {
            Ok(response) if !response.head.is_not_modified() => warn(
                "no-304",
                &format!(
                    "asked with `If-None-Match` and its own tag, the server answers {} instead of 304",
                    response.head.status
                ),
            ),
            Ok(response) if response.head.validators.etag.as_ref() != Some(etag) => {
                warn(
                    "304-differs",
                    "the 304 has another `ETag` than the 200, or none",
                );
            }
            Ok(_) => {}
            // Nothing was wanted, and something came.
            Err(FetchError::TooLarge { .. }) => warn(
                "no-304",
                "asked with `If-None-Match` and its own tag, the server sends all of it again",
            ),
            Err(error) => warn("no-304", &format!("asked with `If-None-Match`: {error}")),
        }
    }
    match client.head(&again) {
        Ok(head) if head.status != answer.head.status => warn(
            "no-head",
            &format!(
                "HEAD is answered with {}, and GET with {}",
                head.status, answer.head.status
            ),
        ),
        Ok(head) => {
            let differs = |name: &&&str| {
                let values =
                    |head: &Head| head.headers(name).map(str::to_owned).collect::<Vec<_>>();
                values(&head) != values(&answer.head)
            };
            let names: Vec<String> = SAME
                .iter()
                .filter(differs)
                .map(|name| format!("`{name}`"))
                .collect();
            if !names.is_empty() {
                let message = format!(
                    "HEAD is answered with other headers than GET: {}",
                    names.join(", ")
                );
                warn("head-differs", &message);
            }
        }
        Err(error) => warn("no-head", &format!("HEAD: {error}")),
    }
}

/// Headers that HEAD and GET have to agree on.
const SAME: [&str; 7] = [
    "ETag",
    "Last-Modified",
    "Cache-Control",
    "Vary",
    "Content-Type",
    "Content-Encoding",
    "Link",
];
