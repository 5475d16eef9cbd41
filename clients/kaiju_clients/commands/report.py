"""`kaiju report`: the summary of a batch on disk."""

from pathlib import Path

import click

from kaiju_clients.display import show
from kaiju_clients.errors import ClientError
from kaiju_clients.records import Folder
from kaiju_clients.summary import Summary, summarize
from kaiju_sandbox.console import page


@click.command("report")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def report(folder: Path, *, as_json: bool) -> None:
    """Add up the trials of a batch that `kaiju eval` wrote to FOLDER.

    Ends with 1 when a requested trial has no verdict or not the one that its agent promised.
    """
    place = Folder(folder)
    try:
        batch = place.batch()
    except ClientError as error:
        raise click.UsageError(str(error)) from error
    summary = summarize(batch, place.load(batch.trials()))
    print_summary(summary, as_json=as_json)
    raise SystemExit(0 if summary.complete else 1)


def print_summary(summary: Summary, *, as_json: bool) -> None:
    """On stdout: a table, or one JSON document."""
    if as_json:
        click.echo(summary.model_dump_json(indent=1))
    else:
        show(page(), summary)
