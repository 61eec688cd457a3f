"""The GeoZarr draft, withdrawn upstream, and so evaluated only when it is asked for."""

from pathlib import Path

from nz_explorer.engine.convention import Convention

FOLDER = Path(__file__).parent

GEOZARR = Convention(
    key="geozarr",
    name="GeoZarr",
    title="The GeoZarr draft",
    families=("GZ", "JSON"),
    decided_by=("GZ",),
    rules=(f"{__name__}.rules", f"{__name__}.multiscales"),
    catalogue=(FOLDER / "catalogue.toml", FOLDER / "planned.toml"),
    wanted=lambda _, select: any(
        prefix.strip().upper().partition("-")[0] == "GZ" for prefix in select
    ),
    order=4,
)
