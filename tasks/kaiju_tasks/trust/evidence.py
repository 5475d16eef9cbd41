"""Evidence: what claims of trust look at."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from kaiju_grading import languages
from kaiju_grading.assay import Assay
from kaiju_grading.files import Files
from kaiju_grading.suite import Suite
from kaiju_sandbox.backend import Backend


@dataclass(frozen=True, slots=True)
class Evidence:
    """A task, opened."""

    suite: Suite = field(repr=False)
    stub: Files = field(repr=False)
    """The library files that an agent starts from."""
    pages: Mapping[str, str] = field(repr=False)
    """The specification."""
    backend: Backend

    @property
    def assay(self) -> Assay | None:
        return languages.assay(self.suite.language)

    def sources(self, assay: Assay) -> Files:
        """Files of the reference that are code."""
        return {path: file for path, file in self.suite.reference.items() if assay.is_source(path)}


NOT_APPLICABLE = "not applicable: the language does not say"
