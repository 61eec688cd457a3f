"""One HTML file with the explorer as it is: tree, tables, findings and some pictures, without a kernel and a network.

It holds the front end and what the kernel answers it while somebody looks around. Where scripts do not run, it shows
the static page.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from nz_explorer.model import Array
from nz_explorer.text.printable import encodable
from nz_explorer.widget.recording import Recorder
from nz_explorer.widget.requests.export import looking
from nz_explorer.widget.session import Session
from nz_explorer.widget.static_page import static_page

STATIC = Path(__file__).with_name("static")
MOST_NODES = 400
"""Nodes that a page holds with all their tabs."""
MOST_FINDINGS = 200
"""Findings that it explains."""
PICTURE = {"width": 1000, "height": 600}
"""Points of a picture, at most."""
MOST_ROWS, PAGE_ROWS, PAGE_STEP = 1000, 400, 200
"""Rows of a table of columns that the page holds, and how the browser asks for them: so many at once, from where to where."""
NODE_PAGES = ("about", "dimensions", "storage", "role", "code")
STORE_PAGES = ("concepts", "conventions", "glossary", "readers", "report", "changes")
POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; font-src data:"
"""The page asks no one for anything."""
STYLE = "body { margin: 0; font-family: system-ui, sans-serif; } #nz-explorer .nzx { height: 100vh; max-height: none; }"


def saved_page(
    session: Session,
    traits: Mapping[str, Any],
    pictures: Mapping[str, Sequence[Mapping[str, int]]],
) -> str:
    """Return the page as HTML.

    Parameters
    ----------
    session : Session
        The open hierarchy.
    traits : mapping
        What is selected, and how it is drawn; see `Explorer`.
    pictures : mapping
        Arrays that are drawn, by path, each with the indices at which it is.
    """
    path = str(traits["path"])
    recorder = Recorder(session)
    look_around(recorder, path, pictures)
    look_closely(recorder, traits)
    answers = [
        {**entry, "buffers": [base64.b64encode(one).decode() for one in entry["buffers"]]}
        for entry in recorder.entries
    ]
    saved = json.dumps({"traits": dict(traits), "answers": answers}, separators=(",", ":"))
    title = escape(f"{session.hierarchy.source} – nz_explorer")
    return encodable(
        "<!doctype html>\n"
        f'<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name="viewport" content="width=device-width">'
        f"<style>{(STATIC / 'widget.css').read_text('utf-8')}{STYLE}</style></head><body>"
        f'<div id="nz-explorer">{static_page(session, path, traits["view"], traits["index"])}</div>'
        # "<" could end the element
        f'<script type="application/json" id="nz-answers">{saved.replace("<", chr(92) + "u003c")}</script>'
        f"<script>{_script()}</script></body></html>\n"
    )


def _script() -> str:
    text = (STATIC / "saved.js").read_text("utf-8")
    if "</script" in text:
        raise ValueError("the front end holds the end of a script element")
    return text


def look_around(
    recorder: Recorder, selected: str, pictures: Mapping[str, Sequence[Mapping[str, int]]]
) -> None:
    """Ask what the browser asks while somebody looks at every node.

    Parameters
    ----------
    recorder : Recorder
        Keeps the answers.
    selected : str
        The selected node.
    pictures : mapping
        See `saved_page`.
    """
    # no other version can be chosen there; the source says which one it is
    source = recorder.session.hierarchy.source
    recorder.ask("open").update(version=None, versions=[], source=source)
    recorder.ask("colormaps")
    explained = 0
    for number, row in enumerate(_nodes(recorder)):
        path = row["path"]
        recorder.ask("node", path=path)
        if number < MOST_NODES or path == selected or path in pictures:
            explained += _look_at(recorder, row, MOST_FINDINGS - explained)
    for name in STORE_PAGES:
        recorder.ask("page", name=name, path=selected, params={"index": {}})
    for path, indices in pictures.items():
        for index in indices:
            recorder.ask("picture", path=path, index=dict(index), everything=False, **PICTURE)


def look_closely(recorder: Recorder, traits: Mapping[str, Any]) -> None:
    """Ask for what the selected node shows in the view that is in force.

    Parameters
    ----------
    recorder : Recorder
        Keeps the answers.
    traits : mapping
        What is selected, and how it is drawn.
    """
    path, view, index = str(traits["path"]), dict(traits["view"]), dict(traits["index"])
    node = recorder.session.hierarchy[path]
    if isinstance(node, Array):
        asked = {**looking(view), "everything": False, **PICTURE}
        recorder.ask("picture", path=path, index=index, **asked)
        names = [node.dimension_label(axis) for axis in range(node.ndim or 0)]
        for dimension in names if traits["pins"] else ():
            others = {name: at for name, at in index.items() if name != dimension}
            pins = [dict(pin) for pin in traits["pins"]]
            given = {"dimension": dimension, "pins": pins, "index": others, "width": 250}
            recorder.ask("series", path=path, **given)
    elif node.kind == "group":
        recorder.ask("lines", path=path)
        colours = recorder.ask("scatter", path=path, view=view).get("colormap")
        view = {**view, "colormap": colours}
        rows = recorder.ask("table", path=path, view=view, offset=0, limit=PAGE_ROWS)
        for offset in range(PAGE_STEP, min(rows.get("length", 0), MOST_ROWS), PAGE_STEP):
            recorder.ask("table", path=path, view=view, offset=offset, limit=PAGE_ROWS)
    if view.get("colormap"):
        recorder.ask("colormaps", others=[view["colormap"]])


def _look_at(recorder: Recorder, row: Mapping[str, Any], most_findings: int) -> int:
    """Ask what the tabs of a node ask; returns how many of its findings were explained."""
    path, group = row["path"], row["kind"] == "group"
    recorder.ask("reveal", path=path)
    recorder.ask("findings", path=path, below=group, offset=0, limit=100)
    own = recorder.ask("findings", path=path, below=False, offset=0, limit=100)
    recorder.ask("page", name="open questions", path=path, params={"below": group})
    for name in NODE_PAGES:
        recorder.ask("page", name=name, path=path, params={"index": {}})
    recorder.ask("document", path=path, pointer=None)
    recorder.ask("netcdf", path=path)
    found = own.get("findings", [])[: max(0, most_findings)]
    for finding in found:
        params = {name: finding[name] for name in ("rule", "pointer", "message")}
        recorder.ask("page", name="finding", path=path, params=params)
    if group:
        shown = recorder.ask("node", path=path)
        arrays = [one["path"] for one in shown.get("arrays", ())]
        if shown.get("default_kind") == "table":
            recorder.ask("table", path=path, view={}, offset=0, limit=PAGE_ROWS)
        if arrays:
            recorder.ask("thumbnails", paths=arrays, width=160, height=100)
    return len(found)


def _nodes(recorder: Recorder, path: str = "/") -> Iterator[dict[str, Any]]:
    """Yield the rows of a group and of everything below it, as far as its first page goes."""
    if path == "/":
        yield recorder.ask("open")["root"]
    for row in recorder.ask("children", path=path, offset=0, limit=200).get("rows", ()):
        yield row
        if row["kind"] == "group":
            yield from _nodes(recorder, row["path"])
