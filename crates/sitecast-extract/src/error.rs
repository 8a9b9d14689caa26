/// Why no page could be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExtractError {
    /// There is nothing but white space.
    #[error("it is empty")]
    Empty,
    /// The bytes are of another format.
    #[error("not HTML, but {found}")]
    NotHtml {
        /// Which.
        found: &'static str,
    },
    /// An element with `data-nosnippet` is beyond the [limits](crate::Limits), so that nobody knows where it ends.
    #[error(
        "it has `data-nosnippet` on an element beyond the limits, and what is not to be quoted cannot be told"
    )]
    NoSnippet,
}

/// Why a text is no model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The first line does not say for how many features it is.
    #[error("the first line does not say how many trees over how many features follow")]
    Head,
    /// A line that is no tree.
    #[error("line {line} is no tree")]
    Tree {
        /// Which, from 1.
        line: usize,
    },
    /// It was trained with other features.
    #[error("it is for {found} features, not for the {wanted} of this version: train it again")]
    Features {
        /// Those it is for.
        found: usize,
        /// Those there are.
        wanted: usize,
    },
}
