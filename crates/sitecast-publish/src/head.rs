//! The `<head>` of a page, read without parsing the page.
//!
//! A file may be a page, a redirect, or another name of a page. The head tells, and spares reading the content of the
//! others. The walk reads no more than
//! 1 MiB of it.
//!
//! The input may be any bytes. Nothing is an error: the result has everything before the point where the markup ended,
//! broke or grew too large.

mod bots;
mod plain;
mod refresh;
mod sniff;
mod walk;

pub(crate) use bots::MOST_NAME_BYTES;
use bots::is_for_bots;
pub(crate) use refresh::Refresh;
pub(crate) use sniff::is_utf16;
pub(crate) use sniff::{looks_like_html, readable};
pub(crate) use walk::{HeadTag, walk};

/// Heads of shops with all their styles inline pass 750 KiB, and name their canonical after 256.
const LIMIT: usize = 1024 * 1024;

/// More crawlers are not listened to: there are some hundreds at all.
const MOST_BOTS: usize = 1_000;

/// The head of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Head {
    /// `<link rel="canonical">`: the first that says something, not resolved.
    pub(crate) canonical: Option<String>,
    /// `<meta http-equiv="refresh">`: the first that a browser would follow.
    pub(crate) refresh: Option<Refresh>,
    /// The contents of all `<meta name="robots">`.
    pub(crate) robots: Vec<String>,
    /// The names and contents of all `<meta>` that speak to one crawler: `googlebot`.
    pub(crate) bots: Vec<(String, String)>,
    /// `<meta name="generator">`: the program that made the page.
    pub(crate) generator: Option<String>,
    /// The text of `<title>`, white space around it gone.
    pub(crate) title: Option<String>,
    /// `<base href>`, not resolved.
    pub(crate) base: Option<String>,
    /// `<html lang>`.
    pub(crate) language: Option<String>,
}

/// Reads the head of a page.
///
/// The head is what is between `<head>` and `</head>` or `<body>`, even if a stray `<div>` there makes browsers
/// begin the body: it is what the author meant. Where there is no `<head>`, it is over at the first text or
/// element that it cannot hold. What is in comments, scripts, `<noscript>` and `<template>` does not count.
pub(crate) fn scan_head(html: &[u8]) -> Head {
    let mut head = Head::default();
    let html = readable(html.get(..LIMIT).unwrap_or(html));
    let outcome = walk(&html, |tag| head.take(tag));
    head.title = outcome.title;
    head
}

impl Head {
    fn take(&mut self, tag: &HeadTag<'_>) {
        match tag.name {
            "meta" => self.take_meta(tag),
            "link" if self.canonical.is_none() && tag.has_word("rel", "canonical") => {
                self.canonical = tag.text("href");
            }
            "base" if self.base.is_none() => self.base = tag.text("href"),
            "html" if self.language.is_none() => self.language = tag.text("lang"),
            _ => {}
        }
    }

    fn take_meta(&mut self, tag: &HeadTag<'_>) {
        let Some(content) = tag.text("content") else {
            return;
        };
        if tag.is("http-equiv", "refresh") && self.refresh.is_none() {
            self.refresh = Refresh::parse(&content);
        } else if tag.is("name", "robots") {
            self.robots.push(content);
        } else if tag.is("name", "generator") && self.generator.is_none() {
            self.generator = Some(content);
        } else if self.bots.len() < MOST_BOTS
            && let Some(name) = tag.text("name").filter(|name| is_for_bots(name, &content))
        {
            self.bots.push((name, content));
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
