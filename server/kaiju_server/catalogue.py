"""The catalogue: tasks as agents may see them, read again only when a folder changes."""

from pathlib import Path
from typing import Protocol

import anyio
import anyio.to_thread
import structlog

from kaiju_server.errors import NotFound, shown
from kaiju_tasks.errors import TaskError
from kaiju_tasks.task import TaskView

SUGGESTED = 10
Stamp = tuple[int, int, int]

log = structlog.get_logger("kaiju.catalogue")


class ViewStore(Protocol):
    """The part of `kaiju_tasks.store.Store` that agents are served from."""

    tasks_dir: Path

    def ids(self) -> tuple[str, ...]: ...

    def view(self, task_id: str) -> TaskView: ...


class Catalogue:
    def __init__(self, store: ViewStore) -> None:
        self._store = store
        self._seen: dict[str, tuple[Stamp, TaskView | None]] = {}
        self._lock = anyio.Lock()

    async def views(self, language: str | None = None) -> list[TaskView]:
        """Sound tasks, sorted by id."""
        async with self._lock:
            found = await anyio.to_thread.run_sync(self._all)
        return [view for view in found if language in {None, view.language}]

    async def view(self, task_id: str) -> TaskView:
        """One sound task, as it is on disk now. Raises NotFound."""
        seen = self._seen.get(task_id)
        # Only of a task that was seen before, so the id is a plain name. Two stats need no thread.
        if seen is not None and seen[1] is not None and seen[0] == _stamp(self._store.tasks_dir / task_id):
            return seen[1]
        views = {view.id: view for view in await self.views()}
        if task_id not in views:
            known = ", ".join(list(views)[:SUGGESTED]) or "no task at all"
            raise NotFound(f"argument 'task_id': {shown(task_id)} is no task; list_tasks has {known}")
        return views[task_id]

    def _all(self) -> list[TaskView]:
        views = [self._one(task_id) for task_id in self._store.ids()]
        return [view for view in views if view is not None]

    def _one(self, task_id: str) -> TaskView | None:
        stamp = _stamp(self._store.tasks_dir / task_id)
        seen = self._seen.get(task_id)
        if seen is None or seen[0] != stamp:
            self._seen[task_id] = seen = (stamp, self._load(task_id))
        return seen[1]

    def _load(self, task_id: str) -> TaskView | None:
        try:
            return self._store.view(task_id)
        except TaskError as error:
            log.warning("task not served", task=task_id, kind=type(error).__name__)
            return None


def _stamp(folder: Path) -> Stamp:
    """Changes when a task is prepared anew: its folder is replaced, or its task.toml written."""
    try:
        outer, inner = folder.stat(), (folder / "task.toml").stat()
    except OSError:
        # Gone, or no folder at all: what loads it says so.
        return (0, 0, 0)
    return (outer.st_ino, outer.st_mtime_ns, inner.st_mtime_ns)
