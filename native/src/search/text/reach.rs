//! Which documents can be among the first of a text search: those of which the lists they are in may add up to what the last
//! of the first, so far, scores (MaxScore: Turtle & Flood 1995, "Query evaluation: strategies and optimizations"; here
//! document by document, added up over bits). All others match, and are counted, but nobody asks what they score.

use std::ops::Range;

use crate::engine::bits::Bits;
use crate::failure::Failure;
use crate::search::text::scratch::WINDOW;

/// Bits of a window.
pub type Places = [u64; WINDOW / 64];

/// Fewer windows are added up before it is known what the first score.
const WINDOWS_MIN: usize = 8;
/// Most clauses: above, too many sums are close to each other.
const CLAUSES_MAX: usize = 64;
/// Bits of a sum: where it has more, it reaches the score.
const DIGITS: usize = 7;
/// Where more than this share of a window's matches can be among the first, all are added up.
const SHARE: u32 = 2;
/// What a bound may lack of a score for the rounding of both.
const ROUNDING: f32 = 1e-4;
/// Below, weights and scores by words may be lost in the rounding of a fused score.
pub const TINY: f64 = 1e-9;

/// The documents whose scores a search asks for.
pub struct Wanted<'a> {
    /// The first of the list, so many.
    pub first: usize,
    /// Documents at these positions, if they match.
    pub also: Vec<u32>,
    /// Whether the positions of all matches are wanted, too.
    pub listed: bool,
    /// Where the list is sorted otherwise: gives, by the positions of all matches, those that are wanted besides.
    pub choose: Option<&'a Choose<'a>>,
}

/// Positions out of others, or beside them, both ascending.
pub type Choose<'a> = dyn Fn(&[u32]) -> Result<Vec<u32>, Failure> + 'a;

/// What a list can add to a score.
pub struct Part {
    /// Number of the list's bits.
    pub list: usize,
    /// At most this where it says the clause once.
    pub once: f32,
    /// At most this anywhere.
    pub most: f32,
}

/// The documents of a window whose scores are to be known.
pub struct Chosen {
    /// Where they are.
    pub places: Places,
    /// Lists below this number are looked up by their bits; all others have none but chosen documents.
    pub lists: usize,
}

/// What is added up where a list, or a part of it, has documents.
struct Addend {
    here: Places,
    /// The digits of how much, each in all places.
    digits: [u64; DIGITS],
    /// Whether it reaches the score by itself, in all places.
    alone: u64,
}

/// The documents that can be among the first, while these are found.
pub struct Reach {
    /// How many lists have bits.
    lists: usize,
    parts: Vec<Part>,
    /// Documents whose score is wanted in any case.
    pub also: Bits,
    /// How many are the first.
    first: usize,
    /// What those score that may be the first, once some are known.
    scores: Vec<f32>,
    /// What so many known ones reach.
    floor: f32,
    /// What is added up in the window at hand.
    addends: Vec<Addend>,
    /// How many documents match, of the windows so far.
    pub total: usize,
    /// Their positions, if they are wanted.
    pub listed: Option<Vec<u32>>,
}

impl Reach {
    /// Whether it may pay to leave documents out: of one clause alone what is wanted are those that score most.
    pub fn pays(wanted: &Wanted, clauses: usize, documents: usize) -> bool {
        let least = if wanted.choose.is_some() { 1 } else { 2 };
        (least..=CLAUSES_MAX).contains(&clauses) && documents >= WINDOWS_MIN * WINDOW
    }

    /// Of so many lists with bits, what they can add, and the documents whose score is wanted in any case.
    pub fn of(lists: usize, parts: Vec<Part>, also: Bits, wanted: &Wanted) -> Reach {
        Reach {
            lists,
            parts,
            also,
            first: wanted.first.max(1),
            scores: Vec::new(),
            floor: 0.0,
            addends: Vec::new(),
            total: 0,
            listed: wanted.listed.then(Vec::new),
        }
    }

    /// Which documents of a window are chosen, given where lists occur, where they say a clause more than once, and what
    /// every match is among. `None` where all may as well be.
    #[inline(always)]
    pub fn chosen(
        &mut self,
        window: &Range<u32>,
        (known, often): (&[Bits], &[Bits]),
        passing: [Option<&Bits>; 2],
    ) -> Option<Chosen> {
        if f64::from(self.floor) <= TINY {
            return None;
        }
        let unit = self.floor * (1.0 - ROUNDING) / (1 << DIGITS) as f32;
        let mut matching: Places = [0; _];
        self.addends.clear();
        for part in &self.parts {
            let here = known[part.list].window(window);
            if here.iter().all(|word| *word == 0) {
                continue;
            }
            matching = either(&matching, &here);
            self.addends.push(Addend::of(here, part.once, unit));
            if part.most > part.once {
                let here = often[part.list].window(window);
                self.addends
                    .push(Addend::of(here, part.most - part.once, unit));
            }
        }
        let mut chosen = reaching(&self.addends);
        for passing in passing.into_iter().flatten() {
            let passing = passing.window(window);
            (matching, chosen) = (both(&matching, &passing), both(&chosen, &passing));
        }
        let chosen = either(&chosen, &self.also.window(window));
        let matches = count(&matching);
        let is_less = count(&chosen) * SHARE <= matches;
        if is_less {
            self.total += matches as usize;
            if let Some(listed) = &mut self.listed {
                list(matching, window.start, listed);
            }
        }
        is_less.then_some(Chosen {
            places: chosen,
            lists: self.lists,
        })
    }

