//! The neighbour graph as a walk wants it. A walk waits for memory most of the time; this one asks for
//! the sketches of all neighbours of a slot before it looks at the first, and keeps what is read
//! together in whole cache lines. The links are read from the bytes that usearch writes, and never
//! change: slots that come later are not in them.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::io;

use super::prefetch::prefetch;

/// Most neighbours of a slot on the ground level: twice the connectivity.
const GROUND_NEIGHBORS: usize = 32;
/// Each level holds a sixteenth of the one below.
const LEVELS_MAX: u64 = 16;
const NOBODY: u32 = u32::MAX;
/// Between the vectors and the graph usearch writes a description of this length.
const DESCRIPTION_BYTES: usize = 64;
/// One of so many slots is met at most before enough are found.
const SEEN_SHARE: usize = 8;

#[derive(Clone)]
#[repr(align(64))]
struct Neighbors([u32; GROUND_NEIGHBORS]);

/// Who is linked to whom, among the slots 0..`indexed()`.
pub struct Links {
    ground: Vec<Neighbors>,
    /// The levels above the ground, the lowest first.
    upper: Vec<HashMap<u32, Vec<u32>>>,
    entry: u32,
    /// Memory held.
    bytes: usize,
}

/// How near slots are to a query; all that are asked for must be there.
pub(super) trait Nearness {
    /// Asks for the memory of a slot that is looked at soon.
    fn prefetch(&self, slot: u32);
    /// Nearly the cosines of some slots, in place of what `nears` held.
    fn nears(&self, slots: &[u32], nears: &mut Vec<f32>);
}

impl Links {
    /// Reads a graph of vectors of one byte a number, as `Graph::to_bytes` writes it. Errors with
    /// `InvalidData` when it is none, or one of another connectivity.
    pub(super) fn read(bytes: &[u8]) -> io::Result<Self> {
        let mut input = Input(bytes);
        let (rows, width) = (input.u32()? as usize, input.u32()? as usize);
        let vectors = rows.checked_mul(width).filter(|bytes| *bytes > 0);
        input.skip(vectors.ok_or_else(unreadable)?)?;
        input.skip(DESCRIPTION_BYTES)?;
        let (size, connectivity) = (input.u64()?, input.u64()?);
        let (most, top, entry) = (input.u64()?, input.u64()?, input.u64()?);
        let is_known = most == GROUND_NEIGHBORS as u64 && connectivity <= most && top <= LEVELS_MAX;
        if !is_known || size != rows as u64 || entry >= size {
            return Err(unreadable());
        }
        let levels: io::Result<Vec<u16>> = (0..rows).map(|_| input.u16()).collect();
        let mut links = Links {
            ground: vec![Neighbors([NOBODY; GROUND_NEIGHBORS]); rows],
            upper: vec![HashMap::new(); top as usize],
            entry: entry as u32,
            bytes: 0,
        };
        for (slot, level) in (0..).zip(levels?) {
            // Before a slot's neighbours stand its key, which is the slot again, and its level.
            if input.u64()? != u64::from(slot) || input.u16()? != level {
                return Err(unreadable());
            }
            let ground = &mut links.ground[slot as usize].0;
            for (place, neighbor) in input.list(GROUND_NEIGHBORS, size)?.into_iter().enumerate() {
                ground[place] = neighbor;
            }
            for above in 0..usize::from(level) {
                let neighbors = input.list(connectivity as usize, size)?;
                let level = links.upper.get_mut(above).ok_or_else(unreadable)?;
                level.insert(slot, neighbors);
            }
        }
        let upper = links.upper.iter().flat_map(HashMap::values);
        let lists: usize = upper.map(|list| 32 + list.capacity() * 4).sum();
        links.bytes = links.ground.capacity() * size_of::<Neighbors>() + lists;
        Ok(links)
    }

    /// How many slots, from 0 on, can be found.
    pub fn indexed(&self) -> u32 {
        self.ground.len() as u32
    }

