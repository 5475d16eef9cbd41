"""Go source without a sandbox: what is admitted, how a module is split, how test files are cut and linked."""

import pytest

from kaiju_grading.languages.go.allowed import admits
from kaiju_grading.languages.go.cells import find_cells
from kaiju_grading.languages.go.cut import cut_tests
from kaiju_grading.languages.go.lock import parts
from kaiju_grading.languages.go.module import without_neighbours
from kaiju_grading.languages.go.sandboxed import PROGRAM
from kaiju_grading.languages.go.split import split_source
from kaiju_grading.preparation import Choices, Obstacle, Release, Source, Surgery
from kaiju_grading.suite import Test
from kaiju_sandbox.command import File
from kaiju_sandbox.environment import Environment
from kaiju_sandbox.result import Result

TEST = """package calc

import (
	"errors"
	"os"
	"strings"
	"testing"
)

// helper is used by both.
func helper() error { return errors.New("x") }

// TestOne is the first.
func TestOne(t *testing.T) { t.Log(strings.ToUpper("x"), os.Args, helper()) }

func TestTwo(t *testing.T) { t.Log(helper()) }

func BenchmarkOne(b *testing.B) {}
"""


def source(files: dict[str, str]) -> Source:
    module = {"go.mod": "module example.com/calc\n\ngo 1.24\n", "LICENSE": "MIT", "calc.go": "package calc\n"}
    encoded = {path: File(text.encode()) for path, text in {**module, **files}.items()}
    return Source(Release("path:calc", "calc", "0"), encoded, "MIT")


@pytest.mark.parametrize(
    "path",
    [
        *("calc_test.go", "go.mod", "inner/go.mod", "go.work", "vendor/x/x.go", "testdata/x.go", "calc.s"),
        *(".config/go/env", "_x/x.go", ".hidden.go", "data.txt", "README.md"),
    ],
)
def test_only_go_source_is_taken(path: str) -> None:
    assert admits(path, (".",)) is not None


def test_new_files_and_folders_of_go_source_are_taken() -> None:
    assert admits("calc.go", (".",)) is None
    assert admits("deep/er/new.go", (".",)) is None


def test_a_cut_file_keeps_its_helpers_and_loses_unused_imports() -> None:
    text = cut_tests("calc_test.go", TEST.encode(), frozenset({"calc_test.go::TestTwo"})).decode()

    assert "func TestTwo" in text
    assert "func helper" in text
    assert "TestOne" not in text
    assert "Benchmark" not in text
    assert '\t_ "os"\n\t_ "strings"\n' in text
    assert '\t"errors"' in text


def test_a_cut_file_with_all_its_tests_loses_benchmarks_only() -> None:
    units = frozenset({"calc_test.go::TestOne", "calc_test.go::TestTwo"})

    assert cut_tests("calc_test.go", TEST.encode(), units).decode() == TEST.replace(
        "func BenchmarkOne(b *testing.B) {}\n", "\n"
    ).replace("\n\n\n", "\n\n")


def test_files_are_linked_by_the_names_they_use_and_by_the_packages_they_import() -> None:
    split = split_source(
        source(
            {
                "a_test.go": TEST,
                "b_test.go": "package calc\n\nfunc TestB(t *testing.T) { helper() }\n",
                "c_test.go": 'package calc_test\n\nimport "example.com/calc/internal/kit"\n\n'
                "func TestC(t *testing.T) { kit.Run(t) }\n",
                "internal/kit/kit.go": 'package kit\n\nimport "testing"\n\nfunc Run(t *testing.T) {}\n',
                "testdata/x.txt": "x",
            }
        ),
        Choices(),
    )

    assert split.links is not None
    assert split.links["b_test.go"] == {"a_test.go", "testdata/x.txt"}
    assert split.links["c_test.go"] == {"internal/kit/kit.go", "testdata/x.txt"}


