"""The front end's tests play back what the kernel said once: it must still say the same things."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from nz_explorer.widget.protocol.messages import PROTOCOL_VERSION
from tests import record_messages
from tests.versions import not_with_the_oldest
from tests.widget.conftest import SCHEMA, validate

STORES = list(record_messages.STORES)


@pytest.mark.parametrize("store", STORES)
def test_every_recorded_message_is_one_of_the_protocol(store: str) -> None:
    for message in record_messages.read(store):
        definitions = SCHEMA["x-methods"][message["method"]]
        validate(message["params"], definitions["params"])
        if "result" in message:
            validate(message["result"], definitions["result"])
        else:
            validate(message["error"], "Failure")


def test_recordings_say_which_protocol_they_speak() -> None:
    for store in STORES:
        text = (record_messages.RECORDED / f"{store}.json").read_text(encoding="utf-8")
        assert json.loads(text)["protocol"] == PROTOCOL_VERSION, "run `make recordings`"


def fields(value: Any, place: str = "") -> set[str]:
    """The places of all members, elements of lists taken together."""
    if isinstance(value, dict):
        inside = [fields(member, f"{place}.{name}") for name, member in value.items()]
        return {place}.union(*inside)
    if isinstance(value, list):
        return {place}.union(*(fields(member, f"{place}[]") for member in value))
    return {place}


def said(messages: list[dict[str, Any]]) -> dict[str, set[str]]:
    """The fields of all answers by what was asked."""
    found: dict[str, set[str]] = {}
    for message in messages:
        params = message["params"]
        what = f"{message['method']} {params.get('path', '')} {params.get('name', '')}"
        answer = {name: value for name, value in message.items() if name in ("result", "error")}
        found.setdefault(what, set()).update(fields(answer))
    return found


@not_with_the_oldest
@pytest.mark.parametrize("store", STORES)
def test_the_recordings_are_what_the_kernel_says_today(store: str, tmp_path: Path) -> None:
    recorded = record_messages.read(store)
    now, then = said(record_messages.record(store, recorded, tmp_path)), said(recorded)
    for what, names in now.items():
        assert names == then[what], f"{what} has other fields now: run `make recordings`"
