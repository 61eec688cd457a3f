"""Whatever is in the store: valid hierarchies have no errors, and nothing makes the checker raise."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import nz_explorer as nz
from nz_explorer.store import SourceError
from tests.rules.corpus import CASES, FaultyStore, contents

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
@settings(max_examples=60, deadline=None)
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
@settings(max_examples=150, deadline=None)
def test_no_bytes_make_it_raise(documents: dict[str, bytes]) -> None:
    _everything(documents)


@given(_mutated())
@settings(max_examples=150, deadline=None)
def test_no_json_makes_it_raise(documents: dict[str, bytes]) -> None:
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


@given(_hierarchies(), st.data())
@settings(max_examples=100, deadline=None)
def test_a_single_corruption_is_found_where_it_is(
    documents: dict[str, Any], data: st.DataObject
) -> None:
    arrays = [key for key, value in documents.items() if value["node_type"] == "array"]
    if not arrays:
        return
    key = data.draw(st.sampled_from(arrays))
    member = data.draw(st.sampled_from(sorted(DAMAGE)))
    value = data.draw(st.sampled_from(DAMAGE[member]))
    broken = dict(documents[key])
    if member == "dimension_names" and value == [None] and broken["shape"] == []:
        value = None
    if value is ...:
        del broken[member]
    else:
        broken[member] = value
    documents[key] = broken
    report = _check({key: json.dumps(value).encode() for key, value in documents.items()})
    path = "/" + key.removesuffix("/zarr.json")
    assert any(finding.path == path and finding.severity == "error" for finding in report.findings)
