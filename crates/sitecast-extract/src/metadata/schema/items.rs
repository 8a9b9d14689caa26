//! Items of microdata and RDFa, and their conversion to JSON-LD.

use serde_json::Value;
use url::Url;

use super::Object;
use crate::dom::{Dom, Element, NodeId};
use crate::metadata::element_text::text_of;

/// Further properties are ignored.
const MAX_PROPERTIES: usize = 20_000;
const MAX_ITEMS: usize = 5_000;
/// The most levels of nested items; deeper ones are left out.
const MAX_HEIGHT: usize = 16;
/// Longer values are left out: they are the content itself.
const MAX_VALUE_BYTES: usize = 5_000;
const MAX_TEXT_BYTES: usize = 2_000_000;
/// The most bytes of copies of items that several items contain.
const MAX_COPIED_BYTES: usize = 500_000;

/// The limits that remain for the microdata and RDFa of a page.
#[derive(Debug)]
pub(in crate::metadata) struct RemainingLimits {
    properties: usize,
    items: usize,
    /// Elements visited for `itemref`.
    pub(super) referred: usize,
    copied: usize,
    text: usize,
}

impl Default for RemainingLimits {
    fn default() -> Self {
        Self {
            properties: MAX_PROPERTIES,
            items: MAX_ITEMS,
            referred: 50_000,
            copied: MAX_COPIED_BYTES,
            text: MAX_TEXT_BYTES,
        }
    }
}

impl RemainingLimits {
    pub(super) fn take_item(&mut self) -> bool {
        take(&mut self.items)
    }

    pub(super) fn take_property(&mut self) -> bool {
        self.text > 0 && take(&mut self.properties)
    }

    /// Returns a text property, unless the value is too long, and counts its bytes.
    pub(super) fn take_text(&mut self, value: Option<String>) -> Option<Property> {
        let value = value.filter(|value| value.len() <= MAX_VALUE_BYTES)?;
        self.text = self.text.saturating_sub(value.len());
        Some(Property::Text(value))
    }
}

fn take(left: &mut usize) -> bool {
    let some = *left > 0;
    *left = left.saturating_sub(1);
    some
}

/// The value of a property.
#[derive(Debug)]
pub(super) enum Property {
    Text(String),
    /// The index of an item.
    Item(usize),
}

/// An item with its properties in document order.
#[derive(Debug, Default)]
pub(super) struct Item {
    /// Without vocabulary; empty if the item is not of schema.org.
    pub(super) types: Vec<String>,
    pub(super) id: Option<String>,
    pub(super) properties: Vec<(String, Property)>,
    /// A top-level item, not the value of a property.
    pub(super) top: bool,
}

/// Returns the text of an element as the value of a property.
pub(super) fn text_value(dom: &Dom, id: NodeId) -> Option<String> {
    let text = text_of(dom, id, MAX_VALUE_BYTES);
    (!text.is_empty() && text.len() <= MAX_VALUE_BYTES).then_some(text)
}

/// Returns the value of an attribute, if it is not empty.
pub(super) fn stated<'e>(element: Element<'e>, name: &str) -> Option<&'e str> {
    let value = element.attribute(name)?.trim();
    (!value.is_empty()).then_some(value)
}

/// Returns an absolute URL, or the value itself if it is not a URL.
pub(super) fn resolved(base: &Url, url: &str) -> String {
    base.join(url).map_or_else(|_| url.to_owned(), String::from)
}

/// Returns the name of a type or property without the URL of schema.org.
pub(super) fn of_schema_org(name: &str) -> Option<&str> {
    let rest = name
        .strip_prefix("http")
        .map(|rest| rest.strip_prefix('s').unwrap_or(rest))?;
    let rest = rest.strip_prefix("://")?;
    let rest = rest.strip_prefix("www.").unwrap_or(rest);
    rest.strip_prefix("schema.org/")
        .filter(|name| is_name(name))
}

pub(super) fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= 100
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
}

