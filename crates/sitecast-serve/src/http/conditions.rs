//! Conditional requests (RFC 9110 §13).

use hyper::HeaderMap;
use hyper::header::{
    HeaderName, HeaderValue, IF_MATCH, IF_MODIFIED_SINCE, IF_NONE_MATCH, IF_RANGE,
    IF_UNMODIFIED_SINCE,
};
use sitecast_tct::{EntityTag, TagList, if_range_holds, is_not_modified};

use super::date;

/// The validators of a representation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Validators<'v> {
    pub(crate) etag: Option<EntityTag<'v>>,
    /// Last modification, in seconds since 1970.
    pub(crate) modified: Option<i64>,
}

/// The result of a request's conditions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// 304: the client's copy is current.
    NotModified,
    /// 412: a precondition failed.
    Failed,
    /// All conditions hold, or there are none.
    Holds,
}

/// Returns true if the only condition that counts is an `If-None-Match` with exactly this tag. Needs no parsing.
pub(crate) fn is_exactly(headers: &HeaderMap, etag: &HeaderValue) -> bool {
    headers
        .get(IF_NONE_MATCH)
        .is_some_and(|value| value == etag)
        && !headers.contains_key(IF_MATCH)
        && !headers.contains_key(IF_UNMODIFIED_SINCE)
}

/// Evaluates the conditions in the order of RFC 9110 §13.2.2: `If-Match`, else `If-Unmodified-Since`; then
/// `If-None-Match`, else `If-Modified-Since`. `validators` is called only if there is a condition.
pub(crate) fn evaluate<'v>(
    headers: &HeaderMap,
    validators: impl FnOnce() -> Validators<'v>,
) -> Verdict {
    let conditions = [
        IF_MATCH,
        IF_UNMODIFIED_SINCE,
        IF_NONE_MATCH,
        IF_MODIFIED_SINCE,
    ];
    if !conditions.iter().any(|name| headers.contains_key(name)) {
        return Verdict::Holds;
    }
    let validators = validators();
    let since = |name: HeaderName| single_value(headers, &name).and_then(date::parse);
    if let Some(list) = joined_values(headers, &IF_MATCH) {
        let list = TagList::parse(&list);
        let holds = match validators.etag {
            Some(etag) => list.matches_strong(&etag),
            None => list == TagList::Any,
        };
        if !holds {
            return Verdict::Failed;
        }
    } else if let (Some(since), Some(modified)) = (since(IF_UNMODIFIED_SINCE), validators.modified)
        && modified > since
    {
        return Verdict::Failed;
    }
    let list = joined_values(headers, &IF_NONE_MATCH);
    let not_modified = match validators.etag {
        Some(etag) => is_not_modified(
            &etag,
            validators.modified,
            list.as_deref(),
            if list.is_none() {
                since(IF_MODIFIED_SINCE)
            } else {
                None
            },
        ),
        None => match &list {
            Some(list) => TagList::parse(list) == TagList::Any,
            None => {
                matches!((validators.modified, since(IF_MODIFIED_SINCE)), (Some(modified), Some(since)) if modified <= since)
            }
        },
    };
    if not_modified {
        Verdict::NotModified
    } else {
        Verdict::Holds
    }
}

/// Returns true if the `Range` applies: `If-Range` is absent or matches. A date is a strong validator only if the
/// representation did not change twice within that second, which is unknown until the second is over (RFC 9110
/// §8.8.2.2).
pub(crate) fn range_applies(headers: &HeaderMap, validators: Validators<'_>, now: i64) -> bool {
    let Some(value) = headers.get(IF_RANGE) else {
        return true;
    };
    // The header must not be repeated.
    if headers.get_all(IF_RANGE).iter().count() > 1 {
        return false;
    }
    let Some(value) = value.to_str().ok().map(str::trim) else {
        return false;
    };
    let since = date::parse(value).filter(|&since| since < now);
    match validators.etag {
        Some(etag) => if_range_holds(value, since, &etag, validators.modified),
        None => since.is_some() && since == validators.modified,
    }
}

/// Joins repeated headers into one list (RFC 9110 §5.3). A value that is not UTF-8 becomes empty: it matches nothing,
/// but counts as present.
fn joined_values<'h>(
    headers: &'h HeaderMap,
    name: &HeaderName,
) -> Option<std::borrow::Cow<'h, str>> {
    let mut values = headers.get_all(name).iter();
    let text = |value: &'h HeaderValue| std::str::from_utf8(value.as_bytes()).unwrap_or_default();
    let first = text(values.next()?);
    let mut list = std::borrow::Cow::Borrowed(first);
    for value in values {
        let list = list.to_mut();
        list.push(',');
        list.push_str(text(value));
    }
    Some(list)
}

/// Returns the value of a header that must not be repeated, and `None` if it is.
fn single_value<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?;
    if values.next().is_some() {
        return None;
    }
    value.to_str().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_a_date_of_this_second_as_strong_validator() {
        let mut headers = HeaderMap::new();
        let value = date::header(1_000_000_000).unwrap();
        headers.insert(IF_RANGE, value);
        for etag in [None, EntityTag::parse("\"a\"")] {
            let validators = Validators {
                etag,
                modified: Some(1_000_000_000),
            };
            assert!(!range_applies(&headers, validators, 1_000_000_000));
            assert!(range_applies(&headers, validators, 1_000_000_001));
        }
    }
}
