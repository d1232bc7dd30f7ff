//! Names that end in signs, which are meant where documents have them: `C++` is not `C`.

use crate::analysis::signs::{has_signs, signed};
use crate::failure::Failure;
use crate::search::text::clause::Way;
use crate::search::text::expansion::{Expansion, FAR_WEIGHT};

/// Looks for such a name first, and for the word without its signs as for what is merely like it.
pub(crate) fn prefer_signed(part: &mut Expansion) -> Result<(), Failure> {
    let (scope, text) = (part.scope, part.plain.text);
    if !has_signs(text) {
        return Ok(());
    }
    for place in part.placed.iter_mut() {
        let Some(name) = signed(text, place.from..place.to) else {
            continue;
        };
        let named = scope.analyzers.iter().map(|analyzer| match analyzer.signs {
            true => vec![Way::term(name.clone(), 1.0)],
            false => Vec::new(),
        });
        let named: Vec<Vec<Way>> = named.collect();
        if !scope.has(&named)? {
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
