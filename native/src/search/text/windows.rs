//! Adding up the scores of a text search window by window: some documents of a segment at a time, for all clauses, so that
//! what is added up stays in the nearest cache. Each document's sums are made in the order of the clauses.

use std::ops::Range;

use crate::bm25::saturated;
use crate::search::text::group::{Group, List};
use crate::search::text::harvest::{harvest, pick, Found};
use crate::search::text::postings::{Postings, SegmentField};
use crate::search::text::reach::{Chosen, Places};
use crate::search::text::scorer::{FieldScorer, Scorer};
use crate::search::text::scratch::{Scratch, BLOCK, WINDOW};

/// From so many documents of a window on, the combined field is added up for all of them.
const MANY: usize = WINDOW / 4;

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
/// zero again.
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
