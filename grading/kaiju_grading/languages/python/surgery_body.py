"""The alterations that a test's own body offers, the best of them only."""

import ast
from collections.abc import Iterator
from dataclasses import replace

from kaiju_grading.languages.python.surgery_asserts import Assertions, Compared
from kaiju_grading.languages.python.surgery_complements import Complement
from kaiju_grading.languages.python.surgery_flow import reached
from kaiju_grading.languages.python.surgery_literals import Edit, value_edits
from kaiju_grading.languages.python.surgery_names import assigned
from kaiju_grading.languages.python.surgery_prose import prose, told
from kaiju_grading.languages.python.surgery_raises import is_builtin, raised_sites
from kaiju_grading.languages.python.surgery_source import Defined, Source
from kaiju_grading.suite import Site, SiteKind

Group = list[Site]
"""Alternatives for one assertion."""


def body_sites(defined: Defined) -> list[Group]:
    """Sites by assertion, of the first kind that there are any of.

    Assertions that run whenever the test passes come before those that other code may skip, and forms that
    people write before those that show that they were made.
    """
    certain = Assertions.certain(defined)
    return (
        _natural(defined, certain)
        or list(_made(defined, certain))
        or [[replace(site, conditional=True) for site in group] for group in _skippable(defined)]
    )


def _skippable(defined: Defined) -> list[Group]:
    assertions = Assertions.of(defined, reached(defined.function.body))
    return _natural(defined, assertions) or list(_made(defined, assertions))


def _natural(defined: Defined, found: Assertions) -> list[Group]:
    """Expected values, a complement where an assertion has none, built-in exceptions.

    Complements that the file would hardly write are left out where something certain is left.
    """
    text = prose(defined)
    groups: list[Group] = []
    unusual: list[Group] = []
    for index, sides in enumerate(found.expected):
        values = [site for side in sides for site in _value_sites(defined, side, text)]
        if values:
            groups.append(values)
        elif index in found.complements:
            _sort(found.complements[index], groups, unusual)
    for index, complement in found.complements.items():
        if index < 0:
            _sort(complement, groups, unusual)
    for exception in found.raised:
        sites = raised_sites(defined, exception)
        if sites and is_builtin(exception):
            groups.append(sites)
    certain = any(not site.conditional for group in groups for site in group)
    return groups if certain else [*groups, *unusual]


def _sort(complement: Complement, groups: list[Group], unusual: list[Group]) -> None:
    if complement.natural:
        (groups if complement.usual else unusual).append([complement.site])


def _made(defined: Defined, found: Assertions) -> Iterator[Group]:
    """Negated chains of comparisons, and a built-in exception in the place of the library's own."""
    for complement in found.complements.values():
        if not complement.natural:
            yield [complement.site]
    for exception in found.raised:
        sites = raised_sites(defined, exception)
        if sites and not is_builtin(exception):
            yield sites


def _value_sites(defined: Defined, compared: Compared, text: str) -> Group:
    node = compared.node
    if isinstance(node, ast.Name):
        value = assigned(defined, node.id)
        if value is None:
            return []
        node = value
    edits = value_edits(defined.source, node, compared.reading, lambda edit: told(defined, edit, text))
    sites = [site_of(defined.source, edit, compared.kind) for edit in edits]
    return [replace(site, conditional=compared.conditional) for site in sites]


def site_of(source: Source, edit: Edit, kind: SiteKind) -> Site:
    return Site(source.path, edit.start, edit.end, edit.text, kind, weak=edit.weak)
