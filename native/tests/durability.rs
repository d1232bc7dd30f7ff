//! What is on disk survives a crash at any moment, and damage is found before it is used.

use std::fs;
use std::path::Path;

use crate::support::*;
use attune_native::engine::directory::WriteBehind;
use attune_native::engine::Engine;
use tantivy::collector::Count;
use tantivy::query::TermQuery;
use tantivy::schema::{Schema, TEXT};
use tantivy::{doc, Index, IndexSettings, IndexWriter, Term};

/// Reopens a folder and replays what its sequence lacks; one record a sequence, its document
/// number the same.
fn reopen(root: &Path, to: u64) -> Engine {
    let (engine, opened) = Engine::open(root, &definition()).unwrap();
    for sequence in opened.sequence + 1..=to {
        apply(&engine, sequence..sequence + 1, &deletes_of(sequence));
    }
    engine.commit(to).unwrap();
    engine
}

/// Every third record replaces an older document.
fn deletes_of(sequence: u64) -> Vec<u64> {
    match sequence % 3 {
        0 => vec![sequence / 2],
        _ => Vec::new(),
    }
}

fn write(engine: &Engine, from: u64, to: u64) {
    for sequence in from..=to {
        apply(engine, sequence..sequence + 1, &deletes_of(sequence));
        if sequence % 10 == 0 {
            engine.commit(sequence).unwrap();
        }
    }
    engine.commit(to).unwrap();
}

#[test]
fn a_checkpoint_brings_everything_back() {
    let folder = Folder::new();
    let engine = open(&folder.join("a"));
    write(&engine, 1, 400);
    // Merges go on beside the writer, and what they make is worth a checkpoint too.
    engine.release().unwrap();
    let before = portrait(&engine);
    let report = engine.checkpoint().unwrap();
    assert_eq!(report.sequence, 400);
    assert!(report.files > 0);
    assert_eq!(engine.checkpoint().unwrap().files, 0, "nothing has changed");
    engine.close();
    let (engine, opened) = Engine::open(&folder.join("a"), &definition()).unwrap();
    assert_eq!((opened.sequence, opened.rebuild), (400, None));
    assert_eq!(portrait(&engine), before);
}

#[test]
fn a_crash_between_any_two_steps_of_a_checkpoint_loses_nothing() {
    let folder = Folder::new();
    let engine = open(&folder.join("a"));
    write(&engine, 1, 60);
    engine.checkpoint().unwrap();
    write(&engine, 61, 330);
    engine.fit().unwrap();
    write(&engine, 331, 340);
    let mut steps = 0;
    engine
        .checkpoint_by_steps(&mut || {
            folder.copy("a", &format!("crash{steps}"));
            steps += 1;
        })
        .unwrap();
    write(&engine, 341, 360);
    let expected = portrait(&engine);
    assert!(steps > 6, "{steps} steps");
    let mut sequences = Vec::new();
    for step in 0..steps {
        let root = folder.join(&format!("crash{step}"));
        let (probe, opened) = Engine::open(&root, &definition()).unwrap();
        assert_eq!(opened.rebuild, None, "step {step}");
        sequences.push(opened.sequence);
        probe.close();
        let engine = reopen(&root, 360);
        let found = portrait(&engine);
        // The vectors are of the space that was durable at that moment: text must be the same.
        assert_eq!(found[..2], expected[..2], "step {step}");
        let live = engine.views.current().live;
        assert_eq!(engine.views.current().live_vectors, live, "step {step}");
    }
    assert!(
        sequences.starts_with(&[60]) && sequences.ends_with(&[340]),
        "{sequences:?}"
    );
    assert!(sequences.is_sorted());
}

#[test]
fn a_checkpoint_whose_manifest_can_not_be_written_leaves_no_segment_on_the_disk() {
    let folder = Folder::new();
    let root = folder.join("a");
    let engine = open(&root);
    write(&engine, 1, 60);
    let segments = || {
        let entries = fs::read_dir(&root).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.ends_with(".store")).count()
    };
    fs::create_dir(root.join("manifest.new")).unwrap();
    assert!(engine.checkpoint().is_err());
    assert_eq!(segments(), 0);
    fs::remove_dir(root.join("manifest.new")).unwrap();
    assert_eq!(engine.checkpoint().unwrap().sequence, 60);
    assert!(segments() > 0);
    let before = portrait(&engine);
    engine.close();
    let (engine, opened) = Engine::open(&root, &definition()).unwrap();
    assert_eq!((opened.sequence, opened.rebuild), (60, None));
    assert_eq!(portrait(&engine), before);
}

