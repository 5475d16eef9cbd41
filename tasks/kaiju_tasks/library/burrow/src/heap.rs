//! A priority queue whose entries can be changed through their handles.

use std::collections::HashMap;

/// Names an entry of one heap as long as the entry is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Handle(u64);

/// Entries by priority: the smallest comes first, and of equal ones the oldest.
#[derive(Clone, Debug, Default)]
pub struct Heap<T> {
    nodes: Vec<Node<T>>,
    places: HashMap<Handle, usize>,
    next: u64,
}

#[derive(Clone, Debug)]
struct Node<T> {
    priority: i64,
    handle: Handle,
    entry: T,
}

impl<T> Node<T> {
    fn key(&self) -> (i64, Handle) {
        (self.priority, self.handle)
    }
}

impl<T> Heap<T> {
    /// An empty heap.
    pub fn new() -> Self {
        Heap {
            nodes: Vec::new(),
            places: HashMap::new(),
            next: 0,
        }
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Adds an entry.
    pub fn push(&mut self, priority: i64, entry: T) -> Handle {
        let handle = Handle(self.next);
        self.next += 1;
        self.places.insert(handle, self.nodes.len());
        self.nodes.push(Node {
            priority,
            handle,
            entry,
        });
        self.rise(self.nodes.len() - 1);
        handle
    }

    /// The first entry, and its priority.
    pub fn peek(&self) -> Option<(i64, &T)> {
        self.nodes.first().map(|node| (node.priority, &node.entry))
    }

    /// Takes out the first entry.
    pub fn pop(&mut self) -> Option<(i64, T)> {
        let first = self.nodes.first()?.handle;
        self.remove(first)
    }

    /// The priority of an entry that is there.
    pub fn priority(&self, handle: Handle) -> Option<i64> {
        self.places.get(&handle).map(|&at| self.nodes[at].priority)
    }

    /// Gives an entry another priority; whether it is there.
    pub fn change(&mut self, handle: Handle, priority: i64) -> bool {
        let Some(&at) = self.places.get(&handle) else {
            return false;
        };
        self.nodes[at].priority = priority;
        self.settle(at);
        true
    }

    /// Takes out an entry that is there.
    pub fn remove(&mut self, handle: Handle) -> Option<(i64, T)> {
        let at = self.places.remove(&handle)?;
        let node = self.nodes.swap_remove(at);
        if at < self.nodes.len() {
            self.places.insert(self.nodes[at].handle, at);
            self.settle(at);
        }
        Some((node.priority, node.entry))
    }

    /// Everything in order.
    pub fn into_sorted(mut self) -> Vec<T> {
        let mut sorted = Vec::with_capacity(self.len());
        while let Some((_, entry)) = self.pop() {
            sorted.push(entry);
        }
        sorted
    }

    fn settle(&mut self, at: usize) {
        let at = self.rise(at);
        self.sink(at);
    }

    fn rise(&mut self, mut at: usize) -> usize {
        while at > 0 && self.nodes[at].key() < self.nodes[parent(at)].key() {
            self.swap(at, parent(at));
            at = parent(at);
        }
        at
    }

    fn sink(&mut self, mut at: usize) {
        loop {
            let children = 2 * at + 1..(2 * at + 3).min(self.nodes.len());
            let Some(least) = children.min_by_key(|&child| self.nodes[child].key()) else {
                return;
            };
            if self.nodes[at].key() <= self.nodes[least].key() {
                return;
            }
            self.swap(at, least);
            at = least;
        }
    }

    fn swap(&mut self, one: usize, two: usize) {
        self.nodes.swap(one, two);
        for at in [one, two] {
            self.places.insert(self.nodes[at].handle, at);
        }
    }
}

fn parent(at: usize) -> usize {
    (at - 1) / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heap(entries: &[(i64, &'static str)]) -> (Heap<&'static str>, Vec<Handle>) {
        let mut made = Heap::new();
        let handles = entries
            .iter()
            .map(|&(priority, name)| made.push(priority, name))
            .collect();
        (made, handles)
    }

    #[test]
    fn the_smallest_comes_first() {
        let (mut found, _) = heap(&[(5, "five"), (2, "two"), (9, "nine")]);
        assert_eq!(found.pop(), Some((2, "two")));
        assert_eq!(found.pop(), Some((5, "five")));
    }

    #[test]
    fn of_equal_ones_the_oldest_comes_first() {
        let (found, _) = heap(&[(1, "a"), (1, "b"), (1, "c"), (0, "z")]);
        assert_eq!(found.into_sorted(), vec!["z", "a", "b", "c"]);
    }

    #[test]
    fn peeking_takes_nothing_out() {
        let (found, _) = heap(&[(8, "x"), (-3, "y")]);
        assert_eq!(found.peek(), Some((-3, &"y")));
        assert_eq!(found.len(), 2);
    }

    #[test]
    fn an_entry_can_be_moved_to_the_front() {
        let (mut found, handles) = heap(&[(1, "a"), (2, "b"), (3, "c")]);
        assert!(found.change(handles[2], 0));
        assert_eq!(found.into_sorted(), vec!["c", "a", "b"]);
    }

    #[test]
    fn an_entry_can_be_moved_to_the_back() {
        let (mut found, handles) = heap(&[(1, "a"), (2, "b"), (3, "c"), (4, "d")]);
        assert!(found.change(handles[0], 40));
        assert_eq!(found.priority(handles[0]), Some(40));
        assert_eq!(found.into_sorted(), vec!["b", "c", "d", "a"]);
    }

    #[test]
    fn any_entry_can_be_taken_out() {
        let (mut found, handles) = heap(&[(4, "a"), (2, "b"), (6, "c"), (1, "d"), (5, "e")]);
        assert_eq!(found.remove(handles[1]), Some((2, "b")));
        assert_eq!(found.into_sorted(), vec!["d", "a", "e", "c"]);
    }

    #[test]
    fn a_handle_is_good_once() {
        let (mut found, handles) = heap(&[(4, "a"), (2, "b")]);
        found.pop();
        assert_eq!(found.remove(handles[1]), None);
        assert!(!found.change(handles[1], 7));
        assert_eq!(found.priority(handles[0]), Some(4));
    }

    #[test]
    fn an_empty_heap_has_nothing() {
        let mut found: Heap<u8> = Heap::new();
        assert!(found.is_empty());
        assert_eq!(found.pop(), None);
    }

    #[test]
    fn nodes_have_parents() {
        assert_eq!(parent(6), 2);
        assert_eq!(parent(1), 0);
    }
}
