//! Names that end in signs, which are meant where documents have them: `C++` is not `C`.

use std::sync::Arc;

use crate::analysis::signs::{has_signs, signed};
use crate::analysis::Analyzer;
use crate::engine::snapshot::Snapshot;
use crate::failure::Failure;
use crate::search::text::clause::Way;
use crate::search::text::placed::{occurs, Placed, FAR_WEIGHT};
use crate::search::text::search_field::SearchField;

/// Looks for such a name first, and for the word without its signs as for what is merely like it.
pub(crate) fn prefer_signed(
    snapshot: &Snapshot,
    fields: &[SearchField],
    analyzers: &[&Arc<Analyzer>],
    text: &str,
    placed: &mut [Placed],
) -> Result<(), Failure> {
    if !has_signs(text) {
        return Ok(());
    }
    for place in placed {
        let Some(name) = signed(text, place.from..place.to) else {
            continue;
        };
        let named = analyzers.iter().map(|analyzer| match analyzer.signs {
            true => vec![Way::term(name.clone(), 1.0)],
            false => Vec::new(),
        });
        let named: Vec<Vec<Way>> = named.collect();
        if !occurs(snapshot, fields, &named)? {
            continue;
        }
        for (ways, named) in place.ways.iter_mut().zip(named) {
            ways.retain(|way| !named.iter().any(|named| named.slots == way.slots));
            for way in ways.iter_mut().filter(|_| !named.is_empty()) {
                way.weight *= FAR_WEIGHT;
                way.is_far = true;
            }
            ways.splice(..0, named);
        }
    }
    Ok(())
}
