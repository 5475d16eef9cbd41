"""Suites: from a task folder and an environment to what the grader works with."""

from kaiju_grading import languages
from kaiju_grading.files import Files, digest
from kaiju_grading.suite import Module, Suite
from kaiju_sandbox.environment import Environment
from kaiju_sandbox.settings import Settings
from kaiju_tasks import calibration, canaries, environment_record, inventory, manifest
from kaiju_tasks.calibration import Calibration, Measurement
from kaiju_tasks.canaries import Canaries, CellEntry
from kaiju_tasks.digest import task_digest
from kaiju_tasks.environment_record import EnvironmentRecord
from kaiju_tasks.errors import NotCalibrated, TaskFormatError
from kaiju_tasks.format import read_json
from kaiju_tasks.inventory import Inventory, Recording
from kaiju_tasks.manifest import Manifest
from kaiju_tasks.solution import REFERENCE
from kaiju_tasks.store import WORKSPACE
from kaiju_tasks.task import Task
from kaiju_tasks.tree import below, read_tree


def manifest_of(task: Task) -> Manifest:
    """task.toml of a task."""
    return manifest.load(_bytes(task, manifest.FILE), f"{task.view.id}/{manifest.FILE}")


def environment_record_of(task: Task) -> EnvironmentRecord:
    """environment.toml of a task."""
    name = environment_record.FILE
    return environment_record.load(_bytes(task, name), f"{task.view.id}/{name}")


def _bytes(task: Task, name: str) -> bytes:
    try:
        return (task.path / name).read_bytes()
    except OSError as error:
        raise TaskFormatError(f"{task.view.id}/{name}", "", error.strerror, "a file") from error


def environment_of(task: Task, settings: Settings) -> Environment:
    """Find or build the task's environment on this machine. Blocks; may use the network the first time."""
    record = environment_record_of(task)
    return languages.preparation(task.view.language).provision(record.as_lock(), settings)


def suite_of(task: Task, environment: Environment) -> Suite:
    """Everything the grader needs. Raises NotCalibrated, TaskFormatError."""
    files = read_tree(task.path)
    recording = _recording(task, files, environment)
    measured = _measured(task, files, environment)
    parts = manifest.load(files[manifest.FILE].data, f"{task.view.id}/{manifest.FILE}").kaiju
    return Suite(
        language=parts.language,
        task_digest=recording.task_digest,
        environment=environment,
        roots=parts.roots,
        workspace=below(files, WORKSPACE),
        reference=_reference(task, files, parts.provenance.reference),
        shared=below(files, "tests/shared"),
        heldout=below(files, "tests/heldout"),
        visible=below(files, "tests/visible"),
        modules=_modules(recording, measured),
        visible_tests=tuple(test.as_test() for test in recording.visible),
        cells=tuple(cell.as_cell() for cell in _cells(task, files, environment)),
        options=parts.options,
        limits=measured.limits.as_limits(),
        lint_baseline=recording.lint_baseline,
    )


def _modules(recording: Recording, measured: Measurement) -> tuple[Module, ...]:
    return tuple(
        Module(
            entry.name,
            entry.files,
            tuple(test.as_test() for test in entry.tests),
            measured.seconds.get(entry.name, 1.0),
            entry.helpers,
        )
        for entry in recording.modules
    )


def _recording(task: Task, files: Files, environment: Environment) -> Recording:
    inventories = read_json(Inventory, _data(task, files, inventory.FILE), f"{task.view.id}/{inventory.FILE}")
    found = inventories.environments.get(environment.digest)
    if found is None:
        raise NotCalibrated(
            f"task {task.view.id!r} is not calibrated for environment {environment.digest}"
            f" (tools {dict(environment.tools)}); it has {', '.join(inventories.environments) or 'none'}"
        )
    content = task_digest(files)
    if found.task_digest != content:
        raise NotCalibrated(
            f"task {task.view.id!r} was calibrated as {found.task_digest} and its content is now {content}"
            f" (environment {environment.digest})"
        )
    return found


def _measured(task: Task, files: Files, environment: Environment) -> Measurement:
    data = _data(task, files, calibration.FILE)
    found = read_json(Calibration, data, f"{task.view.id}/{calibration.FILE}")
    if environment.digest not in found.environments:
        raise NotCalibrated(
            f"task {task.view.id!r} has no durations for environment {environment.digest};"
            f" it has {', '.join(found.environments) or 'none'}"
        )
    return found.environments[environment.digest]


def _cells(task: Task, files: Files, environment: Environment) -> tuple[CellEntry, ...]:
    found = read_json(Canaries, _data(task, files, canaries.FILE), f"{task.view.id}/{canaries.FILE}")
    if environment.digest not in found.environments:
        raise NotCalibrated(
            f"task {task.view.id!r} has no canaries for environment {environment.digest};"
            f" it has {', '.join(found.environments) or 'none'}"
        )
    return found.environments[environment.digest]


def _reference(task: Task, files: Files, recorded: str) -> Files:
    reference = below(files, REFERENCE)
    if digest(reference) != recorded:
        raise TaskFormatError(f"{task.view.id}/{REFERENCE}", "digest", digest(reference), recorded)
    return reference


def _data(task: Task, files: Files, path: str) -> bytes:
    if path not in files:
        raise TaskFormatError(f"{task.view.id}/{path}", "", "missing", "a file")
    return files[path].data
