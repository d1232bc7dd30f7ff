//! What matches in a window that is added up, and what it scores.

use std::ops::Range;

use crate::engine::bits::Bits;
use crate::search::text::blend::blend;
use crate::search::text::compact::Compact;
use crate::search::text::matched::Matched;
use crate::search::text::reach::{Places, Reach};
use crate::search::text::scratch::{Scratch, BLOCK};

/// Places that are blended side by side.
const LANES: usize = 8;

/// The matches of a search, as they are found.
pub struct Found<'a> {
    /// The documents that have all required clauses.
    pub required: Option<&'a Bits>,
    /// The documents that pass the filter.
    pub filter: Option<&'a Bits>,
    /// Which documents can be among the first, where only these are asked for.
    pub reach: Option<&'a mut Reach>,
    /// Positions, ascending.
    pub positions: &'a mut Vec<u32>,
    /// b(d) of each.
    pub scores: &'a mut Vec<f32>,
}

impl Found<'_> {
    /// Adds those of some matches that pass, and says which these are.
    #[inline(always)]
    fn add(&mut self, positions: &[u32], scores: &[f32], mut added: impl FnMut(Range<usize>)) {
        if self.required.is_none() && self.filter.is_none() {
            self.positions.extend_from_slice(positions);
            self.scores.extend_from_slice(scores);
            return added(0..positions.len());
        }
        for (number, (position, score)) in positions.iter().zip(scores).enumerate() {
            if self.passes(*position) {
                self.positions.push(*position);
                self.scores.push(*score);
                added(number..number + 1);
            }
        }
    }

    #[inline(always)]
    fn passes(&self, position: u32) -> bool {
        let is_in = |bits: Option<&Bits>| bits.is_none_or(|bits| bits.get(position));
        is_in(self.required) && is_in(self.filter)
    }
}

/// Adds the matches of some blocks of a window to a list, and leaves their sums at zero.
#[inline(always)]
pub fn harvest(
    scratch: &mut Scratch,
    fields: usize,
    blocks: u32,
    window: &Range<u32>,
    into: &mut Found,
) {
    let at = scratch.place_of(window);
    let length = window.len();
    let fields = &mut scratch.fields[..fields];
    for block in 0..length.div_ceil(BLOCK) {
        if blocks >> block & 1 == 0 {
            continue;
        }
        let from = block * BLOCK;
        let range = at + from..at + length.min(from + BLOCK);
        let scores = blend_block(&scratch.combined, fields, range.start);
        let start = window.start + from as u32;
        // What lies behind the end of the segment was blended, too, but is none of its matches.
        let combined = &mut scratch.combined[range.clone()];
        let mut sums = [0.0; BLOCK];
        sums[..combined.len()].copy_from_slice(combined);
        combined.fill(0.0);
        match &mut scratch.matched {
            None => {
                let found = Compact::of(start, &sums, [&scores]);
                into.add(found.positions(), found.values(0), |_| ());
            }
            Some(matched) => {
                let (titles, bodies) = split_block(fields, matched.title_number(), range.start);
                let found = Compact::of(start, &sums, [&scores, &titles, &bodies]);
                into.add(found.positions(), found.values(0), |range| {
                    let (titles, bodies) = (found.values(1), found.values(2));
                    matched.titles.extend_from_slice(&titles[range.clone()]);
                    matched.bodies.extend_from_slice(&bodies[range]);
                });
            }
        }
        for sums in fields.iter_mut() {
            sums[range.clone()].fill(0.0);
        }
    }
}

/// As `harvest`, of chosen documents alone.
#[inline(always)]
pub fn pick(
    scratch: &mut Scratch,
    fields: usize,
    chosen: &Places,
    window: &Range<u32>,
    into: &mut Found,
) {
    let start = scratch.place_of(window);
    let matched = &mut scratch.matched;
    let title_number = matched.as_ref().and_then(Matched::title_number);
    for (word, chosen) in chosen.iter().enumerate() {
        let mut rest = *chosen;
        while rest != 0 {
            let place = word * 64 + rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let at = start + place;
            let (mut best, mut sum, mut title, mut body) = (0.0f32, 0.0f32, 0.0f32, 0.0f32);
            for (number, own) in scratch.fields[..fields].iter_mut().enumerate() {
                let own = std::mem::take(&mut own[at]);
                best = if own > best { own } else { best };
                sum += own;
                let is_title = title_number == Some(number);
                *(if is_title { &mut title } else { &mut body }) += own;
            }
            let combined = std::mem::take(&mut scratch.combined[at]);
            let position = window.start + place as u32;
            if combined > 0.0 && into.passes(position) {
                into.positions.push(position);
                into.scores.push(blend(combined, best, sum));
                if let Some(matched) = matched {
                    matched.titles.push(title);
                    matched.bodies.push(body);
                }
            }
        }
    }
}

/// What the title scores at all places of a block that begins at a place of the sums, and what all other fields do.
#[inline(always)]
fn split_block(
    fields: &[Vec<f32>],
    title: Option<usize>,
    from: usize,
) -> ([f32; BLOCK], [f32; BLOCK]) {
    let (mut titles, mut bodies) = ([0.0; BLOCK], [0.0; BLOCK]);
    for (number, field) in fields.iter().enumerate() {
        let own: &[f32; BLOCK] = field[from..].first_chunk().expect("there is room");
        if title == Some(number) {
            titles = *own;
        } else {
            bodies = std::array::from_fn(|at| bodies[at] + own[at]);
        }
    }
    (titles, bodies)
}

/// The blends of all places of a block that begins at a place of the sums, matches or not: that goes many at a time.
#[inline(always)]
fn blend_block(combined: &[f32], fields: &[Vec<f32>], from: usize) -> [f32; BLOCK] {
    let mut scores = [0.0; BLOCK];
    for (lane, scores) in scores.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
        let at = from + lane * LANES;
        let (mut best, mut sum) = ([0.0f32; LANES], [0.0f32; LANES]);
        for field in fields {
            let own = lanes_of(field, at);
            // By value: a place that is written only if it grows takes many times as long.
            best = std::array::from_fn(|i| if own[i] > best[i] { own[i] } else { best[i] });
            sum = std::array::from_fn(|i| sum[i] + own[i]);
        }
        let combined = lanes_of(combined, at);
        *scores = std::array::from_fn(|i| blend(combined[i], best[i], sum[i]));
    }
    scores
}

#[inline(always)]
fn lanes_of(list: &[f32], from: usize) -> &[f32; LANES] {
    list[from..].first_chunk().expect("there is room")
}
