"""Documents: every byte sequence has an answer, and says what is wrong with it and where."""

from __future__ import annotations

import json
import math
from typing import Any
from unittest import mock

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from nz_explorer.documents import decoding, positions, tolerant
from nz_explorer.documents.decoding import LAZY_BYTES, Entries, decode
from nz_explorer.documents.document import Document
from nz_explorer.documents.positions import MAX_DEPTH, ScanError, scan
from nz_explorer.store import ReadError


def kinds(raw: bytes) -> list[str]:
    return [problem.kind for problem in decode(raw)[1]]


def test_a_well_formed_object_has_no_problems() -> None:
    assert decode(b'{"a": [1, {"b": "x\\": y"}], "c": {}}') == (
        {"a": [1, {"b": 'x": y'}], "c": {}},
        (),
    )


@pytest.mark.parametrize(
    ("raw", "value", "kind", "says"),
    [
        (
            b'{"a": NaN}',
            {"a": pytest.approx(math.nan, nan_ok=True)},
            "bare-token",
            "/a: bare NaN is not JSON",
        ),
        (b'{"a": [1, -Infinity]}', {"a": [1, -math.inf]}, "bare-token", "/a/1: bare -Infinity"),
        (
            b'{"a": 1, "b": {"c": 2, "c": 3}}',
            {"a": 1, "b": {"c": 3}},
            "duplicate",
            "key 'c' occurs 2 times",
        ),
        (b'{"a" : 1, "a" : 2}', {"a": 2}, "duplicate", "key 'a'"),
        (b'\xef\xbb\xbf{"a": 1}', {"a": 1}, "bom", "byte order mark"),
        ('{"a": 1}'.encode("utf-16"), {"a": 1}, "utf8", "UTF-16"),
        (b'{"a": "\xff"}', {"a": "\ufffd"}, "utf8", "byte 7"),
        (b"[1, 2]", [1, 2], "not-object", "holds a JSON array"),
        (b"null", None, "not-object", "holds a JSON null"),
        (b"", None, "empty", "is empty"),
        (b'{"a": 1,}', None, "syntax", "line 1, column"),
        (b'{"a": {"b": 1', None, "truncated", "ends too early"),
        (b'{"a": "text', None, "truncated", "ends too early"),
        (b"[" * 100_000, None, "limit", "nested too deeply"),
    ],
)
def test_what_is_wrong_is_named(raw: bytes, value: object, kind: str, says: str) -> None:
    found, problems = decode(raw, "zarr.json")
    assert found == value
    assert [problem.kind for problem in problems] == [kind]
    assert says in problems[0].message


def test_a_syntax_error_has_its_line_and_an_excerpt_with_a_caret() -> None:
    _, (problem,) = decode(b'{\n  "shape": [1, 2],\n  "fill_value": nan\n}', "a/zarr.json")
    assert (problem.kind, problem.line, problem.column) == ("syntax", 3, 17)
    line, caret = problem.detail["excerpt"].splitlines()
    assert line[caret.index("^") :].startswith("nan")


def test_an_unreadable_document_says_why() -> None:
    document = Document(
        "zarr.json", "a/zarr.json", None, error=ReadError("a/zarr.json", "denied", "access denied")
    )
    assert document.value is None
    assert document.problems[0].kind == "io"


@pytest.mark.parametrize("beside", ["1", "1e5", "1e-7", '"e"'])
@pytest.mark.parametrize("number", [2**64, 2**64 + 1, -(2**63) - 1, 10**25, 10**299 + 1])
def test_integers_of_any_size_are_exact_whatever_stands_beside_them(
    number: int, beside: str
) -> None:
    """A fast decoder rounds those beyond 64 bits without a word."""
    value, problems = decode(f'{{"a": {beside}, "b": {number}}}'.encode())
    assert (value["b"], problems) == (number, ())


def test_a_document_can_be_let_go_and_decoded_again() -> None:
    document = Document("zarr.json", "zarr.json", b'{"a": 1}')
    assert document.value == {"a": 1}
    document.release()
    assert document.ok


def consolidated(entries: str, before: str = "") -> bytes:
    padding = "x" * LAZY_BYTES
    return (
        f'{{"zarr_format": 3, {before} "attributes": {{"p": "{padding}"}}, "consolidated_metadata": '
        f'{{"kind": "inline", "must_understand": false, "metadata": {{{entries}}}}}}}'
    ).encode()


