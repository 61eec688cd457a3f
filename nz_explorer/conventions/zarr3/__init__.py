"""Zarr v3.1."""

from pathlib import Path

from nz_explorer.engine.convention import Convention

FOLDER = Path(__file__).parent

ZARR3 = Convention(
    key="zarr3",
    name="Zarr v3",
    title="The Zarr core specification, version 3.1",
    families=("Z3",),
    builds_on=("zarr",),
    decided_by=("Z3", "JSON", "TREE"),
    rules=tuple(
        f"{__name__}.{module}"
        for module in (
            "nodes",
            "arrays",
            "fill_values",
            "discouraged",
            "extension_fills",
            "rectilinear",
            "codecs",
            "codec_settings",
            "registered_codecs",
            "extensions",
            "consolidated",
            "chunk_keys",
            "chunks",
        )
    ),
    catalogue=(FOLDER / "catalogue.toml",),
    zarr_format=3,
    wanted=lambda hierarchy, _: hierarchy.zarr_format != 2,
    order=1,
)