def test_packages_that_import_testing_or_such_a_package_are_helpers_and_stay_the_tasks_own() -> None:
    split = split_source(
        source(
            {
                "a_test.go": TEST,
                "internal/kit/kit.go": 'package kit\n\nimport "testing"\n\nfunc Run(t *testing.T) {}\n',
                "internal/mock/mock.go": 'package mock\n\nimport _ "example.com/calc/internal/kit"\n',
                "internal/mocks/mocks.go": 'package mocks\n\nimport _ "example.com/calc/internal/mock"\n',
            }
        ),
        Choices(),
    )

    assert set(split.library) == {"calc.go"}
    assert {path for path in split.helpers if path.endswith(".go")} == {
        "internal/kit/kit.go",
        "internal/mock/mock.go",
        "internal/mocks/mocks.go",
    }
    assert split.options["own"] == "internal/kit internal/mock internal/mocks"


def test_a_recipe_narrows_a_module_to_packages_and_what_they_import() -> None:
    files = {
        "a/a.go": 'package a\n\nimport "example.com/calc/b"\n\nvar X = b.X\n',
        "a/a_test.go": "package a\n\nfunc TestA(t *testing.T) {}\n",
        "b/b.go": "package b\n\nvar X = 1\n",
        "b/b_test.go": "package b\n\nfunc TestB(t *testing.T) {}\n",
        "b/more.go": 'package b\n\nconst Name = "words.txt"\n',
        "b/words.txt": "word",
        "b/c/c.go": 'package c\n\nconst Name = "other.txt"\n',
        "b/c/other.txt": "word",
    }

    split = split_source(source(files), Choices(options={"packages": "./a/..."}))

    assert set(split.library) == {"a/a.go", "b/b.go", "b/more.go"}
    assert set(split.tests) == {"a/a_test.go"}
    assert {path for path in split.config if path.endswith(".txt")} == {"b/words.txt"}


@pytest.mark.parametrize(
    ("files", "code"),
    [
        ({"x_test.go": TEST, "x_amd64.s": "TEXT"}, "compiled_core"),
        ({}, "no_tests"),
        ({"x_test.go": TEST, "go.mod": ""}, "no_go_module"),
        ({"x_test.go": TEST, "calc.go": "//go:build ignore\n\npackage main\n"}, "no_go_source"),
    ],
)
def test_what_cannot_become_a_task_is_named(files: dict[str, str], code: str) -> None:
    with pytest.raises(Obstacle) as caught:
        split_source(source(files), Choices())

    assert caught.value.code == code


def test_replacements_by_neighbouring_folders_go_and_others_stay() -> None:
    text = (
        "module x\n\nreplace a => ../a\n\nreplace (\n\tb => ../b\n\tc => example.com/c v1.0.0\n)\n\n"
        "replace d v1.0.0 => ./d\n"
    )

    kept = without_neighbours(text.encode()).decode()

    assert "example.com/c" in kept
    assert "../" not in kept
    assert "./d" not in kept


def test_a_lock_of_another_form_is_refused() -> None:
    assert parts("-- go.mod --\nmodule x\n-- go.sum --\n-- imports --\n")["go.mod"] == "module x\n"
    for text in ("", "-- go.mod --\nmodule x\n", "x\n-- go.mod --\n-- go.sum --\n-- imports --\n"):
        with pytest.raises(Obstacle):
            parts(text)


def test_test_files_that_our_program_cannot_answer_for_are_named() -> None:
    tests = (Test("calc_test.go::TestOne", "calc_test.go::TestOne"),)
    environment = Environment("go", (), (), {PROGRAM: "/kaiju/env/tools/kaijugo"}, {})
    steps = find_cells(Surgery({}, {"calc_test.go": File(TEST.encode())}, tests, environment))
    next(steps)
    with pytest.raises(Obstacle, match=r"calc_test\.go") as caught:
        steps.send(DIED)
    assert caught.value.code == "surgery"


DIED = Result(
    exit_code=None,
    signal=9,
    limit=None,
    stdout=b"",
    stderr=b"",
    stdout_size=0,
    stderr_size=0,
    report=b"",
    kept=None,
    wall=0.1,
    cpu=0.1,
    memory=0,
    enforcement={},
)


def test_data_of_tests_may_be_hidden_and_nothing_else() -> None:
    files = {
        "a_test.go": TEST,
        "testdata/.env": "A=1\n",
        ".github/testdata/x": "",
        ".env": "",
        "a/.b/c.go": "",
    }

    split = split_source(source(files), Choices())

    assert "testdata/.env" in split.helpers
    assert {path for path, why in split.dropped.items() if why == "hidden"} == set(files) - {
        "a_test.go",
        "testdata/.env",
    }
