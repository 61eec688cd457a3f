"""What a point of an image of colours is, of what its colours are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import zarr

from nz_explorer.model import open_store
from nz_explorer.plots import QuickLook, make
from nz_explorer.values.masks.cell_states import FILL, UNREADABLE, VALUE

FILLED = 7


def image(
    folder: Path, colours: np.ndarray, chunks: tuple[int, int, int], cut: str = ""
) -> QuickLook:
    group = zarr.open_group(folder, mode="w")
    array = group.create_array(
        "i", shape=colours.shape, chunks=chunks, dtype="u1", dimension_names=("y", "x", "band"),
        attributes={"_FillValue": FILLED}, compressors=None,
    )  # fmt: skip
    array[:] = colours
    if cut:
        (folder / "i" / "c" / cut).write_bytes(b"")
    look = make(open_store(folder), "/i", {}, kind="image")
    assert look.kind == "image", look.message
    return look


@pytest.mark.parametrize(
    ("colours", "state"),
    [((1, 2, 3), VALUE), ((FILLED, 2, 3), VALUE), ((1, FILLED, FILLED), VALUE), ((FILLED,) * 3, FILL)],
)  # fmt: skip
def test_a_point_is_missing_where_all_of_its_colours_are(
    tmp_path: Path, colours: tuple[int, int, int], state: int
) -> None:
    values = np.full((4, 4, 3), 9, "u1")
    values[1, 2] = colours
    look = image(tmp_path / "s.zarr", values, (4, 4, 3))
    assert look.cell_states is not None
    assert look.image is not None
    assert look.cell_states[1, 2] == state
    assert (look.image[1, 2, 3] == 0) == (state != VALUE)
    others = np.ones((4, 4), bool)
    others[1, 2] = False
    assert (look.cell_states[others] == VALUE).all()


@pytest.mark.parametrize("band", [0, 1, 2])
def test_a_point_of_which_one_colour_could_not_be_read_is_none(tmp_path: Path, band: int) -> None:
    """With two colours of three it would be drawn in a wrong one."""
    look = image(tmp_path / "s.zarr", np.full((4, 4, 3), 9, "u1"), (2, 4, 1), cut=f"1/0/{band}")
    assert look.cell_states is not None
    assert look.image is not None
    assert (look.cell_states[:2] == VALUE).all()
    assert (look.cell_states[2:] == UNREADABLE).all()
    assert (look.image[2:] == 0).all()
    assert (look.image[:2, :, 3] == 255).all()
