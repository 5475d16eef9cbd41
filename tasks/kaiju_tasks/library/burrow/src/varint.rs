//! Numbers in as few bytes as they need: seven bits a byte, the lowest first; the top bit says that more follow.

use std::fmt;

/// Bytes of the longest number.
pub const MAX_BYTES: usize = 10;

/// Bytes that are no number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VarintError {
    /// The bytes end inside of a number.
    Truncated,
    /// More bits than fit.
    TooLong,
    /// A last byte without a bit: the number has a shorter form.
    Padded,
}

impl fmt::Display for VarintError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            VarintError::Truncated => "the bytes end inside of a number",
            VarintError::TooLong => "the number does not fit into 64 bits",
            VarintError::Padded => "the number has a shorter form",
        })
    }
}

impl std::error::Error for VarintError {}

/// Appends a number; how many bytes it took.
pub fn write(out: &mut Vec<u8>, value: u64) -> usize {
    let before = out.len();
    let mut left = value;
    while left >= 0x80 {
        out.push(left as u8 | 0x80);
        left >>= 7;
    }
    out.push(left as u8);
    out.len() - before
}

/// Appends a number of either sign: small ones of either sign take few bytes.
pub fn write_signed(out: &mut Vec<u8>, value: i64) -> usize {
    write(out, zigzag(value))
}

/// The number at the front, and the bytes behind it.
pub fn read(bytes: &[u8]) -> Result<(u64, &[u8]), VarintError> {
    let mut value = 0u64;
    for (at, &byte) in bytes.iter().enumerate() {
        let bits = u64::from(byte & 0x7f);
        if at >= MAX_BYTES || (at == MAX_BYTES - 1 && bits > 1) {
            return Err(VarintError::TooLong);
        }
        value |= bits << (7 * at);
        if byte & 0x80 == 0 {
            if byte == 0 && at > 0 {
                return Err(VarintError::Padded);
            }
            return Ok((value, &bytes[at + 1..]));
        }
    }
    Err(VarintError::Truncated)
}

/// As [`read`], for numbers of either sign.
pub fn read_signed(bytes: &[u8]) -> Result<(i64, &[u8]), VarintError> {
    read(bytes).map(|(value, rest)| (unzigzag(value), rest))
}

/// Every number of `bytes`.
pub fn read_all(mut bytes: &[u8]) -> Result<Vec<u64>, VarintError> {
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let (value, rest) = read(bytes)?;
        found.push(value);
        bytes = rest;
    }
    Ok(found)
}

/// How many bytes a number takes.
pub fn size(value: u64) -> usize {
    let bits = 64 - (value | 1).leading_zeros() as usize;
    bits.div_ceil(7)
}

/// 0, -1, 1, -2, ... become 0, 1, 2, 3, ...
fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

fn unzigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    macro_rules! written {
        ($name:ident: $value:expr => $bytes:expr) => {
            #[test]
            fn $name() {
                let mut out = Vec::new();
                assert_eq!(write(&mut out, $value), out.len());
                assert_eq!(out, $bytes);
                assert_eq!(read(&out), Ok(($value, &[][..])));
            }
        };
    }

    written!(zero_takes_a_byte: 0 => [0]);
    written!(the_largest_of_one_byte: 127 => [127]);
    written!(the_smallest_of_two_bytes: 128 => [128, 1]);
    written!(the_lowest_bits_come_first: 300 => [172, 2]);
    written!(a_number_of_three_bytes: 70_000 => [240, 162, 4]);

    #[test]
    fn small_numbers_of_either_sign_are_short() {
        assert_eq!(zigzag(0), 0);
        assert_eq!(zigzag(-1), 1);
        assert_eq!(zigzag(21), 42);
        assert_eq!(unzigzag(43), -22);
    }

    #[test]
    fn signed_numbers_come_back() {
        let mut out = Vec::new();
        assert_eq!(write_signed(&mut out, -64), 1);
        assert_eq!(write_signed(&mut out, 64), 2);
        let (first, rest) = read_signed(&out).unwrap();
        assert_eq!(first, -64);
        assert_eq!(read_signed(rest), Ok((64, &[][..])));
    }

    #[test]
    fn bytes_that_end_too_early_are_refused() {
        assert_eq!(read(&[0x80]), Err(VarintError::Truncated));
        assert_eq!(
            read(&[]).unwrap_err().to_string(),
            "the bytes end inside of a number"
        );
    }

    #[test]
    fn a_number_has_one_form() {
        assert_eq!(read(&[0x81, 0]), Err(VarintError::Padded));
        assert_eq!(read(&[0x81, 1]), Ok((129, &[][..])));
    }

    #[test]
    fn a_number_fits_into_64_bits() {
        let mut out = Vec::new();
        assert_eq!(write(&mut out, u64::MAX), 10);
        out[9] = 2;
        assert_eq!(read(&out), Err(VarintError::TooLong));
    }

    #[test]
    fn many_numbers_are_read() {
        assert_eq!(read_all(&[1, 172, 2, 0]), Ok(vec![1, 300, 0]));
    }

    #[test]
    fn sizes_are_known_before_writing() {
        assert_eq!(size(0), 1);
        assert_eq!(size(127), 1);
        assert_eq!(size(128), 2);
        assert_eq!(size(u64::MAX), 10);
    }
}