/// Converts the top-level items to JSON-LD. An item that contains itself is left out inside itself.
pub(super) fn to_json(items: &[Item], remaining: &mut RemainingLimits) -> Vec<Value> {
    let mut built: Vec<Option<Built>> = Vec::new();
    built.resize_with(items.len(), || None);
    let mut state = vec![State::Waiting; items.len()];
    let mut tops = Vec::new();
    for (top, item) in items.iter().enumerate() {
        if !item.top || item.types.is_empty() {
            continue;
        }
        // Nested items are built first. The stack has the path to the current item, and the number of visited properties of
        // each item on it.
        let mut open = vec![(top, 0)];
        while let Some((at, seen)) = open.last_mut() {
            let (at, item) = (*at, items.get(*at));
            set(&mut state, at, State::Open);
            let properties = item.map_or(&[][..], |item| &item.properties);
            let inner = properties.iter().skip(*seen).find_map(|(_, property)| {
                *seen += 1;
                match property {
                    Property::Item(inner) if state.get(*inner) == Some(&State::Waiting) => {
                        Some(*inner)
                    }
                    _ => None,
                }
            });
            if let Some(inner) = inner {
                open.push((inner, 0));
                continue;
            }
            let value = item.and_then(|item| build(item, &mut built, &state, remaining));
            if let Some(slot) = built.get_mut(at) {
                *slot = value;
            }
            set(&mut state, at, State::Done);
            open.pop();
        }
        tops.extend(
            built
                .get_mut(top)
                .and_then(Option::take)
                .map(|built| Value::Object(built.object)),
        );
    }
    tops
}

fn set(states: &mut [State], at: usize, state: State) {
    if let Some(slot) = states.get_mut(at) {
        *slot = state;
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Waiting,
    /// On the stack; if found again, it contains itself.
    Open,
    Done,
}

#[derive(Debug)]
struct Built {
    object: Object,
    height: usize,
    bytes: usize,
    /// An item contains it; the next one gets a copy.
    used: bool,
}

fn build(
    item: &Item,
    built: &mut [Option<Built>],
    state: &[State],
    remaining: &mut RemainingLimits,
) -> Option<Built> {
    let mut object = Object::new();
    let mut height = 1;
    let mut bytes = 0;
    if !item.types.is_empty() {
        let types = item
            .types
            .iter()
            .cloned()
            .map(Value::String)
            .collect::<Vec<_>>();
        object.insert("@type".to_owned(), one_or_all(types));
    }
    if let Some(id) = &item.id {
        object.insert("@id".to_owned(), Value::String(id.clone()));
    }
    for (name, property) in &item.properties {
        let value = match property {
            Property::Text(text) => {
                bytes += text.len();
                Value::String(text.clone())
            }
            Property::Item(inner) => {
                if state.get(*inner) != Some(&State::Done) {
                    continue;
                }
                let Some(Some(inner)) = built.get_mut(*inner) else {
                    continue;
                };
                if inner.height >= MAX_HEIGHT {
                    continue;
                }
                if inner.used {
                    match remaining.copied.checked_sub(inner.bytes + 100) {
                        Some(left) => remaining.copied = left,
                        None => continue,
                    }
                }
                inner.used = true;
                height = height.max(inner.height + 1);
                bytes += inner.bytes;
                Value::Object(inner.object.clone())
            }
        };
        bytes += name.len();
        match object.get_mut(name) {
            None => {
                object.insert(name.clone(), value);
            }
            Some(Value::Array(values)) => values.push(value),
            Some(one) => {
                let first = std::mem::take(one);
                *one = Value::Array(vec![first, value]);
            }
        }
    }
    (!object.is_empty()).then_some(Built {
        object,
        height,
        bytes,
        used: false,
    })
}

fn one_or_all(mut values: Vec<Value>) -> Value {
    match values.pop() {
        Some(one) if values.is_empty() => one,
        Some(last) => {
            values.push(last);
            Value::Array(values)
        }
        None => Value::Null,
    }
}
