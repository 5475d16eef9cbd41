"""The meter of one run: looks at what it uses and says which limit it passed."""

from kaiju_sandbox.limits import LimitName, Limits
from kaiju_sandbox.namespace.handles import Handles
from kaiju_sandbox.namespace.scratch import Fill
from kaiju_sandbox.result import LimitHit


class Meter:
    """Limits that no kernel limit covers for a whole process tree are held here."""

    def __init__(self, handles: Handles, limits: Limits) -> None:
        self.cpu = 0.0
        self.memory = 0
        self._handles = handles
        self._limits = limits

    def look(self) -> LimitHit | None:
        """The limit that ends the command now."""
        usage = self._handles.tree.usage()
        fill = self._handles.scratch.fill()
        self.cpu = max(self.cpu, usage.cpu)
        if self.cpu > self._limits.cpu:
            return LimitHit(LimitName.CPU, self._limits.cpu, self.cpu)
        if usage.threads > self._limits.processes:
            return LimitHit(LimitName.PROCESSES, self._limits.processes, usage.threads)
        return self._memory_hit(usage.resident, fill) or self._files_hit(fill)

    def full(self) -> LimitHit | None:
        """A full folder: the kernel refuses more, the command may live with that."""
        sizes = self._handles.scratch.sizes
        name = self._handles.scratch.fill().full
        return None if name is None else LimitHit(LimitName.DISK, sizes[name], sizes[name])

    def after(self) -> LimitHit | None:
        """What the dead sandbox left in its folders."""
        return self._files_hit(self._handles.scratch.fill()) or self.full()

    def _memory_hit(self, resident: int, fill: Fill) -> LimitHit | None:
        """The quick sum counts shared pages several times; only when that is too much, count exactly."""
        used = resident + fill.used
        if used > self._limits.memory:
            memory = self._handles.tree.memory()
            used = memory.private + max(memory.shared, fill.used)
        self.memory = max(self.memory, used)
        if used > self._limits.memory:
            return LimitHit(LimitName.MEMORY, self._limits.memory, used)
        return None

    def _files_hit(self, fill: Fill) -> LimitHit | None:
        if fill.files > self._limits.files:
            return LimitHit(LimitName.FILES, self._limits.files, fill.files)
        return None
