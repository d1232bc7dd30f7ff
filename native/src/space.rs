//! A numbered vector space.

/// How text becomes a vector.
pub struct Space {}
