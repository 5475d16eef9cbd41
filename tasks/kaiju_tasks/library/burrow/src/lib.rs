//! Small collections that live in few bytes.
//!
//! Nothing here allocates before something is put in, except a [`Ring`], whose capacity is fixed.

pub mod bits;
pub mod heap;
pub mod ring;
pub mod spans;
pub mod varint;

pub use bits::BitSet;
pub use heap::{Handle, Heap};
pub use ring::Ring;
pub use spans::Spans;
