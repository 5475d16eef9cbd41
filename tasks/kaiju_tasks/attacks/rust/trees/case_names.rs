//! two modules whose files differ in case only
#[path = "LEAVE.rs"]
mod kaiju_upper;
#[path = "leave.rs"]
mod kaiju_lower;
