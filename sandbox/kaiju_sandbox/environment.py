"""An environment: the system and the read-only layers that a task needs to build and run."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from kaiju_sandbox.command import Layer


@dataclass(frozen=True, slots=True)
class Environment:
    """Resolved for this machine: every layer exists on disk."""

    system: str
    """As in Command: names the image of a container backend."""
    layers: tuple[Layer, ...]
    keys: tuple[str, ...]
    """One content key a layer, in the same order: equal keys mean equal content."""
    programs: Mapping[str, str]
    """Absolute paths in the sandbox, by role: `python`, `ruff`, ..."""
    tools: Mapping[str, str]
    """Versions as probed, by tool."""
    variables: Mapping[str, str] = field(default_factory=dict)
    public: tuple[str, ...] = ()
    """Targets of layers that hold the language's own library: anybody can read it anywhere."""

    @property
    def digest(self) -> str:
        """`sha256:...` of what can change a verdict: layer content and tool versions."""
        content = {
            "system": self.system,
            "layers": [[layer.target, key] for layer, key in zip(self.layers, self.keys, strict=True)],
            "tools": dict(sorted(self.tools.items())),
            "variables": dict(sorted(self.variables.items())),
        }
        return "sha256:" + hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
