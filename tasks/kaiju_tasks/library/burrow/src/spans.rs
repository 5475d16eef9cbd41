//! A set of whole numbers, kept as ranges that never touch.

use std::fmt;

/// Ranges of numbers, both ends included, in ascending order; neighbours are one range.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spans {
    ranges: Vec<(i64, i64)>,
}

/// A text that is no set of ranges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpansError {
    /// A part that is no number.
    NotANumber(String),
    /// A range whose end lies before its start.
    Backwards(i64, i64),
}

impl fmt::Display for SpansError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SpansError::NotANumber(part) => write!(f, "{part:?} is no number"),
            SpansError::Backwards(first, last) => write!(f, "range {first}..{last} runs backwards"),
        }
    }
}

impl std::error::Error for SpansError {}

impl Spans {
    /// An empty set.
    pub fn new() -> Self {
        Spans { ranges: Vec::new() }
    }

    /// Reads `1..4, 9`: ranges and single numbers between commas, in any order.
    pub fn parse(text: &str) -> Result<Self, SpansError> {
        let mut made = Spans::new();
        for part in text
            .split(',')
            .map(str::trim)
            .filter(|part| !part.is_empty())
        {
            let (first, last) = part.split_once("..").unwrap_or((part, part));
            let (first, last) = (number(first)?, number(last)?);
            if last < first {
                return Err(SpansError::Backwards(first, last));
            }
            made.add(first, last);
        }
        Ok(made)
    }

    /// Adds every number from `first` to `last`. Nothing happens when there is none.
    pub fn add(&mut self, first: i64, last: i64) {
        if last < first {
            return;
        }
        let (mut first, mut last) = (first, last);
        let mut kept = Vec::with_capacity(self.ranges.len() + 1);
        for &(start, end) in &self.ranges {
            if touch((first, last), (start, end)) {
                first = first.min(start);
                last = last.max(end);
            } else {
                kept.push((start, end));
            }
        }
        kept.push((first, last));
        kept.sort_unstable();
        self.ranges = kept;
    }

    /// Takes out every number from `first` to `last`.
    pub fn cut(&mut self, first: i64, last: i64) {
        let mut kept = Vec::with_capacity(self.ranges.len() + 1);
        for &(start, end) in &self.ranges {
            if last < first || end < first || last < start {
                kept.push((start, end));
                continue;
            }
            if start < first {
                kept.push((start, first - 1));
            }
            if last < end {
                kept.push((last + 1, end));
            }
        }
        self.ranges = kept;
    }

    /// Whether `value` is a member.
    pub fn contains(&self, value: i64) -> bool {
        self.ranges
            .iter()
            .any(|&(first, last)| first <= value && value <= last)
    }

    /// How many numbers there are.
    pub fn count(&self) -> u64 {
        self.ranges
            .iter()
            .map(|&(first, last)| last.abs_diff(first) + 1)
            .sum()
    }

    /// The ranges, both ends included.
    pub fn ranges(&self) -> &[(i64, i64)] {
        &self.ranges
    }

    /// What lies between the ranges.
    pub fn gaps(&self) -> Vec<(i64, i64)> {
        self.ranges
            .windows(2)
            .map(|pair| (pair[0].1 + 1, pair[1].0 - 1))
            .collect()
    }
}

impl fmt::Display for Spans {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (first, last)) in self.ranges.iter().enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            if first == last {
                write!(f, "{comma}{first}")?;
            } else {
                write!(f, "{comma}{first}..{last}")?;
            }
        }
        Ok(())
    }
}

fn number(text: &str) -> Result<i64, SpansError> {
    text.trim()
        .parse()
        .map_err(|_| SpansError::NotANumber(text.trim().to_string()))
}

/// Whether two ranges share a number or are neighbours.
fn touch(one: (i64, i64), two: (i64, i64)) -> bool {
    one.0 <= two.1.saturating_add(1) && two.0 <= one.1.saturating_add(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans(text: &str) -> Spans {
        Spans::parse(text).unwrap()
    }

    #[test]
    fn ranges_are_kept_in_order() {
        assert_eq!(spans("9, 1..3").to_string(), "1..3, 9");
    }

    #[test]
    fn neighbours_become_one() {
        assert_eq!(spans("1..3, 4..6").to_string(), "1..6");
        assert_eq!(spans("5, 4").ranges(), &[(4, 5)]);
    }

    #[test]
    fn a_range_can_swallow_others() {
        let mut found = spans("1, 5, 9..12");
        found.add(0, 10);
        assert_eq!(found.ranges(), &[(0, 12)]);
    }

    #[test]
    fn cutting_splits_a_range() {
        let mut found = spans("1..10");
        found.cut(4, 6);
        assert_eq!(found.to_string(), "1..3, 7..10");
    }

    #[test]
    fn cutting_takes_whole_ranges_out() {
        let mut found = spans("1..2, 5, 8..9");
        found.cut(2, 8);
        assert_eq!(found.to_string(), "1, 9");
        found.cut(9, 8);
        assert_eq!(found.count(), 2);
    }

    #[test]
    fn numbers_are_counted() {
        assert_eq!(spans("-2..2, 10").count(), 6);
        assert_eq!(Spans::new().count(), 0);
    }

    #[test]
    fn members_are_found() {
        let found = spans("-3..-1, 7");
        assert!(found.contains(-2));
        assert!(!found.contains(0));
        assert!(found.contains(7));
    }

    #[test]
    fn gaps_lie_between() {
        assert_eq!(spans("1, 5..6, 20").gaps(), vec![(2, 4), (7, 19)]);
    }

    #[test]
    fn what_is_no_number_is_named() {
        let error = Spans::parse("1..x").unwrap_err();
        assert_eq!(error, SpansError::NotANumber("x".to_string()));
        assert_eq!(error.to_string(), "\"x\" is no number");
    }

    #[test]
    fn a_backward_range_is_named() {
        let error = Spans::parse("8..3").unwrap_err();
        assert_eq!(error.to_string(), "range 8..3 runs backwards");
    }

    #[test]
    fn ranges_that_are_one_apart_touch() {
        assert!(touch((1, 2), (3, 4)));
        assert!(!touch((1, 2), (4, 5)));
    }
}
