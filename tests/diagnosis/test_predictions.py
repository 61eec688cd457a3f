"""What is said of readers beforehand is what they do: predictions from the rules, and the readers themselves."""

from __future__ import annotations

import faulthandler
import io
import json
import logging
import os
import tempfile
import warnings
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import zarr

from nz_explorer.conventions import rules
from nz_explorer.diagnosis.attribution import explain
from nz_explorer.diagnosis.impact import Forecast
from nz_explorer.diagnosis.probes import PROBES
from nz_explorer.diagnosis.probes.answers import Answers, Asked
from nz_explorer.diagnosis.trial import Failure
from nz_explorer.diagnosis.trial_process import attempt
from nz_explorer.model import Group
from nz_explorer.report.check import check
from nz_explorer.report.report import Report
from tests.corpus.cases import BASES, CASES, contents, write
from tests.field.case import cases
from tests.versions import OLDEST, SINCE_3_2, SINCE_3_3, SINCE_3_4, SINCE_3_4_1

READERS = ("zarr-python", "xarray")
PARTS = 8
"""The cases are run in so many tests, which may run side by side."""

ALONE = ("zarr-python",)
NEWER: tuple[tuple[str, bool, dict[str, tuple[str, ...]]], ...] = (
    (
        "3.2",
        SINCE_3_2,
        {"Z3-GRID-001: a number for one dimension, which zarr-python takes before 3.2": READERS},
    ),
    (
        "3.3",
        SINCE_3_3,
        {
            "JSON-006: near miss: .zattrs of v2 is another rule's": ALONE,
            "NCZ-VAR-006: near miss: what an array has in attributes that are a list is not known": ALONE,
            "NZ-CONS-002: v2: a document as text in its entry, which readers stop at": ALONE,
            "Z2-ATT-001: null": ALONE,
            "Z2-ATT-001: null of a group, which netCDF-C does not pass over": READERS,
            "Z2-ATT-001: null of the root, which netCDF-C refuses": READERS,
            "Z3-CODEC-004: no end": READERS,
            "Z3-CODEC-004: big-endian beside the name is what is meant": READERS,
            "Z3-CODEC-004: no end in the chunks of a shard, which zarr-python refuses since 3.3": READERS,
            "Z3-DOC-006: a text as attributes of an array, which zarr-python passes over before 3.3": ALONE,
            "Z3-EXT-003: big-endian beside the name of the codec, where readers take little": READERS,
        },
    ),
    (
        "3.4",
        SINCE_3_4,
        dict.fromkeys(
            (
                "NZ-SCHEMA-001: the schema takes 3.0 for the format",
                "Z2-GRP-002: a float in the root",
                "Z3-CODEC-005: true",
                "Z3-CODEC-006: null for shuffle, which zarr-python takes, and true for typesize, which it takes before 3.4",
                "Z3-CODEC-008: a shard inside of a shard does not divide it",
                "Z3-CODEC-011: true, which zarr-python takes for 1 before 3.4",
                "Z3-DOC-001: a float",
                "Z3-DOC-001: a float in a group, which zarr-python takes before 3.4",
                "Z3-ST-001: an empty text, which zarr-python takes before 3.4",
            ),
            READERS,
        ),
    ),
    ("3.4.1", SINCE_3_4_1, {"Z3-CODEC-008: an index in shards, whose size varies": READERS}),
)
"""Versions since which zarr-python fails at something, cases of it, and the readers that read them before."""