    /// Learns what all matches of a window score, at some positions.
    pub fn meet_all(&mut self, positions: &[u32], scores: &[f32]) {
        self.total += positions.len();
        if let Some(listed) = &mut self.listed {
            listed.extend_from_slice(positions);
        }
        self.meet(scores);
    }

    /// Learns what those of a window score that were chosen.
    pub fn meet(&mut self, scores: &[f32]) {
        let floor = self.floor;
        let reaching = scores.iter().filter(|score| **score >= floor);
        self.scores.extend(reaching);
        // Not for each few more: what they reach is looked up in all of them.
        let enough = if floor > 0.0 {
            2 * self.first
        } else {
            self.first
        };
        if self.scores.len() >= enough {
            let falling = |a: &f32, b: &f32| b.total_cmp(a);
            let (_, last, _) = self.scores.select_nth_unstable_by(self.first - 1, falling);
            self.floor = *last;
            self.scores.truncate(self.first);
        }
    }
}

impl Addend {
    /// Of so much, in units of which the score has 2^`DIGITS`, rounded up.
    #[inline(always)]
    fn of(here: Places, most: f32, unit: f32) -> Addend {
        let units = (most / unit).ceil() as u64;
        let everywhere = |is_so: u64| 0u64.wrapping_sub(is_so & 1);
        Addend {
            here,
            digits: std::array::from_fn(|digit| everywhere(units >> digit)),
            alone: everywhere(u64::from(units >> DIGITS > 0)),
        }
    }
}

/// Where addends reach the score together: sums are kept digit by digit, so that hundreds of documents are added up at once.
#[inline(always)]
fn reaching(addends: &[Addend]) -> Places {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512f") {
        // SAFETY: the processor was just seen to have it.
        return unsafe { reaching_wide(addends) };
    }
    reaching_anywhere::<4>(addends)
}

/// The same, twice as many at once.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn reaching_wide(addends: &[Addend]) -> Places {
    reaching_anywhere::<8>(addends)
}

/// So many words of bits side by side.
#[inline(always)]
fn reaching_anywhere<const LANE: usize>(addends: &[Addend]) -> Places {
    let mut reached: Places = [0; _];
    for (number, reached) in reached.as_chunks_mut::<LANE>().0.iter_mut().enumerate() {
        let mut sums = [[0u64; LANE]; DIGITS];
        let mut over = [0u64; LANE];
        for addend in addends {
            let here = &addend.here.as_chunks::<LANE>().0[number];
            let mut carry = [0u64; LANE];
            for (sum, digit) in sums.iter_mut().zip(&addend.digits) {
                for at in 0..LANE {
                    let own = here[at] & digit;
                    let half = sum[at] ^ own;
                    let next = (sum[at] & own) | (half & carry[at]);
                    sum[at] = half ^ carry[at];
                    carry[at] = next;
                }
            }
            for at in 0..LANE {
                over[at] |= carry[at] | (here[at] & addend.alone);
            }
        }
        *reached = over;
    }
    reached
}

/// Adds the positions of a window to a list.
#[inline(never)]
fn list(places: Places, start: u32, into: &mut Vec<u32>) {
    for (base, mut rest) in (start..).step_by(64).zip(places) {
        while rest != 0 {
            into.push(base + rest.trailing_zeros());
            rest &= rest - 1;
        }
    }
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
    fn a_document_is_left_out_only_where_its_lists_cannot_reach_the_score() {
        let most = [0.5, 0.75, 1.0, 2.0, 2.5, 4.0, 4.5];
        for tenths in 1..170 {
            let least = tenths as f32 / 10.0;
            let unit = least / (1 << DIGITS) as f32;
            // The place says by its digits which lists the document is in.
            let addends = most.iter().enumerate().map(|(number, most)| {
                let mut here: Places = [0; _];
                for place in (0..128).filter(|place| place >> number & 1 == 1) {
                    here[place / 64] |= 1 << (place % 64);
                }
                Addend::of(here, *most, unit)
            });
            let addends: Vec<Addend> = addends.collect();
            let reached = reaching(&addends);
            for place in 0..128usize {
                let own = most.iter().enumerate();
                let own = own.filter(|(number, _)| place >> number & 1 == 1);
                let sum: f32 = own.map(|(_, most)| most).sum();
                let is_in = reached[place / 64] >> (place % 64) & 1 == 1;
                let rounded = sum + most.len() as f32 * unit;
                assert!(is_in || sum < least, "{place} {least}");
                assert!(!is_in || rounded >= least, "{place} {least}");
            }
            assert_eq!(reached[2..], [0; 14]);
        }
    }
}
