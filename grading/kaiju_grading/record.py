"""A record: what is stored of a verdict. Nothing is added to it later, and any text in it can be stored."""

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict


def _encodable(text: str) -> str:
    return text.encode(errors="backslashreplace").decode()


Text = Annotated[str, AfterValidator(_encodable)]
"""Half a character, which a submission's output may have, could not be stored: it becomes its escape."""


class Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
