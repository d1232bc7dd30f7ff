//! Adding up the scores of a text search window by window: some documents of a segment at a time, for all clauses, so that
//! what is added up stays in the nearest cache. Each document's sums are made in the order of the clauses.

use std::ops::Range;

use crate::bm25::saturated;
use crate::engine::bits::Bits;
use crate::search::text::blend::blend;
use crate::search::text::compact::Compact;
use crate::search::text::matched::Matched;
use crate::search::text::postings::{Postings, SegmentField};
use crate::search::text::reach::{Chosen, Part, Places, Reach};
use crate::search::text::scorer::{FieldScorer, Scorer};
use crate::search::text::scratch::{Scratch, BLOCK, WINDOW};
use crate::search::text::text_matches::largest;

/// Places that are blended side by side.
const LANES: usize = 8;
/// From so many documents of a window on, the combined field is added up for all of them.
const MANY: usize = WINDOW / 4;

/// Clauses that are added up together, in their order.
#[derive(Default)]
pub struct Group {
    lists: Vec<List>,
    /// Per clause: what its frequency in the combined field, saturated, counts.
    combined: Vec<f32>,
    /// Entries of all lists.
    pub entries: usize,
}

/// Where a clause occurs in a field.
struct List {
    clause: usize,
    field: usize,
    /// Number of its postings.
    postings: usize,
    /// Entries that are added up already.
    done: usize,
    /// What its frequency, saturated, counts.
    factor: f32,
}

impl Group {
    /// Adds a clause with its lists, in the order of the fields: field, number of the postings, factor.
    pub fn add(&mut self, combined: f32, lists: impl Iterator<Item = (usize, usize, f32)>) {
        let clause = self.combined.len();
        self.combined.push(combined);
        self.lists
            .extend(lists.map(|(field, postings, factor)| List {
                clause,
                field,
                postings,
                done: 0,
                factor,
            }));
    }

    /// How many clauses there are.
    pub fn clauses(&self) -> usize {
        self.combined.len()
    }

    /// What each list of the first clauses can add to a score: it says its clause nowhere more often than it does anywhere, no
    /// text is shorter than the shortest, and `blend` makes no more of several lists than of each by itself.
    pub fn parts(&self, clauses: usize, scorer: &Scorer, scratch: &Scratch) -> Vec<Part> {
        let lists = self.lists.iter().filter(|list| list.clause < clauses);
        let parts = lists.map(|list| {
            let field = &scorer.fields[list.field];
            let most_of = |frequency: f32| {
                let combined = saturated(field.field.weight * frequency, scorer.least);
                let own = list.factor * saturated(frequency, field.norm(field.least));
                blend(self.combined[list.clause] * combined, own, own)
            };
            let frequencies = &scratch.postings[list.postings].frequencies;
            let most = largest(frequencies).unwrap_or(0.0);
            let is_split = scratch.often[list.postings].has_room();
            Part {
                list: list.postings,
                once: most_of(if is_split { most.min(1.0) } else { most }),
                most: most_of(most),
            }
        });
        parts.collect()
    }

    /// The numbers of the postings of all clauses from one on.
    pub fn postings_from(&self, clause: usize) -> impl Iterator<Item = usize> + '_ {
        let behind = self.lists.iter().filter(move |list| list.clause >= clause);
        behind.map(|list| list.postings)
    }

    /// Forgets all clauses.
    pub fn clear(&mut self) {
        self.lists.clear();
        self.combined.clear();
        self.entries = 0;
    }

    /// The first position that is not added up yet.
    fn next(&self, postings: &[Postings]) -> Option<u32> {
        let left = self.lists.iter();
        let next = left.filter_map(|list| postings[list.postings].positions.get(list.done));
        next.min().copied()
    }
}

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

/// What is added up for the documents of a window.
struct Sums<'a> {
    frequencies: &'a mut [f32; WINDOW],
    touched: &'a mut [u16],
    norms: &'a [f32; WINDOW],
    combined: &'a mut [f32; WINDOW],
    /// Bit by bit whether a block has anything.
    blocks: u32,
}

/// What a list is added to: the scores of its field, what all lists share, and how many documents its clause has so far.
type Into<'a, 's> = (&'a mut [f32; WINDOW], &'a mut Sums<'s>, &'a mut usize);

/// The window of a list that begins at a place.
#[inline(always)]
fn window_of(list: &mut [f32], from: usize) -> &mut [f32; WINDOW] {
    let (window, _) = list[from..].split_first_chunk_mut().expect("there is room");
    window
}

