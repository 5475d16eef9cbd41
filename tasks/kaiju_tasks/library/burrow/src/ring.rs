//! A queue of fixed capacity that forgets its oldest entry.

/// The newest entries of a stream, at most as many as its capacity.
#[derive(Clone, Debug)]
pub struct Ring<T> {
    entries: Vec<Option<T>>,
    first: usize,
    count: usize,
}

impl<T> Ring<T> {
    /// A ring for `capacity` entries; at least one.
    pub fn new(capacity: usize) -> Self {
        let capacity = capacity.max(1);
        Ring {
            entries: (0..capacity).map(|_| None).collect(),
            first: 0,
            count: 0,
        }
    }

    /// How many entries fit.
    pub fn capacity(&self) -> usize {
        self.entries.len()
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Whether the next entry pushes one out.
    pub fn is_full(&self) -> bool {
        self.count == self.capacity()
    }

    /// Adds an entry; gives back the oldest one where there was no room.
    pub fn push(&mut self, entry: T) -> Option<T> {
        let lost = if self.is_full() { self.pop() } else { None };
        let at = self.index(self.count);
        self.entries[at] = Some(entry);
        self.count += 1;
        lost
    }

    /// Takes out the oldest entry.
    pub fn pop(&mut self) -> Option<T> {
        let entry = self.entries[self.first].take()?;
        self.first = self.index(1);
        self.count -= 1;
        Some(entry)
    }

    /// The entry that has `age` newer ones: 0 is the newest.
    pub fn newest(&self, age: usize) -> Option<&T> {
        if age >= self.count {
            return None;
        }
        self.entries[self.index(self.count - 1 - age)].as_ref()
    }

    /// From the oldest to the newest.
    pub fn iter(&self) -> impl Iterator<Item = &T> + '_ {
        (0..self.count).filter_map(|at| self.entries[self.index(at)].as_ref())
    }

    /// Another capacity; the oldest entries go where there is less room.
    pub fn resize(&mut self, capacity: usize) {
        let mut made = Ring::new(capacity);
        while let Some(entry) = self.pop() {
            made.push(entry);
        }
        *self = made;
    }

    fn index(&self, offset: usize) -> usize {
        (self.first + offset) % self.entries.len()
    }
}

#[cfg(test)]
mod tests {
    use super::Ring;

    fn filled(capacity: usize, entries: &[i32]) -> Ring<i32> {
        let mut made = Ring::new(capacity);
        for entry in entries {
            made.push(*entry);
        }
        made
    }

    fn list(ring: &Ring<i32>) -> Vec<i32> {
        ring.iter().copied().collect()
    }

    #[test]
    fn the_oldest_entry_goes_first() {
        let mut ring = filled(3, &[10, 20, 30]);
        assert_eq!(ring.push(40), Some(10));
        assert_eq!(list(&ring), vec![20, 30, 40]);
    }

    #[test]
    fn there_is_room_for_as_many_as_was_said() {
        let ring = filled(4, &[1, 2]);
        assert_eq!(ring.capacity(), 4);
        assert_eq!(ring.len(), 2);
        assert!(!ring.is_full());
    }

    #[test]
    fn a_ring_has_room_for_one_at_least() {
        let mut ring = Ring::new(0);
        assert_eq!(ring.push('a'), None);
        assert_eq!(ring.push('b'), Some('a'));
        assert_eq!(ring.capacity(), 1);
    }

    #[test]
    fn popping_empties_it_in_order() {
        let mut ring = filled(2, &[5, 6, 7]);
        assert_eq!(ring.pop(), Some(6));
        assert_eq!(ring.pop(), Some(7));
        assert_eq!(ring.pop(), None);
        assert!(ring.is_empty());
    }

    #[test]
    fn the_newest_is_found_by_its_age() {
        let ring = filled(3, &[1, 2, 3, 4]);
        assert_eq!(ring.newest(0), Some(&4));
        assert_eq!(ring.newest(2), Some(&2));
        assert_eq!(ring.newest(3), None);
    }

    #[test]
    fn growing_keeps_everything() {
        let mut ring = filled(2, &[1, 2, 3]);
        ring.resize(5);
        ring.push(8);
        assert_eq!(list(&ring), vec![2, 3, 8]);
    }

    #[test]
    fn shrinking_keeps_the_newest() {
        let mut ring = filled(5, &[1, 2, 3, 4]);
        ring.resize(2);
        assert_eq!(list(&ring), vec![3, 4]);
    }

    #[test]
    fn places_go_round() {
        let ring = filled(3, &[1, 2, 3, 4, 5]);
        assert_eq!(ring.first, 2);
        assert_eq!(ring.index(2), 1);
    }
}
