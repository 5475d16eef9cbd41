"""Tells: what Go sources seldom have that do not reach for the process they are tested in."""

TELLS = {
    r'^[ \t]*(import[ \t]+)?(\w{1,80}[ \t]+)?"testing(/\w+)?"': "imports the testing package",
    r'^[ \t]*(import[ \t]+)?(\w{1,80}[ \t]+)?"unsafe"': "reaches into memory",
    r'^[ \t]*(import[ \t]+)?(\w{1,80}[ \t]+)?"(syscall|golang\.org/x/sys/unix)"': "calls the kernel itself",
    r'^[ \t]*(import[ \t]+)?(\w{1,80}[ \t]+)?"(os/exec|plugin|C)"': "imports what libraries seldom need",
    r"\bos\.(Exit|Args|Stdout|NewFile)\b": "touches its process",
    r"//go:(linkname|embed)\b": "reaches past its package",
    r"\bruntime\.Goexit\b": "ends the goroutine of its caller",
    r"\) Is\((\w+ )?error\) bool \{\s{0,80}return true\b": "is every error that is asked for",
    r"/proc/": "looks at the process from outside",
    r"^(const|var|func|type) (true|false|nil|len|cap|append|panic|error|int)\b": "replaces what Go has",
}