def test_entries_of_a_large_document_are_decoded_when_asked_for() -> None:
    value, problems = decode(consolidated('"a": {"shape": [1]}, "b": {"shape": [2]}'))
    entries = value["consolidated_metadata"]["metadata"]
    assert isinstance(entries, Entries)
    assert not problems
    assert dict(entries) == {"a": {"shape": [1]}, "b": {"shape": [2]}}
    assert value["consolidated_metadata"]["kind"] == "inline"


_names = st.text(st.characters(codec="utf-8"), max_size=3)
_members = st.dictionaries(_names, st.integers() | _names, max_size=3)


@given(
    st.lists(st.tuples(_names, _members), max_size=4),
    _members,
    st.booleans(),
    st.sampled_from([(", ", ": "), (",", ":"), (" , ", " :")]),
)
@example([("00", {"": ""}), ("00", {})], {}, False, (",", ":"))  # as long as the blanks would be
@example([("\x1f", {})], {"": -(2**63) - 1}, False, (", ", ": "))  # an integer beyond 64 bits
def test_a_large_document_says_what_a_small_one_says(
    entries: list[tuple[str, dict[str, Any]]],
    attributes: dict[str, Any],
    escaped: bool,
    blanks: tuple[str, str],
) -> None:
    def text(value: Any) -> str:
        return json.dumps(value, ensure_ascii=escaped, separators=blanks)

    comma, colon = blanks
    held = comma.join(f"{text(name)}{colon}{text(entry)}" for name, entry in entries)
    raw = "".join(
        [
            f'{{"zarr_format"{colon}3{comma}"node_type"{colon}"group"{comma}"attributes"{colon}',
            f'{text(attributes)}{comma}"consolidated_metadata"{colon}{{"kind"{colon}"inline"{comma}',
            f'"must_understand"{colon}false{comma}"metadata"{colon}{{{held}}}}}}}',
        ]
    ).encode()
    value, problems = decode(raw)
    with mock.patch("nz_explorer.documents.decoding.LAZY_BYTES", 0):
        lazily, others = decode(raw)
    assert [p.kind for p in others] == [p.kind for p in problems]
    held_lazily = lazily["consolidated_metadata"]
    names = {name for name, _ in entries}
    plain = not any(name.startswith(":") for name in names)  # which looks like the end of a key
    if len(names) == len(entries) and blanks[0] != " , " and plain:
        assert isinstance(held_lazily["metadata"], Entries)
    held_lazily["metadata"] = dict(held_lazily["metadata"])
    assert lazily == value


@pytest.mark.parametrize(
    "raw",
    [
        consolidated('"a": {"shape": [1]}, "a": {"shape": [2]}'),
        consolidated('"a": {"shape": [1]}', '"attributes": {},'),
        consolidated('"a": {"shape": [1]}', '"x": {"y": 1, "y": 2},'),
        consolidated('"a": {"shape": [1], "shape": [2]}'),
        consolidated('"a": {"b": [{"c:": 1, "c\\u003a": 2}]}'),
        consolidated(f'"a": {{"b": "{"x" * LAZY_BYTES}", "b": 2}}'),
    ],
    ids=["entry", "member", "other member", "inside", "deep inside", "inside a long one"],
)
def test_a_repeated_key_in_a_large_document_is_found(raw: bytes) -> None:
    assert kinds(raw) == ["duplicate"]
    document = Document("zarr.json", "zarr.json", raw)
    assert isinstance(document.value, dict)
    assert [problem.kind for problem in document.problems] == ["duplicate"]
    with mock.patch.object(positions, "SCAN_LIMIT", 0):  # then it is told without its line
        assert kinds(raw) == ["duplicate"]


@pytest.mark.parametrize("levels", [tolerant.MAX_NESTING, tolerant.MAX_NESTING + 1, 900, 5000])
@pytest.mark.parametrize("form", ['{"a": %s}', '{"a": %s, "b": NaN}'])
def test_what_is_nested_deeper_than_a_function_can_walk_is_too_much(levels: int, form: str) -> None:
    """Whatever the version of Python, whose decoders take more or less."""
    deep = "[" * (levels - 1) + "]" * (levels - 1)  # inside of the object
    value, problems = decode((form % deep).encode())
    is_too_much = levels > tolerant.MAX_NESTING
    assert ("limit" in [problem.kind for problem in problems]) is is_too_much
    assert (value is None) is is_too_much


def test_members_of_a_repeated_object_are_not_repeated() -> None:
    (problem,) = decode(b'{"a": {"b": 1}, "a": {"b": 2}}')[1]
    assert problem.pointer == "/a"


