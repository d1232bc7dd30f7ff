use std::collections::HashSet;
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::*;
use crate::folder::Folder;
use crate::space::lsa::Random;

fn paths(folder: &Folder) -> (PathBuf, PathBuf) {
    (folder.join("vectors.flat"), folder.join("vectors.graph"))
}

/// Clustered vectors: a random centre out of 50 plus noise.
fn vectors(count: usize, dimensions: usize, seed: u64) -> Vec<Vec<f32>> {
    let mut shared = Random(99);
    let centres: Vec<f32> = (0..50 * dimensions).map(|_| shared.signed()).collect();
    let mut random = Random(seed);
    (0..count)
        .map(|_| {
            let centre = &centres[random.below(50) * dimensions..][..dimensions];
            let mut vector: Vec<f32> = centre.iter().map(|at| at + 0.8 * random.signed()).collect();
            assert!(normalize(&mut vector));
            vector
        })
        .collect()
}

fn filled(count: usize, dimensions: usize) -> VectorSet {
    let set = VectorSet::new(dimensions);
    let rows = vectors(count, dimensions, 1).concat();
    let ords: Vec<u64> = (0..count as u64).map(|at| at * 2).collect();
    let slots = set.append_batch(&ords, &rows);
    assert!((0..).zip(slots).all(|(wanted, slot)| slot == Some(wanted)));
    set
}

fn build_graph(set: &VectorSet) {
    while set.maintain_graph(set.len(), Instant::now() + Duration::from_secs(60), true) {}
}

#[test]
fn vectors_without_a_direction_are_refused_and_change_nothing() {
    let set = VectorSet::new(3);
    for vector in [
        &[0.0, 0.0, 0.0][..],
        &[1.0, f32::NAN, 0.0],
        &[f32::INFINITY, 0.0, 0.0],
        &[1.0, 2.0],
    ] {
        assert_eq!(set.append(1, vector), None);
    }
    assert!(set.is_empty());
    assert_eq!(
        set.append_batch(&[5, 6], &[0.0, 0.0, 0.0, 0.0, 3.0, 4.0]),
        [None, Some(0)]
    );
    let mut out = [0.0; 3];
    set.copy_into(0, &mut out);
    assert!((out[1] - 0.6).abs() < 1e-3 && (out[2] - 0.8).abs() < 1e-3);
    assert!(set
        .nearest_exact(&[f32::NAN, 0.0, 0.0], 5, 10, |_| true)
        .is_empty());
    assert!(set.nearest_exact(&[1.0], 5, 10, |_| true).is_empty());
}

#[test]
fn a_document_keeps_its_slot_however_often_and_in_which_order_it_comes() {
    let set = VectorSet::new(2);
    let order = [10, 20, 15, 30, 5, 40];
    for _ in 0..2 {
        for (slot, ord) in (0..).zip(order) {
            assert_eq!(set.append(ord, &[1.0, ord as f32]), Some(slot));
        }
    }
    for (slot, ord) in (0..).zip(order) {
        assert_eq!(set.slot_of(ord), Some(slot));
        assert_eq!(set.ord_of(slot), ord);
    }
    assert_eq!(set.slot_of(7), None);
    assert_eq!(set.ord_of(6), u64::MAX);
}

#[test]
fn exact_neighbours_are_those_of_a_full_sort() {
    let set = filled(5_000, 40);
    for query in vectors(20, 40, 2) {
        let passes = |slot: u32| slot % 3 != 1;
        let mut all: Vec<(u32, f32)> = (0..4_900)
            .filter(|slot| passes(*slot))
            .map(|slot| (slot, set.cosine(slot, &query)))
            .collect();
        all.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        for k in [1, 10, 137, 4_000] {
            let found = set.nearest_exact(&query, k, 4_900, passes);
            assert_eq!(found, all[..k.min(all.len())]);
            assert_eq!(
                found,
                set.nearest_among(&query, k, (0..4_900).filter(|slot| passes(*slot)))
            );
        }
    }
    assert_eq!(
        set.nearest_exact(&vectors(1, 40, 3)[0], 10, u32::MAX, |_| true)
            .len(),
        10
    );
}

