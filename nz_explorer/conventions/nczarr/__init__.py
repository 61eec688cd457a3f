"""NCZarr: what netCDF-C writes beside the Zarr metadata."""

from pathlib import Path

from nz_explorer.engine.convention import Convention
from nz_explorer.model.dialects import nczarr
from nz_explorer.store import url_modes

FOLDER = Path(__file__).parent

NCZARR = Convention(
    key="nczarr",
    name="NCZarr",
    title="NCZarr, as netCDF-C writes it",
    families=("NCZ", "JSON"),
    builds_on=("zarr2",),
    decided_by=("NCZ", "Z2", "JSON", "TREE"),  # "is expected to also be a legal Zarr dataset"
    delegates=(
        "Z2-OGC-003",  # what `_ARRAY_DIMENSIONS` is
        "Z2-CHUNK-003",
        "Z2-CHUNK-004",
    ),
    zarr_format=2,
    in_other_formats=None,  # its text speaks of v2; what it has on v3 is commented out
    decides="info",  # the text describes what netCDF-C writes, and has no word of duty
    rules=tuple(
        f"{__name__}.{module}"
        for module in (
            "superblock",
            "modes",
            "lost_metadata",
            "groups",
            "dimensions",
            "dimension_lengths",
            "attributes",
            "attribute_values",
        )
    ),
    catalogue=(FOLDER / "catalogue.toml", FOLDER / "planned.toml"),
    wanted=lambda hierarchy, _: (
        nczarr.is_marked(hierarchy.root) or bool(url_modes(hierarchy.source))
    ),
    # of a root that has lost its own
    suggested_by=lambda attributes: "_nczarr_array" in attributes,
    order=6,
)
