//! Reading of saved spaces and models: numbers, floats and bytes, one after the other.

/// Takes little-endian values off the front of bytes.
pub(crate) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Reader(bytes)
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn bytes(&mut self, length: usize) -> Option<&'a [u8]> {
        let (head, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(head)
    }

    pub(crate) fn array<const LENGTH: usize>(&mut self) -> Option<[u8; LENGTH]> {
        self.bytes(LENGTH)?.try_into().ok()
    }

    pub(crate) fn number(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub(crate) fn float(&mut self) -> Option<f32> {
        self.array()
            .map(f32::from_le_bytes)
            .filter(|value| value.is_finite())
    }
}
