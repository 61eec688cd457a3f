"""The front end's tests play back what the kernel said once: it must still say the same things."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests import record_messages
from tests.versions import not_with_the_oldest
from tests.widget.conftest import SCHEMA, validate


def recorded(name: str) -> list[dict[str, Any]]:
    text = (record_messages.RECORDED / f"{name}.json").read_text(encoding="utf-8")
    messages: list[dict[str, Any]] = json.loads(text)["messages"]
    return messages


@pytest.mark.parametrize("name", ["sample", "broken"])
def test_every_recorded_message_is_one_of_the_protocol(name: str) -> None:
    for message in recorded(name):
        definitions = SCHEMA["x-methods"][message["method"]]
        for part in ("params", "result"):
            validate(message[part], definitions[part])


def fields(value: Any, place: str = "") -> set[str]:
    """The places of all members, elements of lists taken together."""
    if isinstance(value, dict):
        inside = [fields(member, f"{place}.{name}") for name, member in value.items()]
        return {place}.union(*inside)
    if isinstance(value, list):
        return {place}.union(*(fields(member, f"{place}[]") for member in value))
    return {place}


def said(messages: list[dict[str, Any]]) -> dict[str, set[str]]:
    """The fields of all results by what was asked."""
    found: dict[str, set[str]] = {}
    for message in messages:
        what = f"{message['method']} {message['params'].get('name', '')}"
        found.setdefault(what, set()).update(fields(message["result"]))
    return found


@not_with_the_oldest
def test_the_recordings_are_what_the_kernel_says_today() -> None:
    for name, recording in record_messages.record_all().items():
        now, then = said(recording["messages"]), said(recorded(name))
        assert now.keys() == then.keys(), "run `make recordings`"
        for what, names in now.items():
            assert names == then[what], f"{what} has other fields now: run `make recordings`"
