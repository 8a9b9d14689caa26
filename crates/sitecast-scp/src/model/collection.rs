//! The metadata of a collection.

use crate::{Checksum, HttpUrl, Identifier, Timestamp, Version};

/// The metadata on the first line of a collection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collection {
    /// The name of this collection.
    pub id: Identifier,
    /// The section of the site that it covers.
    pub section: Identifier,
    /// Snapshot or delta.
    pub kind: CollectionKind,
    /// The time of its creation.
    pub generated: Timestamp,
    /// The SHA-256 of the content. A writer computes it and ignores this field.
    pub checksum: Option<Checksum>,
    /// The version of the format. A writer ignores this field and writes [`Version::CURRENT`].
    pub version: Version,
    /// The pages that were deleted since the last collection. A Sitecast extension for deltas, which
    /// other readers ignore.
    pub deleted: Vec<HttpUrl>,
}

/// The type of a collection: all pages of a section, or the changed ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CollectionKind {
    /// All pages of the section.
    Snapshot,
    /// The pages that were changed or added after `since`.
    Delta {
        /// The `generated` of the previous collection.
        since: Timestamp,
    },
}

impl CollectionKind {
    /// `snapshot` or `delta`, as written in the metadata.
    pub fn name(self) -> &'static str {
        match self {
            Self::Snapshot => "snapshot",
            Self::Delta { .. } => "delta",
        }
    }

    /// The start time of a delta; `None` for a snapshot.
    pub fn since(self) -> Option<Timestamp> {
        match self {
            Self::Snapshot => None,
            Self::Delta { since } => Some(since),
        }
    }
}

impl Collection {
    /// Metadata for a snapshot to write.
    ///
    /// ```
    /// use sitecast_scp::Collection;
    ///
    /// let collection = Collection::snapshot(
    ///     "blog-2025-01-15".parse()?,
    ///     "blog".parse()?,
    ///     "2025-01-15T00:00:00Z".parse()?,
    /// );
    /// assert_eq!(collection.kind.name(), "snapshot");
    /// # Ok::<(), sitecast_scp::InvalidValue>(())
    /// ```
    pub fn snapshot(id: Identifier, section: Identifier, generated: Timestamp) -> Self {
        Self {
            id,
            section,
            kind: CollectionKind::Snapshot,
            generated,
            checksum: None,
            version: Version::CURRENT,
            deleted: Vec::new(),
        }
    }

    /// Metadata for a delta to write: the changes after `since`.
    pub fn delta(
        id: Identifier,
        section: Identifier,
        generated: Timestamp,
        since: Timestamp,
    ) -> Self {
        Self {
            kind: CollectionKind::Delta { since },
            ..Self::snapshot(id, section, generated)
        }
    }
}

/// Serialises the members of the `collection` object, for programs that print them.
impl serde::Serialize for Collection {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeMap;

        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", &self.id)?;
        map.serialize_entry("section", &self.section)?;
        map.serialize_entry("type", self.kind.name())?;
        map.serialize_entry("generated", &self.generated)?;
        if let Some(since) = self.kind.since() {
            map.serialize_entry("since", &since)?;
        }
        if let Some(checksum) = &self.checksum {
            map.serialize_entry("checksum", checksum)?;
        }
        map.serialize_entry("version", &self.version)?;
        if !self.deleted.is_empty() {
            map.serialize_entry("deleted", &self.deleted)?;
        }
        map.end()
    }
}
