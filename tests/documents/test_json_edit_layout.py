"""How a patched text is laid out, to the letter; what must hold of any patch is in test_json_edit.py."""

from __future__ import annotations

from typing import Any

import pytest

from nz_explorer.documents.json_edit import JsonText
from nz_explorer.documents.json_layout import indented, new_text
from nz_explorer.documents.json_pieces import PatchError


def patched(text: str, *operations: dict[str, Any]) -> str:
    document = JsonText(text)
    document.apply(operations)
    return document.text


def add(path: str, value: Any) -> dict[str, Any]:
    return {"op": "add", "path": path, "value": value}


def remove(path: str) -> dict[str, Any]:
    return {"op": "remove", "path": path}


@pytest.mark.parametrize(
    ("text", "operation", "expected"),
    [
        # an empty container takes the layout of the rest
        ("{}", add("/a", 1), '{"a": 1}'),
        ('{\n  "o": {}\n}', add("/o/a", 1), '{\n  "o": {\n    "a": 1\n  }\n}'),
        ('{\n  "o": {  }\n}', add("/o/a", 1), '{\n  "o": {\n    "a": 1\n  }\n}'),
        ('{\n  "l": []\n}', add("/l/0", 1), '{\n  "l": [\n    1\n  ]\n}'),
        ('{\n  "s": [1],\n  "l": []\n}', add("/l/-", 1), '{\n  "s": [1],\n  "l": [1]\n}'),
        ('{\n  "s": [1],\n  "o": {}\n}', add("/o/a", 1), '{\n  "s": [1],\n  "o": {\n    "a": 1\n  }\n}'),
        ('{\n  "s": [1,2]\n}', add("/l", [3, 4]), '{\n  "s": [1,2],\n  "l": [3,4]\n}'),
        # at the beginning, in between and at the end of a list
        ("[1, 2]", add("/0", 0), "[0, 1, 2]"),
        ("[1, 2]", add("/1", 0), "[1, 0, 2]"),
        ("[1, 2]", add("/2", 0), "[1, 2, 0]"),
        ("[1, 2]", add("/-", 0), "[1, 2, 0]"),
        ("[ 1 ]", add("/0", 0), "[ 0, 1 ]"),
        ("[ 1 ]", add("/1", 0), "[ 1, 0 ]"),
        ("[\n  1\n]", add("/0", 0), "[\n  0,\n  1\n]"),
        ("[\n  1\n]", add("/1", 0), "[\n  1,\n  0\n]"),
        ("[\n  1 ,\n  2\n]", add("/2", 0), "[\n  1 ,\n  2 ,\n  0\n]"),
        ("[1, 2, 3]", remove("/0"), "[2, 3]"),
        ("[1, 2, 3]", remove("/1"), "[1, 3]"),
        ("[1, 2, 3]", remove("/2"), "[1, 2]"),
        ("[1 , 2, 3]", remove("/1"), "[1 , 3]"),
        ("[ 1 ]", remove("/0"), "[]"),
        ("[ 1, 2 ]", remove("/1"), "[ 1 ]"),
        ("[ 1, 2 ]", remove("/0"), "[ 2 ]"),
        ('{\n "a": 1,\n "b": 2\n}', remove("/a"), '{\n "b": 2\n}'),
        ('{\n "a": 1,\n "b": 2\n}', remove("/b"), '{\n "a": 1\n}'),
        # other ends of lines, steps and spaces
        ('{\r\n\t"a": 1\r\n}', add("/b", {"c": 1}), '{\r\n\t"a": 1,\r\n\t"b": {\r\n\t\t"c": 1\r\n\t}\r\n}'),
        ('{"a" :1 ,"b":2}', add("/c", [1, 2]), '{"a" :1 ,"b":2 ,"c":[1, 2]}'),
        ('{"a":  1,  "b":  2}', add("/c", {"d": [1, 2]}), '{"a":  1,  "b":  2,  "c":  {"d":  [1,  2]}}'),
        (' \n{"a": 1}\n ', add("", {"b": 2}), ' \n{"b": 2}\n '),
        ('\n {"a": 1}', add("/b", 1), '\n {"a": 1, "b": 1}'),
        # copies and names
        ('{"a": [1], "b": 2}', {"op": "copy", "from": "/a", "path": "/c"}, '{"a": [1], "b": 2, "c": [1]}'),
        ('{"a": 1, "b": 2}', {"op": "move", "from": "/a", "path": "/c"}, '{"c": 1, "b": 2}'),
        ('{"a": 1, "b": 2}', {"op": "move", "from": "/a", "path": "/b"}, '{"b": 1}'),
        ('{"a": 1, "b": 2}', {"op": "move", "from": "/a", "path": "/a"}, '{"a": 1, "b": 2}'),
        ("[1, 2, 3]", {"op": "move", "from": "/0", "path": "/2"}, "[2, 3, 1]"),
        ('{"a/b": {"~": 1}}', add("/a~1b/~0", 2), '{"a/b": {"~": 2}}'),
        (r'{"\u00e9": 1}', add("/é", 2), r'{"\u00e9": 2}'),
        ('{"ab": {"a": 1}, "a": {"a": 1}}', add("/a/a", 2), '{"ab": {"a": 1}, "a": {"a": 2}}'),
    ],
)  # fmt: skip
def test_texts_to_the_letter(text: str, operation: dict[str, Any], expected: str) -> None:
    assert patched(text, operation) == expected


