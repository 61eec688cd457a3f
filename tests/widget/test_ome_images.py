"""Images of OME-Zarr in the widget: names of axes are the same wherever an index is kept."""

from __future__ import annotations

from pathlib import Path

import nz_explorer as nz
from tests.plots.ome_image import image
from tests.widget.conftest import Browse


def test_a_row_names_axes_as_the_sliders_of_its_picture_do(browse: Browse, tmp_path: Path) -> None:
    browser = browse(image(tmp_path / "i.zarr"), walk=False)
    rows = {row["path"]: row for row in browser.ask("children", path="/")["rows"]}
    assert rows["/0"]["dimension_names"] == ["t", "c", "z", "y", "x"]
    look = browser.ask("picture", path="/0", index={"c": 1}, width=50, height=50)
    assert [(slider["dimension"], slider["index"]) for slider in look["sliders"]] == [
        ("t", 1),
        ("c", 1),
        ("z", 3),
    ]
    assert browser.ask("locate", path="/0", dimension="c", value="DAPI", index=1)["index"] == 0
    assert browser.ask("locate", path="/0", dimension="z", value="2", index=0)["index"] == 4


def test_places_that_are_even_are_no_list_of_numbers_in_programs(tmp_path: Path) -> None:
    ex = nz.explore(image(tmp_path / "i.zarr"), path="/0")
    assert "x = 0.0 + 0.1 * np.arange(4)" in ex.code("zarr").splitlines()
    ex.close()
