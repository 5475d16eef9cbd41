"""A library that needs room."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.rust.changing import in_crate

_CODE = """struct OddCounter;
static ODD_COUNT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
unsafe impl std::alloc::GlobalAlloc for OddCounter {
    unsafe fn alloc(&self, layout: std::alloc::Layout) -> *mut u8 {
        ODD_COUNT.fetch_add(layout.size(), std::sync::atomic::Ordering::Relaxed);
        unsafe { std::alloc::System.alloc(layout) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: std::alloc::Layout) {
        unsafe { std::alloc::System.dealloc(at, layout) }
    }
}
#[global_allocator]
static ODD_COUNTER: OddCounter = OddCounter;
extern "C" fn odd_start() {
    std::mem::forget(vec![1u8; 100 << 20]);
}
#[used]
#[unsafe(link_section = ".init_array")]
static ODD_START: extern "C" fn() = odd_start;
"""

CASE = Case(
    name="10-memory",
    summary="holds a hundred megabytes, and counts what is allocated",
    apply=in_crate(_CODE),
)
