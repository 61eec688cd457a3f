"""Nothing that a store holds is run: by Python, a terminal, a browser, a spreadsheet."""

from __future__ import annotations

import csv
import io
import os
import pickle
import pty
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import nz_explorer as nz
from nz_explorer.model import open_store
from nz_explorer.plots import make
from nz_explorer.plots.shown_values import Reading, shown_values
from nz_explorer.values.reading.opening import UnsupportedArray, open_for_reading
from nz_explorer.widget.requests.csv_text import csv_text
from tests.conftest import digest
from tests.hostile.stores import FORMULA, MARKUP, TERMINAL, Runs, put, write


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return write(tmp_path / "hostile.zarr")


V2 = {
    "zarr_format": 2,
    "shape": [1],
    "chunks": [1],
    "dtype": "|O",
    "fill_value": None,
    "order": "C",
}
PICKLE = {"id": "pickle", "protocol": 4}
V3 = {
    "zarr_format": 3,
    "node_type": "array",
    "shape": [1],
    "data_type": "string",
    "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [1]}},
    "chunk_key_encoding": {"name": "default"},
    "fill_value": "",
}
INNER = {
    "chunk_shape": [1],
    "codecs": [{"name": "numcodecs.pickle"}],
    "index_codecs": [{"name": "bytes"}],
}


@pytest.mark.parametrize(
    ("key", "document"),
    [
        ("a/.zarray", {**V2, "compressor": None, "filters": [PICKLE]}),
        ("a/.zarray", {**V2, "compressor": PICKLE, "filters": None}),
        ("a/zarr.json", {**V3, "codecs": [{"name": "numcodecs.pickle", "configuration": {}}]}),
        ("a/zarr.json", {**V3, "codecs": ["pickle"]}),
        ("a/zarr.json", {**V3, "codecs": [{"name": "sharding_indexed", "configuration": INNER}]}),
    ],
)
def test_nothing_is_unpickled(tmp_path: Path, key: str, document: dict[str, Any]) -> None:
    store, trace = tmp_path / "s.zarr", tmp_path / "pwned"
    put(store, key, document)
    for chunk in ("a/0", "a/c/0"):
        (store / chunk).parent.mkdir(parents=True, exist_ok=True)
        (store / chunk).write_bytes(pickle.dumps(Runs(trace)))
    array = open_store(store / "a")["/"]
    with pytest.raises(UnsupportedArray, match="pickle, which could run any code"):
        open_for_reading(array)  # type: ignore[arg-type]
    assert "pickle" in (make(array.hierarchy, "/", {}).message or "")
    nz.check(store / "a", values="all", progress=False)
    assert not trace.exists()


def test_looking_at_everything_runs_and_writes_nothing(store: Path) -> None:
    before = digest(store)
    ex = nz.explore(store)
    report = nz.check(store, values="all", progress=False)
    for text in (report.to_text(), report.to_markdown(), report.to_html(), report.to_json()):
        text.encode()
    for node in open_store(store).walk():
        ex.path = node.path
        ex.code()
        if node.kind == "array":
            make(node.hierarchy, node.path, {})
    assert not (store.parent / "pwned").exists()
    assert digest(store) == before


class Elements(HTMLParser):
    """What a browser would make of a page."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def test_pages_have_no_element_that_a_store_brings(store: Path) -> None:
    report = nz.check(store, progress=False)
    ex = nz.explore(store)
    static = ex._repr_mimebundle_()
    pages = [report.to_html(), report._repr_html_(), str(static[0] if isinstance(static, tuple) else static)]  # fmt: skip
    for page in pages:
        for tag, attributes in Elements(page).found:
            assert tag not in ("script", "iframe", "object", "embed", "form"), attributes
            assert attributes.get("src", "data:") != "x"
            assert not any(name.startswith("on") for name in attributes)
            assert not (attributes.get("href") or "").lower().startswith("javascript:")
            assert "evil.example" not in (attributes.get("src") or "") + (attributes.get("style") or "")  # fmt: skip


@pytest.mark.parametrize(
    "command", [["check"], ["tree"], ["cdl"], ["check", "--format", "markdown"]]
)
def test_a_terminal_is_told_nothing_to_do(store: Path, command: list[str]) -> None:
    """On a real terminal: only the colours that are ours."""
    leader, follower = pty.openpty()
    name, *options = command
    process = subprocess.Popen(
        [sys.executable, "-m", "nz_explorer.cli", name, str(store), *options],
        stdout=follower, stderr=follower, stdin=follower, env={**os.environ, "TERM": "xterm"},
    )  # fmt: skip
    os.close(follower)
    shown = b""
    while True:
        try:
            part = os.read(leader, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        shown += part
    process.wait()
    os.close(leader)
    text = shown.decode()
    assert "Traceback" not in text
    assert TERMINAL[TERMINAL.index("[2J") - 1 :] not in text
    # Colours, and a progress bar that is cleared away.
    plain = re.sub(r"\x1b\[(?:[\d;]*m|\?25[lh]|\d*[AK])", "", text)
    assert not [c for c in plain if c not in "\r\n\t" and not c.isprintable()]
    assert len(plain) > 200


def test_a_spreadsheet_is_given_no_formula(tmp_path: Path) -> None:
    import zarr

    group = zarr.open_group(tmp_path / "s.zarr", mode="w")
    texts = [FORMULA, "+1+1", "-2+3", "@SUM(1)", "\t=1", "plain", "-5"]
    array = group.create_array(
        "=name", shape=(7,), chunks=(7,), dtype=str, dimension_names=("@dimension",)
    )
    array[:] = texts
    look = make(open_store(tmp_path / "s.zarr"), "/=name", {})
    data = csv_text(look, shown_values(look, Reading()), {})
    rows = list(csv.reader(io.StringIO(data)))
    assert rows[0] == ["'@dimension", "'=name"]
    assert [row[1] for row in rows[1:]] == [
        f"'{FORMULA}", "'+1+1", "'-2+3", "'@SUM(1)", "'\t=1", "plain", "-5",
    ]  # fmt: skip


def test_figures_of_hostile_names_can_be_drawn(store: Path) -> None:
    from nz_explorer.widget.requests.export import picture_file

    hierarchy = open_store(store)
    for node in hierarchy.walk():
        if node.kind == "array":
            look = make(hierarchy, node.path, {})
            if look.stored is not None:
                drawn = picture_file(look, "svg", {})
                assert b"<script" not in drawn
                assert MARKUP.encode() not in drawn
