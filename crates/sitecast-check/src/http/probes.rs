//! Additional requests about a file: a conditional GET and a HEAD (RFC 9110 §13.1.2, §9.3.2).

use sitecast_fetch::{Client, FetchError, Head, Request, Validators};

use crate::files::Exchange;
use crate::report::Report;
use crate::report::facts::Facts;

/// Headers that must be the same for HEAD and GET.
const SAME: [&str; 7] = [
    "ETag",
    "Last-Modified",
    "Cache-Control",
    "Vary",
    "Content-Type",
    "Content-Encoding",
    "Link",
];

/// Requests the file again, on the condition that its tag has changed, and its headers alone.
pub(crate) fn send_probes(client: &Client, exchange: &Exchange, report: &mut Report) {
    if matches!(report.facts, Facts::Site(_) | Facts::Unknown {}) {
        return;
    }
    let mut again = Request::new(exchange.head.url.clone(), 0);
    again.accept = exchange.request.accept;
    again.coding = exchange.request.coding;
    if let Some(etag) = &exchange.head.validators.etag {
        send_conditional(client, &again, etag, report);
    }
    send_head(client, &again, &exchange.head, report);
}

fn send_conditional(client: &Client, again: &Request, etag: &str, report: &mut Report) {
    let mut warn = |code, message: &str| report.warning(code, None, None, &message);
    let known = Validators {
        etag: Some(etag.to_owned()),
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
        Ok(response) if response.head.validators.etag.as_deref() != Some(etag) => warn(
            "304-differs",
            "the 304 has another `ETag` than the 200, or none",
        ),
        Ok(_) => {}
        // The limit of the request is 0 bytes: a body came.
        Err(FetchError::TooLarge { .. }) => warn(
            "no-304",
            "asked with `If-None-Match` and its own tag, the server sends all of it again",
        ),
        Err(error) => warn("no-304", &format!("asked with `If-None-Match`: {error}")),
    }
}

fn send_head(client: &Client, again: &Request, get: &Head, report: &mut Report) {
    let mut warn = |code, message: &str| report.warning(code, None, None, &message);
    match client.head(again) {
        Ok(head) if head.status != get.status => warn(
            "no-head",
            &format!(
                "HEAD is answered with {}, and GET with {}",
                head.status, get.status
            ),
        ),
        Ok(head) => {
            let values = |head: &Head, name| -> Vec<String> {
                head.headers(name).map(str::to_owned).collect()
            };
            let names: Vec<String> = SAME
                .into_iter()
                .filter(|name| values(&head, name) != values(get, name))
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
