"""The Zarr conventions framework: how nodes declare conventions."""

from pathlib import Path

from nz_explorer.engine.convention import Convention

FOLDER = Path(__file__).parent

ZCF = Convention(
    key="zcf",
    name="Zarr conventions framework",
    title="The Zarr conventions framework",
    families=("ZCF", "JSON"),
    decided_by=("ZCF",),
    rules=tuple(
        f"{__name__}.{module}"
        for module in (
            "declarations",
            "identities",
            "uses",
            "properties",
            "nz_and_cf",
            "spatial",
            "boxes",
            "pyramids.cells",
            "pyramids.places",
            "pyramids.systems",
            "pyramids.members",
        )
    ),
    catalogue=(FOLDER / "catalogue.toml", FOLDER / "planned.toml"),
    wanted=lambda *_: False,
    order=3,
)
