"""One container as the engine's API describes it: everything that confines it."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kaiju_sandbox.limits import MIB, Limits

INIT_MEMORY = 16 * MIB
"""Bytes that the first process of a container (a small Python) may need on top of the command's own."""
CHANNEL = "/kaiju/channel"
"""Where the first process finds its pipes."""
HOST_NAME = "sandbox"
OPEN_FILES = 4096
PAGE = 4096
SEARCH_PATH = "/usr/local/bin:/usr/bin:/bin"
"""Where the image's python3 is looked for. The command's environment is another one."""


@dataclass(frozen=True, slots=True)
class Container:
    """What differs from one container to the next."""

    name: str
    image: str
    entrypoint: tuple[str, ...]
    user: int
    """Uid and gid inside. Never 0."""
    labels: Mapping[str, str]
    seccomp: str
    """The profile as JSON."""
    binds: Mapping[str, Path]
    """Folders of the host by their place in the container, read-only there."""
    scratch: Mapping[str, int]
    """Bytes by absolute path."""

    def creation(self, limits: Limits) -> dict[str, Any]:
        """Arguments of docker-py's `create_container`."""
        return {
            "image": self.image,
            "name": self.name,
            "entrypoint": list(self.entrypoint),
            "user": f"{self.user}:{self.user}",
            "environment": {"PATH": SEARCH_PATH},
            "hostname": HOST_NAME,
            "working_dir": "/",
            "labels": dict(self.labels),
            # A client configured with proxies would pass their addresses on.
            "use_config_proxy": False,
            "healthcheck": {"test": ["NONE"]},
            "host_config": self._host(limits),
        }

    def _host(self, limits: Limits) -> dict[str, Any]:
        memory = limits.memory + INIT_MEMORY
        return {
            "NetworkMode": "none",
            "IpcMode": "none",
            "CgroupnsMode": "private",
            "ReadonlyRootfs": True,
            "CapDrop": ["ALL"],
            "SecurityOpt": ["no-new-privileges", f"seccomp={self.seccomp}"],
            "PidsLimit": limits.processes + 1,
            "Memory": memory,
            "MemorySwap": memory,
            "Ulimits": ulimits(limits),
            "LogConfig": {"Type": "none"},
            "RestartPolicy": {"Name": "no"},
            # The daemon may be configured to add its own: ours must be the first process.
            "Init": False,
            "Tmpfs": {target: self._tmpfs(target, size, limits) for target, size in self.scratch.items()},
            # Mounts, not Binds: a source that is missing is an error, not a new empty folder.
            "Mounts": [
                {
                    "Type": "bind",
                    "Source": str(source),
                    "Target": target,
                    "ReadOnly": True,
                    "BindOptions": {"Propagation": "rprivate", "NonRecursive": True},
                }
                for target, source in self.binds.items()
            ],
        }

    def _tmpfs(self, target: str, size: int, limits: Limits) -> str:
        # Beside the files: the folder itself, and what has to be there for inputs that lie below it.
        below = [place for place in self.binds if place.startswith(target + "/")]
        nodes = limits.files + 1 + sum(place.count("/") - target.count("/") for place in below)
        # Size 0 would mean no limit to the kernel.
        return f"rw,exec,nosuid,nodev,mode=1777,size={max(size, PAGE)},nr_inodes={nodes}"


def ulimits(limits: Limits) -> list[dict[str, Any]]:
    """Per process. No `nproc`: it counts a user's processes on the whole host, the control group just these.

    CPU time is a net below the polled sum over the tree.
    """
    seconds = int(limits.cpu) + 2
    values = {
        "core": (0, 0),
        "cpu": (seconds, seconds + 1),
        "fsize": (limits.file_size, limits.file_size),
        "msgqueue": (0, 0),
        "nofile": (OPEN_FILES, OPEN_FILES),
    }
    return [{"Name": name, "Soft": soft, "Hard": hard} for name, (soft, hard) in values.items()]
