"""The GeoZarr draft, withdrawn upstream, and so evaluated only when it is asked for."""

from pathlib import Path

from nz_explorer.engine.convention import Convention
from nz_explorer.model.dialects.multiscales import family

FOLDER = Path(__file__).parent

GEOZARR = Convention(
    key="geozarr",
    name="GeoZarr",
    title="The GeoZarr draft",
    families=("GZ", "JSON"),
    builds_on=("zarr", "zarr2", "zarr3"),
    decided_by=("GZ",),
    delegates=(
        "JSON-001",
        "Z3-DOC-001",
        "Z3-DOC-002",
        "Z3-DOC-004",
    ),  # "must declare", "shall be placed"
    root="group",
    decides="warning",
    suggested_by=lambda attributes: "multiscales" in attributes and family(attributes) == "GeoZarr",
    rules=tuple(
        f"{__name__}.{module}"
        for module in ("rules", "attributes", "multiscales", "levels", "tile_grids")
    ),
    catalogue=(FOLDER / "catalogue.toml", FOLDER / "planned.toml"),
    wanted=lambda _, select: any(
        prefix.strip().upper().partition("-")[0] == "GZ" for prefix in select
    ),
    order=4,
)