#[test]
fn equal_vectors_rank_by_slot() {
    let set = VectorSet::new(2);
    for ord in 0..100 {
        set.append(ord, &[1.0, 1.0]);
    }
    let found = set.nearest_exact(&[0.6, 0.8], 3, 100, |slot| slot >= 7);
    assert_eq!(
        found.iter().map(|found| found.0).collect::<Vec<_>>(),
        [7, 8, 9]
    );
}

#[test]
fn the_graph_finds_what_the_scan_finds_with_any_filter() {
    let set = filled(12_000, 32);
    assert!(!set.maintain_graph(9_999, Instant::now(), true) && !set.has_graph());
    build_graph(&set);
    assert!(set.has_graph());
    let mut random = Random(4);
    let marks: Vec<f64> = (0..12_000)
        .map(|_| random.below(1 << 20) as f64 / (1 << 20) as f64)
        .collect();
    let ten: HashSet<u32> = (0..10).map(|_| random.below(12_000) as u32).collect();
    type Filter<'a> = Box<dyn Fn(u32) -> bool + Sync + 'a>;
    let filters: [(&str, Filter); 5] = [
        ("all", Box::new(|_| true)),
        ("half", Box::new(|slot| marks[slot as usize] < 0.5)),
        ("5 %", Box::new(|slot| marks[slot as usize] < 0.05)),
        ("0.5 %", Box::new(|slot| marks[slot as usize] < 0.005)),
        ("ten", Box::new(|slot| ten.contains(&slot))),
    ];
    let sketches = set.rows.write().sketches.take();
    assert_eq!(sketches.is_some(), Sketches::pay());
    // By the rows, and by sketches where they pay.
    for (at, (name, passes)) in filters.iter().chain(&filters).enumerate() {
        if at == filters.len() {
            set.rows.write().sketches = sketches.clone();
        }
        let (mut hits, mut wanted) = (0, 0);
        for query in vectors(50, 32, 5) {
            let exact = set.nearest_exact(&query, 10, 12_000, passes);
            let walked = set.nearest_graph(&query, 10, 12_000, passes);
            assert_eq!(walked.len(), exact.len());
            assert!(walked
                .iter()
                .all(|(slot, score)| passes(*slot) && *score == set.cosine(*slot, &query)));
            hits += walked.iter().filter(|found| exact.contains(found)).count();
            wanted += exact.len();
        }
        assert!(
            hits as f64 >= 0.99 * wanted as f64,
            "{name}: {hits} of {wanted}"
        );
    }
}

#[test]
fn links_follow_the_graph() {
    let set = filled(10_000, 16);
    build_graph(&set);
    let known = || set.links().map(|links| links.indexed());
    assert_eq!(known(), Some(10_000));
    let before = set.links().unwrap();
    for (ord, vector) in (50_000..).zip(&vectors(1_500, 16, 6)) {
        set.append(ord, vector);
    }
    assert!(set.maintain_graph(set.len(), Instant::now(), true));
    assert_eq!(known(), Some(10_000));
    build_graph(&set);
    assert_eq!(known(), Some(11_500));
    assert_eq!(before.indexed(), 10_000);
    let graph = set.upkeep.lock().graph.as_ref().map_or(0, Graph::bytes);
    assert_eq!(*set.counted.lock(), (graph, 11_500));
    assert!(set.bytes() > graph + set.links().unwrap().bytes());
}

#[test]
fn links_are_read_anew_when_they_lie_far_behind() {
    let set = filled(10_000, 16);
    build_graph(&set);
    let later = vectors(2_000, 16, 6);
    let mut later = (50_000..).zip(&later);
    let mut after = |more: usize, is_at_rest: bool| {
        for (ord, vector) in later.by_ref().take(more) {
            set.append(ord, vector);
        }
        let deadline = Instant::now() + Duration::from_secs(60);
        assert!(!set.maintain_graph(set.len(), deadline, is_at_rest));
        set.links().map(|links| links.indexed())
    };
    assert_eq!(after(10_000 / 256, true), Some(10_000));
    assert_eq!(after(1, true), Some(10_040));
    assert_eq!(after(1_000, false), Some(10_040));
    assert_eq!(after(400, false), Some(11_440));
}

