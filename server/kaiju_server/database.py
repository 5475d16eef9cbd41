"""The database: episodes, submissions, grades, runs. SQLite in WAL mode; one short transaction at a time."""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import anyio
import anyio.to_thread
import sqlalchemy as sa
from sqlalchemy import Column, Connection, Engine, Float, ForeignKey, Integer, MetaData, String, Table, Text

from kaiju_server.errors import ServerError

BUSY_SECONDS = 30
"""A writer waits so long for another before it gives up."""
THREADS = 8
READ = "kaiju_read"
DRIVERS = frozenset({"sqlite", "sqlite+pysqlite"})
SCHEMA = 1

metadata = MetaData()

episodes = Table(
    "episodes",
    metadata,
    Column("id", String, primary_key=True),
    Column("task_id", String, nullable=False),
    Column("task_digest", String, nullable=False),
    Column("subject", String, nullable=False, index=True),
    Column("state", String, nullable=False, index=True),
    Column("stage", String, nullable=False),
    Column("created", Float, nullable=False),
    Column("stage_opened", Float, nullable=False),
    Column("used", Float, nullable=False),
    Column("calls", Integer, nullable=False, default=0),
    Column("visible_runs", Integer, nullable=False, default=0),
    Column("isolation", String, nullable=False),
    Column("owner", String, nullable=False),
)

submissions = Table(
    "submissions",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("episode_id", String, ForeignKey("episodes.id"), nullable=False),
    Column("stage", String, nullable=False),
    Column("digest", String, nullable=False),
    Column("manifest", String, nullable=False),
    Column("not_taken", Text, nullable=False),
    Column("isolation", String, nullable=False),
    Column("reason", String, nullable=False),
    Column("created", Float, nullable=False),
    sa.UniqueConstraint("episode_id", "stage"),
)

grades = Table(
    "grades",
    metadata,
    Column("submission_id", Integer, ForeignKey("submissions.id"), primary_key=True),
    Column("run_id", String, ForeignKey("runs.id"), nullable=False),
    Column("status", String, nullable=False, index=True),
    Column("attempts", Integer, nullable=False, default=0),
    Column("owner", String, nullable=False),
    Column("reward", Float, nullable=True),
    Column("grade", Text, nullable=True),
    Column("finished", Float, nullable=True),
)

runs = Table(
    "runs",
    metadata,
    Column("id", String, primary_key=True),
    Column("episode_id", String, ForeignKey("episodes.id"), nullable=False, index=True),
    Column("kind", String, nullable=False),
    Column("stage", String, nullable=False),
    Column("state", String, nullable=False, index=True),
    Column("owner", String, nullable=False),
    Column("result", Text, nullable=True),
    Column("created", Float, nullable=False),
    Column("finished", Float, nullable=True),
)

Answer = TypeVar("Answer")


class Database:
    """Runs functions over a connection in worker threads, so that no wait for the disk blocks a call."""

    def __init__(self, url: str) -> None:
        self._engine = _engine(url)
        self._threads = anyio.CapacityLimiter(THREADS)
        self._watch: sa.PoolProxiedConnection | None = None

    def create(self) -> None:
        """Make the tables, or refuse a database of another version."""
        try:
            self._create()
        except sa.exc.DBAPIError as error:
            raise ServerError(
                f"database {self._engine.url}: {error.orig}; expected an SQLite file"
            ) from error

    def _create(self) -> None:
        with self._engine.begin() as connection:
            version = connection.exec_driver_sql("PRAGMA user_version").scalar_one()
            if version not in {0, SCHEMA}:
                raise ServerError(f"database {self._engine.url} has format {version}; expected {SCHEMA}")
            metadata.create_all(connection)
            connection.exec_driver_sql(f"PRAGMA user_version = {SCHEMA}")
        self._watch = self._engine.raw_connection()
        self._watch.cursor().execute("PRAGMA busy_timeout = 0")

    def close(self) -> None:
        if self._watch is not None:
            self._watch.invalidate()
        self._engine.dispose()

    def version(self) -> int | None:
        """Another number after every commit, whoever makes it; None when it cannot be told just now.

        It looks at memory that all processes share, which takes microseconds, and never waits.
        """
        if self._watch is None:
            return None
        cursor = self._watch.cursor()
        try:
            return int(cursor.execute("PRAGMA data_version").fetchone()[0])
        except sqlite3.OperationalError:  # somebody recovers the log of a process that died
            return None
        finally:
            cursor.close()

    async def read(self, work: Callable[[Connection], Answer]) -> Answer:
        """Run over one consistent snapshot; never waits for a writer."""

        def run() -> Answer:
            with self._engine.connect().execution_options(**{READ: True}) as connection:
                return work(connection)

        return await anyio.to_thread.run_sync(run, limiter=self._threads)

    async def write(self, work: Callable[[Connection], Answer]) -> Answer:
        """Run in one transaction: committed and on disk when this returns, undone when `work` raises."""

        def run() -> Answer:
            with self._engine.begin() as connection:
                return work(connection)

        return await anyio.to_thread.run_sync(run, limiter=self._threads)


def _engine(url: str) -> Engine:
    try:
        address = sa.make_url(url)
    except sa.exc.ArgumentError:
        address = sa.URL.create("none")
    # Threads share the file: a database in memory would be another one in each.
    if address.drivername not in DRIVERS or address.database in {None, "", ":memory:"} or address.query:
        raise ServerError(f"database {url!r}: expected the address of an SQLite file, sqlite:///PATH")
    Path(str(address.database)).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    engine = sa.create_engine(address, connect_args={"timeout": BUSY_SECONDS})
    sa.event.listen(engine, "connect", _on_connect)
    sa.event.listen(engine, "begin", _on_begin)
    return engine


def _on_connect(connection: sa.engine.interfaces.DBAPIConnection, _: object) -> None:
    # The driver must not open transactions by itself: it would take the write lock too late.
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _on_begin(connection: Connection) -> None:
    reading = connection.get_execution_options().get(READ)
    connection.exec_driver_sql("BEGIN" if reading else "BEGIN IMMEDIATE")
