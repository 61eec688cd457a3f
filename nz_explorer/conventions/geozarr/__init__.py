"""The GeoZarr draft, withdrawn upstream, and so evaluated only when it is asked for."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nz_explorer.conventions.nz.identifier import tokens
from nz_explorer.engine.convention import Convention
from nz_explorer.model.dialects.multiscales import family
from nz_explorer.text.identifiers import KEYS, fold

FOLDER = Path(__file__).parent


def is_meant(attributes: Mapping[str, Any]) -> bool:
    """Whether a node declares GeoZarr, or has a pyramid as it describes them.

    Parameters
    ----------
    attributes : mapping
        The node's attributes.
    """
    given = [key for key in KEYS if key in attributes]  # nearly no node below the root has one
    names = (token for key in given for token in tokens(attributes[key], key))
    return any(fold(name).startswith("geozarr") for name in names) or (
        "multiscales" in attributes and family(attributes) == "GeoZarr"
    )


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
    suggested_by=is_meant,
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