#[test]
fn files_cut_short_in_the_middle_of_a_checkpoint_do_not_matter() {
    let folder = Folder::new();
    let engine = open(&folder.join("a"));
    write(&engine, 1, 60);
    engine.checkpoint().unwrap();
    folder.copy("a", "before");
    write(&engine, 61, 120);
    engine.checkpoint().unwrap();
    let expected = portrait(&engine);
    let root = folder.copy("before", "torn");
    for entry in fs::read_dir(folder.join("a")).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name();
        let known = root.join(&name).exists();
        let bytes = fs::read(entry.path()).unwrap();
        if !known {
            fs::write(root.join(&name), &bytes[..bytes.len() / 2]).unwrap();
        } else if name.to_string_lossy().ends_with(".flat") {
            fs::write(root.join(&name), &bytes[..bytes.len() - 5]).unwrap();
        }
    }
    fs::write(root.join("manifest.new"), b"{").unwrap();
    let (probe, opened) = Engine::open(&root, &definition()).unwrap();
    assert_eq!((opened.sequence, opened.rebuild), (60, None));
    probe.close();
    assert_eq!(portrait(&reopen(&root, 120)), expected);
}

#[test]
fn damage_of_any_file_is_found_and_the_index_is_made_again() {
    let folder = Folder::new();
    let engine = open(&folder.join("a"));
    write(&engine, 1, 320);
    engine.fit().unwrap();
    write(&engine, 321, 330);
    engine.checkpoint().unwrap();
    let expected = portrait(&engine);
    engine.close();
    let names: Vec<String> = fs::read_dir(folder.join("a"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert!(names.len() > 8, "{names:?}");
    let all = names.len();
    for (at, name) in names.iter().enumerate() {
        let bytes = fs::read(folder.join("a").join(name)).unwrap();
        let mut flipped = bytes.clone();
        let middle = flipped.len() / 2;
        flipped[middle] ^= 0x10;
        let other = fs::read(folder.join("a").join(&names[(at + 1) % all])).unwrap();
        let damages = [
            Some(flipped),
            Some(bytes[..bytes.len() / 3].to_vec()),
            Some(Vec::new()),
            Some(other),
            None,
        ];
        for (kind, damage) in damages.into_iter().enumerate() {
            if damage.as_ref() == Some(&bytes) {
                continue;
            }
            let root = folder.copy("a", "damaged");
            match damage {
                Some(bytes) => fs::write(root.join(name), bytes).unwrap(),
                None => fs::remove_file(root.join(name)).unwrap(),
            }
            let (probe, opened) = Engine::open(&root, &definition()).unwrap();
            assert!(opened.rebuild.is_some(), "{name} damage {kind}");
            assert_eq!(opened.sequence, 0, "{name} damage {kind}");
            probe.close();
            if kind == 0 {
                let again = reopen(&root, 330);
                assert_eq!(portrait(&again)[..2], expected[..2], "{name}");
            }
        }
    }
}

#[test]
fn another_definition_empties_the_folder() {
    let folder = Folder::new();
    let engine = open(&folder.join("a"));
    write(&engine, 1, 20);
    engine.checkpoint().unwrap();
    engine.close();
    let other = definition().replace("\"weight\":2", "\"weight\":3");
    let (engine, opened) = Engine::open(&folder.join("a"), &other).unwrap();
    assert_eq!(opened.sequence, 0);
    assert!(opened.rebuild.unwrap().contains("definition"));
    assert_eq!(engine.views.current().live, 0);
}

#[test]
fn files_of_another_format_are_built_again() {
    let folder = Folder::new();
    let engine = open(&folder.join("a"));
    write(&engine, 1, 20);
    engine.checkpoint().unwrap();
    engine.close();
    let manifest = folder.join("a/manifest.json");
    let written = fs::read_to_string(&manifest).unwrap();
    let (json, _) = written.trim_end().split_once('\n').unwrap();
    let (_, from) = json.split_once(r#""format":"#).unwrap();
    let format: u32 = from.split(',').next().unwrap().parse().unwrap();
    let sign = |format: u32| format!(r#""format":{format}"#);
    // Of the version before, which read words, or the places of values, in another way.
    let before = json.replace(&sign(format), &sign(format - 1));
    let hash = crc32fast::hash(before.as_bytes());
    fs::write(&manifest, format!("{before}\n{hash:08x}\n")).unwrap();
    let (engine, opened) = Engine::open(&folder.join("a"), &definition()).unwrap();
    assert_eq!((opened.sequence, engine.views.current().live), (0, 0));
    assert!(opened.rebuild.unwrap().contains("another format"));
}

#[test]
fn a_new_folder_needs_no_rebuild_and_strays_are_swept() {
    let folder = Folder::new();
    let (engine, opened) = Engine::open(&folder.join("new"), &definition()).unwrap();
    assert_eq!((opened.sequence, opened.rebuild), (0, None));
    write(&engine, 1, 20);
    engine.checkpoint().unwrap();
    engine.close();
    fs::write(folder.join("new/vectors-9.flat"), b"left behind").unwrap();
    fs::write(folder.join("new/0123.idx"), b"left behind").unwrap();
    let (engine, opened) = Engine::open(&folder.join("new"), &definition()).unwrap();
    assert_eq!((opened.sequence, opened.rebuild), (20, None));
    assert!(!folder.join("new/vectors-9.flat").exists());
    assert!(!folder.join("new/0123.idx").exists());
    assert_eq!(
        portrait(&engine)[0].1,
        u64::from(engine.views.current().live)
    );
}

#[test]
fn replaying_what_is_there_already_changes_nothing() {
    let folder = Folder::new();
    let engine = open(&folder.join("a"));
    write(&engine, 1, 100);
    let expected = portrait(&engine);
    let vectors = engine.views.current().vectors.len();
    write(&engine, 40, 100);
    assert_eq!(portrait(&engine), expected);
    assert_eq!(engine.views.current().vectors.len(), vectors);
}

#[test]
fn what_was_deleted_stays_on_disk_until_the_next_manifest() {
    let folder = Folder::new();
    let engine = open(&folder.join("a"));
    write(&engine, 1, 100);
    engine.checkpoint().unwrap();
    folder.copy("a", "first");
    // Merges remove the segments that the manifest names.
    write(&engine, 101, 400);
    engine.release().unwrap();
    let root = folder.copy("a", "crash");
    let (probe, opened) = Engine::open(&root, &definition()).unwrap();
    assert_eq!((opened.sequence, opened.rebuild), (100, None));
    probe.close();
    engine.checkpoint().unwrap();
    let files = fs::read_dir(folder.join("a")).unwrap().count();
    let current = engine.views.current();
    assert!(
        files <= current.segments.len() * 8 + 4,
        "{files} files stay"
    );
}

#[test]
fn large_files_go_to_disk_while_they_are_written() {
    let folder = Folder::new();
    let mut schema = Schema::builder();
    let text = schema.add_text_field("text", TEXT);
    let directory = WriteBehind::open(folder.path(), &[], None, 200).unwrap();
    let settings = IndexSettings::default();
    let index = Index::create(directory.clone(), schema.build(), settings).unwrap();
    let mut writer: IndexWriter = index.writer_with_num_threads(1, 20_000_000).unwrap();
    let files = || fs::read_dir(folder.path()).unwrap().count();
    for round in 0..20 {
        for n in 0..50 {
            let document = format!("all w{round} w{}", n * 31);
            writer.add_document(doc!(text => document)).unwrap();
        }
        writer.commit().unwrap();
        if round == 4 {
            assert!(files() > 0, "nothing was spilled");
        }
        if round % 5 == 4 {
            let image = directory.image().unwrap();
            let meta = String::from_utf8(image.meta.to_vec()).unwrap();
            let durable = directory.persist(&image, &mut || {}).unwrap().files;
            directory.settle(image);
            // What is durable is whole, whatever the writer goes on to do.
            let root = folder.path().with_extension("copy");
            let _ = fs::remove_dir_all(&root);
            fs::create_dir_all(&root).unwrap();
            for file in &durable {
                let bytes = fs::read(folder.join(&file.name)).unwrap();
                assert_eq!(bytes.len() as u64, file.bytes);
                assert_eq!(crc32fast::hash(&bytes), file.hash);
                fs::write(root.join(&file.name), bytes).unwrap();
            }
            let copy = WriteBehind::open(&root, &durable, Some(&meta), 200).unwrap();
            let searcher = Index::open(copy).unwrap().reader().unwrap().searcher();
            let all = TermQuery::new(Term::from_field_text(text, "all"), Default::default());
            let found = searcher.search(&all, &Count).unwrap();
            assert_eq!(found, (round + 1) * 50);
            fs::remove_dir_all(&root).unwrap();
        }
    }
}

#[test]
fn files_are_used_by_the_records_that_know_their_mark() {
    let folder = Folder::new();
    let root = folder.join("a");
    let open_for = |known: &[&str]| {
        let known: Vec<String> = known.iter().map(|mark| (*mark).to_owned()).collect();
        Engine::open_known(&root, &definition(), Some(&known)).unwrap()
    };
    let (engine, opened) = open_for(&[""]);
    assert_eq!((opened.sequence, opened.rebuild), (0, None));
    write(&engine, 1, 20);
    // Files of before carry no mark.
    engine.checkpoint().unwrap();
    engine.close();
    let (engine, opened) = open_for(&["", "one"]);
    assert_eq!((opened.sequence, opened.rebuild), (20, None));
    assert_eq!(engine.checkpoint_as("one".into()).unwrap().files, 0);
    write(&engine, 21, 25);
    assert!(engine.checkpoint_as("one".into()).unwrap().files > 0);
    engine.close();
    let (engine, opened) = open_for(&["", "one"]);
    assert_eq!((opened.sequence, opened.rebuild), (25, None));
    write(&engine, 26, 30);
    engine.checkpoint().unwrap();
    engine.close();
    let (engine, opened) = open_for(&["one"]);
    assert_eq!(
        (opened.sequence, opened.rebuild),
        (30, None),
        "keeps its mark"
    );
    engine.close();
    let (engine, opened) = open_for(&["", "two"]);
    assert_eq!(opened.sequence, 0);
    assert!(opened.rebuild.unwrap().contains("other records"));
    assert_eq!(engine.views.current().live, 0);
}
