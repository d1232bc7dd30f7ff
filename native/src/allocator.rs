//! The allocator of the core.

use std::alloc::{GlobalAlloc, Layout};
use std::ptr;

use mimalloc::MiMalloc;

/// The library begins each of the tables of a segment with a megabyte of zeros. One document needs some hundred bytes of
/// each: zeros that the system makes where they are touched are nearly free.
const ZEROS: Layout = match Layout::from_size_align(1 << 20, 1) {
    Ok(layout) => layout,
    Err(_) => unreachable!(),
};

/// A search or a small commit makes and drops thousands of short lists on several threads; this allocator keeps
/// them apart by thread. It frees a tenth of the processor that the system's own takes on such work.
pub struct Allocator;

// SAFETY: whether the system or MiMalloc has a piece is told by its layout alone, which is the same when it is freed.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout == ZEROS {
            return map();
        }
        MiMalloc.alloc(layout)
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if layout == ZEROS {
            return map();
        }
        MiMalloc.alloc_zeroed(layout)
    }

    unsafe fn dealloc(&self, piece: *mut u8, layout: Layout) {
        if layout == ZEROS {
            return unmap(piece);
        }
        MiMalloc.dealloc(piece, layout)
    }

    unsafe fn realloc(&self, piece: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let wanted = Layout::from_size_align_unchecked(size, layout.align());
        if layout != ZEROS && wanted != ZEROS {
            return MiMalloc.realloc(piece, layout, size);
        }
        let other = self.alloc(wanted);
        if !other.is_null() {
            ptr::copy_nonoverlapping(piece, other, layout.size().min(size));
            self.dealloc(piece, layout);
        }
        other
    }
}

/// As the system gives it: zeros, of which none takes memory before it is touched.
#[cfg(unix)]
unsafe fn map() -> *mut u8 {
    let access = libc::PROT_READ | libc::PROT_WRITE;
    let kind = libc::MAP_PRIVATE | libc::MAP_ANON;
    let piece = libc::mmap(ptr::null_mut(), ZEROS.size(), access, kind, -1, 0);
    if piece == libc::MAP_FAILED {
        return ptr::null_mut();
    }
    piece.cast()
}

#[cfg(unix)]
unsafe fn unmap(piece: *mut u8) {
    libc::munmap(piece.cast(), ZEROS.size());
}

#[cfg(not(unix))]
unsafe fn map() -> *mut u8 {
    MiMalloc.alloc_zeroed(ZEROS)
}

#[cfg(not(unix))]
unsafe fn unmap(piece: *mut u8) {
    MiMalloc.dealloc(piece, ZEROS);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_megabyte_is_zeros_however_often_it_was_used() {
        for _ in 0..3 {
            let mut piece = vec![0_u8; ZEROS.size()];
            assert!(piece.iter().all(|byte| *byte == 0));
            piece.fill(7);
        }
    }

    #[test]
    fn what_grows_and_shrinks_past_a_megabyte_keeps_its_bytes() {
        let mut text: Vec<u8> = Vec::new();
        let sizes = [
            ZEROS.size() - 1,
            ZEROS.size(),
            ZEROS.size() + 1,
            3 * ZEROS.size(),
        ];
        for size in sizes {
            text.reserve_exact(size - text.len());
            text.extend((text.len()..size).map(|at| at as u8));
            assert_eq!(text.capacity(), size);
        }
        for size in sizes.into_iter().rev() {
            text.truncate(size);
            text.shrink_to_fit();
            assert!(text.iter().enumerate().all(|(at, byte)| *byte == at as u8));
        }
    }
}
