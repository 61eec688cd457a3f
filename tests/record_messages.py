"""Records what the real kernel answers, for the front end's tests and its dev page: ``make recordings``.

``js/src/mock/recorded`` holds questions of the browser with the answers of an explorer, a file for each store, buffers
in base64. This script writes the stores anew and asks everything again; ``tests/widget/test_recordings.py`` fails when
the protocol says something else than what was recorded.

New questions come from the tests that ask them: ``python tests/record_messages.py --tests src/panels/plot`` runs those
Vitest files on the real kernel, and records what they ask; without files it runs all, and leaves out what none asks.
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import queue
import select
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from unittest.mock import patch

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

import nz_explorer as nz  # noqa: E402
from nz_explorer.lab import demo_data  # noqa: E402
from nz_explorer.values.reading.chunk_cache import shared_cache  # noqa: E402
from nz_explorer.widget.background.prefetch import Prefetch  # noqa: E402
from nz_explorer.widget.protocol.messages import PROTOCOL_VERSION  # noqa: E402
from tests import recorded_stores  # noqa: E402

RECORDED = ROOT / "js" / "src" / "mock" / "recorded"
SECONDS = 60
STORES: Mapping[str, Callable[[Path], Path]] = {
    "sample": demo_data.write_sample,
    "broken": demo_data.write_broken,
    "small": recorded_stores.write_small,
    "kinds": recorded_stores.write_kinds,
    "wide": recorded_stores.write_wide,
    "hostile": recorded_stores.write_hostile,
}
SIZES = {
    "picture": {"width": 32, "height": 20},
    "thumbnails": {"width": 40, "height": 25},
    "lines": {"width": 60},
    "series": {"width": 60},
}
"""How many points are recorded, at most, whatever a page asks for."""

EXTRA = {
    "small": [
        *(
            {"method": "picture", "params": {"path": "/forecast/temp", "index": {"time": at}}}
            for at in range(16)
        ),
        {"method": "reveal", "params": {"path": "/forecast/station"}},
    ],
    # Asked by pages that are open for a while, which depends on the speed of the machine.
    "sample": [{"method": "node", "params": {"path": "/stations"}}],
    "broken": [{"method": "node", "params": {"path": "/analysis"}}],
}
"""Questions that no test asks each time: how far a slider plays until it is stopped is a matter of time."""

Entry = dict[str, Any]


class Recorder:
    """Asks explorers as the browser does, and keeps each question with its answer."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._explorers: dict[str, nz.Explorer] = {}
        self._replies: queue.Queue[tuple[dict[str, Any], list[Any]]] = queue.Queue()
        self._number = 0

    def _explorer(self, store: str) -> nz.Explorer:
        if store not in self._explorers:
            place = self._folder / f"{store}.zarr"
            explorer = nz.explore(place if place.exists() else STORES[store](place))
            explorer.wait()
            explorer.send = self._take
            self._explorers[store] = explorer
        return self._explorers[store]

    def _take(self, message: dict[str, Any], buffers: Any = None) -> None:
        done = message["kind"] == "event" and (message["scan"] or {}).get("phase") == "done"
        if message["kind"] == "reply" or done:
            self._replies.put((message, list(buffers or [])))

    def ask(self, store: str, method: str, params: Mapping[str, Any]) -> Entry:
        """Return a question with its answer; of going through an array the answer is what is found in the end."""
        if method == "scan" and store in self._explorers:
            # What a picture has gone through to find limits is no answer of this.
            self._explorers.pop(store).close()
        explorer = self._explorer(store)
        # What was read before is no part of an answer.
        shared_cache().forget()
        self._number += 1
        asked = {**params, **SIZES.get(method, {})}
        request = {"kind": "request", "id": self._number, "method": method, "params": asked}
        explorer._handle_custom_msg(request, [])
        message, buffers = self._reply(lambda one: one.get("id") == self._number)
        result = message["result"]
        if method == "scan" and params["action"] == "start":
            message, buffers = self._reply(lambda one: one["kind"] == "event")
            result = {**message["scan"], "seconds": 2.5}
        entry: Entry = {"method": method, "params": firm(params)}
        if message.get("error"):
            entry["error"] = message["error"]
        else:
            entry["result"] = result
        if buffers:
            entry["buffers"] = [base64.b64encode(bytes(one)).decode() for one in buffers]
        text = json.dumps(entry).replace(str(self._folder), "/data")
        known: Entry = json.loads(text)
        return known

    def _reply(self, wanted: Callable[[dict[str, Any]], bool]) -> tuple[dict[str, Any], list[Any]]:
        while True:
            message, buffers = self._replies.get(timeout=SECONDS)
            if wanted(message):
                return message, buffers

    def close(self) -> None:
        """Close the explorers."""
        for explorer in self._explorers.values():
            explorer.close()


