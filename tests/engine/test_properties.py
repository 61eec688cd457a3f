"""Whatever is in the store: valid hierarchies have no errors, and nothing makes the checker raise."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import nz_explorer as nz
from nz_explorer.store import SourceError
from tests.corpus.cases import CASES, FaultyStore, contents

GROUP = {"zarr_format": 3, "node_type": "group"}
TYPES = {
    "bool": st.booleans(),
    "int8": st.integers(-128, 127),
    "uint64": st.integers(0, 2**64 - 1),
    "float32": st.one_of(
        st.floats(width=32, allow_nan=False, allow_infinity=False),
        st.sampled_from(["NaN", "-Infinity"]),
    ),
    "float64": st.floats(allow_nan=False, allow_infinity=False),
    "complex64": st.tuples(
        st.floats(width=32, allow_nan=False, allow_infinity=False), st.just("NaN")
    ),
}
NAMES = st.from_regex(r"[A-Za-z][A-Za-z0-9_]{0,6}", fullmatch=True)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)
ATTRIBUTES = st.dictionaries(
    NAMES.map(lambda name: f"a_{name}"),
    st.text(max_size=8)
    | st.integers(-(2**63), 2**63 - 1)
    | st.lists(st.integers(), max_size=3)
    | st.lists(st.text(max_size=3), max_size=3),
    max_size=3,
)


@st.composite
def _arrays(draw: st.DrawFn, lengths: dict[str, int]) -> dict[str, Any]:
    names = draw(st.lists(st.sampled_from(sorted(lengths)), unique=True, max_size=3))
    data_type = draw(st.sampled_from(sorted(TYPES)))
    attributes = draw(ATTRIBUTES)
    if draw(st.booleans()):
        attributes["_FillValue"] = draw(TYPES[data_type])
    fill = {"bool": False, "complex64": [0, 0]}.get(data_type, 0)
    return {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [lengths[name] for name in names],
        "dimension_names": names,
        "data_type": data_type,
        "chunk_grid": {
            "name": "regular",
            "configuration": {"chunk_shape": [max(1, lengths[n]) for n in names]},
        },
        "chunk_key_encoding": {"name": "default"},
        "fill_value": fill,
        "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
        "attributes": attributes,
    }


@st.composite
def _hierarchies(draw: st.DrawFn) -> dict[str, Any]:
    documents: dict[str, Any] = {
        "zarr.json": {
            **GROUP,
            "attributes": {
                **draw(ATTRIBUTES),
                "conventions": draw(st.sampled_from(["NZ-1.0", "CF-1.8 nz-1.0"])),
            },
        }
    }
    for stem in draw(st.sampled_from([[""], ["", "g/"], ["", "g/", "g/h/"]])):
        if stem:
            documents[f"{stem}zarr.json"] = {**GROUP, "attributes": draw(ATTRIBUTES)}
        lengths = draw(
            st.dictionaries(
                NAMES.map(lambda n: f"d_{n}"), st.integers(0, 4), min_size=1, max_size=3
            )
        )
        for name in draw(st.lists(NAMES.map(lambda n: f"v_{n}"), unique_by=str.lower, max_size=3)):
            documents[f"{stem}{name}/zarr.json"] = draw(_arrays(lengths))
    return documents


def _check(documents: dict[str, bytes]) -> nz.Report:
    report = nz.check(FaultyStore(documents, [], listable=True), progress=False)
    crashes = [entry for entry in report.not_evaluated if entry.reason.startswith("internal")]
    assert crashes == []
    return report


@given(_hierarchies())
@settings(max_examples=50, deadline=None)
def test_valid_hierarchies_have_no_errors(documents: dict[str, Any]) -> None:
    report = _check({key: json.dumps(value).encode() for key, value in documents.items()})
    assert [finding for finding in report.findings if finding.severity == "error"] == []
    assert report.conforms == {"NZ-1.0": True, "Zarr v3": True}


BASES = st.sampled_from([contents(case) for case in CASES if not case.get("unreadable")])


@st.composite
def _damaged(draw: st.DrawFn) -> dict[str, bytes]:
    """A store of the corpus in which one document is damaged in some way."""
    documents = dict(draw(BASES))
    key = draw(st.sampled_from(sorted(documents)))
    raw = documents[key]
    start = draw(st.integers(0, len(raw)))
    end = draw(st.integers(start, min(len(raw), start + 30)))
    documents[key] = raw[:start] + draw(st.binary(max_size=12)) + raw[end:]
    return documents


@st.composite
def _mutated(draw: st.DrawFn) -> dict[str, bytes]:
    """A store of the corpus in which members of a document are replaced by any JSON."""
    documents = dict(draw(BASES))
    key = draw(
        st.sampled_from(
            [
                key
                for key in sorted(documents)
                if "zarr.json" in key or "/.z" in key or key.startswith(".z")
            ]
        )
    )
    try:
        document = json.loads(documents[key])
    except (ValueError, RecursionError):  # one of the cases is nested too deeply
        return documents
    if isinstance(document, dict) and document:
        for member in draw(st.lists(st.sampled_from(sorted(document)), min_size=1, max_size=2)):
            document[member] = draw(JSON)
        if isinstance(document.get("attributes"), dict):
            document["attributes"].update(
                draw(st.dictionaries(st.sampled_from(["_FillValue", "conventions", "x"]), JSON))
            )
    documents[key] = json.dumps(document).encode()
    return documents


def _everything(documents: dict[str, bytes]) -> None:
    try:
        report = _check(documents)
    except SourceError:
        return
    text = report.to_json()
    assert text.isascii()
    assert json.loads(text)["schema"] == "nz-explorer/report/1"
    json.dumps(report.to_sarif(), allow_nan=False).encode()
    for form in (report.to_text(), report.to_markdown(), report.to_html()):
        form.encode("utf-8")  # no lone surrogates
        assert "\x1b" not in form
    assert len(report.to_dataframe()) == len(report.findings)


@given(_damaged())
@settings(max_examples=120, deadline=None)
def test_no_bytes_make_it_raise(documents: dict[str, bytes]) -> None:
    _everything(documents)


@given(_mutated())
@settings(max_examples=120, deadline=None)
def test_no_json_makes_it_raise(documents: dict[str, bytes]) -> None:
    _everything(documents)


KEYS = st.builds(
    str.__add__,
    st.sampled_from(["", "a/", "x/", "g/", "g/h/", "zarr.json/", "../", "__x/"]),
    st.sampled_from(["zarr.json", ".zarray", ".zgroup", ".zattrs", ".zmetadata", ".nczarr", "c/0"]),
)
HOSTILE = st.sampled_from(
    [
        b"[" * 100_000,
        b'{"a":' * 3000 + b"1" + b"}" * 3000,
        b'{"attributes": ' + b"[" * 900 + b"]" * 900 + b"}",
        b'{"zarr_format": 3, "node_type": "array", "shape": [' + b"9" * 5000 + b"]}",
        b'{"zarr_format": 3, "node_type": "group", "attributes": {"a": 1e999, "b": -1E+400}}',
        b'{"zarr_format": 3, "node_type": "group", "attributes": {"\\ud800": "\\udfff"}}',
        b'{"zarr_format": 3, "node_type": "group", "attributes": {"a\\u0000": ["'
        + b"x" * 10**6
        + b'"]}}',
        b'{"zarr_format": 3, "node_type": "group", "a": 1' + b', "a": 1' * 5000 + b"}",
        json.dumps({"zarr_format": 2, "shape": [0] * 5000, "dtype": [["f", "<f4"]] * 200}).encode(),
        json.dumps({"metadata": {f"{i}/" * 40 + ".zgroup": {} for i in range(50)}}).encode(),
        "{}".encode("utf-16"),
        b"\x00" * 4096,
    ]
)
"""What nobody writes by mistake: nesting, sizes, numbers and characters beyond all limits."""


@given(BASES, st.dictionaries(KEYS, st.binary(max_size=40) | HOSTILE, min_size=1, max_size=3))
@settings(max_examples=50, deadline=None)
def test_nothing_at_any_key_makes_it_raise(
    documents: dict[str, bytes], hostile: dict[str, bytes]
) -> None:
    _everything({**documents, **hostile})


@given(st.dictionaries(KEYS, HOSTILE | st.just(b'{"zarr_format": 2}'), min_size=1, max_size=4))
@settings(max_examples=25, deadline=None)
def test_nor_if_there_is_nothing_else(documents: dict[str, bytes]) -> None:
    _everything(documents)


DAMAGE: dict[str, list[Any]] = {
    "shape": [None, [-1], [2.5], "x", ...],
    "data_type": [None, 5, "float33", [], ...],
    "codecs": [None, [], "x", [{"name": "zstd"}], [5], ...],
    "chunk_grid": [None, [], {"name": "own"}, {"name": "regular"}, ...],
    "chunk_key_encoding": [
        None,
        {"name": "own"},
        {"name": "default", "configuration": {"separator": "-"}},
        ...,
    ],
    "fill_value": [None, "x", {}, [1, 2, 3], ...],
    "dimension_names": [None, 5, [None], ["a", "b", "c", "d"], ...],
    "node_type": [None, "arrays", ...],
    "zarr_format": [None, 2, "3", True, ...],
    "attributes": [5, [], "x", {"a": ["x", 1]}, {"a/b": 1}],
    "unheard_of": [{}, None, {"must_understand": True}],
}
"""Values that no member of an array may have; an ellipsis removes it."""


DAMAGE_OF_GROUPS: dict[str, list[Any]] = {
    "node_type": [None, "groups", 5, ...],
    "zarr_format": [None, 2, "3", True, 3.5, ...],
    "attributes": [5, [], "x", None, {"a": ["x", 1]}, {"a/b": 1}],
    "unheard_of": [{}, None, {"must_understand": True}],
    "consolidated_metadata": [5, [], {}, {"kind": "inline", "metadata": {}}],
    "shape": [[2]],
}


def _bytes(documents: dict[str, Any]) -> dict[str, bytes]:
    return {key: json.dumps(value).encode() for key, value in documents.items()}


def _damage(data: st.DataObject, document: dict[str, Any], damage: dict[str, list[Any]]) -> None:
    """Change one member of a document in a way that is wrong."""
    member = data.draw(st.sampled_from(sorted(damage)))
    value = data.draw(st.sampled_from(damage[member]))
    if member == "dimension_names" and value == [None] and document["shape"] == []:
        value = None
    if value is ...:
        del document[member]
    else:
        document[member] = value


def _found_at(documents: dict[str, Any], path: str, severities: tuple[str, ...]) -> bool:
    report = _check(_bytes(documents))
    return any(f.path == path and f.severity in severities for f in report.findings)


def _path(key: str) -> str:
    return "/" + key.rpartition("/")[0]


@given(_hierarchies(), st.data())
@settings(max_examples=80, deadline=None)
def test_a_single_corruption_is_found_where_it_is(
    documents: dict[str, Any], data: st.DataObject
) -> None:
    key = data.draw(st.sampled_from(sorted(documents)))
    is_array = documents[key]["node_type"] == "array"
    documents[key] = dict(documents[key])
    _damage(data, documents[key], DAMAGE if is_array else DAMAGE_OF_GROUPS)
    assert _found_at(documents, _path(key), ("error",))


# --- v2 ----------------------------------------------------------------------------------------------

TYPES_V2 = {"bool": "|b1", "int8": "|i1", "uint64": "<u8", "float32": "<f4", "float64": "<f8"}
DAMAGE_V2: dict[str, list[Any]] = {
    "shape": [None, [-1], [2.5], "x", ...],
    "chunks": [None, [0], "x", [2.5], ...],
    "dtype": [None, 5, "<f3", [], ...],
    "zarr_format": [None, 3, "2", True, ...],
    "order": [None, "K", ...],
    "compressor": ["zlib", 5, {}, ...],
    "filters": ["x", [5], ...],
    "fill_value": [...],
}


def _as_v2(documents: dict[str, Any]) -> dict[str, Any]:
    """Return a hierarchy of v3 in the documents of v2."""
    made: dict[str, Any] = {}
    for key, document in documents.items():
        stem = key.removesuffix("zarr.json")
        attributes = dict(document["attributes"])
        if document["node_type"] == "group":
            made[f"{stem}.zgroup"] = {"zarr_format": 2}
        else:
            made[f"{stem}.zarray"] = {
                "zarr_format": 2,
                "shape": document["shape"],
                "chunks": document["chunk_grid"]["configuration"]["chunk_shape"],
                "dtype": TYPES_V2.get(document["data_type"], "<c8"),
                "compressor": None,
                "fill_value": None,
                "order": "C",
                "filters": None,
            }
            attributes["_ARRAY_DIMENSIONS"] = document["dimension_names"]
        made[f"{stem}.zattrs"] = attributes
    return made


@given(_hierarchies().map(_as_v2))
@settings(max_examples=20, deadline=None)
def test_valid_hierarchies_of_v2_have_no_errors(documents: dict[str, Any]) -> None:
    report = _check(_bytes(documents))
    assert [finding for finding in report.findings if finding.severity == "error"] == []
    assert report.conforms == {"NZ-1.0": None, "Zarr v2": True}


_NO_ATTRIBUTES_OF_V2 = (
    [],
    5,
    "x",
    {"conventions": "NZ-1.0", "a": [1, "x"]},
    {"conventions": "NZ-1.0", "a/b": 1},
)


@given(_hierarchies().map(_as_v2), st.data())
@settings(max_examples=50, deadline=None)
def test_a_single_corruption_of_v2_is_found_where_it_is(
    documents: dict[str, Any], data: st.DataObject
) -> None:
    key = data.draw(st.sampled_from(sorted(documents)))
    if key.endswith(".zarray"):
        documents[key] = dict(documents[key])
        _damage(data, documents[key], DAMAGE_V2)
    elif key.endswith(".zgroup"):
        documents[key] = data.draw(st.sampled_from([{}, {"zarr_format": 3}, {"zarr_format": "2"}]))
    else:
        documents[key] = data.draw(st.sampled_from(_NO_ATTRIBUTES_OF_V2))
    assert _found_at(documents, _path(key), ("error", "warning"))


# --- consolidated ------------------------------------------------------------------------------------


def _consolidated(documents: dict[str, Any]) -> dict[str, Any]:
    """Return the hierarchy with the entries of all its nodes."""
    entries = {
        key.removesuffix("/zarr.json"): json.loads(json.dumps(document))
        for key, document in documents.items()
        if key != "zarr.json"
    }
    held = {"kind": "inline", "must_understand": False, "metadata": entries}
    return {**documents, "zarr.json": {**documents["zarr.json"], "consolidated_metadata": held}}


@given(_hierarchies().map(_consolidated))
@settings(max_examples=20, deadline=None)
def test_consolidated_hierarchies_have_no_errors(documents: dict[str, Any]) -> None:
    report = _check(_bytes(documents))
    assert [finding for finding in report.findings if finding.severity == "error"] == []
    assert report.conforms == {"NZ-1.0": True, "Zarr v3": True}


@given(_hierarchies().filter(lambda documents: len(documents) > 1).map(_consolidated), st.data())
@settings(max_examples=40, deadline=None)
def test_a_single_wrong_entry_is_found_where_it_is(
    documents: dict[str, Any], data: st.DataObject
) -> None:
    entries = documents["zarr.json"]["consolidated_metadata"]["metadata"]
    name = data.draw(st.sampled_from(sorted(entries)))
    how = data.draw(st.sampled_from(["changed", "damaged", "missing", "ghost"]))
    path, rule = f"/{name}", "NZ-CONS-002"
    if how == "changed":
        entries[name]["attributes"]["unheard of"] = 1
    elif how == "damaged":
        member = data.draw(st.sampled_from(sorted(entries[name])))
        entries[name][member] = data.draw(
            JSON.filter(lambda v: v != documents[f"{name}/zarr.json"][member])
        )
    elif how == "missing":
        del entries[name]
        rule = "NZ-CONS-003"
    else:
        path, rule = f"{path}_gone", "NZ-CONS-004"
        entries[f"{name}_gone"] = entries[name]
    found = {(f.rule, f.path) for f in _check(_bytes(documents)).findings}
    assert (rule, path) in found or (how == "damaged" and ("Z3-CM-002", "/") in found)
