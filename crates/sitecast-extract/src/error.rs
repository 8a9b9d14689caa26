//! The errors of extraction.

/// The reason why a page could not be extracted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExtractError {
    /// The page is empty or only white space.
    #[error("the page is empty")]
    Empty,
    /// The bytes are of another format.
    #[error("not HTML, but {found}")]
    NotHtml {
        /// The format, as a noun phrase: `a PDF document`.
        found: &'static str,
    },
    /// An element with `data-nosnippet` is beyond the [limits](crate::Limits), so that its end is unknown.
    #[error(
        "an element with `data-nosnippet` is beyond the limits on depth or nodes, so its end is unknown"
    )]
    NoSnippet,
}

/// The reason why a model could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The first line is malformed.
    #[error("malformed first line: expected `# … trees over … features`")]
    Head,
    /// A line is not a valid tree.
    #[error("line {line} is not a valid tree")]
    Tree {
        /// The number of the line, from 1.
        line: usize,
    },
    /// The model was trained with other features.
    #[error("the model has {found} features, but this version has {wanted}: train it again")]
    Features {
        /// The number of features of the model.
        found: usize,
        /// The number of features of this version.
        wanted: usize,
    },
}
