"""``nz-explorer census``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from nz_explorer.cli import options
from nz_explorer.cli.console import print_untrusted

if TYPE_CHECKING:
    from nz_explorer.values.whole_arrays.census import Census


@click.command()
@click.argument("source")
@click.argument("path", default="/")
@options.json_or_text
@click.option(
    "--most-requests",
    type=click.IntRange(0),
    default=None,
    help="Requests that are made for an array; by default no limit for a local store, and 10 000 otherwise.",
)
def census(source: str, path: str, form: str, most_requests: int | None) -> None:
    """Say which chunks of the array at PATH in SOURCE were written, or of all arrays below it.

    Only names are listed and indices of shards read; no values are. Chunks that were not written
    read as the storage fill value.
    """
    import json

    from nz_explorer.model import open_store
    from nz_explorer.values.reading.opening import UnsupportedArray
    from nz_explorer.values.whole_arrays.census import Census
    from nz_explorer.values.whole_arrays.census import census as take

    hierarchy = open_store(source)
    node = hierarchy["/" + path.strip("/")]
    progress = None if hierarchy.reader.local else _announce()
    try:
        found = take(node, most_requests=most_requests, progress=progress)
    except UnsupportedArray as error:
        raise click.ClickException(str(error)) from error
    if form == "json":
        given: object
        if isinstance(found, Census):
            given = found.to_dict()
        else:
            given = [each.to_dict() for each in found.values()]
        click.echo(json.dumps(given, indent=2))
        return
    for each in (found,) if isinstance(found, Census) else found.values():
        _print(each)
    if not isinstance(found, Census) and not found:
        print_untrusted("there is no array that can be read")


def _announce() -> Callable[[int, int], object]:
    """Return what tells, on stderr, how many requests are to be made, and then how far they are."""

    def report(done: int, total: int) -> None:
        if done == 0:
            click.echo(f"{total:,} requests for the indices of shards, or for chunks", err=True)
        elif done % 1024 == 0:
            click.echo(f"{done:,} of {total:,}", err=True)

    return report


def _print(found: Census) -> None:
    first, *others = found.sentences()
    print_untrusted(f"{found.path}: {first}")
    for sentence in others:
        print_untrusted(f"  {sentence}")
