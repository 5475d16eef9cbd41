"""The `namespace` backend: bubblewrap on this host, no daemon, no image."""

import logging
import os
from dataclasses import replace
from pathlib import Path

import anyio
import anyio.to_thread

from kaiju_sandbox import placement, staging
from kaiju_sandbox.backend import Backend, Check
from kaiju_sandbox.command import Command, Layer
from kaiju_sandbox.errors import BackendUnavailable, SandboxError, SandboxFault
from kaiju_sandbox.layers import LayerStore, make_public_folder
from kaiju_sandbox.limits import Limits
from kaiju_sandbox.namespace import bubblewrap as bwrap
from kaiju_sandbox.namespace import doctor
from kaiju_sandbox.namespace.run import Run
from kaiju_sandbox.namespace.walls import Walls
from kaiju_sandbox.result import Result
from kaiju_sandbox.settings import Settings
from kaiju_sandbox.slots import Slots
from kaiju_sandbox.toolchain import SYSTEM
from kaiju_sandbox.warmth import Warmth

log = logging.getLogger(__name__)


def create(settings: Settings) -> Backend:
    return NamespaceBackend(settings)


class NamespaceBackend:
    """As root each sandbox belongs to the user of its slot, otherwise to this user."""

    name = "namespace"

    def __init__(self, settings: Settings, walls: Walls | None = None) -> None:
        self._settings = settings
        self._walls = walls or Walls()
        self._slots = Slots(settings)
        self._bubblewrap: bwrap.Bubblewrap | None = None
        self._warmth = Warmth()

    async def check(self) -> tuple[Check, ...]:
        prepared: bwrap.Bubblewrap | SandboxError
        try:
            prepared = await self._prepare()
        except SandboxError as error:
            prepared = error
        return await doctor.examine(prepared, self._settings, self.run)

    async def run(self, command: Command, limits: Limits) -> Result:
        placement.check(command)
        bubblewrap = await self._prepare()
        try:
            return await self._run(bubblewrap, command, limits)
        except OSError as error:  # no descriptor, process or memory left: never the command's doing
            raise SandboxFault(f"the host could not carry out a sandbox: {error}") from error

    async def _run(self, bubblewrap: bwrap.Bubblewrap, command: Command, limits: Limits) -> Result:
        async with self._slots.take() as slot:
            folder = staging.Staging(self._settings.staging_dir, slot.uid)
            try:
                staged = await anyio.to_thread.run_sync(self._lay_out, bubblewrap, command, folder)
                return await Run(command, limits).execute(bubblewrap, slot.uid, staged)
            finally:
                with anyio.CancelScope(shield=True):
                    await self._remove(folder)

    def _lay_out(
        self, bubblewrap: bwrap.Bubblewrap, command: Command, folder: staging.Staging
    ) -> dict[str, Path]:
        """Everything that waits for the disk before the command."""
        if self._walls.warmth:
            self._warmth.keep(shared_folders(bubblewrap, command))
        return folder.fill(command)

    async def sweep(self) -> int:
        def remove() -> int:
            return staging.sweep(self._settings.staging_dir) + LayerStore(self._settings.layers_dir).sweep()

        return await anyio.to_thread.run_sync(remove)

    async def _prepare(self) -> bwrap.Bubblewrap:
        if self._bubblewrap is None:
            found = await anyio.to_thread.run_sync(prepare, self._settings)
            self._bubblewrap = replace(found, walls=self._walls)
        return self._bubblewrap

    async def _remove(self, folder: staging.Staging) -> None:
        """A folder that stays is for the next sweep; it does not change what the run was."""
        try:
            await anyio.to_thread.run_sync(folder.remove)
        except SandboxFault as fault:
            log.warning("%s", fault)


def shared_folders(bubblewrap: bwrap.Bubblewrap, command: Command) -> list[Path]:
    """What the command sees and other commands see, too; the host's whole /usr cannot be kept in memory."""
    own = [bubblewrap.system] if command.system == bwrap.OWN_SYSTEM else []
    layers = [entry.path for entry in command.inputs if isinstance(entry, Layer)]
    return [bubblewrap.etc, bubblewrap.counters, *own, *layers]


def prepare(settings: Settings) -> bwrap.Bubblewrap:
    """Folders and programs that every run needs. Raises BackendUnavailable."""
    state = settings.state_dir.resolve()
    if state.is_relative_to(SYSTEM):
        raise unavailable(f"state_dir {state}: every sandbox sees {SYSTEM}", "set KAIJU_STATE_DIR")
    blocked = impassable(state) if os.geteuid() == 0 else None
    if blocked is not None:
        raise unavailable(
            f"state_dir {state}: sandboxes run as other users, which cannot pass {blocked}",
            f"set KAIJU_STATE_DIR to a folder outside, or: chmod o+x {blocked}",
        )
    try:
        make_public_folder(settings.layers_dir)
        make_public_folder(settings.staging_dir)
        return bwrap.find(LayerStore(settings.layers_dir), settings)
    except OSError as error:
        raise unavailable(
            f"state_dir {state}: it cannot be written ({error})", "set KAIJU_STATE_DIR"
        ) from error


def unavailable(reason: str, remedy: str) -> BackendUnavailable:
    return BackendUnavailable(NamespaceBackend.name, reason, remedy)


def impassable(path: Path) -> Path | None:
    """The first folder on the way to (and including) `path` that other users cannot enter."""
    for folder in [*reversed(path.parents), path]:
        if folder.exists() and not folder.stat().st_mode & 0o001:
            return folder
    return None
