"""``nz-explorer cdl``."""

from __future__ import annotations

import click

from nz_explorer.cli.console import print_untrusted


@click.command()
@click.argument("source")
@click.option(
    "--group", default="/", show_default=True, help="Path of the group, or array, to print."
)
@click.option(
    "--special", is_flag=True, help="Add special attributes such as _ChunkSizes, like ncdump -s."
)
@click.option("--name", default=None, help="Name of the dataset; that of the source by default.")
def cdl(source: str, group: str, special: bool, name: str | None) -> None:
    """Print SOURCE as CDL, as ``ncdump -h`` prints a netCDF file."""
    from nz_explorer.model import open_store
    from nz_explorer.netcdf import cdl as cdl_lines

    for line in cdl_lines(open_store(source)[group], name, special=special):
        print_untrusted(line.text)
