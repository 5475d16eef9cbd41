"""What can go wrong in the client.

::

    ClientError
    ├── UsageError      an option, a file or a folder given by the user
    ├── AgentError      the agent did something that ends its trial
    │   └── ToolFailed  a tool refused, and the agent did not deal with it
    └── ServerFault     the server died, was silent too long, or said what it must not
"""


class ClientError(Exception):
    """Base of the client's own errors."""


class UsageError(ClientError):
    """Names the option or file, its value and what was expected."""


class AgentError(ClientError):
    """The agent's fault: its trial ends without a verdict."""


class ToolFailed(AgentError):
    """A tool error: the text says which argument, its value and what was expected."""

    def __init__(self, tool: str, text: str) -> None:
        super().__init__(f"{tool}: {text}")
        self.tool = tool
        self.text = text


class ServerFault(ClientError):
    """Not the agent's fault, and never a score."""


def first_of(error: BaseException) -> BaseException:
    """The first error in a group of errors."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
