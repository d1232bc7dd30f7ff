//! What a text search matches.

/// Scores that are compared side by side.
const LANES: usize = 16;

/// The matches of a text search, positions ascending.
#[derive(Default, Debug)]
pub struct TextMatches {
    /// Global positions.
    pub positions: Vec<u32>,
    /// b(d) of each.
    pub scores: Vec<f32>,
    /// How many documents match: more than are here, where only the scores of the first were asked for.
    pub total: usize,
    /// In that case the positions of all, if these were asked for, too.
    pub listed: Option<Vec<u32>>,
    /// Of a list that is sorted by values alone, the positions that its page needs, ascending; `None` where all are looked at.
    pub chosen: Option<Vec<u32>>,
    /// The numbers of the pairs that count: all, as long as they are cheap enough.
    pub pairs: Vec<usize>,
    /// Where the query stands as a whole.
    pub whole: Whole,
    /// The largest b(d).
    most: f32,
}

/// What a text search finds of the query as a whole.
#[derive(Default, Debug)]
pub struct Whole {
    /// What its frequency in the combined field, saturated, counts.
    pub combined: f32,
    /// Field by field: what its frequency there counts, and where it occurs.
    pub fields: Vec<WholeIn>,
}

/// The query as a whole in one field.
#[derive(Default, Debug)]
pub struct WholeIn {
    /// What its frequency, saturated, counts.
    pub factor: f32,
    /// The documents, positions ascending.
    pub positions: Vec<u32>,
    /// How often it occurs in each, above 0, 1 at most.
    pub frequencies: Vec<f32>,
}

impl WholeIn {
    /// How often it occurs in the document at a position.
    pub fn frequency_at(&self, position: u32) -> f32 {
        let at = self.positions.binary_search(&position);
        at.map_or(0.0, |at| self.frequencies[at])
    }
}

impl TextMatches {
    /// b(d) of the document at a position, if it matches and was asked for.
    pub fn score_at(&self, position: u32) -> Option<f32> {
        Some(self.scores[self.number_of(position)?])
    }

    /// The number of the document at a position among those whose scores were asked for, if it matches.
    pub fn number_of(&self, position: u32) -> Option<usize> {
        self.positions.binary_search(&position).ok()
    }

    /// The positions of all matches, ascending; without their scores they must have been asked for.
    pub fn all(&self) -> &[u32] {
        self.listed.as_deref().unwrap_or(&self.positions)
    }

    /// Whether there are matches that are not here.
    pub fn is_partial(&self) -> bool {
        self.total > self.positions.len()
    }

    /// The largest b(d), 0 without a match.
    pub fn max(&self) -> f32 {
        self.most
    }

    /// The list of some positions, ascending, and the score of each.
    pub fn new(positions: Vec<u32>, scores: Vec<f32>) -> TextMatches {
        TextMatches {
            most: largest(&scores).unwrap_or(0.0).max(0.0),
            total: positions.len(),
            listed: None,
            chosen: None,
            positions,
            scores,
            pairs: Vec::new(),
            whole: Whole::default(),
        }
    }
}

/// The largest of some scores, `None` of none.
pub fn largest<S: Copy + PartialOrd>(scores: &[S]) -> Option<S> {
    // Side by side: one after the other each comparison would wait for the one before.
    let mut lanes = [*scores.first()?; LANES];
    let chunks = scores.chunks_exact(LANES);
    let rest = chunks.remainder();
    for chunk in chunks.chain([rest]) {
        for (most, score) in lanes.iter_mut().zip(chunk) {
            *most = if *score > *most { *score } else { *most };
        }
    }
    let mut width = LANES / 2;
    while width > 0 {
        for at in 0..width {
            let other = lanes[at + width];
            lanes[at] = if other > lanes[at] { other } else { lanes[at] };
        }
        width /= 2;
    }
    Some(lanes[0])
}
