"""Zarr v2, and what OGC 21-050r1 adds to it."""

from dataclasses import replace
from pathlib import Path

from nz_explorer.engine.catalogue import RuleInfo
from nz_explorer.engine.convention import Convention

FOLDER = Path(__file__).parent


def current(info: RuleInfo) -> RuleInfo:
    """Read the text as it is hosted today, which has softened what it says of other keys in .zarray.

    Parameters
    ----------
    info : RuleInfo
        A rule.
    """
    softened = info.id == "Z2-ARR-003"
    return replace(info, level="SHOULD NOT", severity="warning") if softened else info


ZARR2 = Convention(
    key="zarr2",
    name="Zarr v2",
    title="The Zarr storage specification, version 2",
    families=("Z2",),
    builds_on=("zarr",),
    decided_by=("Z2", "JSON", "TREE"),
    # what a chunk consists of is defined ("Chunks"); what nobody has read is not held against a dataset
    delegates=("Z2-CHUNK-003", "Z2-CHUNK-004"),
    rules=tuple(
        f"{__name__}.{module}"
        for module in (
            "members",
            "nodes",
            "consolidated",
            "chunk_lengths",
            "chunk_keys",
            "codecs",
            "types",
            "structured_types",
            "fill_values",
            "hidden_values",
            "chunks",
            "ogc",
            "netcdf.attributes",
            "netcdf.memory",
            "netcdf.names",
            "netcdf.escapes",
        )
    ),
    catalogue=(FOLDER / "catalogue.toml", FOLDER / "planned.toml"),
    zarr_format=2,
    wanted=lambda hierarchy, _: hierarchy.zarr_format == 2,
    profiles={"z2_text=21-050r1": lambda info: info, "z2_text=current": current},
    order=2,
)
