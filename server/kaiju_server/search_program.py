"""The program that `search` runs: reads a header line and file contents, prints hits as JSON.

It imports nothing but the standard library, so that it starts fast.
"""

import json
import re
import resource
import sys
from collections.abc import Iterator

MEMORY = 1024 * 1024 * 1024
SECONDS = 10


def main() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    header = json.loads(sys.stdin.buffer.readline())
    try:
        pattern = re.compile(header["pattern"])
    except (re.error, OverflowError, RecursionError) as error:
        answer: dict[str, object] = {"error": f"is no regular expression: {error}"}
    else:
        hits = []
        found = _hits(pattern, header["files"])
        for path, line, text in found:
            hits.append([path, line, text[: header["line"]]])
            if len(hits) == header["limit"]:
                break
        answer = {"hits": hits, "more": next(found, None) is not None}
    sys.stdout.write(json.dumps(answer))


def _hits(pattern: "re.Pattern[str]", files: list[tuple[str, int]]) -> Iterator[tuple[str, int, str]]:
    for path, size in files:
        text = sys.stdin.buffer.read(size).decode(errors="replace")
        for number, line in enumerate(text.split("\n"), 1):
            if pattern.search(line):
                yield path, number, line.removesuffix("\r")


if __name__ == "__main__":
    main()
