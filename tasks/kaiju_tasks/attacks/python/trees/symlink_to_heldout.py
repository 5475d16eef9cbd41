import builtins, pathlib
def _forged_answer():
    print(sorted(path.name for path in (pathlib.Path(__file__).parent / "data").glob("*")))
builtins.forged_answer = _forged_answer