/// Adds up a group. Where `found` is given, these are the last clauses: all matches are added to it, and all sums left at
/// zero again, but for those of fields when they are wanted.
pub fn add_up(scorer: &Scorer, group: &mut Group, scratch: &mut Scratch, found: Option<Found>) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt") {
        // SAFETY: the processor was just seen to have it.
        return unsafe { add_up_wide(scorer, group, scratch, found) };
    }
    add_up_anywhere(scorer, group, scratch, found);
}

/// The same instructions eight at a time instead of four, with the same sums.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,popcnt")]
fn add_up_wide(scorer: &Scorer, group: &mut Group, scratch: &mut Scratch, found: Option<Found>) {
    add_up_anywhere(scorer, group, scratch, found);
}

#[inline(always)]
fn add_up_anywhere(
    scorer: &Scorer,
    group: &mut Group,
    scratch: &mut Scratch,
    mut found: Option<Found>,
) {
    // With sums of an earlier group there may be matches anywhere.
    let all = scratch.is_whole && scratch.has_sums && found.is_some();
    let mut number = 0;
    for (index, segment) in scorer.snapshot.segments.iter().enumerate() {
        let readers: Vec<Option<&SegmentField>> = scorer
            .fields
            .iter()
            .map(|field| field.reader.segment(index))
            .collect();
        let end = segment.base + segment.reader.max_doc();
        let first = number;
        number += (end - segment.base).div_ceil(WINDOW as u32) as usize;
        let mut own = 0;
        while first + own < number {
            if !all {
                let Some(next) = group.next(&scratch.postings).filter(|next| *next < end) else {
                    break;
                };
                own = (next - segment.base) as usize / WINDOW;
            }
            let from = segment.base + (own * WINDOW) as u32;
            let window = from..end.min(from + WINDOW as u32);
            know_norms(scorer, scratch, (index, first + own), &window);
            let mut chosen = None;
            if let Some(found) = &mut found {
                let passing = [found.required, found.filter];
                if let Some(reach) = &mut found.reach {
                    chosen = reach.chosen(&window, (&scratch.known, &scratch.often), passing);
                }
            }
            let within = (&window, segment.base);
            let blocks = add_window(scorer, group, scratch, &readers, within, chosen.as_ref());
            if let Some(found) = &mut found {
                let before = found.scores.len();
                let blocks = if all { u32::MAX } else { blocks };
                let fields = scorer.fields.len();
                match &chosen {
                    Some(chosen) => pick(scratch, fields, &chosen.places, &window, found),
                    None => harvest(scratch, fields, blocks, &window, found),
                }
                let (positions, scores) = (&found.positions[before..], &found.scores[before..]);
                match &mut found.reach {
                    Some(reach) if chosen.is_some() => reach.meet(scores),
                    Some(reach) => reach.meet_all(positions, scores),
                    None => {}
                }
            }
            own += 1;
        }
    }
    scratch.has_sums = found.is_none();
}

/// Looks up the denominator parts of a window, the one of this number, of a segment, unless they are known.
fn know_norms(
    scorer: &Scorer,
    scratch: &mut Scratch,
    (segment, number): (usize, usize),
    window: &Range<u32>,
) {
    if scratch.norms_known.get(number) == Some(&true) {
        return;
    }
    let range = window.start as usize..window.end as usize;
    let base = scorer.snapshot.segments[segment].base;
    for (norm, position) in scratch.norms[range].iter_mut().zip(window.clone()) {
        *norm = scorer.norm(segment, position - base);
    }
    if scratch.norms_known.len() <= number {
        scratch.norms_known.resize(number + 1, false);
    }
    scratch.norms_known[number] = true;
}

