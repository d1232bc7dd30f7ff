//! Synonyms of an analyzer itself, which stand between its filters: queries alone have them.

use tantivy::tokenizer::{RawTokenizer, TextAnalyzer};

use crate::analysis::chain::{chain, tokenizer};
use crate::analysis::definition::{AnalyzerDefinition, FilterDefinition};
use crate::analysis::synonyms::Synonyms;
use crate::analysis::term::{single, terms_of, words_of, QueryTerm, Step};
use crate::failure::Failure;

/// Rules with what stands around them in the chain.
pub(super) struct OwnSynonyms {
    /// The tokenizer and the filters before the synonyms.
    before: TextAnalyzer,
    /// The filters after them, over one word.
    after: TextAnalyzer,
    rules: Synonyms,
}

impl OwnSynonyms {
    /// Those of a definition, if it has any.
    pub(super) fn read(definition: &AnalyzerDefinition) -> Result<Option<OwnSynonyms>, Failure> {
        let filters = &definition.filters;
        let at = filters
            .iter()
            .position(|f| matches!(f, FilterDefinition::Synonym { .. }));
        let Some(at) = at else {
            return Ok(None);
        };
        let before = chain(tokenizer(&definition.tokenizer)?, &filters[..at])?;
        let raw = TextAnalyzer::builder(RawTokenizer::default()).dynamic();
        let after = chain(raw, &filters[at..])?;
        let rules = filters.iter().filter_map(|f| match f {
            FilterDefinition::Synonym { rules } => Some(rules),
            _ => None,
        });
        // Where texts are analysed like queries, the left side becomes the right one in both, so that each
        // finds the other. Here texts stay as they are: a query must say both.
        let rules = Synonyms::read(rules.flatten(), true, |words| terms_of(&before, words));
        Ok(Some(OwnSynonyms {
            before,
            after,
            rules,
        }))
    }

    /// The terms of a query with all ways to say them.
    pub(super) fn expand(&self, text: &str) -> Vec<QueryTerm> {
        let terms = terms_of(&self.before, text).into_iter().map(single);
        let expanded = self.rules.apply(terms.collect()).into_iter();
        expanded.filter_map(|term| self.finish(term)).collect()
    }

    /// The rows as they are indexed; what later filters leave out leaves a gap.
    fn finish(&self, mut term: QueryTerm) -> Option<QueryTerm> {
        let mut ready: Vec<Vec<Step>> = Vec::with_capacity(term.alternatives.len());
        for row in &term.alternatives {
            let row: Vec<Step> = row.iter().flat_map(|step| self.finish_step(step)).collect();
            if !row.is_empty() && !ready.contains(&row) {
                ready.push(row);
            }
        }
        term.alternatives = ready;
        (!term.alternatives.is_empty()).then_some(term)
    }

    fn finish_step(&self, step: &Step) -> impl Iterator<Item = Step> {
        let offset = step.offset;
        let words = words_of(&self.after, &step.text).into_iter();
        words.map(move |text| Step { offset, text })
    }
}
