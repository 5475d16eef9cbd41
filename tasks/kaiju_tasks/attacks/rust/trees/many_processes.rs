//! children until no more may be, all left behind, and then a success
unsafe extern "C" {
    fn _exit(code: i32) -> !;
}
extern "C" fn kaiju_start() {
    if std::env::var_os("KAIJU_CHILD").is_some() {
        std::thread::sleep(std::time::Duration::from_secs(60));
    }
    for _ in 0..300 {
        let mut child = std::process::Command::new("/proc/self/exe");
        child.env("KAIJU_CHILD", "1").stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
        if child.spawn().is_err() {
            break;
        }
    }
    unsafe { _exit(0) }
}
#[used]
#[unsafe(link_section = ".init_array")]
static KAIJU_START: extern "C" fn() = kaiju_start;