def firm(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return what tells one question from another: not how large a picture is wanted."""
    return {name: value for name, value in params.items() if name not in ("width", "height")}


def key(method: str, params: Mapping[str, Any]) -> str:
    """Return a question as a text, to find it by."""
    return json.dumps([method, firm(params)], sort_keys=True)


def order(entry: Entry) -> tuple[Any, ...]:
    """Return the place of a question among the others: the first slice first, whose limits the others keep."""
    params = entry["params"]
    text = key(entry["method"], params)
    return entry["method"], params.get("path", ""), bool(params.get("index")), len(text), text


def read(store: str) -> list[Entry]:
    """Return what was recorded of a store."""
    place = RECORDED / f"{store}.json"
    if not place.exists():
        return []
    recording = json.loads(place.read_text(encoding="utf-8"))
    messages: list[Entry] = recording["messages"]
    for one in messages:
        if "buffers" in one:
            one["buffers"] = [recording["buffers"][at] for at in one["buffers"]]
    return messages


def record(store: str, questions: list[Entry], folder: Path) -> list[Entry]:
    """Return what a new explorer answers, asked one after the other in an order that is always the same."""
    recorder = Recorder(folder)
    # Reading ahead would make it a matter of time what has been read already.
    with patch.object(Prefetch, "shown"):
        try:
            return [
                recorder.ask(store, one["method"], one["params"])
                for one in sorted(questions, key=order)
            ]
        finally:
            recorder.close()


def write(store: str, messages: list[Entry]) -> None:
    """Write the recording of a store, a message a line, in ASCII; buffers that are equal are written once."""
    buffers: dict[str, int] = {}
    lines = []
    for one in messages:
        places = [buffers.setdefault(text, len(buffers)) for text in one.get("buffers", ())]
        entry = {**one, "buffers": places} if places else one
        lines.append(json.dumps(entry, separators=(",", ":")))
    parts = {"buffers": [json.dumps(one) for one in buffers], "messages": lines}
    texts = [f'"{name}":[\n' + ",\n".join(part) + "\n]" for name, part in parts.items()]
    whole = f'{{"protocol":{PROTOCOL_VERSION},{",".join(texts)}}}\n'
    RECORDED.mkdir(parents=True, exist_ok=True)
    (RECORDED / f"{store}.json").write_text(whole, encoding="utf-8")
    print(f"{store}.json: {len(whole.encode())} bytes, {len(messages)} messages")


def questions_of_tests(files: list[str], folder: Path) -> tuple[dict[str, list[Entry]], int]:
    """Run Vitest on the real kernel; return what it asks, by store, and how it ends."""
    asked: dict[str, dict[str, Entry]] = {store: {} for store in STORES}
    recorder = Recorder(folder)
    pipes = [folder / name for name in ("questions", "answers")]
    for pipe in pipes:
        os.mkfifo(pipe)
    # Opened both ways, neither waits for the other side.
    questions, answers = (os.open(pipe, os.O_RDWR) for pipe in pipes)
    command = ["npx", "vitest", "run", "--maxWorkers=1", "--no-file-parallelism", *files]
    tests = subprocess.Popen(
        command, cwd=ROOT / "js", env={**os.environ, "NZ_EXPLORER_KERNEL": str(folder)}
    )
    try:
        with patch.object(Prefetch, "shown"), os.fdopen(questions, encoding="utf-8") as lines:
            while tests.poll() is None:
                if not select.select([lines], [], [], 0.2)[0]:
                    continue
                store, method, params = json.loads(lines.readline())
                known = asked[store]
                name = key(method, params)
                if name not in known:
                    known[name] = recorder.ask(store, method, params)
                reply = json.dumps(known[name]).encode() + b"\n"
                while reply:
                    reply = reply[os.write(answers, reply) :]
    finally:
        tests.terminate()
        recorder.close()
    return {store: list(known.values()) for store, known in asked.items()}, tests.wait()


def main() -> int:
    """Write the recordings."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--tests", nargs="*", metavar="FILE", help="record what Vitest files ask")
    files = parser.parse_args().tests
    ended = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        known = {store: {key(e["method"], e["params"]): e for e in read(store)} for store in STORES}
        if files is not None:
            asked, ended = questions_of_tests(files, folder)
            for store, entries in asked.items():
                new = {key(e["method"], e["params"]): e for e in entries}
                known[store] = {**known[store], **new} if files or ended else new
        for store, extra in EXTRA.items():
            known[store].update({key(e["method"], e["params"]): e for e in extra})
        for store, questions in known.items():
            write(store, record(store, list(questions.values()), folder))
    return ended


if __name__ == "__main__":
    sys.exit(main())
