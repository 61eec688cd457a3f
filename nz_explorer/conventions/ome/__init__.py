"""OME-Zarr: what viewers of images need of ``multiscales``, plates and wells (OME-NGFF 0.4 and 0.5)."""

from pathlib import Path

from nz_explorer.engine.convention import Convention

FOLDER = Path(__file__).parent

OME = Convention(
    key="ome",
    name="OME-Zarr",
    title="What viewers need of OME-Zarr",
    families=("OME",),
    rules=tuple(
        f"{__name__}.{module}"
        for module in ("images", "axes", "channels", "scales", "viewers", "labels", "plates")
    ),
    catalogue=(FOLDER / "catalogue.toml",),
    has_verdict=False,  # whoever passes these rules need not keep all of OME-NGFF
    order=8,
)
