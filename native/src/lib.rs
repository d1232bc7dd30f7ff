//! The search core of Attune. This file is the wall to JavaScript and the only one that names napi;
//! the modules beside it are plain Rust.

pub mod analysis;
pub mod definition;
pub mod directory;
pub mod document;
pub mod engine;
pub mod explain;
pub mod facet;
pub mod failure;
pub mod filter;
pub mod fuse;
pub mod hashed;
pub mod highlight;
pub mod lsa;
pub mod manifest;
pub mod query;
pub mod score;
pub mod snapshot;
pub mod sort;
pub mod space;
pub mod suggest;
pub mod terms;
pub mod tokenizer;
pub mod vectors;
