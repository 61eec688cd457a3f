"""What is made of the parts of a document is what decoding the whole gives."""

from __future__ import annotations

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nz_explorer.documents.decoding import _has_endless_number, decode, decode_plainly
from nz_explorer.documents.document import Document
from nz_explorer.documents.outline import Outline, attributes_of
from nz_explorer.documents.split_off import Surroundings, around_attributes, split

NAMES = st.sampled_from(["attributes", "a", '"attributes"', "", "b:", "\u00e9"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | NAMES,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)
OBJECTS = st.dictionaries(NAMES, VALUES, max_size=4)


@given(OBJECTS, OBJECTS, OBJECTS, st.booleans(), st.sampled_from([None, 2]))
def test_the_parts_make_the_whole(
    members: dict[str, Any], one: Any, other: Any, last: bool, indent: int | None
) -> None:
    """Of a model and of a document that equals it around what is taken for the attributes."""
    members.pop("attributes", None)
    model, document = (
        json.dumps(
            {**members, "attributes": held} if last else {"attributes": held, **members},
            indent=indent,
        ).encode()
        for held in (one, other)
    )
    parts, others = split(model), split(document)
    if parts is None or others is None or parts[0] != others[0] or decode_plainly(model) is None:
        return
    outline, attributes = Outline.of(parts[0]), attributes_of(others[1])
    if outline is None or attributes is None:
        return
    value, problems = decode(document)
    assert problems == ()
    for held in (attributes, json.loads(outline.inside(document))):
        made = outline.filled(held)
        assert repr(made) == repr(value)
    if attributes_of(parts[1]) is not None:
        assert repr(outline.filled(json.loads(outline.inside(model)))) == repr(decode(model)[0])


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1}',
        "[]",
        '{"attributes": 1}',
        '{"attributes": [{}]}',
        '{"attributes": {}',
        '{"attributes": {"a": 1}, "attributes": {"b": 2}}',
        '{"a": "attributes", "b": {}}',
        '{"a": {"attributes": {"c": 1}}, "attributes": {"c": 2}}',
        '{"a": {"attributes": {"c": 2}}, "attributes": {"c": 2}}',
        '{"a": {"attributes": {}}}',
        '{"attributes": {"p": "' + "x" * 3000 + '"}}',
        '{"p": "' + "x" * 100_000 + '", "attributes": {}}',
        '{"attributes": {"a": ' + "[" * 600 + "]" * 600 + "}}",
        '{"b": "\\ud800", "attributes": {}}',
    ],
)
def test_what_is_not_found_at_one_look_is_decoded_as_a_whole(text: str) -> None:
    parts = split(text.encode())
    outline = None if parts is None else Outline.of(parts[0])
    if outline is not None and attributes_of(parts[1]) is not None:
        assert repr(outline.filled(outline.attributes(text.encode()))) == repr(
            decode(text.encode())[0]
        )


@pytest.mark.parametrize(
    "text",
    ['{"a": 1, "a": 2}', f'{{"a": {2**64}}}', '{"a": NaN}', '{"a": "\\ud800"}', '{"\\u003a": 1}', "1"],
)  # fmt: skip
def test_attributes_that_take_a_closer_look(text: str) -> None:
    assert attributes_of(text.encode()) is None


def test_a_document_that_was_let_go_is_made_of_its_parts_again() -> None:
    raw = b'{"zarr_format": 3, "attributes": {"a": [1]}, "node_type": "group"}'
    parts = split(raw)
    assert parts is not None
    outline = Outline.of(parts[0])
    assert outline is not None
    one, other = (Document("zarr.json", f"{name}/zarr.json", raw) for name in "ab")
    one.has_outline(outline, {"a": [1]})
    other.equals(one)
    for document in (one, other, one, other):
        assert repr(document.value) == repr(json.loads(raw))
        assert document.problems == ()
        document.release()


@given(
    st.lists(st.tuples(OBJECTS, OBJECTS, st.booleans()), min_size=1, max_size=6), OBJECTS, OBJECTS
)
def test_attributes_found_by_what_stands_around_them_are_the_attributes(
    known: list[tuple[dict[str, Any], dict[str, Any], bool]],
    members: dict[str, Any],
    held: dict[str, Any],
) -> None:
    """Also where the text around belongs to several documents, and holds what looks like attributes."""
    around: Surroundings[str] = Surroundings()
    texts = []
    for others, attributes, last in [*known, (members, held, True), (members, held, False)]:
        rest = {key: value for key, value in others.items() if key != "attributes"}
        whole = {**rest, "attributes": attributes} if last else {"attributes": attributes, **rest}
        raw = json.dumps(whole).encode()
        texts.append(raw)
        parts = split(raw)
        if parts is not None and decode_plainly(raw) is not None and around_attributes(parts[0]):
            around.add(parts[0], repr(rest))
    for raw in texts:
        found = around.find(raw)
        if found is None or (attributes := attributes_of(found[1])) is None:
            continue
        value = json.loads(raw)
        assert repr(attributes) == repr(value.pop("attributes"))
        assert found[0] == repr(value)


def test_the_end_of_attributes_is_not_taken_for_what_stands_behind_them() -> None:
    around: Surroundings[str] = Surroundings()
    for text in (b'{"attributes": \0}', b'{"attributes": \0, "b": {}}'):
        assert around.add(text, text.decode())
        assert not around.add(text, "again")
    assert around.find(b'{"attributes": {"a": 1}, "b": {}}') == (
        '{"attributes": \0, "b": {}}',
        b'{"a": 1}',
    )
    assert around.find(b'{"attributes": {"a": {}}}') == ('{"attributes": \0}', b'{"a": {}}')
    assert around.find(b'{"b": {}}') is None


def test_threads_may_add_and_find_at_the_same_time() -> None:
    """Sorting a list that another thread adds to is an error."""
    around: Surroundings[int] = Surroundings()
    texts = [b'{"attributes": \0, "b": %d}' % number for number in range(2000)]

    def add(first: int) -> None:
        for number in range(first, len(texts), 4):
            around.add(texts[number], number)
            found = around.find(texts[number].replace(b"\0", b"{}"))
            assert found is None or found == (number, b"{}")  # what two add at once, one may lose

    pause = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(4) as pool:
            for done in [pool.submit(add, first) for first in range(4)]:
                done.result()
    finally:
        sys.setswitchinterval(pause)


@pytest.mark.parametrize(
    ("digits", "endless"), [(2 * 2150 - 1, False), (2 * 2150, True), (5000, True), (2**16, True)]
)
def test_numbers_that_may_have_too_many_digits_are_seen_wherever_they_stand(
    digits: int, endless: bool
) -> None:
    for before in (1, 1000, 2149, 2150, 70_000):
        raw = b" " * before + b"7" * digits + b" " * 3000
        seen = _has_endless_number(raw)
        assert seen or not endless
        assert not seen or digits >= 2150
    assert not _has_endless_number(b"7" + b"7 " * 10_000)
