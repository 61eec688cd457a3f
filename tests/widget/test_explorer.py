"""The explorer from Python: what is selected there and in the browser is the same."""

from __future__ import annotations

import gc
import re
import shutil
import threading
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import traitlets
import zarr

import nz_explorer as nz
from nz_explorer.model import NodeNotFound
from nz_explorer.store import Cancellation
from nz_explorer.widget.explorer import Explorer, displayed_widget
from nz_explorer.widget.explorer.traits import SHARED
from nz_explorer.widget.panels.registry import Context, compose, perform
from nz_explorer.widget.protocol.blocks import Actions
from nz_explorer.widget.session.walker import Walker
from tests.widget.conftest import SECONDS
from tests.widget.test_lifetimes import until


class Seen(HTMLParser):
    """The elements of a page, and their attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}


@pytest.fixture
def explore() -> Iterator[Callable[..., Explorer]]:
    opened: list[Explorer] = []

    def start(source: object, **options: object) -> Explorer:
        explorer = nz.explore(source, **options)  # type: ignore[arg-type]
        opened.append(explorer)
        return explorer

    yield start
    for explorer in opened:
        explorer.close()


def test_a_path_is_normalised_and_must_exist(explore, sample_store: Path) -> None:
    ex = explore(sample_store, path="ocean/sea_surface_temperature/")
    assert ex.path == "/ocean/sea_surface_temperature"
    ex.path = "forecast"
    assert ex.path == "/forecast"
    with pytest.raises(NodeNotFound, match="no node at /nothing"):
        ex.path = "/nothing"
    assert ex.path == "/forecast"
    with pytest.raises(NodeNotFound):
        explore(sample_store, path="/nothing")


def test_what_pages_set_is_confirmed_and_set_by_message_where_it_was_not(
    explore, sample_store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ex = explore(sample_store)
    sent: list[dict[str, Any]] = []
    monkeypatch.setattr(ex, "send", lambda message, buffers=None: sent.append(message))

    def told() -> dict[str, object]:
        return {
            name: value
            for one in sent
            if one["kind"] == "event" and one["event"] == "traits"
            for name, value in one["traits"].items()
        }

    def ask(**traits: object) -> dict[str, Any]:
        params = {"traits": traits}
        ex._handle_custom_msg({"kind": "request", "id": 1, "method": "set", "params": params}, [])
        return next(one for one in reversed(sent) if one["kind"] == "reply")

    ex.set_state({"path": "/analysis"})  # the host's way
    assert told() == {"path": "/analysis", "view": {}}
    now = {"path": "/ocean", "index": {"time": 2}}
    assert ask(**now)["result"]["traits"].items() >= now.items()
    assert ask()["result"] == {"traits": {name: getattr(ex, name) for name in SHARED}}
    assert told() == {**now, "view": {}} == {"path": ex.path, "index": ex.index, "view": ex.view}
    for wrong in ({"path": "/nothing"}, {"panel": "none"}, {"_esm": "x"}, {"comm": None}):
        assert ask(**wrong)["ok"] is False
    assert told() == {**now, "view": {}} == {"path": ex.path, "index": ex.index, "view": ex.view}
    assert ex.comm is not None


def test_an_index_takes_integers_only(explore, sample_store: Path) -> None:
    ex = explore(sample_store, path="/forecast/temperature")
    ex.index = {"time": np.int64(3)}
    assert ex.index == {"time": 3}
    for wrong in (1.5, "3", True, None):
        with pytest.raises(traitlets.TraitError, match="must be an integer"):
            ex.index = {"time": wrong}


def test_the_array_is_zarrs(explore, sample_store: Path) -> None:
    import zarr

    ex = explore(sample_store, path="/forecast/temperature")
    expected = zarr.open_array(sample_store, path="forecast/temperature", mode="r")
    np.testing.assert_array_equal(ex.array[1], expected[1])
    ex.path = "/forecast"
    with pytest.raises(TypeError, match="/forecast is no array"):
        _ = ex.array


def test_the_figure_of_a_group_has_its_lines(explore, sample_store: Path) -> None:
    ex = explore(sample_store, path="/stations")
    lines = ex.figure().axes[0].lines
    assert len(lines) == len({"altitude", "lat", "lon"})
    assert {len(line.get_xdata()) for line in lines} == {8}


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/analysis/soil", "no usable shape"),
        ("/analysis/snow", "zarr cannot read"),
        ("/analysis/fog", "data_type"),
    ],
)
def test_what_cannot_be_read_is_said_in_the_same_sentence_everywhere(
    explore, broken_store: Path, path: str, words: str
) -> None:
    from nz_explorer.values import UnsupportedArray

    ex = explore(broken_store, path=path)
    said = []
    for ask in (ex.values, ex.to_xarray, lambda: ex.array):
        with pytest.raises(UnsupportedArray) as caught:
            ask()
        said.append(str(caught.value))
    (sentence,) = set(said)
    assert words in sentence
    assert f"# {sentence}" in ex.code()
    drawn = [text.get_text() for axes in ex.figure().axes for text in axes.texts]
    assert "".join(sentence.split()) in "".join("".join(drawn).split())


def test_the_selection_as_xarray_is_masked(explore, sample_store: Path) -> None:
    import zarr

    ex = explore(sample_store, path="/ocean/sea_surface_temperature")
    raw = zarr.open_array(sample_store, path="ocean/sea_surface_temperature", mode="r")[:]
    values = ex.to_xarray()
    assert values.dims == ("time", "rlat", "rlon")
    np.testing.assert_array_equal(np.isnan(values.values), raw == np.float32(-9999))
    ex.path = "/"
    assert set(ex.to_xarray().children) == {"analysis", "forecast", "ocean", "stations"}


def test_the_figure_shows_the_slice(explore, sample_store: Path) -> None:
    ex = explore(sample_store, path="/forecast/temperature")
    first = pixels(ex)
    ex.index = {"time": 5}
    second = pixels(ex)
    assert not np.array_equal(first, second)
    ex.view = {"colormap": "magma", "scale": "linear", "mask": "raw", "low": 250.0, "high": 300.0}
    assert not np.array_equal(pixels(ex), second)


def pixels(ex: Explorer) -> np.ndarray:
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas = FigureCanvasAgg(ex.figure())
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())


def test_the_report_is_the_one_of_check(explore, broken_store: Path) -> None:
    ex = explore(broken_store)
    assert ex.wait(30)
    assert ex.report.to_dict() == nz.check(broken_store, progress=False).to_dict()


def test_the_saved_page_is_plain_bounded_and_escaped(
    explore, sample_store: Path, tmp_path: Path
) -> None:
    ex = explore(sample_store, path="/ocean/sea_surface_temperature")
    bundle = ex._repr_mimebundle_()
    data = bundle[0] if isinstance(bundle, tuple) else bundle
    page = data["text/html"]
    assert "application/vnd.jupyter.widget-view+json" in data
    for wanted in (
        "sea_surface_temperature",
        "Dimensions of /ocean",
        "data:image/png;base64,",
        "NZ-1.0: conforms",
        "<td>/forecast/temperature</td>",  # no browser has opened the group
    ):
        assert wanted in page
    assert "<script" not in page
    assert "style" not in page
    # hosts that clean what they show leave these; without the picture its text says what is in it
    seen = Seen(page)
    assert seen.tags <= {
        "div",
        "p",
        "b",
        "i",
        "br",
        "table",
        "tr",
        "th",
        "td",
        "img",
        "tbody",
        "thead",
    }
    assert seen.attributes <= {"src", "alt"}
    assert 'alt="map of /ocean/sea_surface_temperature over rlat (' in page
    assert len(page) < 300_000
    assert ex.get_state()["_saved_page"].endswith(page)  # for hosts that export the state
    # it is made anew for who stays with something else
    ex.index = {"time": 2}
    ex.path = "/ocean/salinity"
    until(lambda: 'alt="map of /ocean/salinity' in ex.get_state()["_saved_page"])
    assert re.search(r"<br>as of \d{4}-\d\d-\d\d \d\d:\d\d UTC", page)
    import json

    hostile = tmp_path / "hostile.zarr"
    name = "<img src=x onerror=alert(1)>"
    (hostile / name).mkdir(parents=True)
    (hostile / "zarr.json").write_text(json.dumps({"zarr_format": 3, "node_type": "group"}))
    (hostile / name / "zarr.json").write_text(json.dumps({"zarr_format": 3, "node_type": "group"}))
    bundle = explore(hostile)._repr_mimebundle_()
    data = bundle[0] if isinstance(bundle, tuple) else bundle
    assert "<img src=x" not in data["text/html"]
    assert "&lt;img src=x" in data["text/html"]


def test_the_saved_page_is_made_anew_at_the_end_of_the_walk(
    explore, sample_store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(displayed_widget, "STATIC_PAGE_SECONDS", 0)
    gate = threading.Event()
    visit = Walker._visit
    monkeypatch.setattr(
        Walker, "_visit", lambda self, walk: gate.wait(SECONDS) and visit(self, walk)
    )
    ex = explore(sample_store)
    ex._repr_mimebundle_()
    assert "saved before everything was read" in ex._saved_page
    gate.set()
    until(lambda: "saved before everything was read" not in ex._saved_page)
    assert "NZ-1.0: conforms" in ex._saved_page


def test_traits_hold_no_data(explore, sample_store: Path) -> None:
    ex = explore(sample_store)
    ex.wait(30)
    state = {key: value for key, value in ex.get_state().items() if key not in ("_esm", "_css")}
    assert len(repr(state)) < 5_000


def test_an_explorer_that_is_gone_leaves_no_threads(sample_store: Path) -> None:
    ex = nz.explore(sample_store)
    ex.wait(30)
    ex.close()
    del ex
    gc.collect()
    assert not [t for t in threading.enumerate() if t.name == "nz-explorer-walk" and t.is_alive()]


@pytest.mark.parametrize("budget", [1 << 16])
def test_a_budget_decimates(explore, sample_store: Path, budget: int) -> None:
    ex = explore(sample_store, path="/forecast/temperature", budget=budget)
    look = ex._session.quicklook(ex.node, {})
    assert look.read is not None
    assert look.read.note


def test_what_is_no_store_is_said_at_once(tmp_path: Path) -> None:
    with pytest.raises(nz.SourceError, match="there is nothing at"):
        nz.explore(tmp_path / "nothing")


def test_a_fix_is_tried_without_writing(explore, broken_store: Path) -> None:
    ex = explore(broken_store)
    assert ex.wait(30)
    finding = next(f for f in ex.report.findings if f.rule == "NZ-SCAL-001")
    before = (broken_store / finding.path[1:] / "zarr.json").read_bytes()
    ex.what_if.apply(finding)
    assert finding in ex.what_if.gone
    assert '"dimension_names": []' in str(ex.what_if.diff())
    assert (broken_store / finding.path[1:] / "zarr.json").read_bytes() == before
    ex.what_if.reset()
    assert not ex.what_if.gone


def test_another_store_is_compared_and_shown(sample_store: Path, broken_store: Path) -> None:
    ex, other = nz.explore(sample_store), nz.explore(broken_store)
    assert ex.compare(ex).equal
    assert not ex.compare(other).equal
    assert ex.panel == "comparison"
    ex.close()
    other.close()


def test_the_array_of_the_other_store_is_subtracted_by_a_button(tmp_path: Path) -> None:
    for name, value in (("one", 3.0), ("two", 1.0)):
        array = zarr.open_group(tmp_path / name).create_array("a", shape=(2, 3), dtype="f8")
        array[...] = value
    ex = nz.explore(tmp_path / "one", path="/a")
    ex.compare(tmp_path / "two")
    context = Context(ex._session, "/a", {}, Cancellation())
    blocks = compose("comparison", context).blocks
    (button,) = next(block for block in blocks if isinstance(block, Actions)).actions
    outcome, _ = perform(button.name, context)
    assert (outcome.path, outcome.panel) == ("/a", "plot")
    assert ex.values().tolist() == [[2.0] * 3] * 2
    shutil.rmtree(tmp_path / "two" / "a")
    ex.compare(tmp_path / "two")
    assert not any(isinstance(block, Actions) for block in compose("comparison", context).blocks)
    ex.close()
