//! How often each document is chosen when somebody looks at it, whatever they asked: the feature
//! `clickRate`.
//!
//! Rates are counted outside of the core and handed over all at once, as a numbered edition that
//! never changes. A search names the edition that it reads, so that the pages of one list agree, and
//! so does a search that is run again.

use std::sync::Arc;

use parking_lot::RwLock;

use crate::failure::Failure;

/// Most documents of an index that have a rate of their own.
pub const RATED_MAX: usize = 50_000;

/// The rates of the documents of one index.
#[derive(Debug, Default, PartialEq)]
pub struct Rates {
    /// Ascending.
    ords: Vec<u64>,
    rates: Vec<f32>,
}

impl Rates {
    /// Takes document numbers, in any order, and the rate of each; BAD_REQUEST for anything else.
    pub fn new(ords: &[u64], rates: &[f32]) -> Result<Rates, Failure> {
        if ords.len() != rates.len() || ords.len() > RATED_MAX {
            let message = format!("there is one rate a document, for at most {RATED_MAX} of them");
            return Err(Failure::bad_request(message));
        }
        if !rates.iter().all(|rate| (0.0..=1.0).contains(rate)) {
            return Err(Failure::bad_request("a rate is a number from 0 to 1"));
        }
        let mut pairs: Vec<(u64, f32)> = ords.iter().copied().zip(rates.iter().copied()).collect();
        pairs.sort_by_key(|(ord, _)| *ord);
        let (ords, rates) = pairs.into_iter().unzip();
        Ok(Rates { ords, rates })
    }

    /// The rate of a document, if it has one.
    pub fn of(&self, ord: u64) -> Option<f32> {
        let at = self.ords.binary_search(&ord);
        at.ok().map(|at| self.rates[at])
    }
}

/// The editions of an index that searches may still name.
#[derive(Default)]
pub struct Editions(RwLock<Vec<(u64, Arc<Rates>)>>);

impl Editions {
    /// Of an index that was not searched before: who reads rates until the first ones come goes on without any.
    pub fn begin(&self) {
        let mut held = self.0.write();
        if held.is_empty() {
            held.push((0, Arc::default()));
        }
    }

    /// Makes these rates the ones of an edition and those after it, and lets go of the ones that no
    /// edition from `since` on reads. Rates that did not change stay those of the edition before.
    pub fn publish(&self, edition: u64, since: u64, rates: Rates) {
        let mut held = self.0.write();
        // Numbers that come again are those of another count.
        held.retain(|(own, _)| *own < edition);
        if held.last().map_or(&Rates::default(), |(_, last)| &**last) != &rates {
            held.push((edition, Arc::new(rates)));
        }
        let is_over = |pair: &[(u64, Arc<Rates>)]| pair[1].0 <= since;
        let over = held.windows(2).take_while(|pair| is_over(pair)).count();
        held.drain(..over);
    }

    /// The rates of an edition; the oldest ones when they are held no more, none before the first.
    pub fn at(&self, edition: u64) -> Option<Arc<Rates>> {
        let held = self.0.read();
        let own = held.iter().rev().find(|(own, _)| *own <= edition);
        own.or(held.first()).map(|(_, rates)| rates.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rates(rate: f32) -> Rates {
        Rates::new(&[9, 4], &[rate, 0.25]).unwrap()
    }

    fn rate_at(editions: &Editions, edition: u64) -> Option<f32> {
        editions.at(edition).and_then(|rates| rates.of(9))
    }

    #[test]
    fn who_read_before_the_first_rates_of_an_index_goes_on_without_any() {
        let editions = Editions::default();
        editions.begin();
        assert_eq!(rate_at(&editions, 3), None);
        editions.publish(4, 0, Rates::default());
        editions.publish(5, 0, rates(0.5));
        assert_eq!(rate_at(&editions, 3), None);
        assert_eq!(rate_at(&editions, 4), None);
        assert_eq!(rate_at(&editions, 5), Some(0.5));
        // Nobody is to read of before any more.
        editions.publish(6, 5, rates(0.75));
        assert_eq!(rate_at(&editions, 3), Some(0.5));
    }

    #[test]
    fn documents_are_found_by_their_numbers_in_whatever_order_they_came() {
        let rates = rates(0.5);
        assert_eq!((rates.of(4), rates.of(9)), (Some(0.25), Some(0.5)));
        assert_eq!((rates.of(3), rates.of(5), rates.of(10)), (None, None, None));
    }

    #[test]
    fn only_rates_within_their_range_and_their_number_are_taken() {
        for bad in [-0.1, 1.1, f32::NAN, f32::INFINITY] {
            assert!(Rates::new(&[1], &[bad]).is_err(), "{bad}");
        }
        assert!(Rates::new(&[1, 2], &[0.5]).is_err());
        let many: Vec<u64> = (0..=RATED_MAX as u64).collect();
        assert!(Rates::new(&many, &vec![0.5; many.len()]).is_err());
        assert!(Rates::new(&many[1..], &vec![0.5; RATED_MAX]).is_ok());
    }

    #[test]
    fn an_edition_reads_the_same_rates_for_as_long_as_they_are_held() {
        let editions = Editions::default();
        assert_eq!(rate_at(&editions, 7), None);
        editions.publish(1, 0, rates(0.1));
        editions.publish(2, 0, rates(0.1));
        editions.publish(3, 0, rates(0.3));
        let found = [0, 1, 2, 3, 9].map(|edition| rate_at(&editions, edition));
        assert_eq!(found, [0.1, 0.1, 0.1, 0.3, 0.3].map(Some));
        // Edition 2 reads the rates of edition 1: they stay for as long as it may be named.
        editions.publish(4, 2, rates(0.4));
        assert_eq!(rate_at(&editions, 2), Some(0.1));
        editions.publish(5, 3, rates(0.4));
        assert_eq!(rate_at(&editions, 2), Some(0.3));
        editions.publish(6, 6, rates(0.6));
        assert_eq!(rate_at(&editions, 1), Some(0.6));
    }

    #[test]
    fn an_edition_that_comes_again_takes_the_place_of_the_first() {
        let editions = Editions::default();
        editions.publish(1, 0, rates(0.1));
        editions.publish(2, 0, rates(0.2));
        editions.publish(2, 0, rates(0.3));
        assert_eq!(rate_at(&editions, 1), Some(0.1));
        assert_eq!(rate_at(&editions, 2), Some(0.3));
        editions.publish(1, 0, Rates::default());
        assert_eq!(rate_at(&editions, 2), None);
    }
}
