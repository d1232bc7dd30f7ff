//! The text leg: BM25 over weighted fields, all matches at once.
//!
//! The postings of all terms are read and then added up, window by window. Everything that goes
//! into a score (document counts, lengths) counts live documents only, and each document's sums
//! are made in the order of the query, so a score does not depend on segments or merges.

use std::cell::RefCell;
use std::ops::Range;

use crate::bm25::idf;
use crate::engine::bits::Bits;
use crate::engine::snapshot::Snapshot;
use crate::failure::Failure;
use crate::search::text::clause::{Clause, Pair, Way};
use crate::search::text::group::Group;
use crate::search::text::harvest::Found;
use crate::search::text::matched::{Matched, TERMS_MAX};
use crate::search::text::plan::Plan;
use crate::search::text::postings::Postings;
use crate::search::text::reach::{Reach, Wanted};
use crate::search::text::scorer::Scorer;
use crate::search::text::scratch::{entries_max, Scratch};
use crate::search::text::search_field::SearchField;
use crate::search::text::text_matches::{TextMatches, Whole};
use crate::search::text::whole::Seeker;
use crate::search::text::windows::add_up;

/// Documents whose words' places are read for pairs, per search and view.
const PAIR_DOCUMENTS_MAX: usize = 1024;

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// All live documents that match the plan (and the filter), with their scores; where not all of these are wanted, it may be
/// that the others are only counted.
pub fn score(
    snapshot: &Snapshot,
    plan: &Plan,
    filter: Option<&Bits>,
    wanted: Option<&Wanted>,
) -> Result<TextMatches, Failure> {
    if plan.clauses.is_empty() {
        return Ok(TextMatches::default());
    }
    // Taken out while in use: a panic or an error leaves a fresh one behind, never a dirty one.
    let mut scratch = SCRATCH.take();
    let scorer = Scorer::open_with(snapshot, plan, &mut scratch)?;
    let matches = scorer.run(plan, (filter, wanted), &mut scratch)?;
    SCRATCH.replace(scratch);
    Ok(matches)
}

/// As `score`, with the words that each document has; hand them to `give_back` afterwards.
pub fn score_with_words(
    snapshot: &Snapshot,
    plan: &Plan,
    filter: Option<&Bits>,
    wanted: Option<&Wanted>,
) -> Result<(TextMatches, Matched), Failure> {
    SCRATCH.with_borrow_mut(Scratch::begin_matched);
    let found = score(snapshot, plan, filter, wanted);
    let matched = SCRATCH.with_borrow_mut(|scratch| scratch.matched.take());
    Ok((found?, matched.unwrap_or_default()))
}

/// Takes back the memory of what `score` or `score_with_words` found.
pub fn give_back(matches: TextMatches, matched: Option<Matched>) {
    SCRATCH.with_borrow_mut(|scratch| {
        scratch.take_back_matches(matches);
        if let Some(matched) = matched {
            scratch.take_back(matched);
        }
    });
}

