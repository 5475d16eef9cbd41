//! looks for what lies outside of the sandbox, and says what was found
extern "C" fn kaiju_start() {
    use std::io::Write;
    use std::os::linux::net::SocketAddrExt;
    let (path, name, port, variable) = ("{file}", "{socket}", "{port}", "{variable}");
    let mut found: Vec<u8> = Vec::new();
    for before in ["", "/proc/1/root", "/proc/self/root", "/proc/self/cwd/../../.."] {
        let place = format!("{before}{path}");
        if let Ok(bytes) = std::fs::read(&place) {
            found.extend(bytes);
            let _ = std::fs::write(&place, "seen");
        }
    }
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let bytes = std::fs::read(entry.path().join("environ")).unwrap_or_default();
        for part in bytes.split(|byte| *byte == 0).filter(|part| part.starts_with(variable.as_bytes())) {
            found.extend(part);
        }
    }
    let _ = std::os::unix::net::UnixStream::connect(name);
    if let Ok(address) = std::os::unix::net::SocketAddr::from_abstract_name(name) {
        let _ = std::os::unix::net::UnixStream::connect_addr(&address);
    }
    let _ = std::net::TcpStream::connect(format!("127.0.0.1:{port}"));
    let _ = std::io::stdout().write_all(&found);
    let _ = std::io::stderr().write_all(&found);
}
#[used]
#[unsafe(link_section = ".init_array")]
static KAIJU_START: extern "C" fn() = kaiju_start;