def test_what_was_added_can_be_changed_and_removed() -> None:
    text = '{"a": 1}'
    assert patched(text, add("/b", 1), add("/b", 2)) == '{"a": 1, "b": 2}'
    assert patched(text, add("/b", 1), remove("/b")) == text
    assert patched(text, add("/b", {}), add("/b/c", [1])) == '{"a": 1, "b": {"c": [1]}}'
    assert patched('{"o": { }}', add("/o/c", 1), remove("/o/c")) == '{"o": {}}'
    moved = {"op": "move", "from": "/a", "path": "/b"}
    assert patched(text, moved, add("/b", 3)) == '{"b": 3}'
    with pytest.raises(PatchError, match="there is nothing at /a"):
        patched(text, moved, remove("/a"))
    with pytest.raises(PatchError, match="there is nothing at /a"):
        patched(text, remove("/a"), remove("/a"))


@pytest.mark.parametrize(
    ("value", "other"),
    [
        (True, 1), (False, 0), (1, 2), ([1], [1, 2]), ([1, 2], [1]), ([1, 2], [2, 1]), ({"a": 1}, {"b": 1}),
        ({"a": 1}, {"a": 1, "b": 1}), ({"a": True}, {"a": 1}), ([True], [1]), ({}, []), (None, False), ("1", 1),
    ],
)  # fmt: skip
def test_a_test_tells_values_apart(value: Any, other: Any) -> None:
    text = new_text({"a": value})
    for given, fits in ((value, True), (other, False)):
        operation = {"op": "test", "path": "/a", "value": given}
        if fits:
            assert patched(text, operation) == text
        else:
            with pytest.raises(PatchError, match="/a has another value by now"):
                patched(text, operation)


@pytest.mark.parametrize("value", [1.0, 1])
def test_numbers_of_one_value_are_equal(value: float) -> None:
    assert patched('{"a": 1}', {"op": "test", "path": "/a", "value": value}) == '{"a": 1}'
    with pytest.raises(PatchError, match="the document has another value"):
        patched('{"a": 1}', {"op": "test", "path": "", "value": {}})


@pytest.mark.parametrize(
    ("operation", "why"),
    [
        (add("/l/3", 1), "nothing at /l/3"),
        (add("/l/-1", 1), "nothing at /l/-1"),
        (add("/l/1e0", 1), "nothing at /l/1e0"),
        (remove("/l/2"), "nothing at /l/2"),
        (remove("/l/-"), "nothing at /l/-"),
        ({"op": "replace", "path": "/x", "value": 1}, "nothing at /x"),
        ({"op": "replace", "path": "/l/-", "value": 1}, "nothing at /l/-"),
        ({"op": "move", "path": "/x"}, "move at /x has no from"),
        ({"op": "copy", "from": 1, "path": "/x"}, "copy at /x has no from"),
        ({"op": "copy", "from": "/y", "path": "/x"}, "nothing at /y"),
        ({"op": "move", "from": "/y", "path": "/y"}, "nothing at /y"),
        ({"op": "move", "from": "/o", "path": "/o/p/q"}, "/o cannot be moved into itself"),
        ({"op": "test", "path": "/n"}, "test at /n has no value"),
        ({"op": "add"}, "has no path"),
        (add("/n/x", 1), "/n is neither an object nor a list"),
        (add("/o/p/x", 1), "/o/p is neither an object nor a list"),
        (add("/x", {1, 2}), "the value is not JSON"),
    ],
)
def test_where_a_patch_does_not_fit(operation: dict[str, Any], why: str) -> None:
    with pytest.raises(PatchError, match=why):
        patched('{"n": 1, "l": [1, 2], "o": {"p": 1}}', operation)


def test_a_root_that_is_no_container() -> None:
    with pytest.raises(PatchError, match="the document is neither an object nor a list"):
        patched("1", add("/a", 1))
    assert patched("1", {"op": "replace", "path": "", "value": [2]}) == "[2]"


def test_tokens_as_they_are_spelled() -> None:
    document = JsonText('{"a": 1E+2, "l": [ 1, {"x": -0.0} ]}')
    assert document.token("/a") == "1E+2"
    assert document.token("/l") == '[ 1, {"x": -0.0} ]'
    assert document.token("/l/1/x") == "-0.0"
    assert [document.token(pointer) for pointer in ("/b", "/l/2", "/a/b", "x")] == [None] * 4
    assert JsonText(" 1 ").token("") == "1"


@pytest.mark.parametrize("text", ['{"a": [1, {"b": [', '{"a": "x', '{"a" 1}', '{"a": }'])
def test_texts_that_are_no_json(text: str) -> None:
    with pytest.raises(PatchError, match="not JSON"):
        patched(text, add("/a/0", 1))


def test_a_text_with_a_line_for_each_member() -> None:
    given = '\ufeff {"a":[1,"x"],"b":{"c":[],"d":[{"e":1}]},"f":{}}\n'
    assert indented(given) == (
        '{\n  "a": [1, "x"],\n  "b": {\n    "c": [],\n    "d": [\n      {\n        "e": 1\n      }\n    ]\n  },\n  "f": {}\n}'
    )
    assert indented("1e5") == "1e5"


def test_new_documents_look_like_others() -> None:
    value = {"a": [1, 2], "é": {}}
    assert new_text(value) == '{\n  "a": [\n    1,\n    2\n  ],\n  "é": {}\n}'
    assert new_text(value, '{"x":1,"y":"ü"}') == '{"a":[1,2],"é":{}}'
    assert new_text(value, '{\n\t"x": [1]\n}') == '{\n\t"a": [1, 2],\n\t"é": {}\n}'
    assert new_text(value, '{"x":1,"y":"\\u00fc"}') == '{"a":[1,2],"\\u00e9":{}}'
    assert new_text({}, "{}") == "{}"