    /// Memory held.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The `count` slots nearest to the query that a walk meets, best first, among those that pass
    /// (Malkov, Yashunin 2018, algorithms 2 and 5). `None` once it has met a good part of all without having found so many:
    /// what passes lies elsewhere, or is little, and a scan of it takes less time.
    pub(super) fn walk(
        &self,
        query: &impl Nearness,
        count: usize,
        passes: &dyn Fn(u32) -> bool,
    ) -> Option<Vec<u32>> {
        let most = self.ground.len() / SEEN_SHARE;
        let mut met = 0;
        let mut nears = Vec::with_capacity(GROUND_NEIGHBORS);
        let entry = self.descend(query, &mut nears);
        let mut seen = vec![0u64; self.ground.len().div_ceil(64)];
        let mut fresh = Vec::with_capacity(GROUND_NEIGHBORS);
        // Both hold ranks, which order by nearness; what is left to look at has its best on top, what
        // was found its worst.
        let mut open = BinaryHeap::from([entry]);
        let mut found = BinaryHeap::with_capacity(count + 1);
        mark(&mut seen, slot_of(entry));
        if passes(slot_of(entry)) {
            found.push(Reverse(entry));
        }
        while let Some(best) = open.pop() {
            let worst = found.peek().map_or(0, |Reverse(worst)| *worst);
            if found.len() >= count && best < worst {
                break;
            }
            let neighbors = &self.ground[slot_of(best) as usize].0;
            fresh.clear();
            for slot in neighbors.iter().take_while(|slot| **slot != NOBODY) {
                if mark(&mut seen, *slot) {
                    query.prefetch(*slot);
                    fresh.push(*slot);
                }
            }
            met += fresh.len();
            if met > most && found.len() < count {
                return None;
            }
            query.nears(&fresh, &mut nears);
            for (slot, near) in fresh.iter().zip(&nears) {
                let rank = rank(*near, *slot);
                let worst = found.peek().map_or(0, |Reverse(worst)| *worst);
                if found.len() >= count && rank < worst {
                    continue;
                }
                open.push(rank);
                if passes(*slot) {
                    found.push(Reverse(rank));
                    if found.len() > count {
                        found.pop();
                    }
                }
            }
            if let Some(next) = open.peek() {
                prefetch(&self.ground[slot_of(*next) as usize]);
            }
        }
        let best_first = found.into_sorted_vec().into_iter();
        Some(best_first.map(|Reverse(rank)| slot_of(rank)).collect())
    }

    /// From the top level down, always to the nearest neighbour.
    fn descend(&self, query: &impl Nearness, nears: &mut Vec<f32>) -> u64 {
        query.nears(&[self.entry], nears);
        let mut best = rank(nears[0], self.entry);
        for level in self.upper.iter().rev() {
            while let Some(neighbors) = level.get(&slot_of(best)) {
                neighbors.iter().for_each(|slot| query.prefetch(*slot));
                query.nears(neighbors, nears);
                let pairs = neighbors.iter().zip(nears.iter());
                match pairs.map(|(slot, near)| rank(*near, *slot)).max() {
                    Some(nearer) if nearer > best => best = nearer,
                    _ => break,
                }
            }
        }
        best
    }
}

/// Orders by nearness; the slot decides between equals, and can be taken out again.
fn rank(near: f32, slot: u32) -> u64 {
    let bits = near.to_bits();
    let ordered = if bits >> 31 == 0 {
        bits | 1 << 31
    } else {
        !bits
    };
    u64::from(ordered) << 32 | u64::from(slot)
}

fn slot_of(rank: u64) -> u32 {
    rank as u32
}

/// Marks a slot; false when it was marked before.
fn mark(seen: &mut [u64], slot: u32) -> bool {
    let (word, bit) = (&mut seen[slot as usize / 64], 1 << (slot % 64));
    let is_new = *word & bit == 0;
    *word |= bit;
    is_new
}

/// Bytes that are read from the front.
struct Input<'a>(&'a [u8]);

impl Input<'_> {
    fn take<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let (head, rest) = self.0.split_first_chunk().ok_or_else(unreadable)?;
        self.0 = rest;
        Ok(*head)
    }

    fn skip(&mut self, bytes: usize) -> io::Result<()> {
        self.0 = self.0.get(bytes..).ok_or_else(unreadable)?;
        Ok(())
    }

    fn u16(&mut self) -> io::Result<u16> {
        self.take().map(u16::from_le_bytes)
    }

    fn u32(&mut self) -> io::Result<u32> {
        self.take().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> io::Result<u64> {
        self.take().map(u64::from_le_bytes)
    }

    /// A list with room for `most` slots, all below `size`.
    fn list(&mut self, most: usize, size: u64) -> io::Result<Vec<u32>> {
        let count = self.u32()? as usize;
        let room: io::Result<Vec<u32>> = (0..most).map(|_| self.u32()).collect();
        let mut slots = room?;
        slots.truncate(count);
        let is_sound = count <= most && slots.iter().all(|slot| u64::from(*slot) < size);
        is_sound.then_some(slots).ok_or_else(unreadable)
    }
}

fn unreadable() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "a graph of another form")
}
