use crate::{Checksum, HttpUrl, Identifier, Timestamp, Version};

/// What the first line of a file says about the whole of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collection {
    /// Names this one file.
    pub id: Identifier,
    /// The part of the site it covers.
    pub section: Identifier,
    /// Whether it is everything or only what changed.
    pub kind: CollectionKind,
    /// When it was made.
    pub generated: Timestamp,
    /// The SHA-256 of the content; a writer computes it and pays no heed to what stands here.
    pub checksum: Option<Checksum>,
    /// The version of the format; a writer always writes [`Version::CURRENT`].
    pub version: Version,
    /// Pages that are gone since the last collection. A Sitecast extension for deltas, which
    /// others ignore.
    pub deleted: Vec<HttpUrl>,
}

/// Everything, or what changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CollectionKind {
    /// The full state of the section.
    Snapshot,
    /// The pages changed or added since a time.
    Delta {
        /// That time: the `generated` of the collection before.
        since: Timestamp,
    },
}

impl CollectionKind {
    /// `snapshot` or `delta`, as written in the file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Snapshot => "snapshot",
            Self::Delta { .. } => "delta",
        }
    }

    /// Since when, for a delta.
    pub fn since(self) -> Option<Timestamp> {
        match self {
            Self::Snapshot => None,
            Self::Delta { since } => Some(since),
        }
    }
}

impl Collection {
    /// A snapshot to be written.
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

    /// A delta to be written: what changed after `since`.
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

/// As in the file, for programs that print it.
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
