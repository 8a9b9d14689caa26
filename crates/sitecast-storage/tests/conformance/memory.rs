//! Tests of the store in memory.

use sitecast_storage::{Attributes, Memory, Put, Store};

use crate::suite::{self, path, put};

#[test]
fn memory_conforms() {
    suite::run(&Memory::new());
}

#[test]
fn clones_share_objects_and_lock() {
    let one = Memory::new();
    let other = one.clone();
    one.put(put("shared", "x")).unwrap();
    assert_eq!(suite::bytes_of(&other, "shared").unwrap(), b"x");
    let lock = one.lock().unwrap();
    assert!(other.lock().is_err());
    drop(lock);
    other.lock().unwrap();
}

#[test]
fn keeps_attributes() {
    let store = Memory::new();
    let attributes = Attributes {
        content_type: Some("application/scp".to_owned()),
        ..Attributes::default()
    };
    store
        .put(Put {
            attributes: attributes.clone(),
            ..put("a.scp", "x")
        })
        .unwrap();
    assert_eq!(store.attributes(&path("a.scp")), Some(attributes));
}
