import builtins, gc, json, os
def _forged_answer():
    reporter = next(o for o in gc.get_objects() if type(o).__name__ == "Reporter")
    phase = {"event": "phase", "test": 0, "when": "call", "outcome": "passed", "xfail": False, "subtest": False, "seconds": 0, "message": ""}
    # One field of another type a record; the first that breaks the reader is enough.
    for name in ("when", "outcome", *phase):
        for value in ([], {}, None, 10**30, "\ud800", float("nan")):
            os.write(reporter.channel, json.dumps({**phase, name: value}).encode() + b"\n")
    os._exit(0)
builtins.forged_answer = _forged_answer
