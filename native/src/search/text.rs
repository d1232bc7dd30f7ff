//! The text leg: the words of a query, what they match, and what each match is worth.

pub mod apart;
pub mod blend;
pub mod clause;
pub mod codes;
pub mod guessed;
pub mod joined;
pub mod kept;
pub mod matched;
pub mod near;
pub mod numbers;
pub mod occurrences;
pub mod parts;
pub mod placed;
pub mod plan;
pub mod plurals;
pub mod postings;
pub mod rows;
pub mod score;
pub mod scratch;
pub mod search_field;
pub mod signed;
pub mod text_matches;
pub mod umlauts;
pub mod vocabulary;
pub mod ways;
pub mod words;
