"""Advice that no patch can follow: the code in it runs as it stands, and the finding is gone then."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import xarray as xr
import zarr

import nz_explorer as nz


def _found(source: Path, rule: str) -> list[nz.Finding]:
    report = nz.check(source, select=[rule], progress=False)
    return [finding for finding in report.findings if finding.rule == rule]


def _advice(source: Path, rule: str) -> str:
    (finding,) = _found(source, rule)
    assert finding.fix is not None
    assert finding.fix.safety == "suggest"
    assert finding.fix.patch == ()
    return str(finding.fix.note)


@pytest.mark.parametrize("name", ["depth", "depth of water"])
def test_missing_values_of_a_coordinate_are_left_out(name: str, tmp_path: Path) -> None:
    given = xr.Dataset({"t": (name, np.arange(3.0))}, {name: [0.0, np.nan, 20.0]})
    given.to_zarr(tmp_path / "gap.zarr", consolidated=False)
    advice = _advice(tmp_path / "gap.zarr", "NZ-COORD-003")
    assert "write the values that are missing, if they are known" in advice
    ds = xr.open_zarr(tmp_path / "gap.zarr", consolidated=False)
    left = eval(advice.rpartition("missing values: ")[2], {"ds": ds})
    left.to_zarr(tmp_path / "whole.zarr", consolidated=False)
    assert xr.open_zarr(tmp_path / "whole.zarr", consolidated=False)["t"].values.tolist() == [
        0.0,
        2.0,
    ]
    assert _found(tmp_path / "whole.zarr", "NZ-COORD-003") == []


@pytest.mark.parametrize("path", ["height", "model/height"])
def test_a_value_of_a_scalar_is_written(path: str, tmp_path: Path) -> None:
    store = tmp_path / "s.zarr"
    zarr.open_group(store, mode="w").create_array(path, shape=(), dtype="f4", fill_value=0)
    steps = _advice(store, "NZ-SCAL-003").partition("write it: ")[2]
    exec(steps, {"zarr": zarr, "store": store, "VALUE": 2.0})
    assert _found(store, "NZ-SCAL-003") == []
    assert zarr.open_group(store)[path][()] == 2.0  # type: ignore[index]


@pytest.mark.parametrize(
    ("kind", "mark", "safety"),
    [("int64", -(2**63), None), ("int64", -1, "unsafe"), ("float32", "NaN", "unsafe")],
)
def test_the_mark_of_missing_times_is_not_offered_to_be_taken_away(
    kind: str, mark: object, safety: str | None, tmp_path: Path
) -> None:
    group = zarr.open_group(tmp_path / "t.zarr", mode="w")
    attributes = {"units": "hours since 2000-01-01", "_FillValue": mark}
    time = group.create_array(
        "time", shape=(2,), dtype=kind, dimension_names=["time"], attributes=attributes
    )
    time[...] = [0, 1]
    (finding,) = _found(tmp_path / "t.zarr", "NZ-FILL-012")
    assert (None if finding.fix is None else finding.fix.safety) == safety
    assert finding.fix is None or "only if none of its values is missing" in str(finding.fix.note)


@pytest.mark.parametrize(
    "attributes",
    [
        '{"spatial:bbox": [NaN, 0, 10, 8]}',
        '{"multiscales": {"layout": [{"id": "a", "cell_size": NaN}]}}',
        '{"scale_factor": Infinity}',
        '{"proj:projjson": {"ellipsoid": {"semi_major_axis": NaN}}}',
    ],
)
def test_no_text_is_put_where_a_number_is_wanted(attributes: str, tmp_path: Path) -> None:
    (tmp_path / "zarr.json").write_text(
        f'{{"zarr_format": 3, "node_type": "group", "attributes": {attributes}}}'
    )
    (found,) = (one for one in nz.check(tmp_path).findings if one.rule == "JSON-003")
    (fix,) = found.fixes
    assert not fix.patch
    assert fix.note is not None
    assert "a number is wanted here" in fix.note


@pytest.mark.parametrize("attributes", ['{"limit": NaN}', '{"spatial:note": NaN}'])
def test_elsewhere_it_may_become_a_text(attributes: str, tmp_path: Path) -> None:
    (tmp_path / "zarr.json").write_text(
        f'{{"zarr_format": 3, "node_type": "group", "attributes": {attributes}}}'
    )
    (found,) = (one for one in nz.check(tmp_path).findings if one.rule == "JSON-003")
    assert [operation["value"] for operation in found.fixes[0].patch] == ["NaN"]
