/// A receiver of the progress of a publication.
pub trait Progress: Sync {
    /// A step begins; `total` is how much there is to do in it, where that is known.
    fn begin(&self, step: Step, total: Option<u64>) {
        let _ = (step, total);
    }

    /// A part of the step is done.
    fn advance(&self, count: u64) {
        let _ = count;
    }
}

/// Reports nothing.
impl Progress for () {}

/// The steps of a publication, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Step {
    /// Looking for pages.
    List,
    /// Reading what was published before.
    Previous,
    /// Learning what the pages have in common.
    Learn,
    /// Making pages.
    Extract,
    /// Writing collections.
    Collections,
    /// Writing machine pages and the rest.
    Artefacts,
}
