"""The task folder: built whole in memory, written beside its place and moved there in one step."""

import os
import shutil
from pathlib import Path

from kaiju_grading import languages
from kaiju_grading.files import Files, digest
from kaiju_grading.stage import Stage
from kaiju_grading.submission import admitted
from kaiju_sandbox.command import File
from kaiju_tasks import calibration, canaries, environment_record, half, inventory, manifest
from kaiju_tasks.calibration import Calibration, LimitsEntry, Measurement
from kaiju_tasks.canaries import Canaries, CellEntry
from kaiju_tasks.digest import task_digest
from kaiju_tasks.environment_record import EnvironmentRecord
from kaiju_tasks.errors import TaskFormatError
from kaiju_tasks.format import dump_json, read_json
from kaiju_tasks.inventory import Inventory, ModuleEntry, Recording, TestEntry
from kaiju_tasks.manifest import Identity, KaijuPart, Manifest, Metadata, Provenance
from kaiju_tasks.prepare.draft import Draft
from kaiju_tasks.prepare.instruction import instruction
from kaiju_tasks.solution import REFERENCE
from kaiju_tasks.store import SPEC, WORKSPACE
from kaiju_tasks.tree import placed, read_tree, write_tree

DOCKERFILE = """\
# Generated from environment.toml: the container of an agent that has a shell and no Kaiju server.
FROM kaiju-{system}:local
COPY spec/ /kaiju/spec/
COPY workspace/ /kaiju/work/
WORKDIR /kaiju/work
"""
TEST_SH = """\
#!/bin/sh
# Held-out tests run in Kaiju's grader, never in a container that an agent has touched.
echo "kaiju: this task is graded by a Kaiju server; export it to grade it elsewhere" >&2
exit 1
"""
SOLVE_SH = """\
#!/bin/sh
set -eu
cp -R "$(dirname "$0")/reference/." "${1:-/kaiju/work}/"
"""


def task_files(draft: Draft, backend: str) -> Files:
    """Every file of the task folder."""
    content = _content(draft)
    recorded = {
        inventory.FILE: dump_json(_inventory(draft, task_digest(content))),
        canaries.FILE: dump_json(_canaries(draft)),
        calibration.FILE: dump_json(_calibration(draft, backend)),
    }
    return {**content, **{path: File(data) for path, data in recorded.items()}}


def merged(files: Files, earlier: Files) -> Files:
    """`files`, with what an earlier folder of the same content recorded in other environments."""
    if task_digest(files) != task_digest(earlier):
        return files
    recorded: list[tuple[str, type[Inventory | Canaries | Calibration]]] = [
        (inventory.FILE, Inventory),
        (canaries.FILE, Canaries),
        (calibration.FILE, Calibration),
    ]
    joined = dict(files)
    for path, model in recorded:
        if path in earlier:
            old = read_json(model, earlier[path].data, path)
            new = read_json(model, files[path].data, path)
            both = {**old.environments, **new.environments}
            joined[path] = File(dump_json(new.model_copy(update={"environments": both})))
    return joined


def _with_earlier(files: Files, place: Path) -> Files:
    try:
        return merged(files, read_tree(place)) if place.is_dir() else files
    except TaskFormatError:
        # A broken folder has nothing to keep: it is replaced.
        return files


def install(files: Files, tasks_dir: Path, task_id: str) -> Path:
    """Put the folder in the store, in place of an older one; a reader never sees a part of one."""
    # mkdir gives its mode to the last folder that it makes, not to the parents.
    for folder in (tasks_dir.parent, tasks_dir):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    place = tasks_dir / task_id
    fresh = tasks_dir / f".{task_id}.{os.getpid()}.new"
    stale = tasks_dir / f".{task_id}.{os.getpid()}.old"
    try:
        write_tree(fresh, _with_earlier(files, place))
        if place.exists():
            place.rename(stale)
        fresh.rename(place)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
        shutil.rmtree(stale, ignore_errors=True)
    return place


