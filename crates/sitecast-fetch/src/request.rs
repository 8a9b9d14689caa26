use url::Url;

use crate::Validators;

/// What to ask for.
#[derive(Debug, Clone)]
pub struct Request {
    /// Where it is.
    pub url: Url,
    /// The most bytes that may come; more is an error.
    pub limit: u64,
    /// The most bytes of a body whose length the server does not say, if that is less.
    pub unannounced: u64,
    /// The header `Accept`.
    pub accept: Option<&'static str>,
    /// How it may be compressed for the way.
    pub coding: Coding,
    /// If it is still this, there is no need to send it.
    pub known: Validators,
    /// Whether caches on the way are to ask the server itself (`Cache-Control: no-cache`).
    pub past_caches: bool,
}

/// How a body may be compressed for the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Coding {
    /// As it is, or with gzip; [`Response::decoded`](crate::Response::decoded) undoes that.
    #[default]
    Gzip,
    /// The file as it is stored, which may well be compressed: a collection.
    Stored,
    /// The file as it is stored, and nothing done to it for the way.
    Identity,
}

impl Request {
    /// Asks for something of at most so many bytes.
    pub fn new(url: Url, limit: u64) -> Self {
        Self {
            url,
            limit,
            unannounced: limit,
            accept: None,
            coding: Coding::default(),
            known: Validators::default(),
            past_caches: false,
        }
    }

    /// The same, unless it is still what these name.
    pub fn unless(mut self, known: Validators) -> Self {
        self.known = known;
        self
    }

    /// The same, of this type if there is a choice.
    pub fn accept(mut self, accept: &'static str) -> Self {
        self.accept = Some(accept);
        self
    }
}
