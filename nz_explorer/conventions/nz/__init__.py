"""NZ-1.0, the NetCDF-Zarr convention."""

from pathlib import Path

from nz_explorer.conventions.nz.identifier import declares_nz
from nz_explorer.engine.convention import Convention

FOLDER = Path(__file__).parent

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
            "consolidated",
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
    order=0,
)
