"""Records what the real kernel answers, for the front end's tests and its dev page: ``make recordings``.

An explorer of the sample dataset and one of its broken sibling are asked, through the widget's own messages, what the
browser asks while somebody unfolds the whole tree and looks at some nodes. Requests and replies go to
``js/src/mock/recorded``, buffers in base64; pictures are small. ``tests/widget/test_recordings.py`` fails when the protocol says something else than what was recorded.
"""

from __future__ import annotations

import base64
import itertools
import json
import queue
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

import nz_explorer as nz  # noqa: E402
from nz_explorer.lab import demo_data  # noqa: E402

RECORDED = ROOT / "js" / "src" / "mock" / "recorded"
SECONDS = 60
PICTURE = {"width": 32, "height": 20}
"""Points of a recorded picture, at most."""
PAGES = ("about", "dimensions", "storage", "role", "code")
"""Pages of every node that is looked at."""
LOOKED_AT = {
    "sample": (
        "/ocean",
        "/ocean/sea_surface_temperature",
        "/ocean/time",
        "/ocean/rotated_pole",
        "/analysis/surface_pressure",
        "/analysis/cloud_type",
        "/stations/station_name",
    ),
    "broken": (
        "/",
        "/stations/air_temperature",
        "/forecast/covariance",
        "/analysis/soil",
        "/archive/monthly_mean",
    ),
}
"""A map, a coordinate, a scalar, packed numbers, categories and texts; nodes that are broken."""


class Recorder:
    """Asks an explorer as the browser does, and keeps each question with its answer."""

    def __init__(self, source: Path) -> None:
        self.explorer = nz.explore(source)
        self.explorer.wait()
        self.source = str(source)
        self.entries: list[dict[str, Any]] = []
        self._asked: set[str] = set()
        self._replies: queue.Queue[tuple[dict[str, Any], list[Any]]] = queue.Queue()
        self._numbers = itertools.count(1)
        self.explorer.send = self._take

    def _take(self, message: dict[str, Any], buffers: Any = None) -> None:
        if message["kind"] == "reply":
            self._replies.put((message, list(buffers or [])))

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Return the result, recording it when it is asked for the first time."""
        key = json.dumps([method, params], sort_keys=True)
        number = next(self._numbers)
        request = {"kind": "request", "id": number, "method": method, "params": params}
        self.explorer._handle_custom_msg(request, [])
        message, buffers = self._replies.get(timeout=SECONDS)
        while message["id"] != number:
            message, buffers = self._replies.get(timeout=SECONDS)
        if key not in self._asked:
            self._asked.add(key)
            entry = {"method": method, "params": params, "ok": message["ok"]}
            entry["result" if message["ok"] else "error"] = (
                message["result"] if message["ok"] else message["error"]
            )
            if buffers:
                entry["buffers"] = [base64.b64encode(bytes(one)).decode() for one in buffers]
            self.entries.append(entry)
        result = message["result"]
        return dict(result) if result else {}

    def close(self) -> None:
        """Close the explorer."""
        self.explorer.close()


def look_around(recorder: Recorder, paths: tuple[str, ...]) -> None:
    """Ask what the browser asks while somebody unfolds the tree and looks at some of its nodes."""
    ask = recorder.ask
    ask("open")
    for row in nodes(recorder):
        ask("node", path=row["path"])
    for path in paths:
        look_at(recorder, path)
    if paths[0] != "/":
        ask("colormaps")
        for name in ("concepts", "conventions", "glossary"):
            ask("page", name=name, path=paths[1], params={"index": {}})
    for name in ("readers", "report", "changes"):
        ask("page", name=name, path=paths[1], params={"index": {}})
    ask("search", query="is:coordinate", offset=0, limit=200)
    ask("search", query="temperature", offset=0, limit=200)


def look_at(recorder: Recorder, path: str) -> None:
    """Ask what every tab of a node asks."""
    ask = recorder.ask
    row = ask("node", path=path)["row"]
    group = row["kind"] == "group"
    ask("reveal", path=path)
    ask("findings", path=path, below=group, offset=0, limit=100)
    if path != "/":
        ask("page", name="open questions", path=path, params={"below": group})
    for name in PAGES:
        ask("page", name=name, path=path, params={"index": {}})
    if not group:
        # Those of groups hold all that is below, once more.
        ask("document", path=path, pointer=None)
        ask("netcdf", path=path)
    for finding in ask("findings", path=path, below=False, offset=0, limit=100)["findings"]:
        params = {name: finding[name] for name in ("rule", "pointer", "message")}
        ask("page", name="finding", path=path, params=params)
    if not group:
        look = ask("picture", path=path, index={}, everything=False, **PICTURE)
        for slider in look["sliders"][: path.endswith("sea_surface_temperature")]:
            ask("picture", path=path, index={slider["dimension"]: 1}, everything=False, **PICTURE)
    else:
        arrays = [one["path"] for one in ask("node", path=path)["arrays"]]
        if arrays:
            ask("thumbnails", paths=arrays, width=40, height=25)
        ask("lines", path=path, dimension=None, width=60)


def nodes(recorder: Recorder, path: str = "/") -> Iterator[dict[str, Any]]:
    """Yield the rows of a group and of everything below it."""
    if path == "/":
        yield recorder.ask("open")["root"]
    for row in recorder.ask("children", path=path, offset=0, limit=200)["rows"]:
        yield row
        if row["kind"] == "group":
            yield from nodes(recorder, row["path"])


def record(source: Path, paths: tuple[str, ...]) -> dict[str, Any]:
    """Return the recording of one dataset, without where it lay."""
    recorder = Recorder(source)
    try:
        look_around(recorder, paths)
    finally:
        recorder.close()
    entries: dict[str, Any] = json.loads(
        json.dumps({"messages": recorder.entries}).replace(str(source.parent), "/data")
    )
    return entries


def record_all() -> dict[str, dict[str, Any]]:
    """Return the recordings by the names of their datasets."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        return {
            "sample": record(demo_data.write_sample(folder / "sample.zarr"), LOOKED_AT["sample"]),
            "broken": record(demo_data.write_broken(folder / "broken.zarr"), LOOKED_AT["broken"]),
        }


def main() -> None:
    """Write the recordings."""
    RECORDED.mkdir(parents=True, exist_ok=True)
    for name, recording in record_all().items():
        text = json.dumps(recording, ensure_ascii=False, separators=(",", ":"))
        (RECORDED / f"{name}.json").write_text(text + "\n", encoding="utf-8")
        print(f"{name}.json: {len(text.encode())} bytes, {len(recording['messages'])} messages")


if __name__ == "__main__":
    main()
