"""The package index, as the user configured it for pip or uv. Addresses are never recorded."""

import configparser
import os
import re
import sys
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import platformdirs


@dataclass(frozen=True, slots=True)
class Index:
    """Where releases are looked for."""

    urls: tuple[str, ...]
    """Empty: the finder's own default."""
    extra_urls: tuple[str, ...]
    find_links: tuple[str, ...]
    trusted_hosts: tuple[str, ...]
    certificates: str | None
    """A bundle of certificate authorities; None: the system's."""


def configured_index(environ: Mapping[str, str] = os.environ) -> Index:
    """Variables win over files, uv's over pip's; extra indexes and find-links are added up."""
    pip = _pip_options(environ)
    uv = _uv_options(environ)
    main = uv.get("default") or _words(pip.get("index-url", ""))[:1]
    extra = [*uv.get("extra", []), *_words(pip.get("extra-index-url", ""))]
    return Index(
        urls=tuple(main),
        extra_urls=_unique(extra),
        find_links=_unique([*uv.get("find-links", []), *_words(pip.get("find-links", ""))]),
        trusted_hosts=_unique([*uv.get("insecure", []), *_words(pip.get("trusted-host", ""))]),
        certificates=pip.get("cert") or environ.get("SSL_CERT_FILE") or None,
    )


def _words(text: str) -> list[str]:
    return [word for word in re.split(r"[\s,]+", text) if word]


def _unique(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))


def _pip_options(environ: Mapping[str, str]) -> dict[str, str]:
    options: dict[str, str] = {}
    for path in _pip_files(environ):
        parser = configparser.RawConfigParser()
        try:
            parser.read(path, encoding="utf-8")
        except configparser.Error:
            continue  # pip itself will tell the user
        for section in ("global", "download"):
            if parser.has_section(section):
                options |= dict(parser.items(section))
    for name, value in environ.items():
        if name.startswith("PIP_") and value:
            options[name.removeprefix("PIP_").lower().replace("_", "-")] = value
    return options


def _pip_files(environ: Mapping[str, str]) -> list[Path]:
    named = environ.get("PIP_CONFIG_FILE")
    if named == os.devnull:
        return []
    home = Path(environ.get("HOME", "/nonexistent"))
    config = Path(environ.get("XDG_CONFIG_HOME") or home / ".config")
    files = [
        *(
            Path(folder) / "pip/pip.conf"
            for folder in platformdirs.site_config_dir("", multipath=True).split(":")
        )
    ]
    files += [Path("/etc/pip.conf"), home / ".pip/pip.conf", config / "pip/pip.conf"]
    files += [Path(sys.prefix) / "pip.conf"]
    return [*files, Path(named)] if named else files


def _uv_options(environ: Mapping[str, str]) -> dict[str, list[str]]:
    options: dict[str, list[str]] = {}
    if not environ.get("UV_NO_CONFIG"):
        for path in _uv_files(environ):
            options |= _uv_file(path)
    default = environ.get("UV_DEFAULT_INDEX") or environ.get("UV_INDEX_URL")
    if default:
        options["default"] = [default.split("=", 1)[-1] if re.match(r"[\w-]+=", default) else default]
    extra = _words(environ.get("UV_INDEX", "")) + _words(environ.get("UV_EXTRA_INDEX_URL", ""))
    if extra:
        options["extra"] = [re.sub(r"^[\w-]+=", "", address) for address in extra]
    for name, variable in (("find-links", "UV_FIND_LINKS"), ("insecure", "UV_INSECURE_HOST")):
        if environ.get(variable):
            options[name] = _words(environ[variable])
    return options


def _uv_files(environ: Mapping[str, str]) -> list[Path]:
    if environ.get("UV_CONFIG_FILE"):
        return [Path(environ["UV_CONFIG_FILE"])]
    config = Path(environ.get("XDG_CONFIG_HOME") or Path(environ.get("HOME", "/nonexistent")) / ".config")
    return [Path("/etc/uv/uv.toml"), config / "uv/uv.toml"]


def _uv_file(path: Path) -> dict[str, list[str]]:
    try:
        content: dict[str, Any] = tomllib.loads(path.read_text("utf-8"))
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError):
        return {}
    indexes = [index for index in content.get("index", []) if isinstance(index, dict) and "url" in index]
    default = [index["url"] for index in indexes if index.get("default")]
    default += [content["index-url"]] if "index-url" in content else []
    extra = [index["url"] for index in indexes if not index.get("default") and not index.get("explicit")]
    options = {
        "default": default[:1],
        "extra": [*extra, *content.get("extra-index-url", [])],
        "find-links": list(content.get("find-links", [])),
        "insecure": list(content.get("allow-insecure-host", [])),
    }
    return {name: values for name, values in options.items() if values}
