"""Call one hook of a PEP 517 build backend in the tree, and write what it answers to a file."""

import json
import sys
from functools import reduce
from importlib import import_module
from pathlib import Path


def main() -> None:
    backend, wheels, answer, name = sys.argv[1:]
    sys.argv[1:] = []
    module, _, attributes = backend.partition(":")
    found = reduce(getattr, filter(None, attributes.split(".")), import_module(module))
    said = found.build_wheel(wheels) if name == "build_wheel" else getattr(found, name, list)()
    Path(answer).write_text(json.dumps(said), "utf-8")


if __name__ == "__main__":
    main()
