//! The vectors of one space.

/// Append-only set of unit vectors.
pub struct VectorSet {}
