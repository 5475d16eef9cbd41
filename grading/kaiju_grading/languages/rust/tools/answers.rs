// What a test computed where it is asked: handed over instead of compared.
//
// Beside the values, in each test program. Scalars are told apart by the identity of their types: no bound on
// them can keep a test from compiling, or have its types inferred otherwise.

extern crate std as all;

type Slots = all::collections::BTreeSet<all::string::String>;

static ASKED: all::sync::Mutex<Slots> = all::sync::Mutex::new(Slots::new());
static SAID: all::sync::Mutex<Slots> = all::sync::Mutex::new(Slots::new());

const MOST_OF_ONE: usize = 1 << 14;
const MOST_OF_ALL: usize = 10_000;
const MOST_TIMES: usize = 8;
const CHANNEL: i32 = 1;
const OPAQUE: &str = "-";

unsafe extern "C" {
    fn write(descriptor: i32, bytes: *const u8, count: usize) -> isize;
}

fn locked(slots: &'static all::sync::Mutex<Slots>) -> all::sync::MutexGuard<'static, Slots> {
    slots.lock().unwrap_or_else(all::sync::PoisonError::into_inner)
}

/// A lookup found no value: what is computed there is asked.
pub fn ask(slot: &str) {
    locked(&ASKED).insert(all::string::ToString::to_string(slot));
}

pub fn asks(slots: &[&str]) -> bool {
    let asked = locked(&ASKED);
    slots.iter().any(|slot| asked.contains(*slot))
}

/// Part of an operand; None where its structure is another than that of what is expected.
pub struct Seen<'a, T: ?Sized>(Option<&'a T>);

/// Part of what is of no type that we take apart.
pub struct Unknown;

pub fn seen<T: ?Sized>(operand: &T) -> Seen<'_, T> {
    Seen(Some(operand))
}

pub struct Part {
    slot: &'static str,
    got: all::string::String,
    wanted: all::string::String,
}

pub fn part<L: ?Sized, R: ?Sized>(slot: &'static str, got: Seen<'_, L>, wanted: Seen<'_, R>) -> Part {
    Part { slot, got: line(got), wanted: line(wanted) }
}

/// Hands over what is asked, unless something else differs.
pub fn heard(parts: &[Part]) -> bool {
    for part in parts {
        if part.got.is_empty() || !(asks(&[part.slot]) || alike(&part.got, &part.wanted)) {
            return false;
        }
    }
    for part in parts {
        if asks(&[part.slot]) {
            say(&all::format!("kaiju answers {} ", part.slot), &part.got);
        }
    }
    true
}

fn alike(got: &str, wanted: &str) -> bool {
    if let (Some(one), Some(other)) = (got.strip_prefix("f "), wanted.strip_prefix("f ")) {
        return one.parse::<f64>().ok() == other.parse::<f64>().ok();
    }
    got != OPAQUE && got == wanted
}

/// Each answer once.
fn say(begins: &str, answer: &str) {
    let mut said = locked(&SAID);
    let line = all::format!("{begins}{answer}\n");
    if said.len() == MOST_OF_ALL || said.contains(&line) {
        return;
    }
    let later = said.range(all::string::String::from(begins)..);
    if later.take_while(|one| one.starts_with(begins)).count() >= MOST_TIMES {
        return;
    }
    // Whatever was printed before ends here.
    let whole = all::format!("\n{line}");
    let mut rest = whole.as_bytes();
    while !rest.is_empty() {
        let count = unsafe { write(CHANNEL, rest.as_ptr(), rest.len()) };
        if count > 0 {
            rest = &rest[count as usize..];
        } else if all::io::Error::last_os_error().kind() != all::io::ErrorKind::Interrupted {
            break;
        }
    }
    said.insert(line);
}

/// Empty: nothing is there.
fn line<T: ?Sized>(seen: Seen<'_, T>) -> all::string::String {
    if identity::<T>() == all::any::TypeId::of::<Unknown>() {
        return all::string::ToString::to_string(OPAQUE);
    }
    match seen.0 {
        None => all::string::String::new(),
        Some(value) => match scalar(value) {
            Some(found) if found.len() <= 2 * MOST_OF_ONE => found,
            _ => all::string::ToString::to_string(OPAQUE),
        },
    }
}