EXPLAINED = {
    **{
        f"{reader}: {case}": why
        for reader in READERS
        for case, why in {
            "Z3-CODEC-008: the transposed shard is not divided": "zarr-python divides before it transposes",
        }.items()
    },
    **{
        f"{reader}: {case}": f"zarr-python does so since {version}"
        for version, is_newer, newer in NEWER
        for case, readers in newer.items()
        for reader in (() if is_newer else readers)
    },
    **(
        {
            f"{reader}: {case}": "zarr-python has the type since 3.2"
            for reader in READERS
            for case in (
                "NZ-TYPE-001: a struct",
                "Z3-FV-007: a struct without a field",
                "Z3-FV-007: a struct with a field too many",
                "Z3-FV-007: a wrong field of a struct",
                "Z3-FV-007: an integer with a fraction in a struct",
                "Z3-FV-007: near miss: a struct",
            )
        }
        | {
            f"{reader}: Z3-EXT-003: a setting of a regular grid": "zarr-python passes over it since 3.2"
            for reader in READERS
        }
        | {
            f"{reader}: NZ-PACK-002: {case}": "zarr-python has the codec since 3.2"
            for reader in READERS
            for case in ("both", "near miss: the codec")
        }
        if SINCE_3_2
        else {}
    ),
    **(
        {
            f"{reader}: {case}": "zarr-python opens it since 3.4.1"
            for reader in READERS
            for case in (
                "Z2-DT-003: fields of a field",
                "printed in Zarr v2, Data type encoding, nested",
            )
        }
        if SINCE_3_4_1
        else {}
    ),
    **(
        {f"{reader}: Z3-KEY-001: another separator": "not looked at" for reader in READERS}
        if OLDEST
        else {}
    ),
    **{
        f"xarray: {case}, which xarray refuses": "values are handed out, and load() and compute() fail"
        for case in (
            "NZ-TYPE-001: dates in multiples of a unit",
            "Z2-OGC-004: durations in multiples of a unit",
        )
    },
    "xarray: Z2-DT-002: a duration without unit, which zarr-python reads as a number": "load() and compute() fail, too",
    "zarr-python: Z3-CM-002: the key of a document is not another node": "it ignores the entry; xarray does not",
}
"""Cases in which a reader does something else than is said of it, and why that is so."""
BY_CHANCE = {"netCDF-C: Z2-ARR-006: too few"}
"""It reads memory that is not its own: it fails, or not."""


def chosen() -> list[dict[str, Any]]:
    """Return a failure and a near miss of every rule that readers mind, and one case of some others.

    Running all of them takes minutes; ``python tests/diagnosis/test_predictions.py`` does. A rule's own cases come before
    examples of texts, which are about more than it.
    """
    minded = {info.id for info in rules().values() if info.impact in ("blocks", "values")}
    found: dict[tuple[str, bool], dict[str, Any]] = {}
    for case in sorted(possible(), key=lambda case: case["name"].startswith("printed in ")):
        rule, near_miss = case["rule"], "near miss" in case["name"]
        if rule in minded or (not near_miss and zlib.crc32(rule.encode()) % 4 == 0):
            found.setdefault((rule, near_miss), case)
    return list(found.values())


def possible() -> Iterator[dict[str, Any]]:
    """Yield the cases that a folder can hold."""
    for case in CASES:
        plain = not {"unreadable", "listable", "served", "fragment"} & set(case)
        if plain and contents(case):
            yield case


def outcome(reader: str, place: Path, report: Report) -> list[Failure]:
    """Return where a reader fails in a store, in this process: what it does is the same, and it starts at once."""
    groups: list[str] = []
    arrays: list[str] = []
    hierarchy = report.evaluation.hierarchy
    for node in hierarchy.stored.walk("/"):
        shown = hierarchy.get(node.path) or node  # an entry may tell what a document does not
        (groups if isinstance(shown, Group) else arrays).append(node.path)
    stream = io.StringIO()
    modes = ["nczarr"] if "NCZarr" in report.conforms else []
    asked = Asked(str(place), groups, arrays, modes=modes, zarr_format=report.zarr_format)
    if reader == "netCDF-C":
        text = _in_a_process_of_its_own(asked)
        if text is None:
            return [Failure("/", "it crashed", (), (), "")]
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            attempt(PROBES[reader], asked, Answers(stream, str(place)))
        text = stream.getvalue()
    said = map(json.loads, text.splitlines())
    return [
        Failure(one["path"], one["error"], tuple(one["kind"]), tuple(one["where"]), one["during"])
        for one in said
        if "error" in one
    ]