#[test]
fn the_same_links_find_the_same_whatever_the_graph_becomes() {
    let set = filled(12_000, 32);
    build_graph(&set);
    // Without clusters, the outcome of a walk depends on the links.
    let mut random = Random(3);
    let queries: Vec<Vec<f32>> = (0..30)
        .map(|_| {
            let mut query: Vec<f32> = (0..32).map(|_| random.signed()).collect();
            normalize(&mut query);
            query
        })
        .collect();
    let links = set.links().unwrap();
    let find = || -> Vec<_> {
        let found = queries.iter();
        found
            .map(|query| set.nearest_walked(&links, query, 100, 12_000, &|_| true))
            .collect()
    };
    let before = find();
    for (ord, vector) in (50_000..).zip(&vectors(3_000, 32, 6)) {
        set.append(ord, vector);
    }
    build_graph(&set);
    assert!(before == find());
}

#[test]
fn a_walk_is_given_up_where_what_passes_lies_elsewhere() {
    let set = filled(12_000, 32);
    build_graph(&set);
    for query in vectors(5, 32, 8) {
        let all = set.nearest_exact(&query, 12_000, 12_000, |_| true);
        let far: HashSet<u32> = all[9_000..].iter().map(|pair| pair.0).collect();
        let passes = |slot: u32| far.contains(&slot);
        let exact = set.nearest_exact(&query, 40, 12_000, passes);
        assert_eq!(set.nearest_graph(&query, 40, 12_000, &passes), exact);
        let rows = set.rows.read();
        if let (Some(links), Some(sketches)) = (set.links(), &rows.sketches) {
            let near = sketch::Probed::new(sketches, &query);
            assert!(links.walk(&near, 80, &passes).is_none());
            assert!(links.walk(&near, 80, &|_| true).is_some());
        }
    }
}

#[test]
fn links_that_are_damaged_are_refused() {
    let set = filled(10_000, 16);
    build_graph(&set);
    let whole = set
        .upkeep
        .lock()
        .graph
        .as_ref()
        .unwrap()
        .to_bytes()
        .unwrap();
    assert_eq!(Links::read(&whole).unwrap().indexed(), 10_000);
    for length in [0, 4, 8, 100, 160_100, 160_120, whole.len() - 1] {
        assert!(Links::read(&whole[..length]).is_err(), "{length} bytes");
    }
    // Whatever stands there, what is read never points out of the graph.
    let mut random = Random(9);
    let graph = 8 + 16 * 10_000 + 64;
    for round in 0..200 {
        let mut damaged = whole.clone();
        let from = if round % 2 == 0 { 0 } else { graph };
        let area = if round % 2 == 0 {
            8
        } else {
            whole.len() - graph
        };
        for _ in 0..1 + round % 5 {
            damaged[from + random.below(area)] = random.below(256) as u8;
        }
        if let (Ok(links), Some(sketches)) = (Links::read(&damaged), &set.rows.read().sketches) {
            let query = &vectors(1, 16, round as u64)[0];
            let near = sketch::Probed::new(sketches, query);
            let slots = links.walk(&near, 64, &|_| true).unwrap();
            assert!(slots.iter().all(|slot| *slot < 10_000));
        }
    }
}

#[test]
fn slots_outside_the_graph_and_beyond_the_limit_are_handled_exactly() {
    let set = filled(10_000, 16);
    build_graph(&set);
    let fresh = vectors(300, 16, 6);
    for (ord, vector) in (50_000..).zip(&fresh) {
        set.append(ord, vector);
    }
    for (slot, vector) in (10_000..).zip(&fresh) {
        assert_eq!(set.nearest_graph(vector, 1, 10_300, &|_| true)[0].0, slot);
        assert!(set
            .nearest_graph(vector, 20, slot, &|_| true)
            .iter()
            .all(|found| found.0 < slot));
    }
    build_graph(&set);
    for (slot, vector) in (10_000..).zip(&fresh) {
        assert_eq!(set.nearest_graph(vector, 1, u32::MAX, &|_| true)[0].0, slot);
    }
}

