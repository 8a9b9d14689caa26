//! Schema.org data: JSON-LD, microdata and RDFa.
//!
//! Threats: huge scripts, deeply nested JSON, objects that refer to each other in cycles, `itemref` loops, one object with a
//! million references. Sizes and counts are limited, nothing recurses, and copies count against a limit.

mod choose;
mod graph;
mod items;
mod json_ld;
mod json_repair;
mod kinds;
mod microdata;
mod rdfa;

pub(super) use choose::{Page, choose, to_json_object};
pub(super) use graph::{Graph, is_article, is_organization, is_page, text_member, types};
pub(super) use items::RemainingLimits;
pub(super) use json_ld::json_ld;
pub(super) use microdata::microdata;
pub(super) use rdfa::rdfa;

use serde_json::{Map, Value};

/// An object of JSON-LD.
pub(super) type Object = Map<String, Value>;
