//! A hint to the processor: what it will be asked for soon.

/// Asks for the cache lines of something that will be read soon.
pub(super) fn prefetch<T: ?Sized>(soon: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_mm_prefetch, _MM_HINT_T0};
        let start = std::ptr::from_ref(soon).cast::<i8>();
        for line in (0..size_of_val(soon)).step_by(64) {
            // SAFETY: within `soon`; and a prefetch reads nothing.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(start.add(line)) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = soon;
}
