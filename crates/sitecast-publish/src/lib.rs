//! Turns a website into SCP collections, sitemaps and machine pages.

pub mod artefacts;
