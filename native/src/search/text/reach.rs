//! Which documents can be among the first of a text search: those of which the clauses may add up to what the last of the
//! first, so far, scores (MaxScore: Turtle & Flood 1995, "Query evaluation: strategies and optimizations"; here document by
//! document, over bits). All others match, and are counted, but nobody asks what they score.

use std::ops::Range;

use crate::engine::bits::Bits;
use crate::search::text::scratch::WINDOW;

/// Bits of a window.
pub type Places = [u64; WINDOW / 64];

/// Fewer windows are added up before it is known what the first score.
const WINDOWS_MIN: usize = 8;
/// Most clauses: above, too many sums are close to each other.
const CLAUSES_MAX: usize = 64;
/// Heaviest clauses that are told apart; of the others a document may have all.
const DEPTH: usize = 5;
/// Where more than this share of a window's matches can be among the first, all are added up.
const SHARE: u32 = 3;
/// What a bound may lack of a score for the rounding of both.
const ROUNDING: f32 = 1e-4;
/// Below, weights and scores by words may be lost in the rounding of a fused score.
pub const TINY: f64 = 1e-9;

/// The documents whose scores a search asks for.
#[derive(Default)]
pub struct Wanted {
    /// The first of the list, so many.
    pub first: usize,
    /// Documents at these positions, if they match.
    pub also: Vec<u32>,
}

/// What a clause can add to a score.
struct Part {
    /// At most this.
    most: f32,
    /// Of all lighter ones together.
    lighter: f32,
    /// Where it occurs.
    documents: Bits,
    /// Where in the window at hand.
    here: Places,
}

/// The documents that can be among the first, while these are found.
pub struct Reach {
    /// The lightest first.
    parts: Vec<Part>,
    /// What every match must be among.
    passing: Option<Bits>,
    /// Documents whose score is wanted in any case.
    also: Bits,
    /// How many are the first.
    first: usize,
    /// What those score that may be the first, once some are known.
    scores: Vec<f32>,
    /// What so many known ones reach.
    floor: f32,
    /// How many documents match.
    pub total: usize,
}

impl Reach {
    /// Whether it may pay to leave documents out.
    pub fn pays(clauses: usize, documents: usize) -> bool {
        (2..=CLAUSES_MAX).contains(&clauses) && documents >= WINDOWS_MIN * WINDOW
    }

    /// Of clauses, each with the most that it adds and its documents; of what every match must be among; and of `also`.
    pub fn of(
        clauses: impl Iterator<Item = (f32, Bits)>,
        passing: Option<Bits>,
        also: Bits,
        first: usize,
    ) -> Reach {
        let parts = clauses.map(|(most, documents)| Part {
            most,
            lighter: 0.0,
            documents,
            here: [0; _],
        });
        let mut parts: Vec<Part> = parts.collect();
        parts.sort_by(|a, b| a.most.total_cmp(&b.most));
        let mut lighter = 0.0;
        let mut matching = parts.first().map(|part| part.documents.clone());
        for part in &mut parts {
            part.lighter = lighter;
            lighter += part.most;
            matching.iter_mut().for_each(|all| all.or(&part.documents));
        }
        let mut matching = matching.unwrap_or_default();
        passing.iter().for_each(|passing| matching.and(passing));
        Reach {
            parts,
            passing,
            also,
            first: first.max(1),
            scores: Vec::new(),
            floor: 0.0,
            total: matching.count(),
        }
    }

    /// The documents of a window whose scores are to be known, `None` where those of all may as well be.
    pub fn chosen(&mut self, window: &Range<u32>) -> Option<Places> {
        if f64::from(self.floor) <= TINY {
            return None;
        }
        let mut matching: Places = [0; _];
        for part in &mut self.parts {
            part.here = part.documents.window(window);
            matching = either(&matching, &part.here);
        }
        let least = self.floor * (1.0 - ROUNDING);
        let mut chosen = both(&matching, &reaching(&self.parts, least, DEPTH));
        if let Some(passing) = &self.passing {
            let passing = passing.window(window);
            (matching, chosen) = (both(&matching, &passing), both(&chosen, &passing));
        }
        let chosen = either(&chosen, &self.also.window(window));
        (count(&chosen) * SHARE <= count(&matching)).then_some(chosen)
    }

    /// Learns what some matches of a window score.
    pub fn meet(&mut self, scores: &[f32]) {
        let floor = self.floor;
        let reaching = scores.iter().filter(|score| **score >= floor);
        self.scores.extend(reaching);
        if self.scores.len() >= self.first {
            let falling = |a: &f32, b: &f32| b.total_cmp(a);
            let (_, last, _) = self.scores.select_nth_unstable_by(self.first - 1, falling);
            self.floor = *last;
            self.scores.truncate(self.first);
        }
    }
}

/// Where clauses, the lightest first, may add up to `least`; as far as `depth` of them tell.
fn reaching(parts: &[Part], least: f32, depth: usize) -> Places {
    let Some((heaviest, others)) = parts.split_last() else {
        return [if least <= 0.0 { u64::MAX } else { 0 }; _];
    };
    if least > heaviest.lighter + heaviest.most {
        return [0; _];
    }
    if least <= 0.0 || depth == 0 {
        return [u64::MAX; _];
    }
    let with = reaching(others, least - heaviest.most, depth - 1);
    let without = reaching(others, least, depth - 1);
    either(&both(&heaviest.here, &with), &without)
}

fn both(a: &Places, b: &Places) -> Places {
    std::array::from_fn(|at| a[at] & b[at])
}

fn either(a: &Places, b: &Places) -> Places {
    std::array::from_fn(|at| a[at] | b[at])
}

fn count(places: &Places) -> u32 {
    places.iter().map(|word| word.count_ones()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_left_out_only_where_its_clauses_cannot_reach_the_score() {
        let most = [0.5, 0.75, 1.0, 2.0, 2.5, 4.0, 4.5];
        let mut lighter = 0.0;
        let parts = most.iter().enumerate().map(|(number, most)| {
            lighter += most;
            let mut part = Part {
                most: *most,
                lighter: lighter - most,
                documents: Bits::default(),
                here: [0; _],
            };
            // The place says by its digits which clauses the document has.
            for place in (0..128).filter(|place| place >> number & 1 == 1) {
                part.here[place / 64] |= 1 << (place % 64);
            }
            part
        });
        let parts: Vec<Part> = parts.collect();
        for tenths in 0..170 {
            let least = tenths as f32 / 10.0;
            let (exact, rough) = (reaching(&parts, least, 7), reaching(&parts, least, DEPTH));
            for place in 0..128usize {
                let own = most.iter().enumerate();
                let own = own.filter(|(number, _)| place >> number & 1 == 1);
                let sum: f32 = own.map(|(_, most)| most).sum();
                let is_in = |places: &Places| places[place / 64] >> (place % 64) & 1 == 1;
                assert_eq!(is_in(&exact), sum >= least, "{place} {least}");
                assert!(is_in(&rough) || sum < least, "{place} {least}");
            }
        }
    }
}
