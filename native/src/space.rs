//! A numbered vector space: how text becomes a unit vector, and the figures that belong to it.
//!
//! Vectors of two spaces are never compared; the number tells them apart.

pub mod hashed;
pub mod lsa;
pub mod reader;

use std::io;

use crate::space::reader::Reader;

const MAGIC: &[u8; 8] = b"ATSPAC01";

/// How a space makes its vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// From hashed words and their parts, without having learned anything.
    Hashed,
    /// From a model of the index's own documents.
    Learned,
    /// Not at all: the vectors come from outside.
    Given,
}

impl Kind {
    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Hashed => "hashed",
            Kind::Learned => "learned",
            Kind::Given => "given",
        }
    }
}

/// A vector space.
pub struct Space {
    id: u32,
    dimensions: usize,
    cut: f32,
    weights: (f32, f32),
    body: Body,
}

enum Body {
    Hashed,
    Learned(lsa::Model),
    Given,
}

impl Space {
    /// The space before the first fit.
    pub fn hashed(id: u32, dimensions: usize) -> Self {
        let (cut, weights) = (hashed::CUT, hashed::WEIGHTS);
        Self {
            id,
            dimensions,
            cut,
            weights,
            body: Body::Hashed,
        }
    }

    /// A space whose vectors the callers send.
    pub fn given(id: u32, dimensions: usize, cut: f32, weights: (f32, f32)) -> Self {
        Self {
            id,
            dimensions,
            cut,
            weights,
            body: Body::Given,
        }
    }

    /// The space of a fitted model.
    pub fn learned(id: u32, model: lsa::Model) -> Self {
        let (dimensions, cut) = (model.dimensions, model.cut);
        Self {
            id,
            dimensions,
            cut,
            weights: (((1.0 - model.share) * 100.0).round() / 100.0, model.share),
            body: Body::Learned(model),
        }
    }

    /// The number that belongs to each vector of the space.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// How the vectors are made.
    pub fn kind(&self) -> Kind {
        match self.body {
            Body::Hashed => Kind::Hashed,
            Body::Learned(_) => Kind::Learned,
            Body::Given => Kind::Given,
        }
    }

    /// Numbers in each vector.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// The cosine above which a document counts as a neighbour.
    pub fn cut(&self) -> f32 {
        self.cut
    }

    /// The shares of (text, vector) in a fused score.
    pub fn weights(&self) -> (f32, f32) {
        self.weights
    }

    /// The same where indices are searched together: what is found by the same words must not count less in one of them
    /// for what vectors are worth there.
    pub fn weights_beside_others(&self) -> (f32, f32) {
        match self.body {
            Body::Learned(_) => (1.0 - lsa::SHARE, lsa::SHARE),
            Body::Hashed | Body::Given => self.weights,
        }
    }

    /// Documents in the index when the space was fitted; 0 if it wasn't.
    pub fn documents(&self) -> usize {
        self.model().map_or(0, |model| model.documents)
    }

    /// Whether it was learned from the documents.
    pub fn is_learned(&self) -> bool {
        self.model().is_some()
    }

    /// The model of a learned space.
    pub fn model(&self) -> Option<&lsa::Model> {
        match &self.body {
            Body::Learned(model) => Some(model),
            _ => None,
        }
    }

    /// Memory held.
    pub fn memory_bytes(&self) -> usize {
        size_of::<Self>() + self.model().map_or(0, lsa::Model::bytes)
    }

    /// Writes the unit vector of a document or a query to `out`, which holds `dimensions` numbers: from its analysed
    /// terms, each once with its occurrences. `false`, with `out` unspecified, when the space knows nothing of it, and
    /// always in a given space.
    pub fn embed(&self, terms: &mut dyn Iterator<Item = (&str, u32)>, out: &mut [f32]) -> bool {
        match &self.body {
            Body::Hashed => hashed::embed(terms, out),
            Body::Learned(model) => model.embed(
                terms.filter_map(|(term, frequency)| Some((model.term(term)?, frequency))),
                out,
            ),
            Body::Given => false,
        }
    }

