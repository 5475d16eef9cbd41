"""How this installation's server is started."""

import shutil
import sys
from pathlib import Path

from kaiju_clients.errors import UsageError


def own_server() -> list[str]:
    """The command that starts the server of this installation on stdio. Raises UsageError."""
    program = shutil.which("kaiju", path=str(Path(sys.executable).parent)) or shutil.which("kaiju")
    if program is None:
        raise UsageError("--server: no program `kaiju` on the PATH; give a URL or a command")
    return [program, "serve"]
