"""NZ-1.0, the NetCDF-Zarr convention."""

from dataclasses import replace
from pathlib import Path

from nz_explorer.conventions.nz.identifier import declares_nz
from nz_explorer.engine.catalogue import RuleInfo
from nz_explorer.engine.convention import Convention

FOLDER = Path(__file__).parent
MARKED = (
    "Array",
    "Dimension",
    "Dimension Coordinate Array",
    "Scalar Array",
    "The _FillValue Attribute",
    "Array Structural Requirements",
)
"""Sections with text that is marked "[NZ addition]"; the introduction says that all else is no norm."""


def strict_marked(info: RuleInfo) -> RuleInfo:
    """Take the introduction at its word: what is not marked is information, but for the declaration.

    Parameters
    ----------
    info : RuleInfo
        A rule.
    """
    stays = info.source.section in MARKED or info.id.startswith(("NZ-DECL-001", "NZ-BASE"))
    return info if stays else replace(info, level="INFO", severity="info")


NZ = Convention(
    key="nz",
    name="NZ-1.0",
    title="The NetCDF-Zarr convention, version 1.0",
    families=("NZ",),
    builds_on=("zarr", "zarr3", "zarr2", "zcf"),
    rules=tuple(
        f"{__name__}.{module}"
        for module in (
            "declaration",
            "dimensions",
            "dimension_conflicts",
            "attributes",
            "array_types",
            "upstream_schema",
            "fill_values",
            "coordinates",
            "names",
            "consolidated.entries",
            "consolidated.places",
            "chunks",
        )
    ),
    catalogue=(FOLDER / "catalogue.toml", FOLDER / "planned.toml"),
    zarr_format=3,
    in_other_formats=None,  # it defines no profile for v2, which may follow its advice all the same
    declared_how=declares_nz,
    declaration_rules=("NZ-DECL", "NZ-BASE"),
    summary_rule="NZ-BASE-001",
    summary_families=("JSON", "TREE", "Z3"),
    root="group",
    profiles={"strict_marked": strict_marked},
    order=0,
)
