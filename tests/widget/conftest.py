"""A session that talks to a test as it talks to a browser."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from nz_explorer.conventions import evaluate
from nz_explorer.model import open_store
from nz_explorer.widget import protocol
from nz_explorer.widget.session import Session

SCHEMA = protocol.schema()
SECONDS = 30


class Browser:
    """The other end of a session; every message that arrives is checked against the schema."""

    def __init__(self, source: Any, **options: Any) -> None:
        self.arrived: queue.Queue[tuple[dict[str, Any], list[Any]]] = queue.Queue()
        self.partials: list[tuple[dict[str, Any], list[Any]]] = []
        self.events: list[dict[str, Any]] = []
        self.session = Session(evaluate(open_store(source, **options)), self._take, budget=64 << 20)
        self.number = 0

    def _take(self, message: dict[str, Any], buffers: Any) -> None:
        if message["kind"] == "event":
            validate(message, "Event")
            self.events.append(message)
        elif message["kind"] == "partial":
            validate(message, "Partial")
            validate(message["result"], "PictureResult")
            self.partials.append((message, list(buffers)))
        else:
            self.arrived.put((message, list(buffers)))

    def send(self, method: str, **params: Any) -> int:
        self.number += 1
        self.session.receive(
            {"kind": "request", "id": self.number, "method": method, "params": params}
        )
        return self.number

    def answer(self) -> tuple[dict[str, Any], list[Any]]:
        message, buffers = self.arrived.get(timeout=SECONDS)
        validate(message, "Reply")
        return message, buffers

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        number = self.send(method, **params)
        message, self.buffers = self.answer()
        assert message["id"] == number
        assert message["ok"], message["error"]
        validate(message["result"], SCHEMA["x-methods"][method]["result"])
        return message["result"]

    def refused(self, method: str, **params: Any) -> dict[str, Any]:
        self.send(method, **params)
        message, _ = self.answer()
        assert not message["ok"]
        return message["error"]


Browse = Callable[..., Browser]
"""The fixture ``browse``."""


def validate(value: Any, name: str) -> None:
    validator(name).validate(value)


@cache
def validator(name: str) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": SCHEMA["$defs"]})


@pytest.fixture
def browse() -> Iterator[Callable[..., Browser]]:
    """Open a source: ``browse(path)``; it is walked before the call returns unless ``walk=False``."""
    opened: list[Browser] = []

    def start(source: Path | str | Any, *, walk: bool = True, **options: Any) -> Browser:
        browser = Browser(source, **options)
        opened.append(browser)
        if walk:
            browser.session.start()
            assert browser.session.wait(SECONDS)
        return browser

    yield start
    for browser in opened:
        browser.session.close()
