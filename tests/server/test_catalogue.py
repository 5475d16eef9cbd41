"""The catalogue over a real store folder."""

from pathlib import Path

import anyio

from kaiju_server.catalogue import Catalogue
from kaiju_tasks.store import Store


def test_what_is_no_task_folder_is_not_served_and_stops_nobody(tmp_path: Path) -> None:
    (tmp_path / "python-file-1.0").write_text("no folder")
    (tmp_path / "python-empty-1.0").mkdir()
    (tmp_path / "python-link-1.0").symlink_to("nowhere")
    assert anyio.run(Catalogue(Store(tmp_path)).views) == []
