"""Tells: what Rust sources seldom have that do not reach for the process they are tested in."""

_OWN_TESTS = r"\)\]\s{0,40}(#\[[^\]\n]{0,80}\]\s{0,40})?(pub )?(mod|use)\b"
_WHEN_TESTED = rf"cfg(_attr|!)?\([^\n]{{0,80}}\btest\b(?!{_OWN_TESTS})"
"""A module of tests of its own, and what only that imports, is how Rust is written."""

TELLS = {
    r"\binclude(_str|_bytes)?!": "includes files when it is compiled",
    r"\b(no_mangle|export_name|link_section|no_main)\b": "takes part in linking",
    r"\bprocess::(exit|abort)\b|\bexit_group\b|\b_exit\b": "ends the process past its runner",
    r"\bpanic::(set_hook|take_hook)\b": "replaces the panic hook",
    r"\bmacro_rules! (assert\w*|panic|unimplemented)\b": "replaces macros of the standard library",
    r"/proc/|\bCARGO_MANIFEST_DIR\b": "looks around from inside",
    r"\bextern \"C\"": "calls or replaces C functions",
    r"\benv::(args|vars|current_exe)\b": "touches its process",
    _WHEN_TESTED: "does something else when it is tested",
    r"fn (eq|ne)\(&self[^)\n]{0,80}\) -> bool \{\s{0,80}(true|false)\s{0,80}\}": "is equal to everything",
    r"\bPartialEq<\s*&?\s*('\w+ )?(str|String|bool|char|[iu](8|16|32|64|128|size)|f32|f64)\b": (
        "says what its own types equal of others"
    ),
    r"\bthread::current\(\)": "asks which test it is in",
}
