//! Known members of an object in any order, without allocation.

use std::borrow::Cow;

use crate::json::{Expected, Kind, Scanner, Value};

/// The names of an object's known members.
pub(super) trait Member: Copy + 'static {
    fn from_name(name: &str) -> Option<Self>;
    fn name(self) -> &'static str;
    fn index(self) -> usize;
}

/// Declares an enum of member names. List frequent names first, because names are compared in order.
macro_rules! members {
    ($(#[$doc:meta])* $enum:ident { $($variant:ident = $name:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum $enum { $($variant),+ }

        impl $crate::validate::slots::Member for $enum {
            #[inline]
            fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$variant),)+
                    _ => None,
                }
            }

            fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name),+
                }
            }

            #[inline]
            fn index(self) -> usize {
                self as usize
            }
        }
    };
}
pub(super) use members;

/// The largest number of members in an enum, rounded up.
const CAPACITY: usize = 40;

/// The values of the members seen so far.
pub(super) struct Slots<'a, M> {
    // Two arrays rather than one of pairs, so that each entry is one or two machine words.
    kinds: [Kind; CAPACITY],
    raws: [&'a str; CAPACITY],
    present: u64,
    repeated: Option<M>,
}

impl<'a, M: Member> Slots<'a, M> {
    pub(super) fn new() -> Self {
        Self {
            kinds: [Kind::Null; CAPACITY],
            raws: [""; CAPACITY],
            present: 0,
            repeated: None,
        }
    }

    /// Removes all members. Clearing `present` suffices; the old values are overwritten later.
    #[inline]
    pub(super) fn clear(&mut self) {
        self.present = 0;
        self.repeated = None;
    }

    #[inline]
    pub(super) fn set(&mut self, member: M, value: Value<'a>) {
        let bit = 1 << member.index();
        if self.present & bit != 0 {
            self.repeated = Some(member);
        }
        self.present |= bit;
        if let (Some(kind), Some(raw)) = (
            self.kinds.get_mut(member.index()),
            self.raws.get_mut(member.index()),
        ) {
            *kind = value.kind;
            *raw = value.raw;
        }
    }

    #[inline]
    pub(super) fn get(&self, member: M) -> Option<Value<'a>> {
        if self.present & (1 << member.index()) == 0 {
            return None;
        }
        Some(Value {
            kind: *self.kinds.get(member.index())?,
            raw: self.raws.get(member.index())?,
        })
    }

    /// The value of a member that is known to be present; null if it is missing.
    pub(super) fn value(&self, member: M) -> Value<'a> {
        self.get(member).unwrap_or(Value {
            kind: Kind::Null,
            raw: "null",
        })
    }

    /// A member that occurs more than once, if any.
    pub(super) fn repeated(&self) -> Option<M> {
        self.repeated
    }

    /// Consumes a whole object. `depth` is the number of containers around it.
    #[inline(always)]
    pub(super) fn fill(&mut self, scanner: &mut Scanner<'a>, depth: usize) -> Result<(), Expected> {
        self.clear();
        scanner.begin_object(depth)?;
        let mut first = true;
        while let Some(key) = scanner.next_key(first)? {
            first = false;
            let value = scanner.value(depth + 1)?;
            if let Some(member) = lookup(&key) {
                self.set(member, value);
            }
        }
        Ok(())
    }
}

/// The member that a key names, escaped or not.
#[inline]
pub(super) fn lookup<M: Member>(key: &Value<'_>) -> Option<M> {
    match key.kind {
        Kind::Plain => M::from_name(key.inner()),
        _ => M::from_name(&key.text()?),
    }
}

/// Reads the elements of an array with valid syntax as objects with members `M`.
/// Returns `None` if one is not an object or has a duplicate member, or if `element` returns `None` for it.
pub(super) fn objects<'a, M: Member, T>(
    array: Value<'a>,
    mut element: impl FnMut(&Slots<'a, M>) -> Option<T>,
) -> Option<Vec<T>> {
    // The depth was checked when the array was first walked.
    let mut scanner = Scanner::new(array.raw, usize::MAX);
    let mut slots = Slots::new();
    let mut elements = Vec::new();
    scanner.begin_array(0).ok()?;
    while scanner.next_element(elements.is_empty()).ok()? {
        if scanner.peek() != Some(b'{') {
            return None;
        }
        slots.fill(&mut scanner, 1).ok()?;
        if slots.repeated().is_some() {
            return None;
        }
        elements.push(element(&slots)?);
    }
    Some(elements)
}

/// Calls `element` for each string of an array with valid syntax.
pub(super) fn strings<'a>(array: Value<'a>, mut element: impl FnMut(Cow<'a, str>)) {
    let mut scanner = Scanner::new(array.raw, usize::MAX);
    let mut first = true;
    let _ = scanner.begin_array(0);
    while scanner.next_element(first) == Ok(true) {
        first = false;
        match scanner.value(1).ok().and_then(|value| value.text()) {
            Some(text) => element(text),
            None => return,
        }
    }
}

/// Reads an object with valid syntax. Returns `None` if it has a duplicate member.
pub(super) fn object<'a, M: Member>(value: Value<'a>) -> Option<Slots<'a, M>> {
    let mut slots = Slots::new();
    slots
        .fill(&mut Scanner::new(value.raw, usize::MAX), 0)
        .ok()?;
    slots.repeated().is_none().then_some(slots)
}
