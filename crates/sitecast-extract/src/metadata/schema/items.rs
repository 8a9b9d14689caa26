//! Items of microdata and RDFa on their way to becoming JSON-LD.

use serde_json::Value;
use url::Url;

use super::Object;
use crate::dom::{Dom, Element, NodeId};
use crate::metadata::element_text::text_of;

/// More properties than these are not looked at.
const MAX_PROPERTIES: usize = 20_000;
const MAX_ITEMS: usize = 5_000;
/// Items within items; deeper ones are left out.
const MAX_HEIGHT: usize = 16;
/// Longer values are the content itself, which the page has already.
const MAX_VALUE_BYTES: usize = 5_000;
const MAX_TEXT_BYTES: usize = 2_000_000;
/// Text of items that more than one item has.
const MAX_COPIED_BYTES: usize = 500_000;

/// How much may still be read.
#[derive(Debug)]
pub(in crate::metadata) struct Budget {
    properties: usize,
    items: usize,
    /// Elements looked at for references.
    pub(super) referred: usize,
    copied: usize,
    text: usize,
}

impl Default for Budget {
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

impl Budget {
    pub(super) fn take_item(&mut self) -> bool {
        take(&mut self.items)
    }

    pub(super) fn take_property(&mut self) -> bool {
        self.text > 0 && take(&mut self.properties)
    }

    /// The value, if it is of a length that values have.
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

/// What a property holds.
#[derive(Debug)]
pub(super) enum Property {
    Text(String),
    /// The item with this number.
    Item(usize),
}

/// An item with its properties in document order.
#[derive(Debug, Default)]
pub(super) struct Item {
    /// Without vocabulary; none where the item is not of schema.org.
    pub(super) types: Vec<String>,
    pub(super) id: Option<String>,
    pub(super) properties: Vec<(String, Property)>,
    /// Not the value of a property.
    pub(super) top: bool,
}

/// The text of an element as the value of a property.
pub(super) fn text_value(dom: &Dom, id: NodeId) -> Option<String> {
    let text = text_of(dom, id, MAX_VALUE_BYTES);
    (!text.is_empty() && text.len() <= MAX_VALUE_BYTES).then_some(text)
}

/// What an attribute says, if it says anything.
pub(super) fn stated<'e>(element: Element<'e>, name: &str) -> Option<&'e str> {
    let value = element.attribute(name)?.trim();
    (!value.is_empty()).then_some(value)
}

/// A URL in full; what is none stays as it is.
pub(super) fn resolved(base: &Url, url: &str) -> String {
    base.join(url).map_or_else(|_| url.to_owned(), String::from)
}

/// The name of a type or property without schema.org's address before it.
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

/// The items that are nobody's property, as JSON-LD. An item in itself is left out of itself.
pub(super) fn to_json(items: &[Item], budget: &mut Budget) -> Vec<Value> {
    let mut built: Vec<Option<Built>> = Vec::new();
    built.resize_with(items.len(), || None);
    let mut state = vec![State::Waiting; items.len()];
    let mut tops = Vec::new();
    for (top, item) in items.iter().enumerate() {
        if !item.top || item.types.is_empty() {
            continue;
        }
        // Items in an item are built before it: the way down to here, and how far each item on it
        // has been looked through.
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
            let value = item.and_then(|item| build(item, &mut built, &state, budget));
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
    /// Being built: met again, it is in itself.
    Open,
    Done,
}

#[derive(Debug)]
struct Built {
    object: Object,
    height: usize,
    bytes: usize,
    /// Some item has it; the next gets a copy.
    used: bool,
}

fn build(
    item: &Item,
    built: &mut [Option<Built>],
    state: &[State],
    budget: &mut Budget,
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
                    match budget.copied.checked_sub(inner.bytes + 100) {
                        Some(left) => budget.copied = left,
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