def _content(draft: Draft) -> Files:
    visible = len(draft.visible_tests)
    texts = {
        manifest.FILE: manifest.dump(_manifest(draft)),
        "instruction.md": instruction(
            draft.material, draft.stub, draft.commands, len(draft.division.modules), visible
        ),
        environment_record.FILE: environment_record.dump(_environment(draft)),
        "environment/Dockerfile": DOCKERFILE.format(system=draft.material.environment.system).encode(),
        half.FILE: dump_json(draft.half.record),
    }
    scripts = {"tests/test.sh": TEST_SH, "solution/solve.sh": SOLVE_SH}
    pages = {name: File(text.encode()) for name, text in draft.spec.items()}
    return {
        **{path: File(data) for path, data in texts.items()},
        **{path: File(text.encode(), executable=True) for path, text in scripts.items()},
        **placed(draft.workspace, WORKSPACE),
        **placed(pages, SPEC),
        **placed(draft.cut.heldout, "tests/heldout"),
        **placed(draft.cut.visible, "tests/visible"),
        **placed(draft.cut.shared, "tests/shared"),
        **placed(draft.material.reference, REFERENCE),
        **placed(draft.half.cut, half.FOLDER),
    }


def _environment(draft: Draft) -> EnvironmentRecord:
    lock = draft.material.lock
    return EnvironmentRecord(
        system=draft.material.environment.system,
        language_version=lock.language_version,
        metadata=dict(sorted(lock.metadata.items())),
        lock=lock.text,
    )


def _manifest(draft: Draft) -> Manifest:
    material = draft.material
    release, language = material.source.release, material.recipe.content.language
    identity = Identity(
        name=f"kaiju/{material.task_id}",
        version=release.version,
        description=material.source.summary or f"Implement {release.name} from its specification.",
        keywords=("kaiju", language),
    )
    ours = KaijuPart(
        format=1,
        language=language,
        name=release.name,
        version=release.version,
        roots=material.split.roots,
        packages=material.split.packages,
        stages=tuple(Stage),
        modules_by=draft.division.by,
        modules=len(draft.division.modules),
        visible_tests=len(draft.visible_tests),
        commands=dict(sorted(draft.commands.items())),
        options=dict(sorted(draft.options.items())),
        provenance=_provenance(draft),
    )
    closed = {"network_mode": "no-network"}
    harbor = {
        "agent": closed,
        "verifier": {**closed, "timeout_sec": 600.0},
        "environment": {**closed, "os": "linux", "cpus": 2, "memory_mb": 2048, "workdir": "/kaiju/work"},
    }
    return Manifest.model_validate({"task": identity, "metadata": Metadata(kaiju=ours), **harbor})


def _provenance(draft: Draft) -> Provenance:
    source, recipe = draft.material.source, draft.material.recipe.content
    kept = {
        f"{path}:{name}": reason
        for path, account in sorted(draft.stub.account.items())
        for name, reason in sorted(account.kept.items())
    }
    return Provenance(
        # The folder of a local library is no fact about it.
        purl=f"path:{recipe.path}" if recipe.path else source.release.purl,
        sha256=None if recipe.path else source.release.sha256,
        url="" if recipe.path else source.release.url,
        commit=source.commit,
        licence=source.licence,
        reference=digest(draft.material.reference),
        stub=digest(admitted(draft.workspace, draft.material.split.roots, languages.get(recipe.language))),
        kept_share=round(draft.stub.kept_share, 6),
        kept_limit=recipe.kept_limit,
        canary_floor=recipe.canary_floor,
        kept=kept,
        excluded=dict(sorted(draft.trials.excluded.items())),
        dropped=dict(sorted({**source.refused, **draft.material.split.dropped}.items())),
    )


def _inventory(draft: Draft, content: str) -> Inventory:
    recording = Recording(
        task_digest=content,
        tools=dict(draft.material.environment.tools),
        modules=tuple(
            ModuleEntry(
                name=module.name,
                files=module.files,
                helpers=module.helpers,
                tests=tuple(TestEntry.of(test) for test in module.tests),
            )
            for module in draft.division.modules
        ),
        visible=tuple(TestEntry.of(test) for test in draft.visible_tests),
        dropped={**draft.trials.dropped, **draft.division.dropped, **draft.dropped},
        lint_baseline=draft.lint_baseline,
    )
    return Inventory(environments={draft.material.environment.digest: recording})


def _canaries(draft: Draft) -> Canaries:
    cells = tuple(CellEntry.of(cell) for cell in draft.kept_cells)
    return Canaries(environments={draft.material.environment.digest: cells})


def _calibration(draft: Draft, backend: str) -> Calibration:
    limits = draft.limits
    measurement = Measurement(
        seconds={name: round(seconds, 3) for name, seconds in sorted(draft.seconds.items())},
        limits=LimitsEntry(wall=limits.wall, cpu=limits.cpu, memory=limits.memory),
        repeats=draft.material.recipe.content.repeats,
        mixes=draft.material.recipe.content.mixes,
        backend=backend,
    )
    return Calibration(environments={draft.material.environment.digest: measurement})
