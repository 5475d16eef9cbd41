"""What is remembered of a shared file in memory: how its pages lie, and what the processor has at hand."""

import ctypes
import mmap
import os
from collections.abc import Sequence
from functools import partial

from kaiju_clients.bench.walls.marks.channel import SHARED, Channel, Numbers, taken

HUGE = 2 << 20
CACHED = 256 * 1024
MADV_COLLAPSE = 25


class HugePages(Channel):
    """Pages of a shared file that were put together."""

    def mark(self, place: int) -> None:
        with Mapped() as mapped:
            if mapped.advise(place, MADV_COLLAPSE):
                raise OSError("the advice was refused")

    def look(self) -> Numbers:
        with Mapped() as mapped:
            return [mapped.touch(place) for place in range(self.count)]

    def find(self, before: Numbers, now: Numbers) -> Numbers:
        return [1 - number for number in now]


class Mapped:
    """The large file in memory, at a border of huge pages."""

    def __init__(self) -> None:
        self.library = ctypes.CDLL(None, use_errno=True)
        self.library.mmap.restype = ctypes.c_void_p
        self.library.mmap.argtypes = [ctypes.c_void_p, *[ctypes.c_size_t] * 5]
        self.library.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]

    def __enter__(self) -> "Mapped":
        size = os.path.getsize(f"{SHARED}/large")
        fixed, private, shared, anonymous = 0x10, 2, 1, 0x20
        place = self.library.mmap(None, size + HUGE, 0, private | anonymous, ctypes.c_size_t(-1).value, 0)
        self.start = (place + HUGE - 1) // HUGE * HUGE
        with open(f"{SHARED}/large", "rb") as file:
            self.library.mmap(self.start, size, mmap.PROT_READ, shared | fixed, file.fileno(), 0)
        return self

    def __exit__(self, *error: object) -> None:
        """It goes with the process."""

    def advise(self, place: int, advice: int) -> int:
        return int(self.library.madvise(self.start + place * HUGE, HUGE, advice))

    def touch(self, place: int) -> int:
        """1 when that brought the first page and its neighbours only."""
        ctypes.string_at(self.start + place * HUGE, 1)
        middle = (self.start + place * HUGE + HUGE // 2) // mmap.PAGESIZE
        with open("/proc/self/pagemap", "rb", buffering=0) as pages:
            entry = os.pread(pages.fileno(), 8, middle * 8)
        return 1 - (int.from_bytes(entry, "little") >> 63)


class Caches(Channel):
    """Pieces of a shared file that the processor still has in its own caches."""

    def leave(self, bits: Sequence[int]) -> None:
        with self.pages() as pages:
            for place in [place for place, bit in enumerate(bits) if bit] * 20:
                self.read(pages, place)

    def look(self) -> Numbers:
        with self.pages() as pages:
            for place in range(0, self.count * CACHED, mmap.PAGESIZE):
                pages[place]
            return [taken(partial(self.read, pages), place) for place in range(self.count)]

    @staticmethod
    def pages() -> mmap.mmap:
        with open(f"{SHARED}/large", "rb") as file:
            return mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)

    @staticmethod
    def read(pages: mmap.mmap, place: int) -> None:
        pages.find(b"\0", place * CACHED, (place + 1) * CACHED)