#[test]
fn a_panic_in_a_predicate_reaches_the_caller_and_harms_nothing() {
    let set = filled(10_000, 8);
    build_graph(&set);
    let query = vectors(1, 8, 7).remove(0);
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        set.nearest_graph(&query, 5, 10_000, &|_| panic!("predicate"))
    }));
    assert!(caught.is_err());
    assert_eq!(set.nearest_graph(&query, 5, 10_000, &|_| true).len(), 5);
    assert_eq!(set.append(1_000_000, &query), Some(10_000));
}

#[test]
fn searches_appends_and_the_growing_graph_go_on_together() {
    let set = filled(10_000, 16);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for seed in 0..3 {
            let (set, done) = (&set, &done);
            scope.spawn(move || {
                let queries = vectors(50, 16, 20 + seed);
                while !done.load(Ordering::Relaxed) {
                    for query in &queries {
                        let limit = set.len() as u32;
                        let found = set.nearest_graph(query, 10, limit, &|slot| slot % 2 == 0);
                        let distinct: HashSet<u32> = found.iter().map(|found| found.0).collect();
                        assert!(
                            distinct.len() == 10
                                && distinct.iter().all(|slot| slot % 2 == 0 && *slot < limit)
                        );
                    }
                }
            });
        }
        for (at, vector) in vectors(4_000, 16, 30).iter().enumerate() {
            set.append(100_000 + at as u64, vector);
            if at % 100 == 0 {
                set.maintain_graph(set.len(), Instant::now() + Duration::from_millis(20), false);
            }
        }
        done.store(true, Ordering::Relaxed);
    });
    build_graph(&set);
    let mut vector = vec![0.0; 16];
    for slot in 0..14_000 {
        set.copy_into(slot, &mut vector);
        assert!(set
            .nearest_graph(&vector, 10, 14_000, &|_| true)
            .iter()
            .any(|found| found.0 == slot));
    }
}

#[test]
fn a_saved_set_comes_back_and_saving_again_only_appends() {
    let folder = Folder::new();
    let (flat, graph) = paths(&folder);
    let set = filled(10_500, 24);
    build_graph(&set);
    let first = set.save(&flat, &graph, &|_| Ok(())).unwrap();
    let before = fs::read(&flat).unwrap();
    for (ord, vector) in (90_000..).zip(vectors(100, 24, 8)) {
        set.append(ord, &vector);
    }
    let second = set.save(&flat, &graph, &|_| Ok(())).unwrap();
    assert_eq!(second.vectors, 10_600);
    assert_eq!(second.graph, first.graph);
    assert!(fs::read(&flat).unwrap().starts_with(&before));
    // The earlier save is still whole, as after a crash before the manifest was swapped.
    for (saved, count) in [(&first, 10_500), (&second, 10_600)] {
        let again = VectorSet::load(&flat, &graph, saved).unwrap();
        assert_eq!((again.len(), again.has_graph()), (count, true));
        for query in vectors(10, 24, 9) {
            let limit = count as u32;
            assert_eq!(
                again.nearest_exact(&query, 10, limit, |_| true),
                set.nearest_exact(&query, 10, limit, |_| true)
            );
            assert_eq!(again.nearest_graph(&query, 10, limit, &|_| true).len(), 10);
        }
    }
    let resumed = VectorSet::load(&flat, &graph, &first).unwrap();
    resumed.append(95_000, &vectors(1, 24, 10)[0]);
    let third = resumed.save(&flat, &graph, &|_| Ok(())).unwrap();
    build_graph(&resumed);
    let again = VectorSet::load(&flat, &graph, &third).unwrap();
    assert_eq!(again.slot_of(95_000), Some(10_500));
    assert_eq!(fs::metadata(&flat).unwrap().len(), third.flat.bytes);
}

