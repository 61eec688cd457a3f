"""The cs and ref conventions: coordinate systems in metadata, and references."""

from pathlib import Path

from nz_explorer.engine.convention import Convention

FOLDER = Path(__file__).parent

CS = Convention(
    key="cs",
    name="cs",
    title="Coordinate systems in metadata (R-CF/zarr_conventions_cs)",
    families=("CS", "REF", "JSON"),
    builds_on=("zarr3",),
    decided_by=("CS", "REF"),
    rules=tuple(
        f"{__name__}.{one}"
        for one in (
            "declared",
            "groups",
            "coordinate_sets",
            "limits",
            "positions.geolocation",
            "unread",
            "ref",
        )
    ),
    catalogue=(FOLDER / "catalogue.toml", FOLDER / "planned.toml"),
    used_where=("cs", "crs"),
    refers_by=("geolocation",),
    order=5,
)
