"""What netCDF-C makes of consolidated metadata, which it uses in one mode of the address only."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import nz_explorer as nz

Entries = dict[str, Any]
USED = "mode=nczarr,file,consolidated"
PURE = "mode=zarr,file,consolidated"


def _array(length: int, reference: str) -> dict[str, Any]:
    return {
        ".zarray": {
            "zarr_format": 2,
            "shape": [length],
            "chunks": [length],
            "dtype": "<i4",
            "order": "C",
            "compressor": None,
            "fill_value": 0,
            "filters": None,
        },
        ".zattrs": {
            "_ARRAY_DIMENSIONS": [reference.rpartition("/")[2]],
            "_nczarr_array": {"dimension_references": [reference], "storage": "chunked"},
            "_nczarr_attr": {"types": {"_nczarr_array": "|J0", "_nczarr_attr": "|J0"}},
        },
    }


def _group(**note: Any) -> dict[str, Any]:
    return {"_nczarr_group": note, "_nczarr_attr": {"types": {"_nczarr_attr": "|J0"}}}


DOCUMENTS: Entries = {
    ".zgroup": {"zarr_format": 2},
    ".zattrs": {
        "_nczarr_superblock": {"version": "2.0.0"},
        **_group(dimensions={"x": 3}, arrays=["x"], groups=["g"]),
    },
    "g/.zgroup": {"zarr_format": 2},
    "g/.zattrs": _group(dimensions={"y": 2}, arrays=["y"], groups=[]),
    **{f"x/{name}": value for name, value in _array(3, "/x").items()},
    **{f"g/y/{name}": value for name, value in _array(2, "/g/y").items()},
}


def _report(
    tmp_path: Path,
    change: Callable[[Entries], Any],
    mode: str,
    otherwise: Callable[[Entries], Any] = lambda _: None,
) -> nz.Report:
    entries, documents = copy.deepcopy(DOCUMENTS), copy.deepcopy(DOCUMENTS)
    change(entries)
    otherwise(documents)
    consolidated = {"zarr_consolidated_format": 1, "metadata": entries}
    for key, value in {**documents, ".zmetadata": consolidated}.items():
        file = tmp_path / key
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(value))
    return nz.check(f"{tmp_path.as_uri()}#{mode}", progress=False)


def _says(report: nz.Report) -> set[str]:
    """Return what is said of netCDF-C by the rules on consolidated metadata."""
    found = (one for one in report.findings if one.rule.startswith("NZ-CONS"))
    return {one.readers["netCDF-C"] for one in found if "netCDF-C" in one.readers}


def _without(*keys: str) -> Callable[[Entries], Any]:
    return lambda entries: [entries.pop(key) for key in keys]


# What netCDF-C 4.10.1 of netCDF4 1.7.5 does with each of these.
STOPPED: list[tuple[Callable[[Entries], Any], str]] = [
    (_without("x/.zarray", "x/.zattrs"), "refuses the dataset: invalid argument"),
    (_without("x/.zarray"), "refuses the dataset: invalid argument"),
    (_without("x/.zattrs"), "refuses the dataset: NCZarr error"),
    (_without("g/.zgroup", "g/.zattrs"), "crashes the process (4.10)"),
    (_without("g/.zgroup"), "crashes the process (4.10)"),
    (_without("g/.zattrs"), "crashes the process (4.10)"),
    (_without(".zgroup"), "crashes the process (4.10)"),
    (lambda e: e.update({".zgroup": "x"}), "refuses the dataset: NCZarr error"),
    (lambda e: e.update({"x/.zattrs": "x"}), "refuses the dataset: invalid argument"),
    (lambda e: e["x/.zattrs"].pop("_nczarr_array"), "refuses the dataset: NCZarr error"),
    (lambda e: e["x/.zarray"].update(shape=[2]), "refuses the dataset: invalid dimension size"),
    (
        lambda e: e[".zattrs"]["_nczarr_group"]["dimensions"].update(x=5),
        "refuses the dataset: invalid dimension size",
    ),
    (
        lambda e: e[".zattrs"]["_nczarr_group"]["arrays"].append("zz"),
        "refuses the dataset: invalid argument",
    ),
    (lambda e: e.clear(), "refuses the dataset: Unknown Error"),
    (
        lambda e: e[".zattrs"]["_nczarr_group"].update(dimensions={"x": "q"}),
        "refuses the dataset: NCZarr error",
    ),
    (
        lambda e: e["x/.zattrs"]["_nczarr_array"].update(dimension_references=["/q"]),
        "crashes the process (4.10)",
    ),
]
READ: list[tuple[Callable[[Entries], Any], str]] = [
    (lambda e: e["x/.zattrs"].update(units="m"), "uses the outdated entry without a warning"),
    (_without(".zattrs"), "uses the outdated entry without a warning"),
    (_without("g/y/.zarray", "g/y/.zattrs", "g/.zgroup", "g/.zattrs"), "does not show the node"),
    (
        lambda e: e["g/.zattrs"].pop("_nczarr_group"),
        "does not see the dimensions of the group, nor anything in it",
    ),
]


@pytest.mark.parametrize(("change", "does"), STOPPED)
def test_what_stops_netcdf(tmp_path: Path, change: Callable[[Entries], Any], does: str) -> None:
    report = _report(tmp_path, change, USED)
    assert does in _says(report)
    assert report.readers["netCDF-C"].opens is False


@pytest.mark.parametrize(("change", "does"), READ)
def test_what_netcdf_reads(tmp_path: Path, change: Callable[[Entries], Any], does: str) -> None:
    report = _report(tmp_path, change, USED)
    assert does in _says(report)
    forecast = report.readers["netCDF-C"]
    assert (forecast.opens, bool(forecast.misled_by)) == (True, True)


@pytest.mark.parametrize("change", [change for change, _ in (*STOPPED, *READ)])
def test_without_the_mode_nothing_is_said(tmp_path: Path, change: Callable[[Entries], Any]) -> None:
    report = _report(tmp_path, change, "mode=nczarr,file")
    assert _says(report) == set()
    assert report.readers["netCDF-C"].opens is True


def test_pure_zarr_lacks_only_what_has_no_entry(tmp_path: Path) -> None:
    report = _report(tmp_path, _without("x/.zarray", "x/.zattrs"), PURE)
    assert _says(report) == {"does not show the node"}
    assert report.readers["netCDF-C"].opens is True


def test_up_to_date(tmp_path: Path) -> None:
    report = _report(tmp_path, lambda _entries: None, USED)
    assert _says(report) == set()
    assert report.readers["netCDF-C"].opens is True


def _ghost(length: int) -> Callable[[Entries], Any]:
    return lambda e: e.update({f"z/{name}": one for name, one in _array(length, "/x").items()})


@pytest.mark.parametrize(
    ("change", "mode", "does"),
    [
        (_ghost(3), PURE, {"shows the node, full of fill values"}),
        (_ghost(5), PURE, {"refuses the dataset: invalid dimension size"}),
        (lambda e: e.update({"z/.zgroup": {"zarr_format": 2}}), PURE, {"shows an empty group"}),
        (_ghost(3), USED, set()),  # netCDF-C goes by its lists, which do not have it
        (_ghost(3), "mode=zarr,file", set()),
    ],
)
def test_an_entry_of_what_is_not_there(
    tmp_path: Path, change: Callable[[Entries], Any], mode: str, does: set[str]
) -> None:
    report = _report(tmp_path, change, mode)
    assert _says(report) == does
    assert report.readers["netCDF-C"].opens is not any(map(_stops, does))


def _stops(does: str) -> bool:
    return does.startswith("refuses")


def test_a_ghost_that_is_listed(tmp_path: Path) -> None:
    def listed(entries: Entries) -> None:
        entries[".zattrs"]["_nczarr_group"]["arrays"].append("z")
        _ghost(3)(entries)

    assert "shows the node, full of fill values" in _says(_report(tmp_path, listed, USED))


# With each of these documents netCDF-C 4.10.1 opens the dataset by the entries, and not without them.
DOCUMENTS_ALONE: list[tuple[str, Callable[[Entries], Any]]] = [
    ("NCZ-VAR-002", lambda e: e["x/.zarray"].update(shape=[5])),
    ("NCZ-VAR-002", lambda e: e[".zattrs"]["_nczarr_group"]["dimensions"].update(x=5)),
    ("NCZ-VAR-006", lambda e: e["x/.zattrs"].pop("_nczarr_array")),
    ("NCZ-GRP-001", lambda e: e[".zattrs"]["_nczarr_group"].update(dimensions={"x": "q"})),
    ("NCZ-GRP-002", lambda e: e[".zattrs"]["_nczarr_group"]["arrays"].append("zz")),
    ("NCZ-GRP-002", lambda e: e[".zattrs"]["_nczarr_group"].update(arrays=[])),
]


@pytest.mark.parametrize(("rule", "change"), DOCUMENTS_ALONE)
def test_what_is_wrong_with_documents_that_it_does_not_read(
    tmp_path: Path, rule: str, change: Callable[[Entries], Any]
) -> None:
    report = _report(tmp_path, lambda _: None, USED, change)
    [finding] = [one for one in report.findings if one.rule == rule]
    assert finding.message.endswith("; netCDF-C sees this only without the consolidated metadata")
    assert (report.readers["netCDF-C"].opens, "netCDF-C" in finding.readers) == (True, False)


@pytest.mark.parametrize(("rule", "change"), DOCUMENTS_ALONE[:1])
def test_what_is_wrong_with_both(
    tmp_path: Path, rule: str, change: Callable[[Entries], Any]
) -> None:
    report = _report(tmp_path, change, USED, change)
    assert rule in report.readers["netCDF-C"].blocked_by
    assert report.readers["netCDF-C"].opens is False


@pytest.mark.parametrize("in_both", [True, False])
def test_a_codec_that_only_the_document_names(tmp_path: Path, *, in_both: bool) -> None:
    def change(entries: Entries) -> None:
        entries["x/.zarray"].update(compressor={"id": "lz4", "acceleration": 1})

    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "0").write_bytes(bytes(12))
    report = _report(tmp_path, change if in_both else lambda _: None, USED, change)
    [finding] = [one for one in report.findings if one.rule == "Z2-CODEC-004"]
    assert ("netCDF-C" in finding.readers) == in_both
