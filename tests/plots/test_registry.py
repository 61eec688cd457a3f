"""A kind of picture is one class that is registered once; nothing else knows its name."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr

import nz_explorer
from nz_explorer.model import Array, open_store
from nz_explorer.plots import figure, make
from nz_explorer.plots import registry as kinds
from nz_explorer.plots.drawing.pixels import area, levels
from nz_explorer.plots.kind import PictureKind
from nz_explorer.plots.numeric import numeric_picture
from nz_explorer.plots.picture import QuickLook
from nz_explorer.plots.thumbnail import thumbnail
from nz_explorer.widget.picture_messages import picture
from nz_explorer.widget.protocol import PictureParams, PictureResult

PACKAGE = Path(nz_explorer.__file__).parent


class Contours(PictureKind):
    """Lines of equal value over the first two axes."""

    name = "contours"
    controls = ("number",)

    def suits(self, array: Array) -> bool:
        return array.data_type.kind == "float" and (array.ndim or 0) >= 2

    def axes(self, array: Array) -> tuple[int, ...]:
        return (0, 1)

    def build(self, source: Any, window: Any, shared: dict[str, Any], most: int) -> QuickLook:
        return numeric_picture(self.name, source, window, shared)

    def values_text(self, look: QuickLook) -> list[str]:
        return ["lines of equal value"]

    def draw(self, drawn: Any, axes: Any, look: QuickLook, view: Any) -> None:
        axes.contour(look.values, levels=int(view.options.get("number", 3)))

    def thumbnail(self, look: QuickLook, width: int, height: int) -> Any:
        return area(levels(look), look, width, height)


@pytest.fixture
def contours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kinds, "_kinds", dict(kinds._kinds))
    kinds.register(Contours())


@pytest.fixture
def group(tmp_path: Path) -> zarr.Group:
    group = zarr.open_group(tmp_path / "store.zarr", mode="w")
    y, x = np.mgrid[:12, :16]
    group.create_array("hill", data=np.hypot(y - 6, x - 8))
    group.create_array("series", data=np.arange(9.0))
    return group


@pytest.mark.usefixtures("contours")
def test_a_registered_kind_is_offered_built_and_drawn(group: zarr.Group, tmp_path: Path) -> None:
    hierarchy = open_store(tmp_path / "store.zarr")
    usual = make(hierarchy, "/hill")
    assert usual.kind == "map"
    assert (usual.kinds[0], usual.kinds[-1]) == ("map", "contours")
    assert "contours" not in make(hierarchy, "/series").kinds

    look = make(hierarchy, "/hill", kind="contours")
    assert look.kind == "contours"
    assert look.label.startswith("contours of /hill over dim_0 (12) and dim_1 (16); lines of equal")
    drawn = figure(look, number=5)
    assert drawn.axes[0].collections, "no contours"
    assert len(drawn.axes[0].collections[0].get_paths()) > len(
        figure(look, number=1).axes[0].collections[0].get_paths()
    )
    assert thumbnail(look, 8, 6).shape == (6, 8)
    message, _ = picture(look)
    assert isinstance(message, PictureResult)
    assert message.kind == "contours"


@pytest.mark.usefixtures("contours")
def test_an_explorer_draws_a_registered_kind(group: zarr.Group, tmp_path: Path) -> None:
    explorer = nz_explorer.explore(tmp_path / "store.zarr")
    try:
        explorer.path = "/hill"
        assert not explorer.figure().axes[0].collections
        explorer.view = {"kind": "contours", "number": 4}
        assert explorer.figure().axes[0].collections
        file = explorer.export(tmp_path / "contours.png")
        assert file.read_bytes().startswith(b"\x89PNG")
    finally:
        explorer.close()


def test_a_kind_that_an_array_cannot_have_gives_the_usual_one(
    group: zarr.Group, tmp_path: Path
) -> None:
    hierarchy = open_store(tmp_path / "store.zarr")
    assert make(hierarchy, "/series", kind="map").kind == "line"
    assert make(hierarchy, "/series", kind="no such kind").kind == "line"


@pytest.mark.parametrize("name", ["map", "none", "auto"])
def test_a_name_is_taken_once(name: str) -> None:
    kind = type("Other", (Contours,), {"name": name})()
    with pytest.raises(ValueError, match=name):
        kinds.register(kind)


def test_options_that_a_kind_does_not_have_do_not_change_it(
    group: zarr.Group, tmp_path: Path
) -> None:
    hierarchy = open_store(tmp_path / "store.zarr")
    look = make(hierarchy, "/series")
    # a line has no colours, hence no colormap that could be wrong
    assert figure(look, colormap="no such colormap").axes
    with pytest.raises(ValueError, match="no such colormap"):
        figure(make(hierarchy, "/hill"), colormap="no such colormap")


def test_nothing_but_its_folder_knows_the_name_of_a_kind() -> None:
    """Who compares `kind` with a name has to be changed for each new kind."""
    names = {kind.name for kind in kinds.registered()}
    wrong = []
    for part in ("plots", "widget", "values", "cli", "report"):
        for file in (PACKAGE / part).rglob("*.py"):
            if file.parent.parent == PACKAGE / "plots" and file.parent.name in names:
                continue
            for node in ast.walk(ast.parse(file.read_text("utf-8"))):
                if not isinstance(node, ast.Compare):
                    continue
                sides = [node.left, *node.comparators]
                asked = any(isinstance(s, ast.Attribute) and s.attr == "kind" for s in sides)
                given = {c.value for s in sides for c in ast.walk(s) if isinstance(c, ast.Constant)}
                if asked and given & names:
                    wrong.append(f"{file.relative_to(PACKAGE)}:{node.lineno}")
    assert not wrong


def test_a_request_may_name_any_kind() -> None:
    assert PictureParams(path="/a", kind="contours").kind == "contours"
