//! Files beside the collections.
