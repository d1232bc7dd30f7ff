//! The manifest: one small file that names every other file of an index with its length and hash.
//! Replacing it is the one moment at which a checkpoint takes effect; the list of segments of the
//! text index is part of it, so that text and vectors can't be of different moments.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::engine::format::FORMAT;
use crate::vectors::Saved;

/// Name of the manifest in the folder of an index.
pub const MANIFEST: &str = "manifest.json";
const BESIDE: &str = "manifest.new";

/// A file as it must be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRecord {
    /// Name in the folder.
    pub name: String,
    /// Length.
    pub bytes: u64,
    /// CRC-32 (IEEE) of the content.
    pub hash: u32,
}

/// The vectors of an index on disk.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct VectorsRecord {
    /// The file of the vectors; it may be longer than what counts.
    pub flat: String,
    /// The file of the graph, if there is one. It can be made again.
    pub graph: String,
    /// Lengths, hashes and counts of both.
    pub saved: Saved,
}

/// What is on disk.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Manifest {
    format: u32,
    /// Hash of the definition the files were made by.
    pub definition: String,
    /// By it the records know the files; empty in files of earlier versions.
    #[serde(default)]
    pub mark: String,
    /// The sequence of the records that the files contain.
    pub sequence: u64,
    /// The list of segments, as the text index writes it.
    pub meta: String,
    /// Files of the text index.
    pub text: Vec<FileRecord>,
    /// The vector space.
    pub space: FileRecord,
    /// The vectors.
    pub vectors: VectorsRecord,
}

/// What the folder of an index holds.
pub enum Found {
    /// No folder, or an empty one.
    Nothing,
    /// Something that can't be used, and why.
    Unusable(String),
    /// A whole index; lengths and hashes of its files are right.
    Whole(Box<Manifest>),
}

impl Manifest {
    /// A manifest of the current format.
    pub fn new(
        definition: String,
        mark: String,
        sequence: u64,
        meta: String,
        text: Vec<FileRecord>,
        space: FileRecord,
        vectors: VectorsRecord,
    ) -> Manifest {
        Manifest {
            format: FORMAT,
            definition,
            mark,
            sequence,
            meta,
            text,
            space,
            vectors,
        }
    }

    /// Looks at a folder and verifies everything before anything is loaded: files of a mark that is
    /// not among `known` are of other records. Errors only when the folder can't be read at all.
    pub fn find(root: &Path, definition: &str, known: Option<&[String]>) -> io::Result<Found> {
        let bytes = match fs::read(root.join(MANIFEST)) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let empty = match fs::read_dir(root) {
                    Ok(mut entries) => entries.next().is_none(),
                    Err(error) if error.kind() == io::ErrorKind::NotFound => true,
                    Err(error) => return Err(error),
                };
                return Ok(if empty {
                    Found::Nothing
                } else {
                    Found::Unusable("the manifest is missing".into())
                });
            }
            Err(error) => return Err(error),
        };
        let Some(manifest) = Manifest::parse(&bytes) else {
            return Ok(Found::Unusable("the manifest is damaged".into()));
        };
        if manifest.format != FORMAT {
            return Ok(Found::Unusable("the files are of another format".into()));
        }
        if manifest.definition != definition {
            return Ok(Found::Unusable("the definition has changed".into()));
        }
        if known.is_some_and(|known| !known.contains(&manifest.mark)) {
            return Ok(Found::Unusable("the files are of other records".into()));
        }
        for file in manifest.text.iter().chain([&manifest.space]) {
            if let Err(reason) = verify(root, file) {
                return Ok(Found::Unusable(reason));
            }
        }
        Ok(Found::Whole(Box::new(manifest)))
    }

    /// Writes the manifest beside the one that counts; gives its length.
    pub fn write_beside(&self, root: &Path) -> io::Result<u64> {
        let mut bytes = serde_json::to_vec(self)?;
        let hash = crc32fast::hash(&bytes);
        writeln!(bytes, "\n{hash:08x}")?;
        let mut file = File::create(root.join(BESIDE))?;
        file.write_all(&bytes)?;
        file.sync_all()?;
        Ok(bytes.len() as u64)
    }

    /// Lets the manifest that was written beside count from now on; durable when it returns.
    pub fn put_in_place(root: &Path) -> io::Result<()> {
        fs::rename(root.join(BESIDE), root.join(MANIFEST))?;
        sync_folder(root)
    }

    /// Names of all files that belong to it, itself included.
    pub fn names(&self) -> HashSet<&str> {
        let mut names: HashSet<&str> = self.text.iter().map(|f| f.name.as_str()).collect();
        names.extend([
            MANIFEST,
            self.space.name.as_str(),
            self.vectors.flat.as_str(),
            self.vectors.graph.as_str(),
        ]);
        names
    }

    fn parse(bytes: &[u8]) -> Option<Manifest> {
        let text = std::str::from_utf8(bytes).ok()?;
        let (json, hash) = text.strip_suffix('\n')?.split_once('\n')?;
        let hash = u32::from_str_radix(hash, 16).ok()?;
        if crc32fast::hash(json.as_bytes()) != hash {
            return None;
        }
        serde_json::from_str(json).ok()
    }
}

/// Makes names in a folder durable.
pub fn sync_folder(root: &Path) -> io::Result<()> {
    File::open(root)?.sync_all()
}

/// Removes every file of a folder that isn't kept.
pub fn sweep(root: &Path, keep: &HashSet<&str>) -> io::Result<()> {
    for entry in fs::read_dir(root)? {
        let entry = entry?;
        let name = entry.file_name();
        if name.to_str().is_some_and(|name| keep.contains(name)) {
            continue;
        }
        let removed = match entry.file_type()?.is_dir() {
            true => fs::remove_dir_all(entry.path()),
            false => fs::remove_file(entry.path()),
        };
        // A merge that was given up removes its files by itself, also when the folder is opened anew.
        removed.or_else(|error| match error.kind() {
            io::ErrorKind::NotFound => Ok(()),
            _ => Err(error),
        })?;
    }
    Ok(())
}

/// Reads a whole file that must be as recorded.
pub fn read_verified(root: &Path, record: &FileRecord) -> io::Result<Vec<u8>> {
    let bytes = fs::read(root.join(&record.name))?;
    if bytes.len() as u64 != record.bytes || crc32fast::hash(&bytes) != record.hash {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            format!("{} is damaged", record.name),
        ));
    }
    Ok(bytes)
}

fn verify(root: &Path, record: &FileRecord) -> Result<(), String> {
    if record.name.contains(['/', '\\']) {
        return Err("the manifest names a file outside of the folder".into());
    }
    let missing = || format!("{} is missing", record.name);
    let mut file = File::open(root.join(&record.name)).map_err(|_| missing())?;
    let length = file.metadata().map_err(|_| missing())?.len();
    if length != record.bytes {
        return Err(format!("{} has another length", record.name));
    }
    let mut hash = crc32fast::Hasher::new();
    let mut buffer = vec![0; (1 << 18).min(length as usize + 1)];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => hash.update(&buffer[..read]),
            Err(error) => return Err(format!("{} can't be read: {error}", record.name)),
        }
    }
    if hash.finalize() != record.hash {
        return Err(format!("{} is damaged", record.name));
    }
    Ok(())
}
