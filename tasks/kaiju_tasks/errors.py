"""What can be wrong with a task.

::

    TaskError
    ├── TaskFormatError   a file of a task folder or a recipe does not say what it must
    ├── UnknownTask       no folder of that id
    └── NotCalibrated     the folder has no measurements for this environment and this content
"""


class TaskError(Exception):
    """A task that cannot be used; the text says which part and why."""


class TaskFormatError(TaskError):
    """A value in a file of ours, or of somebody who wrote one: names file, key, value and expectation."""

    def __init__(self, file: str, key: str, value: object, expected: str) -> None:
        shown = ascii(value)
        super().__init__(
            f"{file}: {key or 'the whole file'}: {shown if len(shown) <= 120 else shown[:117] + '...'}"
            f"; expected {expected}"
        )
        self.file = file
        self.key = key
        self.value = value
        self.expected = expected


class UnknownTask(TaskError):
    """An id that no folder has, or that cannot be an id."""


class NotCalibrated(TaskError):
    """Measurements are missing for this environment or were taken on other content."""
