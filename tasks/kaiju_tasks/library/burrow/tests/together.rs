//! Collections used with each other.

mod support;

use burrow::{varint, BitSet, Heap, Ring, Spans};
use support::numbers;

#[test]
fn a_set_survives_being_written_as_gaps() {
    let set: BitSet = numbers(&[3, 1000, 70]).collect();
    let mut out = Vec::new();
    let mut last = 0;
    for value in set.iter() {
        varint::write(&mut out, (value - last) as u64);
        last = value;
    }
    assert_eq!(out, vec![3, 67, 162, 7]);
}

#[test]
fn ranges_become_bits() {
    let spans = Spans::parse("2..4, 9").unwrap();
    let set: BitSet = spans
        .ranges()
        .iter()
        .flat_map(|&(first, last)| first..=last)
        .map(|one| one as usize)
        .collect();
    assert_eq!(format!("{set:?}"), "{2, 3, 4, 9}");
}

#[test]
fn the_newest_are_sorted() {
    let mut ring = Ring::new(3);
    for value in numbers(&[9, 4, 8, 1]) {
        ring.push(value);
    }
    let mut heap = Heap::new();
    for value in ring.iter() {
        heap.push(*value as i64, *value);
    }
    assert_eq!(heap.into_sorted(), vec![1, 4, 8]);
}

#[test]
fn bits_become_ranges() {
    let set: BitSet = numbers(&[5, 6, 7, 12]).collect();
    let mut spans = Spans::new();
    for value in set.iter() {
        spans.add(value as i64, value as i64);
    }
    assert_eq!(spans.to_string(), "5..7, 12");
    assert_eq!(spans.gaps(), vec![(8, 11)]);
}
