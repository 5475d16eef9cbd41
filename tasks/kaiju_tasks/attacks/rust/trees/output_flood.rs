//! more than any report may hold, and then a success
unsafe extern "C" {
    fn _exit(code: i32) -> !;
}
extern "C" fn kaiju_start() {
    use std::io::Write;
    let line = vec![b'x'; 1 << 16];
    for _ in 0..1024 {
        if std::io::stdout().write_all(&line).is_err() {
            break;
        }
    }
    unsafe { _exit(0) }
}
#[used]
#[unsafe(link_section = ".init_array")]
static KAIJU_START: extern "C" fn() = kaiju_start;
