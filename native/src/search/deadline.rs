//! When work for a request must have ended: whoever waited for it has been told by then that it took too long, and its
//! thread is wanted by others. Work of many steps looks here between them.

use std::cell::Cell;
use std::time::{Duration, Instant};

use crate::failure::{Code, Failure};

/// Small steps between two looks at the clock.
const STEPS: usize = 512;

thread_local! {
    static END: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// Work of this thread ends within so many milliseconds, or whenever it is done, until the next call.
pub fn end_within(left_ms: Option<f64>) {
    let after = |ms: f64| Instant::now().checked_add(Duration::from_secs_f64(ms.max(0.0) / 1e3));
    END.set(left_ms.filter(|ms| ms.is_finite()).and_then(after));
}

/// Fails with TIMED_OUT once the time is over.
pub fn look() -> Result<(), Failure> {
    match END.get() {
        Some(end) if Instant::now() >= end => Err(Failure::new(
            Code::TimedOut,
            "The search took longer than the setting REQUEST_TIMEOUT_MS allows; ask for less at once, or try again.",
        )),
        _ => Ok(()),
    }
}

/// Looks once in many small steps.
#[derive(Default)]
pub struct Steps(usize);

impl Steps {
    /// To be called with each step.
    #[inline]
    pub fn step(&mut self) -> Result<(), Failure> {
        self.0 += 1;
        match self.0 % STEPS {
            0 => look(),
            _ => Ok(()),
        }
    }
}