def _in_a_process_of_its_own(asked: Asked) -> str | None:
    """Return the answers of netCDF-C, None where it crashed: it ends the process on some stores."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as stream:
        child = os.fork()
        if child == 0:  # pragma: no cover
            faulthandler.disable()
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            try:
                attempt(PROBES["netCDF-C"], asked, Answers(stream, asked.location))
                stream.flush()
            finally:
                os._exit(0)
        crashed = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        stream.seek(0)
        return None if crashed else stream.read()


def differs(forecast: Forecast, failures: list[Failure]) -> str:
    """Return how what a reader does differs from what was predicted; empty where it does not."""
    if failures and not forecast.is_affected:
        return f"fails at {failures[0].path}: {failures[0].message}"
    if not failures and forecast.opens is False:
        return f"reads all of it, in spite of {', '.join(forecast.blocked_by)}"
    return ""


def differences(
    cases: Iterator[dict[str, Any]] | list[dict[str, Any]], folder: Path
) -> dict[str, str]:
    """Return by case and reader how predictions and outcomes differ, and causes that are wrong."""
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)
    found = {}
    for number, case in enumerate(cases):
        place = write(contents(case), folder / str(number))
        try:
            report = check(place, values="all", progress=False)
        except ValueError as error:
            found[f"check: {case['name']}"] = str(error)
            continue
        for reader, forecast in report.readers.items():
            if reader in READERS or (reader == "netCDF-C" and report.zarr_format == 2):
                failures = outcome(reader, place, report)
                if what := differs(forecast, failures):
                    found[f"{reader}: {case['name']}"] = what
                for failure in failures if reader in READERS else ():
                    causes = explain(failure, reader, report.evaluation)
                    if any(reader not in one.readers and one.impact == "advice" for one in causes):
                        found[f"{reader} because: {case['name']}"] = causes[0].rule
        report.evaluation.hierarchy.close()
    return found


@pytest.mark.parametrize("part", range(PARTS))
def test_readers_do_what_is_said_of_them(tmp_path: Path, part: int) -> None:
    found = differences(chosen()[part::PARTS], tmp_path)
    assert {
        name: what for name, what in found.items() if name not in (*EXPLAINED, *BY_CHANCE)
    } == {}


def test_readers_do_what_is_said_of_nodes_that_they_do_not_see(tmp_path: Path) -> None:
    names = (
        "TREE-002: v2: an array in a folder",
        "TREE-005: an array of v2 in zarr.json",
        "TREE-005: what else is wrong with a node that readers do not see does not hurt them",
        "Z2-GRP-002: the document of an array under the name of a group's",
        "TREE-013: a folder that is called .zarray, with the document in it",
    )
    cases = [case for case in CASES if case["name"] in names]
    assert len(cases) == len(names)
    assert differences(cases, tmp_path) == {}


def test_what_is_explained_is_still_so(tmp_path: Path) -> None:
    names = {name.partition(": ")[2] for name in EXPLAINED}
    cases = [case for case in CASES if case["name"] in names]
    assert set(differences(cases, tmp_path)) >= set(EXPLAINED)
    assert len(cases) == len(names)


@pytest.mark.filterwarnings("ignore:.*The stored chunk shape")  # zarr since 3.4, before it fails
@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("Z2-ARR-006: zero", (ZeroDivisionError, ValueError)),
        ("Z2-ARR-006: false, as a length of 0", (ZeroDivisionError, ValueError)),
        ("Z2-DT-003: two fields of one name", (ValueError, TypeError)),
    ],
)
def test_what_zarr_python_may_open_is_said_to_fail_when_it_is_read(
    tmp_path: Path, name: str, error: tuple[type[Exception], ...]
) -> None:
    (case,) = (case for case in CASES if case["name"] == name)
    place = write(contents(case), tmp_path / "store")
    report = check(place, select=[case["rule"]], progress=False)
    (finding,) = report.findings
    for key in ("0", "0.0"):  # zarr 3.4 shows the fill value where nothing is stored
        (place / "a" / key).write_bytes(bytes(24))
    with pytest.raises(error):
        zarr.open_group(place, mode="r", zarr_format=2)["a"][...]
    assert finding.impact == "blocks"
    assert "at the latest when it reads" in finding.readers["zarr-python"]


@pytest.mark.parametrize("name", ["scale_is_a_list", "fill_value_not_written", "plain_zarr"])
def test_the_cause_of_a_reported_failure_is_named(tmp_path: Path, name: str) -> None:
    case = next(case for case in cases() if case.name == name)
    report = check(case.make(tmp_path), progress=False)
    (failure,) = outcome("xarray", tmp_path, report)
    assert [one.rule for one in explain(failure, "xarray", report.evaluation)] == [case.rule]


_V2 = {
    "zarr_format": 2, "shape": [2], "chunks": [2], "dtype": "<f8", "compressor": None, "filters": None,
    "fill_value": 0, "order": "C",
}  # fmt: skip


@pytest.mark.parametrize(
    ("rule", "base", "key", "changes"),
    [
        ("Z2-ARR-002", "v2", "a/.zarray", {"dtype": None}),
        ("Z3-DT-003", "plain", "a/zarr.json", {"data_type": {"name": "bfloat16", "must_understand": True}}),
        ("NZ-FILL-002", "plain", "a/zarr.json", {"attributes": {"_FillValue": "AADAfw=="}}),
        ("Z3-EXT-002", "plain", "a/zarr.json", {"chunk_key_encoding": {"name": "default", "configuration": []}}),
    ],
)  # fmt: skip
def test_the_cause_is_named_for_whatever_a_reader_says(
    tmp_path: Path, rule: str, base: str, key: str, changes: dict[str, Any]
) -> None:
    document = (_V2 if base == "v2" else BASES[base][key]["json"]) | changes
    document = {
        member: value for member, value in document.items() if changes.get(member, 0) is not None
    }
    place = write(contents({"base": base, "documents": {key: {"json": document}}}), tmp_path)
    report = check(place, progress=False)
    failed = 0
    for reader in READERS:
        for failure in outcome(reader, place, report):
            failed += 1
            causes = [one.rule for one in explain(failure, reader, report.evaluation)]
            assert rule in causes, (reader, failure.message)
    assert failed


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        for name, what in differences(possible(), Path(folder)).items():
            if name not in EXPLAINED:
                print(f"{name}: {what}")


@pytest.mark.parametrize(
    ("shape", "names", "error"),
    [
        ([2.0, 3], ["y", "x"], "TypeError"),
        ([-2, 3], ["y", "x"], "ValueError"),
        ([2, 3], ["y"], "ValueError"),
        ([2, 3], ["y", 1], "TypeError"),
        ([2, 3], 5, "TypeError"),
    ],
)
def test_what_zarr_python_raises_is_said_of_the_case_and_not_of_all_there_are(
    tmp_path: Path, shape: list[Any], names: Any, error: str
) -> None:
    import zarr

    document = {**BASES["plain"]["a/zarr.json"]["json"], "shape": shape, "dimension_names": names}
    place = write(
        contents({"base": "plain", "documents": {"a/zarr.json": {"json": document}}}), tmp_path
    )
    found = [
        finding.readers["zarr-python"]
        for finding in check(place, select=["Z3-SHAPE", "Z3-DIM-001"], progress=False).findings
    ]
    assert found == [f"raises {error}"]
    with pytest.raises((TypeError, ValueError)) as raised:
        zarr.open_array(place / "a", mode="r")
    assert raised.type.__name__ == error


@pytest.mark.filterwarnings("ignore")  # since 3.4 zarr-python says first what it makes of them
@pytest.mark.parametrize(
    "name",
    [
        "Z3-CODEC-005: a level that is a text",
        "Z3-CODEC-008: a shard of chunks without elements",
        "Z3-CODEC-012: a codec without a name",
        "Z3-CODEC-012: a name of a draft",
        "Z3-CODEC-012: null for a codec",
        "Z3-DT-001: a time without a factor",
        "Z3-EXT-003: a setting of dates that there is not",
        "Z3-FV-003: bits of an integer",
        "Z3-FV-003: a text beyond the type",
        "Z3-GRID-001: false beside a length, at which zarr-python divides by zero",
    ],
)
def test_zarr_python_raises_one_of_the_errors_that_are_named(tmp_path: Path, name: str) -> None:
    (case,) = (case for case in CASES if case["name"] == name)
    place = write(contents(case), tmp_path)
    (place / "a" / "c" / "0").mkdir(parents=True)
    (place / "a" / "c" / "0" / "0").write_bytes(bytes(24))  # some fail when they read
    (finding, *_) = check(place, select=[case["rule"]], progress=False).findings
    with pytest.raises(Exception) as raised:  # noqa: PT011  # of which kind is what is tested
        zarr.open_array(place / finding.path[1:], mode="r", zarr_format=3)[...]
    said = finding.readers["zarr-python"]
    assert any(kind.__name__ in said for kind in raised.type.__mro__ if kind is not Exception), said


@pytest.mark.parametrize(
    ("name", "reader"),
    [
        ("TREE-018: a categorical without its categories", "spatialdata"),
        ("TREE-018: shapes of SpatialData without their version", "anndata"),
        ("Z3-CM-003: on an array", "zarr-python"),
    ],
)
def test_nothing_is_said_of_readers_that_do_not_mind(
    tmp_path: Path, name: str, reader: str
) -> None:
    (case,) = (case for case in CASES if case["name"] == name)
    report = check(write(contents(case), tmp_path), select=[case["rule"]], progress=False)
    assert [reader in finding.readers for finding in report.findings] == [False]
