"""The files of a task folder: TOML and JSON read into frozen models and written byte for byte the same.

::

    <task>/
      task.toml                      manifest.py
      instruction.md
      environment/environment.toml   environment_record.py
      environment/workspace/         the stub with its build files
      environment/spec/              Markdown pages, index.md among them
      tests/heldout, visible, shared
      tests/inventory.json           inventory.py      keyed by environment digest
      tests/canaries.json            canaries.py       keyed by environment digest
      tests/test.sh                  refuses
      solution/reference/, solve.sh
      solution/half.json             half.py
      calibration.json               calibration.py    measurements, outside the digest
"""

import json
import tomllib
from collections.abc import Mapping
from typing import Annotated, Any, TypeVar

import tomlkit
from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError
from tomlkit.items import String

from kaiju_grading.files import check_path
from kaiju_tasks.errors import TaskFormatError

TreePath = Annotated[str, AfterValidator(check_path)]
"""A relative POSIX path inside a tree."""


def _check_root(path: str) -> str:
    return path if path == "." else check_path(path)


RootPath = Annotated[str, AfterValidator(_check_root)]
"""A folder or file that holds a library; `.` where it is the whole tree."""


class Part(BaseModel):
    """A part of a file that is ours: a key that we do not know is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Foreign(BaseModel):
    """A part of a file whose format is somebody else's: keys that we do not use stay readable."""

    model_config = ConfigDict(frozen=True, extra="allow")


Model = TypeVar("Model", bound=BaseModel)


def read_toml(model: type[Model], data: bytes, file: str) -> Model:
    """Parse TOML bytes into `model`. Raises TaskFormatError, which names `file`."""
    try:
        return check(model, tomllib.loads(data.decode()), file)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise TaskFormatError(file, "", str(error), "TOML in UTF-8") from error


def read_json(model: type[Model], data: bytes, file: str) -> Model:
    """Parse JSON bytes into `model`. Raises TaskFormatError, which names `file`."""
    try:
        return check(model, json.loads(data), file)
    except (ValueError, RecursionError) as error:
        raise TaskFormatError(file, "", str(error), "JSON in UTF-8") from error


def check(model: type[Model], value: object, file: str) -> Model:
    """Validate parsed data; the first fault becomes a TaskFormatError."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        raise TaskFormatError(file, key, first.get("input"), first["msg"]) from error


def dump_json(model: BaseModel) -> bytes:
    """Sorted keys, two spaces, LF at the end: equal content gives equal bytes."""
    content = model.model_dump(mode="json")
    return (json.dumps(content, sort_keys=True, indent=2, ensure_ascii=False) + "\n").encode()


def dump_toml(content: Mapping[str, Any]) -> bytes:
    """TOML in the order given; text of several lines becomes a literal block."""
    return tomlkit.dumps(_blocks(content)).encode()


def _blocks(value: Any) -> Any:  # noqa: ANN401 - any TOML value
    if isinstance(value, Mapping):
        return {key: _blocks(item) for key, item in value.items() if item is not None}
    if isinstance(value, list | tuple):
        return [_blocks(item) for item in value]
    if isinstance(value, str) and "\n" in value:
        return _block(value)
    return value


def _block(text: str) -> String:
    plain = all(char.isprintable() or char in "\n\t" for char in text)
    literal = plain and "'''" not in text and not text.endswith("'")
    return tomlkit.string(text, literal=literal, multiline=literal)
