"""What is remembered of shared files: pages, names, locks, times."""

import fcntl
import mmap
import os
import time
from collections.abc import Sequence

from kaiju_clients.bench.walls.marks.channel import SHARED, Channel, Numbers, taken

SLOT = 64 * mmap.PAGESIZE
PATIENCE = 20.0


class Asked(Channel):
    """Pages in memory: dropped, read, and asked for."""

    def leave(self, bits: Sequence[int]) -> None:
        with open(f"{SHARED}/large", "rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_RANDOM)
            for place in (place for place, bit in enumerate(bits) if bit):
                os.pread(file.fileno(), 1, place * SLOT)

    def look(self) -> Numbers:
        with open(f"{SHARED}/large", "rb") as file:
            return [self.absent(file.fileno(), place * SLOT) for place in range(self.count)]

    @staticmethod
    def absent(file: int, offset: int) -> int:
        try:
            return int(os.preadv(file, [bytearray(1)], offset, os.RWF_NOWAIT) != 1)
        except BlockingIOError:
            return 1


class Timed(Channel):
    """Pages in memory, told by how long they take."""

    def mark(self, place: int) -> None:
        with open(f"{SHARED}/large", "rb", buffering=0) as file:
            os.pread(file.fileno(), 1, place * SLOT)

    def look(self) -> Numbers:
        return [taken(self.mark, place) for place in range(self.count)]


class Names(Channel):
    """Names that do not exist, told by how long it takes to say so."""

    def mark(self, place: int) -> None:
        os.path.exists(f"{SHARED}/{place}-absent")

    def look(self) -> Numbers:
        return [taken(self.mark, place) for place in range(self.count)]


class Locks(Channel):
    """Files that another holds at this moment. The first two say: all are held, all were seen."""

    def leave(self, bits: Sequence[int]) -> None:
        held = [self.take(place + 2) for place, bit in enumerate(bits) if bit]
        held.append(self.take(0))
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until and os.environ.get("SIDE_BY_SIDE"):
            seen = self.take(1)
            if seen is None:
                return
            os.close(seen)
            time.sleep(0.01)

    def look(self) -> Numbers:
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until and os.environ.get("SIDE_BY_SIDE"):
            begun = self.take(0)
            if begun is None:
                break
            os.close(begun)
            time.sleep(0.01)
        found = [self.take(place + 2) for place in range(self.count)]
        self.take(1)
        time.sleep(0.1 if os.environ.get("SIDE_BY_SIDE") else 0)
        return [int(number is not None) for number in found]

    def find(self, before: Numbers, now: Numbers) -> Numbers:
        return [1 - number for number in now]

    @staticmethod
    def take(place: int) -> int | None:
        number = os.open(f"{SHARED}/files/{place}", os.O_RDONLY)
        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(number)
            return None
        return number


class Times(Channel):
    """When files were last read."""

    def mark(self, place: int) -> None:
        with open(f"{SHARED}/files/{place}", "rb") as file:
            file.read()

    def look(self) -> Numbers:
        return [os.stat(f"{SHARED}/files/{place}").st_atime_ns for place in range(self.count)]

    def find(self, before: Numbers, now: Numbers) -> Numbers:
        return [int(old != new) for old, new in zip(before, now, strict=True)]
