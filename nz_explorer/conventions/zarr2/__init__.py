"""Zarr v2, and what OGC 21-050r1 adds to it."""

from pathlib import Path

from nz_explorer.engine.convention import Convention

FOLDER = Path(__file__).parent

ZARR2 = Convention(
    key="zarr2",
    name="Zarr v2",
    title="The Zarr storage specification, version 2",
    families=("Z2",),
    builds_on=("zarr",),
    decided_by=("Z2", "JSON", "TREE"),
    rules=tuple(
        f"{__name__}.{module}"
        for module in ("nodes", "codecs", "types", "hidden_values", "chunks", "ogc")
    ),
    catalogue=(FOLDER / "catalogue.toml", FOLDER / "planned.toml"),
    zarr_format=2,
    wanted=lambda hierarchy, _: hierarchy.zarr_format == 2,
    order=2,
)
