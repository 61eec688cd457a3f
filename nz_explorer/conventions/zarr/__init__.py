"""What holds for any version of Zarr: the text of documents, and the tree."""

from pathlib import Path

from nz_explorer.engine.convention import Convention

FOLDER = Path(__file__).parent

ZARR = Convention(
    key="zarr",
    name="Zarr",
    title="Documents and trees of any version of Zarr",
    families=("JSON", "TREE"),
    rules=tuple(
        f"{__name__}.{module}" for module in ("documents", "tree", "packing", "layout", "elements")
    ),
    catalogue=(FOLDER / "json.toml", FOLDER / "tree.toml"),
    compared_by=("NZ-CONS-002", "NZ-CONS-003", "NZ-CONS-004", "NZ-CONS-006"),
    basic=True,
)