#[test]
fn a_graph_on_its_way_is_saved_and_gone_on_with() {
    let folder = Folder::new();
    let (flat, graph) = paths(&folder);
    let set = filled(24_000, 8);
    let save = |set: &VectorSet| set.save(&flat, &graph, &|_| Ok(())).unwrap();
    let grow_to = |set: &VectorSet, slots: u32| {
        while set.counted.lock().1 < slots {
            assert!(set.maintain_graph(set.len(), Instant::now(), true));
        }
    };
    grow_to(&set, 5_000);
    let early = save(&set);
    assert_eq!((early.graph, early.graph_vectors), (None, 0));
    assert!(set.is_held_by(&early));
    grow_to(&set, 12_000);
    assert!(!set.is_held_by(&early));
    let saved = save(&set);
    assert!(saved.graph_is_partial && saved.graph_vectors >= 12_000);
    assert!(set.is_held_by(&saved));

    let again = VectorSet::load(&flat, &graph, &saved).unwrap();
    // Nothing is found by it yet.
    assert!(again.has_begun_graph() && !again.has_graph());
    assert!(again.is_held_by(&saved));
    grow_to(&again, 23_000);
    let late = save(&again);
    assert!(late.graph_is_partial && late.graph_vectors >= 23_000);
    build_graph(&again);
    assert!(again.has_graph() && !again.is_held_by(&late));
    let whole = save(&again);
    assert_eq!(
        (whole.graph_is_partial, whole.graph_vectors),
        (false, 24_000)
    );
    assert!(again.is_held_by(&whole));
    assert!(VectorSet::load(&flat, &graph, &whole).unwrap().has_graph());
    for query in vectors(10, 8, 9) {
        let found = again.nearest_graph(&query, 10, 24_000, &|_| true);
        let exact = set.nearest_exact(&query, 10, 24_000, |_| true);
        let found = exact.iter().filter(|hit| found.contains(hit)).count();
        assert!(found >= 9, "{found} of 10");
    }
}

#[test]
fn a_damaged_flat_file_is_refused_and_a_damaged_graph_is_built_again() {
    let folder = Folder::new();
    let (flat, graph) = paths(&folder);
    let set = filled(10_000, 8);
    build_graph(&set);
    let saved = set.save(&flat, &graph, &|_| Ok(())).unwrap();
    let whole = fs::read(&flat).unwrap();
    for at in [0, 9, 16, 24, whole.len() / 2, whole.len() - 1] {
        let mut flipped = whole.clone();
        flipped[at] ^= 1;
        fs::write(&flat, flipped).unwrap();
        assert!(VectorSet::load(&flat, &graph, &saved).is_err());
    }
    fs::write(&flat, &whole[..whole.len() - 1]).unwrap();
    assert!(VectorSet::load(&flat, &graph, &saved).is_err());
    assert!(VectorSet::load(
        &flat,
        &graph,
        &Saved {
            dimensions: 16,
            ..saved.clone()
        }
    )
    .is_err());
    fs::write(&flat, &whole).unwrap();

    let bytes = fs::read(&graph).unwrap();
    let mut flipped = bytes.clone();
    flipped[bytes.len() / 3] ^= 4;
    for damaged in [&flipped[..], &bytes[..bytes.len() - 5], &[]] {
        fs::write(&graph, damaged).unwrap();
        let again = VectorSet::load(&flat, &graph, &saved).unwrap();
        assert!(!again.has_graph());
        build_graph(&again);
        assert!(again.has_graph());
    }
    fs::remove_file(&flat).unwrap();
    assert!(VectorSet::load(&flat, &graph, &saved).is_err());
}

#[test]
fn compaction_keeps_the_living_in_their_order() {
    let set = filled(5_000, 12);
    let kept = set.retain(|slot| slot % 5 == 2);
    assert_eq!(kept.len(), 1_000);
    let query = vectors(1, 12, 11).remove(0);
    for slot in 0..1_000 {
        assert_eq!(kept.ord_of(slot), set.ord_of(slot * 5 + 2));
        assert_eq!(kept.cosine(slot, &query), set.cosine(slot * 5 + 2, &query));
    }
}
