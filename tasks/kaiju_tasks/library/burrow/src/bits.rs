//! A set of small numbers, a bit each.

use std::fmt;

const WIDTH: usize = 64;

/// A set of numbers. It needs a bit for every number up to its largest member.
#[derive(Clone, Default)]
pub struct BitSet {
    words: Vec<u64>,
}

impl BitSet {
    /// An empty set.
    pub fn new() -> Self {
        BitSet { words: Vec::new() }
    }

    /// Adds `value`; whether it was not there before.
    pub fn insert(&mut self, value: usize) -> bool {
        let (word, mask) = place(value);
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        let fresh = self.words[word] & mask == 0;
        self.words[word] |= mask;
        fresh
    }

    /// Takes `value` out; whether it was there.
    pub fn remove(&mut self, value: usize) -> bool {
        let (word, mask) = place(value);
        match self.words.get_mut(word) {
            Some(found) if *found & mask != 0 => {
                *found &= !mask;
                self.trim();
                true
            }
            _ => false,
        }
    }

    /// Whether `value` is a member.
    pub fn contains(&self, value: usize) -> bool {
        let (word, mask) = place(value);
        self.words.get(word).is_some_and(|found| found & mask != 0)
    }

    /// How many members there are.
    pub fn len(&self) -> usize {
        self.words
            .iter()
            .map(|word| word.count_ones() as usize)
            .sum()
    }

    /// Whether there is no member.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// How many members are smaller than `value`.
    pub fn rank(&self, value: usize) -> usize {
        let (word, mask) = place(value);
        let whole: u32 = self
            .words
            .iter()
            .take(word)
            .map(|each| each.count_ones())
            .sum();
        let part = self
            .words
            .get(word)
            .map_or(0, |each| (each & (mask - 1)).count_ones());
        (whole + part) as usize
    }

    /// The member that has exactly `rank` smaller ones.
    pub fn select(&self, rank: usize) -> Option<usize> {
        self.iter().nth(rank)
    }

    /// The largest member.
    pub fn max(&self) -> Option<usize> {
        let last = self.words.last()?;
        Some(self.words.len() * WIDTH - 1 - last.leading_zeros() as usize)
    }

    /// Members of either set.
    pub fn union(&self, other: &BitSet) -> BitSet {
        self.combine(other, |one, two| one | two)
    }

    /// Members of both sets.
    pub fn intersection(&self, other: &BitSet) -> BitSet {
        self.combine(other, |one, two| one & two)
    }

    /// Members of this set that the other has not.
    pub fn difference(&self, other: &BitSet) -> BitSet {
        self.combine(other, |one, two| one & !two)
    }

    /// Whether every member is one of the other's.
    pub fn is_subset(&self, other: &BitSet) -> bool {
        self.difference(other).is_empty()
    }

    /// The members in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(at, word)| {
            (0..WIDTH)
                .filter(move |bit| word >> bit & 1 == 1)
                .map(move |bit| at * WIDTH + bit)
        })
    }

    fn combine(&self, other: &BitSet, with: impl Fn(u64, u64) -> u64) -> BitSet {
        let count = self.words.len().max(other.words.len());
        let word = |set: &BitSet, at: usize| set.words.get(at).copied().unwrap_or(0);
        let words = (0..count)
            .map(|at| with(word(self, at), word(other, at)))
            .collect();
        let mut made = BitSet { words };
        made.trim();
        made
    }

    /// Drops empty words at the end, so that equal sets have equal words.
    fn trim(&mut self) {
        while self.words.last() == Some(&0) {
            self.words.pop();
        }
    }
}

impl PartialEq for BitSet {
    fn eq(&self, other: &BitSet) -> bool {
        self.words == other.words
    }
}

impl Eq for BitSet {}

impl FromIterator<usize> for BitSet {
    fn from_iter<T: IntoIterator<Item = usize>>(values: T) -> Self {
        let mut made = BitSet::new();
        for value in values {
            made.insert(value);
        }
        made
    }
}

impl fmt::Debug for BitSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// Word and mask of a number.
fn place(value: usize) -> (usize, u64) {
    (value / WIDTH, 1 << (value % WIDTH))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(values: &[usize]) -> BitSet {
        values.iter().copied().collect()
    }

    fn list(found: &BitSet) -> Vec<usize> {
        found.iter().collect()
    }

    #[test]
    fn members_come_in_ascending_order() {
        assert_eq!(list(&set(&[130, 5, 64, 0])), vec![0, 5, 64, 130]);
    }

    #[test]
    fn a_member_is_counted_once() {
        let found = set(&[7, 7, 9, 7]);
        assert_eq!(found.len(), 2);
    }

    #[test]
    fn inserting_tells_whether_it_is_new() {
        let mut found = BitSet::new();
        assert!(found.insert(70));
        assert!(!found.insert(70));
        assert_eq!(found.max(), Some(70));
    }

    #[test]
    fn removing_the_largest_makes_the_set_smaller() {
        let mut found = set(&[3, 200]);
        assert!(found.remove(200));
        assert_eq!(found.words.len(), 1);
        assert_eq!(found.max(), Some(3));
    }

    #[test]
    fn removing_what_is_not_there_changes_nothing() {
        let mut found = set(&[3]);
        assert!(!found.remove(4));
        assert!(!found.remove(4000));
        assert_eq!(list(&found), vec![3]);
    }

    #[test]
    fn rank_counts_what_is_smaller() {
        let found = set(&[2, 63, 64, 100]);
        assert_eq!(found.rank(64), 2);
        assert_eq!(found.rank(65), 3);
        assert_eq!(found.rank(9999), 4);
    }

    #[test]
    fn select_is_the_inverse_of_rank() {
        let found = set(&[2, 63, 64, 100]);
        assert_eq!(found.select(3), Some(100));
        assert_eq!(found.select(0), Some(2));
        assert_eq!(found.select(4), None);
    }

    #[test]
    fn sets_are_combined() {
        let (one, two) = (set(&[1, 2, 90]), set(&[2, 3]));
        assert_eq!(list(&one.union(&two)), vec![1, 2, 3, 90]);
        assert_eq!(list(&one.intersection(&two)), vec![2]);
        assert_eq!(list(&one.difference(&two)), vec![1, 90]);
    }

    #[test]
    fn what_is_left_of_equal_sets_is_empty() {
        let one = set(&[1, 300]);
        assert!(one.difference(&one).is_empty());
        assert!(one.is_subset(&set(&[1, 2, 300])));
        assert!(!one.is_subset(&set(&[1])));
    }

    #[test]
    fn a_set_is_shown_as_one() {
        assert_eq!(format!("{:?}", set(&[4, 1])), "{1, 4}");
    }

    #[test]
    fn a_number_has_its_word_and_bit() {
        assert_eq!(place(66), (1, 4));
    }
}
