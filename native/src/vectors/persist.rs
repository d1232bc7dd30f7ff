//! The files of a vector set. The flat file only ever grows behind what was saved before, so a crash
//! in the middle of saving leaves the earlier save whole.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crc32fast::Hasher;
use parking_lot::{Mutex, RwLock};
use serde::{Deserialize, Serialize};

use super::graph::Graph;
use super::links::Links;
use super::{Rows, Upkeep, VectorSet, GRAPH_MIN};

const MAGIC: &[u8; 8] = b"ATVECT01";
const HEADER_BYTES: usize = 16;
/// The graph is written again when it has grown by this share, and once it is whole; the rest is added after loading.
const GRAPH_GROWTH: f64 = 1.25;
/// Slots from which on a graph that isn't whole yet is written: fewer take less time than a start.
const PARTIAL_MIN: u32 = GRAPH_MIN as u32;

/// What a file must be: its first `bytes` bytes have this CRC-32. The flat file may be longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileMark {
    /// Length that counts.
    pub bytes: u64,
    /// CRC-32 (IEEE) of them.
    pub crc: u32,
}

/// What `save` wrote and `load` must find; it belongs into a manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Saved {
    /// Numbers in each vector.
    pub dimensions: usize,
    /// Vectors in the flat file.
    pub vectors: u32,
    /// The flat file.
    pub flat: FileMark,
    /// The graph file, if there is one.
    pub graph: Option<FileMark>,
    /// Slots in the graph file.
    pub graph_vectors: u32,
    /// Whether nothing was found by that graph: it was still on its way to all slots.
    #[serde(default)]
    pub graph_is_partial: bool,
}

/// The graph file that was written last.
pub(super) struct SavedGraph {
    path: PathBuf,
    mark: FileMark,
    /// Slots in it.
    indexed: u32,
    is_partial: bool,
}

/// Fails where the disk has no room for so many bytes more.
pub type Room<'a> = dyn Fn(u64) -> io::Result<()> + 'a;

impl VectorSet {
    /// Makes the set durable: appends to the flat file what is new since the last save of this set
    /// to the same path, and replaces the graph file when it has grown enough to be worth it. Both
    /// files are synced, their folder is left to the caller. Appends and searches go on meanwhile.
    pub fn save(&self, flat: &Path, graph: &Path, room: &Room<'_>) -> io::Result<Saved> {
        let mut upkeep = self.upkeep.lock();
        let (flat_mark, vectors) = self.save_flat(flat, &upkeep, room)?;
        upkeep.saved_flat = Some((flat.to_path_buf(), flat_mark, vectors));
        if let Some(saved) = self.save_graph(graph, &upkeep, room)? {
            upkeep.saved_graph = Some(saved);
        }
        let saved = upkeep.saved_graph.as_ref();
        let saved = saved.filter(|saved| saved.path == graph);
        Ok(Saved {
            dimensions: self.dimensions,
            vectors,
            flat: flat_mark,
            graph: saved.map(|saved| saved.mark),
            graph_vectors: saved.map_or(0, |saved| saved.indexed),
            graph_is_partial: saved.is_some_and(|saved| saved.is_partial),
        })
    }

    /// Whether the files that were saved hold the set, and as much of its graph as is worth a file.
    pub fn is_held_by(&self, saved: &Saved) -> bool {
        let indexed = self.counted.lock().1;
        let graph = (saved.graph_vectors, saved.graph_is_partial);
        saved.vectors as usize == self.len() && !self.has_outgrown(graph, indexed)
    }

    /// Whether a graph of so many slots is to take the place of one that was saved with so many, whole or not.
    fn has_outgrown(&self, (saved, was_partial): (u32, bool), indexed: u32) -> bool {
        let grown = f64::from(indexed) >= f64::from(saved) * GRAPH_GROWTH;
        if self.has_graph() {
            saved == 0 || was_partial || grown
        } else {
            indexed >= PARTIAL_MIN && grown
        }
    }

    /// Reads a saved set. Errors with `InvalidData` when the flat file isn't what was saved; a graph
    /// file that isn't is left out, and `maintain_graph` builds it again.
    pub fn load(flat: &Path, graph: &Path, expected: &Saved) -> io::Result<Self> {
        let rows = load_flat(flat, expected)?;
        let (loaded, links) = load_graph(graph, expected).unzip();
        let saved_graph = loaded.as_ref().and(expected.graph);
        let links = links.filter(|_| !expected.graph_is_partial);
        let upkeep = Upkeep {
            graph: loaded,
            saved_flat: Some((flat.to_path_buf(), expected.flat, expected.vectors)),
            saved_graph: saved_graph.map(|mark| SavedGraph {
                path: graph.to_path_buf(),
                mark,
                indexed: expected.graph_vectors,
                is_partial: expected.graph_is_partial,
            }),
        };
        let set = Self {
            dimensions: expected.dimensions,
            rows: RwLock::new(rows),
            links: RwLock::new(links.map(Arc::new)),
            counted: Mutex::default(),
            upkeep: Mutex::new(upkeep),
        };
        if let Some(graph) = &set.upkeep.lock().graph {
            set.count_graph(graph, false);
        }
        Ok(set)
    }