/// Of a type with any lifetimes.
fn identity<T: ?Sized>() -> all::any::TypeId {
    trait Identified {
        fn identity(&self) -> all::any::TypeId
        where
            Self: 'static;
    }
    impl<T: ?Sized> Identified for all::marker::PhantomData<T> {
        fn identity(&self) -> all::any::TypeId
        where
            Self: 'static,
        {
            all::any::TypeId::of::<T>()
        }
    }
    let one = all::marker::PhantomData::<T>;
    let erased = unsafe { all::mem::transmute::<&dyn Identified, &(dyn Identified + 'static)>(&one) };
    Identified::identity(erased)
}

macro_rules! kaiju_scalar {
    ($value:ident, $T:ident, $read:ident: $($type:ty),*) => {
        $(
            kaiju_scalar!(@ $value, $T, $read, $type);
            kaiju_scalar!(@ $value, $T, $read, &'static $type);
            kaiju_scalar!(@ $value, $T, $read, &'static &'static $type);
        )*
    };
    (@ $value:ident, $T:ident, $read:ident, $type:ty) => {
        if identity::<$T>() == all::any::TypeId::of::<$type>() {
            return Some($read(unsafe { &*($value as *const $T as *const $type) }));
        }
    };
}

fn scalar<T: ?Sized>(value: &T) -> Option<all::string::String> {
    kaiju_scalar!(value, T, whole: i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize);
    kaiju_scalar!(value, T, real: f32, f64);
    kaiju_scalar!(value, T, text: &'static str, all::string::String, all::borrow::Cow<'static, str>);
    kaiju_scalar!(value, T, text: all::boxed::Box<str>, all::rc::Rc<str>, all::sync::Arc<str>);
    kaiju_scalar!(value, T, letter: char);
    kaiju_scalar!(value, T, flag: bool);
    None
}

fn whole<T: all::fmt::Display>(value: &T) -> all::string::String {
    all::format!("i {value}")
}

fn real<T: all::fmt::LowerExp>(value: &T) -> all::string::String {
    all::format!("f {value:e}")
}

fn text<T: AsRef<str>>(value: &T) -> all::string::String {
    let mut found = all::string::String::from("t ");
    for byte in value.as_ref().bytes() {
        found.push_str(&all::format!("{byte:02x}"));
    }
    found
}

fn letter<T: all::fmt::Display>(value: &T) -> all::string::String {
    text(&all::format!("{value}"))
}

fn flag<T: all::fmt::Display>(value: &T) -> all::string::String {
    all::format!("i {}", i32::from(all::format!("{value}") == "true"))
}

// A method for each way into a value, and for every other type the same method by one more reference.
macro_rules! kaiju_way {
    (
        $into:ident, $lost:ident, $name:ident(),
        $([$($generic:ident),*] $whole:ty => $part:ty, $it:ident: $found:expr;)+
    ) => {
        pub trait $into<'a> {
            type Part: ?Sized + 'a;
            fn $name(&self) -> Seen<'a, Self::Part>;
        }
        pub trait $lost<'a> {
            fn $name(&self) -> Seen<'a, Unknown>;
        }
        impl<'a, 'b, T: ?Sized + 'a> $lost<'a> for &'b Seen<'a, T> {
            fn $name(&self) -> Seen<'a, Unknown> {
                Seen(None)
            }
        }
        $(
            impl<'a, $($generic: 'a),*> $into<'a> for Seen<'a, $whole> {
                type Part = $part;
                fn $name(&self) -> Seen<'a, $part> {
                    Seen(self.0.and_then(|$it| $found))
                }
            }
        )+
    };
}

kaiju_way!(SomeOf, NoSomeOf, kaiju_some(), [T] Option<T> => T, it: it.as_ref(););
kaiju_way!(OkOf, NoOkOf, kaiju_ok(), [T, E] Result<T, E> => T, it: it.as_ref().ok(););
kaiju_way!(ErrOf, NoErrOf, kaiju_err(), [T, E] Result<T, E> => E, it: it.as_ref().err(););
kaiju_way!(
    FirstOf, NoFirstOf, kaiju_at0(),
    [A, B] (A, B) => A, it: Some(&it.0);
    [A, B, C] (A, B, C) => A, it: Some(&it.0);
    [A, B, C, D] (A, B, C, D) => A, it: Some(&it.0);
);
kaiju_way!(
    SecondOf, NoSecondOf, kaiju_at1(),
    [A, B] (A, B) => B, it: Some(&it.1);
    [A, B, C] (A, B, C) => B, it: Some(&it.1);
    [A, B, C, D] (A, B, C, D) => B, it: Some(&it.1);
);
kaiju_way!(
    ThirdOf, NoThirdOf, kaiju_at2(),
    [A, B, C] (A, B, C) => C, it: Some(&it.2);
    [A, B, C, D] (A, B, C, D) => C, it: Some(&it.2);
);
kaiju_way!(FourthOf, NoFourthOf, kaiju_at3(), [A, B, C, D] (A, B, C, D) => D, it: Some(&it.3););

/// Elements in a row.
pub trait Row {
    type Element;
    fn row(&self) -> &[Self::Element];
}

impl<T> Row for all::vec::Vec<T> {
    type Element = T;
    fn row(&self) -> &[T] {
        self
    }
}

impl<T> Row for [T] {
    type Element = T;
    fn row(&self) -> &[T] {
        self
    }
}

impl<T, const N: usize> Row for [T; N] {
    type Element = T;
    fn row(&self) -> &[T] {
        self
    }
}

impl<'b, R: Row + ?Sized> Row for &'b R {
    type Element = R::Element;
    fn row(&self) -> &[R::Element] {
        (**self).row()
    }
}

pub trait ElementOf<'a> {
    type Part: ?Sized + 'a;
    fn kaiju_element(&self, count: usize, place: usize) -> Seen<'a, Self::Part>;
}

pub trait NoElementOf<'a> {
    fn kaiju_element(&self, count: usize, place: usize) -> Seen<'a, Unknown>;
}

impl<'a, R: Row + ?Sized + 'a> ElementOf<'a> for Seen<'a, R>
where
    R::Element: 'a,
{
    type Part = R::Element;
    fn kaiju_element(&self, count: usize, place: usize) -> Seen<'a, R::Element> {
        Seen(self.0.map(Row::row).filter(|row| row.len() == count).and_then(|row| row.get(place)))
    }
}

impl<'a, 'b, T: ?Sized + 'a> NoElementOf<'a> for &'b Seen<'a, T> {
    fn kaiju_element(&self, _: usize, _: usize) -> Seen<'a, Unknown> {
        Seen(None)
    }
}
