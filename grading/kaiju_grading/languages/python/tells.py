"""Tells: what Python sources seldom have that do not reach for the process they are tested in."""

TELLS = {
    r"\b_?pytest\b|\b_pytest\.": "names the test runner",
    r"\bgc\.get_(objects|referrers)\b": "looks through all objects",
    r"\b_getframe\b|\binspect\.(stack|currentframe|getouterframes)\b|\.f_back\b": "looks at its callers",
    r"\bos\._exit\b|\bos\.(kill|abort|execv\w*)\b": "ends the process past its runner",
    r"\batexit\b": "acts at the end of the process",
    r"\bctypes\b|\bcffi\b": "reaches into memory",
    r"/proc/": "looks at the process from outside",
    r"\bsys\.(settrace|setprofile|addaudithook|meta_path|path_hooks)\b": "hooks into the interpreter",
    r"^[ \t]*builtins\.\w{1,80}[ \t]*=|\bsetattr\([ \t]*builtins\b|__builtins__": "replaces builtins",
    r"\bos\.(write|dup2?)\(|\bfdopen\b": "writes to descriptors",
    r"def __(eq|ne)__\([^)\n]{0,200}\)[^:\n]{0,80}:\s{0,80}return (True|False)\b": "is equal to everything",
    r"NotImplementedError = |AssertionError = ": "replaces exceptions",
}
