//! The core from outside. One program for nearly all: to build and to start one for each file takes longer than most tests.

mod durability;
mod engine;
mod format;
mod learned;
mod lists;
mod long;
mod near;
mod random;
mod reach;
mod reference;
mod search;
mod short;
mod support;
mod training;
mod within;
