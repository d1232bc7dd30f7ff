//! Random histories against the simplest possible index: a set of numbers.

use std::collections::BTreeSet;

use crate::support::*;
use attune_native::engine::Engine;

/// splitmix64
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % n
    }
}

/// One batch of the records: numbers from..to are new, and these are deleted.
struct Batch {
    from: u64,
    to: u64,
    deletes: Vec<u64>,
}

fn check(engine: &Engine, expected: &BTreeSet<u64>, step: &str) {
    let view = engine.views.current();
    let mut found: Vec<u64> = Vec::new();
    for segment in &view.segments {
        for (document, ord) in segment.numbers.ords.iter().enumerate() {
            if segment.is_live(document as u32) {
                found.push(*ord);
            }
        }
    }
    found.sort_unstable();
    let twice = found
        .windows(2)
        .filter(|pair| pair[0] == pair[1])
        .map(|pair| pair[0]);
    let twice: Vec<u64> = twice.collect();
    let strange: Vec<&u64> = found.iter().filter(|ord| !expected.contains(ord)).collect();
    assert_eq!((twice, strange), (vec![], vec![]), "{step}");
    assert!(found.iter().eq(expected), "{step}");
    let all = r#"{"query":"","mode":"text","size":0}"#;
    assert_eq!(search(engine, all).total, expected.len() as u64, "{step}");
    assert_eq!(view.live_vectors as usize, expected.len(), "{step}");
    for slot in 0..view.slot_positions.len() as u32 {
        if let Some(position) = view.position_of_slot(slot) {
            assert_eq!(view.ord_of(position), view.vectors.ord_of(slot), "{step}");
        }
    }
    for ord in expected {
        let position = view.position_of(*ord).unwrap();
        assert_eq!(view.ord_of(position), *ord, "{step}");
    }
}

fn history(seed: u64, steps: u64) {
    let folder = Folder::new();
    let mut random = Random(seed);
    let mut engine = open(folder.path());
    let mut records: Vec<Batch> = Vec::new();
    let (mut applied, mut committed) = (BTreeSet::new(), BTreeSet::new());
    let mut next = 1;
    for step in 0..steps {
        let what = random.below(100);
        let step = format!("seed {seed} step {step} kind {what}");
        match what {
            0..50 => {
                let size = match random.below(10) {
                    0 => 0,
                    1 => 49 + random.below(80),
                    _ => 1 + random.below(12),
                };
                let (from, to) = (next, next + size);
                next = to;
                applied.extend(from..to);
                let all: Vec<u64> = applied.iter().copied().collect();
                let mut deletes = Vec::new();
                for _ in 0..random.below(6).min(all.len() as u64) {
                    // Mostly the newest, which may not be published yet.
                    let reach = [8, 400][random.below(2) as usize];
                    let back = random.below(reach);
                    let at = all.len().saturating_sub(1 + back as usize);
                    deletes.push(all[at]);
                }
                for ord in &deletes {
                    applied.remove(ord);
                }
                apply(&engine, from..to, &deletes);
                records.push(Batch { from, to, deletes });
            }
            50..85 => {
                engine.commit(records.len() as u64).unwrap();
                committed = applied.clone();
                check(&engine, &committed, &step);
            }
            85..90 => {
                engine.checkpoint().unwrap();
                check(&engine, &committed, &step);
            }
            93..95 if applied.len() >= 100 => {
                engine.commit(records.len() as u64).unwrap();
                committed = applied.clone();
                engine.fit().unwrap();
                check(&engine, &committed, &step);
            }
            90..92 => engine.release().unwrap(),
            92..95 => {
                engine.merge().unwrap();
            }
            _ => {
                engine.close();
                let (again, opened) = Engine::open(folder.path(), &definition()).unwrap();
                assert_eq!(opened.rebuild, None, "{step}");
                engine = again;
                // Now and then more is replayed than was lost.
                let from = opened.sequence.saturating_sub(random.below(5)) as usize;
                for batch in &records[from..] {
                    apply(&engine, batch.from..batch.to, &batch.deletes);
                }
                engine.commit(records.len() as u64).unwrap();
                committed = applied.clone();
                check(&engine, &committed, &step);
            }
        }
    }
}

#[test]
fn random_histories_hold_exactly_what_was_written() {
    // ATTUNE_SEED repeats one history, ATTUNE_HISTORIES asks for more of them.
    let number = |name: &str| std::env::var(name).ok().and_then(|v| v.parse::<u64>().ok());
    if let Some(seed) = number("ATTUNE_SEED") {
        return history(seed, 200);
    }
    for seed in 0..number("ATTUNE_HISTORIES").unwrap_or(6) {
        history(seed, 200);
    }
}
