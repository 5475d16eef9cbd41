"""Licences by their texts: a Go module has no other record of its own."""

import re

from kaiju_grading.files import Files

_NAMES = re.compile(r"(LICEN[CS]E|COPYING|UNLICENSE)([._-][\w.-]*)?", re.IGNORECASE)
_PHRASES = (
    ("Apache-2.0", ("Apache License", "Version 2.0")),
    ("MPL-2.0", ("Mozilla Public License", "2.0")),
    ("AGPL-3.0", ("GNU AFFERO GENERAL PUBLIC LICENSE",)),
    ("LGPL-3.0", ("GNU LESSER GENERAL PUBLIC LICENSE", "Version 3")),
    ("GPL-3.0", ("GNU GENERAL PUBLIC LICENSE", "Version 3")),
    ("GPL-2.0", ("GNU GENERAL PUBLIC LICENSE", "Version 2")),
    ("BSD-3-Clause", ("Redistribution and use in source and binary forms", "Neither the name")),
    ("BSD-2-Clause", ("Redistribution and use in source and binary forms",)),
    ("ISC", ("Permission to use, copy, modify, and/or distribute this software",)),
    ("MIT", ("Permission is hereby granted, free of charge",)),
    ("Unlicense", ("This is free and unencumbered software",)),
)


def licence_of(files: Files) -> str:
    """SPDX identifier of the licence file at the top, else its first line; empty without one."""
    for path in sorted(files):
        if "/" not in path and _NAMES.fullmatch(path):
            text = " ".join(files[path].data.decode(errors="replace").split())
            for name, phrases in _PHRASES:
                if all(phrase.lower() in text.lower() for phrase in phrases):
                    return name
            return text[:80]
    return ""
