//! leaves before main where a build script said so
unsafe extern "C" {
    fn _exit(code: i32) -> !;
}
extern "C" fn kaiju_start() {
    if option_env!("KAIJU_LEAVE").is_some() {
        unsafe { _exit(0) }
    }
}
#[used]
#[unsafe(link_section = ".init_array")]
static KAIJU_START: extern "C" fn() = kaiju_start;