def test_what_is_wrong_inside_an_entry_has_its_place() -> None:
    raw = consolidated('"b": {}, "a/b": {"attributes": {"u": 1, "u": 2}}')
    pointer = "/consolidated_metadata/metadata/a~1b/attributes/u"
    for most in (2**40, 1000):  # characters that are walked for positions
        with mock.patch.object(positions, "SCAN_LIMIT", most):
            (problem,) = decode(raw, "zarr.json")[1]
        assert (problem.pointer, problem.detail) == (pointer, {"key": "u", "count": 2})
        assert problem.message == f"{pointer}: key 'u' occurs 2 times"
        assert (problem.line, problem.column) == (
            (None, None) if most == 1000 else (1, LAZY_BYTES + 169)
        )


def test_many_entries_that_repeat_keys_are_not_all_listed() -> None:
    entries = ", ".join(f'"n{n}": {{"a": 1, "a": 2}}' for n in range(3000))
    with mock.patch.object(positions, "SCAN_LIMIT", 0):
        assert len(decode(consolidated(entries))[1]) == decoding.MAX_PROBLEMS


def test_an_entry_alone_can_be_too_much() -> None:
    entry = f'"a": {{"b": "{"x" * LAZY_BYTES}", "c": [{"0, " * 100}0]}}'
    raw = consolidated(f'{entry}, "d": {{}}')
    with mock.patch.object(decoding, "MAX_VALUES", 90):
        value, (problem,) = decode(raw)
    assert value["consolidated_metadata"]["metadata"]["d"] == {}
    assert (problem.kind, problem.pointer) == ("limit", "/consolidated_metadata/metadata/a")
    assert "values and keys; more than 90 are not decoded" in problem.message


def test_a_number_that_python_does_not_convert_is_too_much_in_an_entry_as_well() -> None:
    number = "9" * 4301
    (problem,) = decode(consolidated(f'"a": {{"b": {number}}}'))[1]
    assert problem.kind == "limit"
    value, problems = decode(consolidated(f'"a": {{"b": {number[1:]}}}'))
    assert not problems
    assert value["consolidated_metadata"]["metadata"]["a"] == {"b": int(number[1:])}


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_no_bytes_raise(raw: bytes) -> None:
    value, problems = decode(raw)
    assert isinstance(value, dict) or problems


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.text(max_size=6), JSON, max_size=5), st.sampled_from([None, 2]))
def test_valid_documents_decode_as_python_decodes_them(
    value: dict[str, object], indent: int | None
) -> None:
    raw = json.dumps(value, indent=indent).encode()
    assert decode(raw) == (value, ())


@given(st.dictionaries(st.text(max_size=6), JSON, max_size=5))
def test_every_value_is_found_where_it_stands(value: dict[str, object]) -> None:
    text = json.dumps(value, indent=1)
    places = scan(text)
    for pointer, (start, end) in places.places.items():
        found: object = value
        for part in pointer.split("/")[1:]:
            key = part.replace("~1", "/").replace("~0", "~")
            found = found[int(key)] if isinstance(found, list) else found[key]  # type: ignore[index]
        assert json.loads(text[start:end]) == found


def test_spans_are_lines_and_tokens_are_as_spelled() -> None:
    document = Document("zarr.json", "zarr.json", b'{\n "a": -9999.0,\n "b": [\n  1,\n  2\n ]\n}')
    assert document.token("/a") == "-9999.0"
    span = document.span("/b")
    assert span is not None
    assert (span.first_line, span.last_line) == (3, 6)
    assert document.span("/nothing") is None


def test_an_invalid_escape_in_a_key_has_no_place() -> None:
    document = Document("zarr.json", "zarr.json", rb'{"a\q": 1, "b": 2}')
    assert not document.ok
    assert document.span("/b") is None


@pytest.mark.parametrize(
    ("text", "says", "at"),
    [
        (r'{"a\q": 1}', "the key is not a string", 1),
        ('{"a" 1}', "expected ':'", 5),
        ("{a: 1}", "expected a string", 1),
        ("[1 2]", r"expected ',' or '\]'", 3),
        ("[1,]", "expected a value", 3),
        ("[-Infin]", "expected a value", 1),
        ("{} {}", "text after the end", 3),
        ("[" * (MAX_DEPTH + 2), "nested deeper", MAX_DEPTH + 1),
    ],
)
def test_what_cannot_be_scanned_says_where(text: str, says: str, at: int) -> None:
    with pytest.raises(ScanError, match=says) as caught:
        scan(text)
    assert caught.value.offset == at


