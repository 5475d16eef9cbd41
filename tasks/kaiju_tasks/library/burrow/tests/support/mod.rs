/// The numbers as an iterator of their own.
pub fn numbers(values: &'static [usize]) -> impl Iterator<Item = usize> {
    values.iter().copied()
}
