"""The protocol: one schema, kept in the front end too."""

from __future__ import annotations

import json
import re

import jsonschema
import msgspec
import pytest

from nz_explorer.widget import protocol
from nz_explorer.widget.explorer import PANELS
from tests.conftest import REPOSITORY

KEPT = REPOSITORY / "js" / "protocol.schema.json"


def test_the_front_end_has_the_schema_of_today() -> None:
    assert json.loads(KEPT.read_text()) == protocol.schema(), "run: make protocol"


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(protocol.schema())


def test_every_method_has_params_and_a_result() -> None:
    methods = set(protocol.PARAMS)
    assert methods == set(protocol.RESULTS)
    schema = protocol.schema()
    assert methods == set(schema["$defs"]["Request"]["properties"]["method"]["enum"])


@pytest.mark.parametrize(
    "content",
    [
        {"kind": "request", "id": "1", "method": "open"},
        {"kind": "request", "id": 1, "method": "eval"},
        {"kind": "request", "id": 1, "method": "open", "more": 1},
        {"kind": "answer", "id": 1, "method": "open"},
    ],
)
def test_other_messages_are_refused(content: dict[str, object]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(content, protocol.Request)


def test_the_front_end_has_every_panel() -> None:
    js = REPOSITORY / "js" / "src"
    panels = "".join(path.read_text("utf-8") for path in js.glob("panels/*/index.ts*"))
    names = set(re.findall(r'\bname: "(\w+)",\s+title: ', panels))
    for sections in re.findall(r"sections: \{(.*)\}", panels):
        names |= set(re.findall(r"(\w+):", sections))
    place = (js / "frame" / "place.ts").read_text("utf-8")
    drawers = place.partition("DRAWERS = {")[2].partition("}")[0]
    assert names | set(re.findall(r"(\w+):", drawers)) == set(PANELS)
