"""An evaluation: a batch from the choice of its tasks to its summary."""

import tempfile
from dataclasses import dataclass
from pathlib import Path
from signal import Signals

from rich.console import Console

from kaiju_clients import batch
from kaiju_clients.connection import Server
from kaiju_clients.display import Display
from kaiju_clients.errors import AgentError, UsageError, first_of
from kaiju_clients.records import Batch, Folder
from kaiju_clients.results import TaskRow
from kaiju_clients.selection import select
from kaiju_clients.summary import Summary, summarize
from kaiju_clients.tools import Tools
from kaiju_clients.trial import CONNECTION_FAULTS, Setting


@dataclass(frozen=True, slots=True)
class Order:
    """What one evaluation is told."""

    setting: Setting
    tasks: str
    """As `select` reads it."""
    samples: int
    concurrency: int
    folder: Folder
    resume: bool


async def evaluate(order: Order) -> tuple[Summary, Signals | None]:
    """Play what is missing. Returns the summary of the whole batch and the interrupt that ended it early."""
    wanted = await _wanted(order)
    if order.resume:
        order.folder.batch()  # a folder without one is refused before anything is put into it
    with order.folder.held():
        return await _play(order, wanted)


async def _play(order: Order, wanted: Batch) -> tuple[Summary, Signals | None]:
    folder, ids = order.folder, wanted.trials()
    if order.resume:
        _same(folder.batch(), wanted)
        folder.clean()
    else:
        folder.create(wanted)
    todo = batch.missing(ids, folder.load(ids))
    console = Console(stderr=True)
    console.print(f"records: {folder.path}", highlight=False, markup=False, soft_wrap=True)
    display = Display(console, len(todo))
    with display.progress:
        stop = await batch.run(
            order.setting, folder, todo, order.concurrency, batch.Watch(display.began, display.ended)
        )
    return summarize(wanted, folder.load(ids)), stop.signal


async def _wanted(order: Order) -> Batch:
    """Ask the server for its tasks and select. Raises UsageError."""
    select_nothing = not order.tasks.strip(", ")
    rows = () if select_nothing else await _tasks(order.setting.server)
    chosen = select(order.tasks, rows)
    return Batch(
        agent=order.setting.agent.name,
        samples=order.samples,
        server=order.setting.server.kind,
        tasks=tuple((row.task_id, row.language) for row in chosen),
    )


async def _tasks(server: Server) -> tuple[TaskRow, ...]:
    """Every task of the server. Raises UsageError when it cannot be asked."""
    with tempfile.TemporaryDirectory(prefix="kaiju-") as scratch:
        log = Path(scratch) / "server.log"
        found: list[TaskRow] = []
        try:
            async with server.connect(log) as client:
                found += [task async for task in Tools(client).all_tasks()]
        except CONNECTION_FAULTS as error:
            raise UsageError(f"--server: {_why(server, error, log)}") from error
        except BaseExceptionGroup as group:
            faults, others = group.split((*CONNECTION_FAULTS, AgentError))
            if others is not None or faults is None:
                raise
            raise UsageError(f"--server: {_why(server, faults, log)}") from group
    return tuple(found)


def _why(server: Server, error: BaseException, log: Path) -> str:
    """Which server, the first fault, and the last thing that the server said."""
    lines = log.read_text(errors="replace").strip().splitlines() if log.exists() else []
    said = f"; it said: {lines[-1][:500]}" if lines else ""
    return f"cannot ask {server.place} for its tasks: {first_of(error)}{said}"


def _same(there: Batch, wanted: Batch) -> None:
    """Raises UsageError when the options are not those of the batch to go on with."""
    for name in ("agent", "samples", "tasks"):
        before, now = getattr(there, name), getattr(wanted, name)
        if before != now:
            raise UsageError(
                f"--resume: the batch has {name} {_shown(before)}, the options say {_shown(now)}"
            )


def _shown(value: object) -> str:
    return ", ".join(str(task_id) for task_id, _ in value) if isinstance(value, tuple) else repr(value)