def test_control_characters_in_strings_are_read_and_reported() -> None:
    document = Document(".zattrs", ".zattrs", b'{"a": "bell \x07", "b": 1}')
    assert document.value == {"a": "bell \x07", "b": 1}
    assert [(p.kind, p.column) for p in document.problems] == [("syntax", 13)]
    span = document.span("/b")
    assert span is not None
    assert document.token("/b") == "1"
    broken = Document(".zattrs", ".zattrs", b'{"a": "bell \x07", "b": }')
    assert broken.value is None


def test_words_that_netcdf_c_writes_without_quotes_are_text() -> None:
    raw = b'{"a": 01, "b": [+5, .5, 5.], "c": nan, "d": 0x10, "e": TRUE, "f": "01, 02", "g": 1}'
    document = Document(".zattrs", ".zattrs", raw)
    assert document.value == {
        "a": "01",
        "b": ["+5", ".5", "5."],
        "c": "nan",
        "d": "0x10",
        "e": "TRUE",
        "f": "01, 02",
        "g": 1,
    }
    assert [(p.kind, p.column) for p in document.problems] == [("syntax", 8)]
    assert document.token("/a") == "01"
    assert document.token("/b/1") == ".5"
    # elsewhere nobody writes them
    assert Document(".zarray", ".zarray", b'{"shape": [01]}').value is None
    assert Document(".zattrs", ".zattrs", b'{"a": maybe}').value is None


def test_such_words_among_numbers_are_numbers() -> None:
    raw = '{"a": [nan, 1], "b": [2, -inf, 05], "c": [0x10, 1], "d": [nan, "x"], "e": "\ue000"}'
    document = Document(".zattrs", ".zattrs", raw.encode())
    assert document.value == {
        "a": [pytest.approx(math.nan, nan_ok=True), 1],
        "b": [2, -math.inf, 5],
        "c": ["0x10", 1],
        "d": ["nan", "x"],
        "e": "\ue000",
    }


@pytest.mark.parametrize("blank", ["", " ", "\n  "])
@pytest.mark.parametrize("where", ["member", "entry"])
def test_a_repeated_key_is_found_however_a_large_document_is_laid_out(
    blank: str, where: str
) -> None:
    """Its entries are indexed and not decoded; a key that was dropped must not go unseen."""
    filler = ", ".join(f'"n{i}": {{"title": "{"t" * 1000}"}}' for i in range(100))
    again = {"member": f'"zarr_format"{blank}: 2, ', "entry": f'"n5"{blank}: {{}}, '}[where]
    member, entry = (again, "") if where == "member" else ("", again)
    text = (
        f'{{{member}"zarr_format": 3, "node_type": "group", "consolidated_metadata":'
        f' {{"kind": "inline", "must_understand": false, "metadata": {{{entry}{filler}}}}}}}'
    )
    assert len(text) > LAZY_BYTES
    _, problems = decode(text.encode())
    assert [problem.kind for problem in problems] == ["duplicate"]


@pytest.mark.parametrize("last", ['"z": {}', '"z:": {}', '"\\u003a": {}', '"\\u003A": {}'])
def test_a_repeated_key_is_found_where_blanks_or_colons_make_up_for_it(last: str) -> None:
    """A text with a repeated key may be as long as one without, and may hold as many colons."""
    entries = [f'"n{i}": {{"title": "{"t" * 1000}"}}' for i in range(100)]

    def text(*entries: str) -> bytes:
        return (
            '{"zarr_format": 3, "node_type": "group", "consolidated_metadata": {"kind": "inline",'
            f' "must_understand": false, "metadata": {{{", ".join(entries)}}}}}}}'
        ).encode()

    whole = text(*entries, last)
    assert decode(whole)[1] == ()
    again = '"n99": {}'
    missing = len(again) + 2
    short = [entry.replace(": ", ":", 1) for entry in entries[:missing]]
    repeated = text(again, *short, *entries[missing:], last)
    assert len(repeated) == len(whole)
    assert [problem.kind for problem in decode(repeated)[1]] == ["duplicate"]


@pytest.mark.parametrize("colon", ["\\u003a", "\\u003A"])
def test_a_repeated_key_is_found_beside_an_escaped_colon(colon: str) -> None:
    _, problems = decode(f'{{"a": 1, "a": 2, "b": "{colon}"}}'.encode())
    assert [problem.kind for problem in problems] == ["duplicate"]


def test_attributes_of_v2_hold_no_consolidated_entries() -> None:
    held = {"metadata": {"a": {"b": 1}}, "consolidated_metadata": {"metadata": {"c": {}}}}
    raw = json.dumps({**held, "long": "x" * 2 * LAZY_BYTES}).encode()
    value, problems = decode(raw, "g/.zattrs")
    assert json.loads(json.dumps({name: value[name] for name in held})) == held
    assert problems == ()