impl<'a> Scorer<'a> {
    /// Opens the fields of a plan.
    pub fn open(snapshot: &'a Snapshot, plan: &'a Plan) -> Result<Scorer<'a>, Failure> {
        SCRATCH.with_borrow_mut(|scratch| Scorer::open_with(snapshot, plan, scratch))
    }

    fn run(
        &self,
        plan: &Plan,
        (filter, wanted): (Option<&Bits>, Option<&Wanted>),
        scratch: &mut Scratch,
    ) -> Result<TextMatches, Failure> {
        let documents = self.snapshot.documents as usize;
        let fields = self.fields.len();
        scratch.make_room(documents, fields, false);
        if let Some(matched) = &mut scratch.matched {
            let fields: Vec<&SearchField> = self.fields.iter().map(|f| f.field).collect();
            matched.begin(plan, &fields);
        }
        let weights = self.fields.iter().map(|f| (f.field.field, f.field.weight));
        let weights = weights.map(|(field, weight)| (field, weight.to_bits()));
        scratch.keep_norms((self.snapshot.generation, weights.collect()));
        let mut group = Group::default();
        let mut required: Option<Bits> = None;
        let wanted = wanted.filter(|wanted| Reach::pays(wanted, plan.clauses.len(), documents));
        let mut seeker = Seeker::new(self, &plan.clauses);
        for (number, clause) in plan.clauses.iter().enumerate() {
            let lists = self.room_for(&group, scratch);
            let counted = self.read(clause, &mut scratch.postings[lists.clone()])?;
            let mut pairs = plan.pairs.iter();
            let told = scratch.matched.is_some() && number < TERMS_MAX;
            let kept =
                told || wanted.is_some() || pairs.any(|p| p.first == number || p.second == number);
            if kept {
                scratch.remember(number, lists.clone(), documents, wanted.is_some());
            }
            let found = scratch.count_documents(kept.then_some(number), lists.clone(), documents);
            if clause.required {
                match &mut required {
                    Some(all) => all.and(&scratch.documents),
                    None => required = Some(scratch.documents.clone()),
                }
            }
            let counted = counted.unwrap_or(found);
            let idf_of = |documents| clause.count * idf(self.documents, documents);
            let own = scratch.postings[lists.clone()].iter();
            seeker.weigh(idf_of(counted), own.map(|list| idf_of(list.counted)));
            self.weigh(clause.count, counted, lists, scratch, &mut group);
            if group.entries > entries_max(documents) {
                seeker.let_go(self, &scratch.postings[..group.clauses() * fields]);
                scratch.make_room(documents, fields, true);
                add_up(self, &mut group, scratch, None);
                group.clear();
            }
        }
        let whole = seeker.find(self, &scratch.postings[..group.clauses() * fields]);
        self.add_whole(&whole, scratch, &mut group);
        let pairs = self.add_pairs(plan, scratch, &mut group)?;
        let wanted = wanted.filter(|_| !scratch.has_sums);
        let clauses = plan.clauses.len();
        let (mut listed, mut chosen) = (None, None);
        if let Some(choose) = wanted.and_then(|wanted| wanted.choose) {
            let all = self.matching(clauses, [required.as_ref(), filter], scratch);
            chosen = Some(choose(&all)?);
            listed = Some(all);
        }
        let more = chosen.as_deref().unwrap_or_default();
        let mut reach = wanted.map(|wanted| self.reach((wanted, more), clauses, &group, scratch));
        let (mut positions, mut scores) = scratch.take_spare();
        let found = Found {
            required: required.as_ref(),
            filter,
            reach: reach.as_mut(),
            positions: &mut positions,
            scores: &mut scores,
        };
        add_up(self, &mut group, scratch, Some(found));
        if let Some(matched) = &mut scratch.matched {
            matched.having = std::mem::take(&mut scratch.known);
        }
        scratch.trim(documents);
        let mut matches = TextMatches::new(positions, scores);
        (matches.pairs, matches.whole) = (pairs, whole);
        if let Some(reach) = reach {
            matches.total = reach.total;
            (matches.listed, matches.chosen) = (listed.or(reach.listed), chosen);
            scratch.also = reach.also;
        }
        Ok(matches)
    }

    /// The positions of all matches, given how many clauses there are, and what they are among.
    fn matching(&self, clauses: usize, passing: [Option<&Bits>; 2], scratch: &Scratch) -> Vec<u32> {
        let mut any = Bits::new(self.snapshot.documents as usize);
        let lists = &scratch.known[..clauses * self.fields.len()];
        lists.iter().for_each(|list| any.or(list));
        passing.iter().flatten().for_each(|bits| any.and(bits));
        any.list()
    }

    /// Which documents can be among those that are wanted, or are some more, given how many clauses there are. What has a
    /// pair, or is the query as a whole, is wanted, too: it scores more than its clauses can.
    fn reach(
        &self,
        (wanted, more): (&Wanted, &[u32]),
        clauses: usize,
        group: &Group,
        scratch: &mut Scratch,
    ) -> Reach {
        let mut also = std::mem::take(&mut scratch.also);
        also.reset(self.snapshot.documents as usize);
        let wanted_too = wanted.also.iter().chain(more);
        wanted_too.for_each(|position| also.set(*position));
        for number in group.postings_from(clauses) {
            also.set_all(&scratch.postings[number].positions);
        }
        let parts = group.parts(clauses, self, scratch);
        Reach::of(clauses * self.fields.len(), parts, also, wanted)
    }

    /// Makes room for the lists of a clause behind those of a group; gives their numbers.
    fn room_for(&self, group: &Group, scratch: &mut Scratch) -> Range<usize> {
        let first = group.clauses() * self.fields.len();
        let lists = first..first + self.fields.len();
        if scratch.postings.len() < lists.end {
            scratch.postings.resize_with(lists.end, Postings::default);
        }
        lists
    }

    /// Adds a clause to a group, given how many documents are to tell how rare it is, and the numbers of its lists.
    fn weigh(
        &self,
        count: f32,
        documents: usize,
        lists: Range<usize>,
        scratch: &Scratch,
        group: &mut Group,
    ) {
        let factor = count * idf(self.documents, documents);
        let postings = scratch.postings[lists.clone()].iter();
        group.entries += postings.clone().map(|p| p.positions.len()).sum::<usize>();
        let own = self.fields.iter().zip(postings).zip(lists).enumerate();
        let own = own.filter(|(_, ((_, postings), _))| !postings.positions.is_empty());
        let own = own.map(|(number, ((field, postings), list))| {
            let factor = count * field.field.boost * idf(self.documents, postings.counted);
            (number, list, factor)
        });
        group.add(factor, own);
    }

    /// Reads where a clause occurs, field by field. Gives how many documents have it in a way that is not far, if any is, and
    /// any document does: by those, it is told how rare it is.
    pub fn read(&self, clause: &Clause, into: &mut [Postings]) -> Result<Option<usize>, Failure> {
        for (field, postings) in self.fields.iter().zip(into.iter_mut()) {
            let ways = &clause.ways[field.field.group];
            field.reader.read(self.snapshot, ways, postings)?;
        }
        if !clause.has_far_ways() {
            self.count_by_rank(into, &[]);
            return Ok(None);
        }
        let mut any = Bits::new(self.snapshot.documents as usize);
        let (mut meant, mut far_only) = (Postings::default(), Vec::new());
        for (number, (field, postings)) in self.fields.iter().zip(into.iter_mut()).enumerate() {
            let ways = clause.ways[field.field.group].iter();
            let ways: Vec<Way> = ways.filter(|way| !way.is_far).cloned().collect();
            field.reader.read(self.snapshot, &ways, &mut meant)?;
            any.set_all(&meant.positions);
            match meant.counted {
                0 => far_only.push(number),
                counted => postings.counted = counted,
            }
        }
        let documents = Some(any.count()).filter(|documents| *documents > 0);
        if documents.is_none() {
            far_only.clear();
        }
        self.count_by_rank(into, &far_only);
        Ok(documents)
    }

    /// Lets a clause be no rarer in a field than in any that tells more: what nearly all titles have says little, in the few
    /// contents that have it, too. Not the other way round: what many contents have may well say much in a title. What only is
    /// like it in a field, while another has the clause itself, says nothing of the others: `far_only` has such fields.
    fn count_by_rank(&self, postings: &mut [Postings], far_only: &[usize]) {
        let (mut before, mut most, mut rank) = (0, 0, None);
        for number in &self.by_rank {
            let own = Some(self.fields[*number].rank());
            if rank != own {
                (before, rank) = (most, own);
            }
            let counted = &mut postings[*number].counted;
            if !far_only.contains(number) {
                most = most.max(*counted);
            }
            *counted = before.max(*counted);
        }
    }

    /// Adds what the query as a whole scores.
    fn add_whole(&self, whole: &Whole, scratch: &mut Scratch, group: &mut Group) {
        let lists = self.room_for(group, scratch);
        let used = whole.fields.iter().zip(lists).enumerate();
        let used = used.filter(|(_, (own, _))| !own.positions.is_empty());
        let used: Vec<(usize, usize, f32)> = used
            .map(|(number, (own, list))| {
                scratch.postings[list].copy(&own.positions, &own.frequencies);
                (number, list, own.factor)
            })
            .collect();
        if !used.is_empty() {
            group.add(whole.combined, used.into_iter());
        }
    }

    /// Adds the scores of pairs to documents that match already. The pairs that the fewest
    /// documents can have tell the most: they come first while the budget lasts.
    fn add_pairs(
        &self,
        plan: &Plan,
        scratch: &mut Scratch,
        group: &mut Group,
    ) -> Result<Vec<usize>, Failure> {
        let fields = self.fields.len();
        let mut costs: Vec<(usize, usize)> = Vec::with_capacity(plan.pairs.len());
        for (at, pair) in plan.pairs.iter().enumerate() {
            let both = (0..fields).map(|field| {
                let first = &scratch.known[pair.first * fields + field];
                first.count_common(&scratch.known[pair.second * fields + field])
            });
            costs.push((both.sum(), at));
        }
        costs.sort_unstable();
        let mut budget = PAIR_DOCUMENTS_MAX;
        costs.retain(|(cost, _)| {
            let affordable = *cost > 0 && *cost <= budget;
            budget -= if affordable { *cost } else { 0 };
            affordable
        });
        // Added in the order of the query, whatever the costs: sums come out the same.
        costs.sort_unstable_by_key(|(_, at)| *at);
        for (_, at) in &costs {
            self.add_pair(&plan.pairs[*at], scratch, group)?;
        }
        Ok(costs.into_iter().map(|(_, at)| at).collect())
    }

    fn add_pair(
        &self,
        pair: &Pair,
        scratch: &mut Scratch,
        group: &mut Group,
    ) -> Result<(), Failure> {
        let fields = self.fields.len();
        let lists = self.room_for(group, scratch);
        let mut both = Vec::new();
        for (number, field) in self.fields.iter().enumerate() {
            let first = &scratch.known[pair.first * fields + number];
            first.common(&scratch.known[pair.second * fields + number], &mut both);
            let row = pair.clause.ways[field.field.group].first();
            let terms = row.and_then(|row| match row.slots.as_slice() {
                [a, b] => Some((a.terms[0].as_str(), b.terms[0].as_str())),
                _ => None,
            });
            let both = if terms.is_some() {
                both.as_slice()
            } else {
                &[]
            };
            let terms = terms.unwrap_or_default();
            let postings = &mut scratch.postings[lists.start + number];
            field
                .reader
                .read_pair(self.snapshot, terms, both, postings)?;
        }
        self.count_by_rank(&mut scratch.postings[lists.clone()], &[]);
        let found = &scratch.postings[lists.clone()];
        if found.iter().any(|p| !p.positions.is_empty()) {
            if let Some(matched) = &mut scratch.matched {
                let found = found.iter().map(|p| p.positions.as_slice());
                matched.add_pair(pair, found, |documents| idf(self.documents, documents));
            }
            let documents = self.snapshot.documents as usize;
            let counted = scratch.count_documents(None, lists.clone(), documents);
            self.weigh(pair.clause.count, counted, lists, scratch, group);
        }
        Ok(())
    }
}
