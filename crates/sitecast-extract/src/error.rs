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
}