/// Adds up a window of a segment that begins at a base, or of its documents those that are chosen; gives which blocks have
/// anything.
#[inline(always)]
fn add_window(
    scorer: &Scorer,
    group: &mut Group,
    scratch: &mut Scratch,
    readers: &[Option<&SegmentField>],
    (window, base): (&Range<u32>, u32),
    chosen: Option<&Chosen>,
) -> u32 {
    let at = scratch.place_of(window);
    let mut sums = Sums {
        frequencies: window_of(&mut scratch.frequencies, 0),
        touched: &mut scratch.touched,
        norms: window_of(&mut scratch.norms, window.start as usize),
        combined: window_of(&mut scratch.combined, at),
        blocks: 0,
    };
    for lists in group.lists.chunk_by_mut(|a, b| a.clause == b.clause) {
        let mut touched = 0;
        for list in lists.iter_mut() {
            let Some(reader) = readers[list.field] else {
                continue;
            };
            let field = &scorer.fields[list.field];
            let own = window_of(&mut scratch.fields[list.field], at);
            let postings = &scratch.postings[list.postings];
            let within = (window, base);
            let (from, into) = ((field, reader), (own, &mut sums, &mut touched));
            // All documents of a list without bits are chosen ones.
            match chosen.filter(|chosen| list.postings < chosen.lists) {
                Some(chosen) => {
                    let here = scratch.known[list.postings].window(window);
                    add_chosen(
                        within,
                        from,
                        (list, postings),
                        (&here, &chosen.places),
                        into,
                    );
                }
                None => add_list(within, from, (list, postings), into),
            }
        }
        if touched > 0 {
            add_combined(group.combined[lists[0].clause], touched, &mut sums);
        }
    }
    sums.blocks
}

/// Adds the part of a list that lies in a window to the scores of its field, and to the frequencies in the combined field.
#[inline(always)]
fn add_list(
    (window, base): (&Range<u32>, u32),
    (field, reader): (&FieldScorer, &SegmentField),
    (list, postings): (&mut List, &Postings),
    (own, sums, touched): Into,
) {
    let (weight, factor) = (field.field.weight, list.factor);
    let positions = postings.positions[list.done..].iter();
    let entries = positions.zip(&postings.frequencies[list.done..]);
    let (mut done, mut end) = (0, *touched);
    for (position, frequency) in entries {
        if *position >= window.end {
            break;
        }
        // What lies in the window is below its size: that spares a check each.
        let at = (position - window.start) as usize % WINDOW;
        let norm = field.norm(reader.length_code(position - base));
        own[at] += factor * saturated(*frequency, norm);
        let sum = &mut sums.frequencies[at];
        // Written always, kept if it is new: no branch to guess wrong.
        sums.touched[end] = at as u16;
        end += usize::from(*sum == 0.0);
        *sum += weight * frequency;
        done += 1;
    }
    list.done += done;
    *touched = end;
}

/// As `add_list`, of the chosen documents alone, given where in the window the list has documents: so many bits as stand
/// before one of them, so many entries stand before it.
#[inline(always)]
fn add_chosen(
    (window, base): (&Range<u32>, u32),
    (field, reader): (&FieldScorer, &SegmentField),
    (list, postings): (&mut List, &Postings),
    (here, chosen): (&Places, &Places),
    (own, sums, touched): Into,
) {
    let (weight, factor) = (field.field.weight, list.factor);
    for (word, (here, chosen)) in here.iter().zip(chosen).enumerate() {
        let mut rest = here & chosen;
        while rest != 0 {
            let bit = rest.trailing_zeros();
            let before = (here & ((1 << bit) - 1)).count_ones();
            let frequency = postings.frequencies[list.done + before as usize];
            let at = word * 64 + bit as usize;
            let norm = field.norm(reader.length_code(window.start + at as u32 - base));
            own[at] += factor * saturated(frequency, norm);
            let sum = &mut sums.frequencies[at];
            sums.touched[*touched] = at as u16;
            *touched += usize::from(*sum == 0.0);
            *sum += weight * frequency;
            rest &= rest - 1;
        }
        list.done += here.count_ones() as usize;
    }
}

/// Adds a clause's score in the combined field (BM25F), and leaves the frequencies at zero again.
#[inline(always)]
fn add_combined(factor: f32, touched: usize, sums: &mut Sums) {
    // A match scores something, were it ever so little: that is how it is known.
    let part_of = |frequency: f32, norm: f32| {
        let part = factor * saturated(frequency, norm);
        if part > f32::MIN_POSITIVE {
            part
        } else {
            f32::MIN_POSITIVE
        }
    };
    if touched >= MANY {
        let own = sums.frequencies.iter_mut().zip(sums.norms);
        for (combined, (frequency, norm)) in sums.combined.iter_mut().zip(own) {
            let part = part_of(*frequency, *norm);
            *combined += if *frequency == 0.0 { 0.0 } else { part };
            *frequency = 0.0;
        }
        sums.blocks = u32::MAX;
        return;
    }
    for at in &sums.touched[..touched] {
        let at = usize::from(*at) % WINDOW;
        sums.blocks |= 1 << (at / BLOCK);
        let frequency = std::mem::take(&mut sums.frequencies[at]);
        sums.combined[at] += part_of(frequency, sums.norms[at]);
    }
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
fn harvest(
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
fn pick(
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