    /// The space as bytes, with a magic number and version but without a checksum.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(self.id.to_le_bytes());
        bytes.push(match self.body {
            Body::Hashed => 0,
            Body::Learned(_) => 1,
            Body::Given => 2,
        });
        bytes.extend((self.dimensions as u32).to_le_bytes());
        for figure in [self.cut, self.weights.0, self.weights.1] {
            bytes.extend(figure.to_le_bytes());
        }
        if let Body::Learned(model) = &self.body {
            model.write(&mut bytes);
        }
        bytes
    }

    /// Reads what `to_bytes` wrote. Errors with `InvalidData`, never panics, on anything else.
    pub fn from_bytes(bytes: &[u8]) -> io::Result<Self> {
        Self::parse(bytes)
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "not a vector space"))
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes.strip_prefix(MAGIC)?);
        let id = reader.number()?;
        let [kind] = reader.array::<1>()?;
        let dimensions = reader.number()? as usize;
        let cut = reader.float()?;
        let weights = (reader.float()?, reader.float()?);
        let body = match kind {
            0 => Body::Hashed,
            1 => Body::Learned(lsa::Model::read(&mut reader, dimensions, cut, weights.1)?),
            2 => Body::Given,
            _ => return None,
        };
        reader.is_at_end().then_some(Self {
            id,
            dimensions,
            cut,
            weights,
            body,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::lsa::{fit, Counts, Options};

    fn embed(space: &Space, terms: &[(&str, u32)]) -> Option<Vec<f32>> {
        let mut out = vec![0.0; space.dimensions()];
        space
            .embed(&mut terms.iter().copied(), &mut out)
            .then_some(out)
    }

    fn learned() -> Space {
        let postings = [("cat", vec![(0, 1), (1, 2)]), ("dog", vec![(1, 1), (2, 1)])];
        let postings = postings.map(|(term, found)| (term.to_string(), found.len() as u32, found));
        let mut counts = Counts::from_postings(4, postings.into_iter());
        let options = Options {
            dimensions: 8,
            ..Options::default()
        };
        Space::learned(7, fit(&mut counts, 4, &options, &|| Ok(())).unwrap())
    }

    #[test]
    fn every_kind_survives_saving() {
        for space in [
            Space::hashed(1, 64),
            Space::given(2, 3, 0.4, (0.6, 0.4)),
            learned(),
        ] {
            let again = Space::from_bytes(&space.to_bytes()).unwrap();
            assert_eq!(again.id(), space.id());
            assert_eq!(again.kind(), space.kind());
            assert_eq!(again.dimensions(), space.dimensions());
            assert_eq!(again.cut(), space.cut());
            assert_eq!(again.weights(), space.weights());
            assert_eq!(again.documents(), space.documents());
            let terms = [("cat", 2), ("dog", 1)];
            assert_eq!(embed(&again, &terms), embed(&space, &terms));
        }
    }

    #[test]
    fn a_damaged_space_is_an_error_at_every_cut_and_never_a_panic() {
        let bytes = learned().to_bytes();
        for length in 0..bytes.len() {
            assert!(Space::from_bytes(&bytes[..length]).is_err());
        }
        for at in 0..bytes.len() {
            let mut flipped = bytes.clone();
            flipped[at] ^= 0xff;
            let _ = Space::from_bytes(&flipped);
        }
    }

    #[test]
    fn beside_other_indices_all_learned_spaces_count_the_same() {
        let mut space = learned();
        space.weights = (0.6, 0.4);
        assert_eq!(space.weights_beside_others(), (0.75, 0.25));
        let given = Space::given(1, 4, 0.4, (0.6, 0.4));
        assert_eq!(given.weights_beside_others(), given.weights());
    }

    #[test]
    fn unknown_words_and_given_spaces_have_no_vector() {
        assert_eq!(embed(&learned(), &[("zebra", 1)]), None);
        assert_eq!(
            embed(&Space::given(1, 4, 0.4, (0.6, 0.4)), &[("cat", 1)]),
            None
        );
    }
}