    fn save_flat(
        &self,
        path: &Path,
        upkeep: &Upkeep,
        room: &Room<'_>,
    ) -> io::Result<(FileMark, u32)> {
        let end = self.len() as u32;
        let before = upkeep.saved_flat.as_ref().filter(|saved| {
            saved.0 == path && fs::metadata(path).is_ok_and(|found| found.len() >= saved.1.bytes)
        });
        if let Some((_, mark, vectors)) = before {
            if *vectors == end {
                return Ok((*mark, end));
            }
            room(u64::from(end - *vectors) * record_bytes(self.dimensions) as u64)?;
            let mut file = OpenOptions::new().write(true).open(path)?;
            file.set_len(mark.bytes)?;
            file.seek(SeekFrom::Start(mark.bytes))?;
            let hash = Hasher::new_with_initial_len(mark.crc, mark.bytes);
            let mark = self.write_rows(file, hash, *mark, *vectors..end)?;
            return Ok((mark, end));
        }
        room(u64::from(end) * record_bytes(self.dimensions) as u64)?;
        let temporary = path.with_extension("new");
        let mut file = File::create(&temporary)?;
        let header = header(self.dimensions);
        file.write_all(&header)?;
        let mut hash = Hasher::new();
        hash.update(&header);
        let mark = FileMark {
            bytes: HEADER_BYTES as u64,
            crc: 0,
        };
        let mark = self.write_rows(file, hash, mark, 0..end)?;
        fs::rename(&temporary, path)?;
        Ok((mark, end))
    }

    fn write_rows(
        &self,
        file: File,
        mut hash: Hasher,
        start: FileMark,
        slots: std::ops::Range<u32>,
    ) -> io::Result<FileMark> {
        let mut writer = BufWriter::with_capacity(1 << 18, file);
        let mut record = vec![0; record_bytes(self.dimensions)];
        let mut bytes = start.bytes;
        for slot in slots {
            {
                let rows = self.rows.read();
                let Some(row) = rows.row(slot, self.dimensions) else {
                    break;
                };
                let (ord, halves) = record.split_at_mut(8);
                ord.copy_from_slice(&rows.ords[slot as usize].to_le_bytes());
                for (pair, half) in halves.chunks_exact_mut(2).zip(row) {
                    pair.copy_from_slice(&half.to_le_bytes());
                }
            }
            hash.update(&record);
            writer.write_all(&record)?;
            bytes += record.len() as u64;
        }
        let file = writer
            .into_inner()
            .map_err(io::IntoInnerError::into_error)?;
        file.sync_all()?;
        Ok(FileMark {
            bytes,
            crc: hash.finalize(),
        })
    }

    fn save_graph(
        &self,
        path: &Path,
        upkeep: &Upkeep,
        room: &Room<'_>,
    ) -> io::Result<Option<SavedGraph>> {
        let Some(graph) = &upkeep.graph else {
            return Ok(None);
        };
        let indexed = graph.indexed();
        let before = upkeep
            .saved_graph
            .as_ref()
            .filter(|saved| saved.path == path && path.exists());
        let before = before.map_or((0, false), |saved| (saved.indexed, saved.is_partial));
        if !self.has_outgrown(before, indexed) {
            return Ok(None);
        }
        let bytes = graph.to_bytes()?;
        room(bytes.len() as u64)?;
        let temporary = path.with_extension("new");
        let mut file = File::create(&temporary)?;
        file.write_all(&bytes)?;
        file.sync_all()?;
        fs::rename(&temporary, path)?;
        Ok(Some(SavedGraph {
            path: path.to_path_buf(),
            mark: FileMark {
                bytes: bytes.len() as u64,
                crc: crc32fast::hash(&bytes),
            },
            indexed,
            is_partial: !self.has_graph(),
        }))
    }
}

fn load_flat(path: &Path, expected: &Saved) -> io::Result<Rows> {
    let record_length = record_bytes(expected.dimensions);
    let length = (HEADER_BYTES + record_length * expected.vectors as usize) as u64;
    if expected.flat.bytes != length || fs::metadata(path)?.len() < length {
        return Err(damaged("vector file of another length"));
    }
    let mut reader = BufReader::with_capacity(1 << 18, File::open(path)?);
    let mut hash = Hasher::new();
    let mut head = [0; HEADER_BYTES];
    reader.read_exact(&mut head)?;
    hash.update(&head);
    if head != header(expected.dimensions) {
        return Err(damaged("vector file of another kind"));
    }
    let mut rows = Rows::default();
    let mut record = vec![0; record_length];
    let mut row = vec![0; expected.dimensions];
    for slot in 0..expected.vectors {
        reader.read_exact(&mut record)?;
        hash.update(&record);
        let (ord, halves) = record.as_chunks::<2>().0.split_at(4);
        for (half, pair) in row.iter_mut().zip(halves) {
            *half = u16::from_le_bytes(*pair);
        }
        let ord = ord.iter().rev().fold(0, |ord, pair| {
            ord << 16 | u64::from(u16::from_le_bytes(*pair))
        });
        if rows.push(ord, &row) != slot {
            return Err(damaged("vector file names a document twice"));
        }
    }
    if hash.finalize() != expected.flat.crc {
        return Err(damaged("vector file with another checksum"));
    }
    Ok(rows)
}

fn load_graph(path: &Path, expected: &Saved) -> Option<(Graph, Links)> {
    let mark = expected.graph?;
    if fs::metadata(path).ok()?.len() != mark.bytes || expected.graph_vectors > expected.vectors {
        return None;
    }
    let bytes = fs::read(path).ok()?;
    if bytes.len() as u64 != mark.bytes || crc32fast::hash(&bytes) != mark.crc {
        return None;
    }
    let graph = Graph::from_bytes(&bytes, expected.dimensions, expected.graph_vectors).ok()?;
    Some((graph, Links::read(&bytes).ok()?))
}

fn header(dimensions: usize) -> [u8; HEADER_BYTES] {
    let mut header = [0; HEADER_BYTES];
    header[..8].copy_from_slice(MAGIC);
    header[8..].copy_from_slice(&(dimensions as u64).to_le_bytes());
    header
}

fn record_bytes(dimensions: usize) -> usize {
    8 + 2 * dimensions
}

fn damaged(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}
