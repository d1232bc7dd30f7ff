//! Whether a document can be read, asked before any is: one that can't is to fail alone, and not the batch.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use crate::failure::Failure;

/// A JSON value that can be read whole, of which nothing is kept. `IgnoredAny` passes over what reading refuses: half a
/// surrogate pair, a number that is too large, values too deep in each other.
struct Readable;

impl<'de> Deserialize<'de> for Readable {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Readable, D::Error> {
        json.deserialize_any(Readable)
    }
}

impl<'de> Visitor<'de> for Readable {
    type Value = Readable;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Readable, E> {
        Ok(self)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Readable, E> {
        Ok(self)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Readable, E> {
        Ok(self)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Readable, E> {
        Ok(self)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Readable, E> {
        Ok(self)
    }

    fn visit_str<E>(self, _: &str) -> Result<Readable, E> {
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<Readable, A::Error> {
        while let Some(Readable) = values.next_element()? {}
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Readable, A::Error> {
        while let Some((Readable, Readable)) = members.next_entry()? {}
        Ok(self)
    }
}

/// Whether a text is a JSON object that `Preparer::prepare` reads; BAD_REQUEST when it isn't.
pub fn check(ord: u64, json: &str) -> Result<(), Failure> {
    let whole = serde_json::from_str::<Readable>(json);
    if whole.is_err() || !json.trim_start().starts_with('{') {
        return Err(Failure::bad_request(format!(
            "document {ord} is no JSON object"
        )));
    }
    Ok(())
}
