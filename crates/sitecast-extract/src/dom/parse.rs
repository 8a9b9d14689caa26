use html5ever::TokenizerResult;
use html5ever::buffer_queue::BufferQueue;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Tokenizer, TokenizerOpts};

use super::Dom;
use super::guard::Guard;
use super::skip::{end_of_drawing, end_of_raw_text, surplus_attributes};
use crate::Limits;

/// Drawings whose end was looked for in vain before no more are looked for.
const MOST_ENDLESS: u32 = 32;

/// Parses a document as browsers do.
pub(crate) fn parse(html: &str, limits: &Limits) -> Dom {
    let tokenizer = Tokenizer::new(
        Guard::new(limits),
        TokenizerOpts {
            discard_bom: true,
            ..TokenizerOpts::default()
        },
    );
    let input = BufferQueue::default();
    let mut from = 0;
    for cut in surplus_attributes(html) {
        push(&input, html.get(from..cut.start));
        from = cut.end;
    }
    push(&input, html.get(from..));

    let mut endless = 0;
    loop {
        let result = tokenizer.feed(&input);
        if let Some(element) = tokenizer.sink.to_skip(&result) {
            let is_drawing = element == "svg";
            if (is_drawing && endless == MOST_ENDLESS) || !skip(&input, element) {
                endless = MOST_ENDLESS.min(endless + 1);
                tokenizer.sink.go_on();
            }
        } else if matches!(result, TokenizerResult::Done) {
            break;
        }
    }
    tokenizer.end();
    tokenizer.sink.finish()
}

fn push(input: &BufferQueue, text: Option<&str>) {
    if let Some(text) = text.filter(|text| !text.is_empty()) {
        input.push_back(StrTendril::from_slice(text));
    }
}

/// Passes over the text of an element up to behind its end tag, if it can be found.
fn skip(input: &BufferQueue, element: &str) -> bool {
    while let Some(mut text) = input.pop_front() {
        let end = if element == "svg" {
            let Some(end) = end_of_drawing(&text) else {
                input.push_front(text);
                return false;
            };
            end
        } else {
            end_of_raw_text(&text, element)
        };
        if end < text.len() {
            // Both fit: a tendril holds no more than 4 GiB.
            text.pop_front(u32::try_from(end).unwrap_or(u32::MAX));
            input.push_front(text);
            return true;
        }
    }
    true
}

#[cfg(test)]
mod tests;
