"""Arrays and views that nobody has thought of: values, files, xarray objects, programs and pictures say the same."""

from __future__ import annotations

import csv
import io
import operator
import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
import zarr
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import nz_explorer as nz
from nz_explorer.plots.drawing.view import View
from nz_explorer.values.masks.cell_states import INF, NAN, NEG_INF, VALUE
from nz_explorer.widget.requests.export import drawing

netcdf = pytest.importorskip("netCDF4")
CASES = 50
SHAPE = (2, 3)


@dataclass
class Case:
    """An array, and how it is viewed."""

    values: np.ndarray[Any, Any]
    attributes: dict[str, Any]
    view: dict[str, Any]
    zarr_format: Any

    @property
    def numbers(self) -> np.ndarray[Any, Any]:
        """Stored numbers, as `_Unsigned` means them."""
        unsigned = self.attributes.get("_Unsigned") == "true"
        return self.values.view(f"u{self.values.itemsize}") if unsigned else self.values

    def missing(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """What is missing by the text of the conventions."""
        fill = {"storage": np.zeros((), self.values.dtype)[()], "raw": None}.get(
            self.view.get("mask", "nz"), self.attributes.get("_FillValue")
        )
        gone = np.zeros(SHAPE, bool) if fill is None else self.values == fill
        if self.view.get("mask") == "raw" or self.view.get("cf") is False:
            return np.asarray(gone)
        if "missing_value" in self.attributes:
            gone = gone | (self.values == self.attributes["missing_value"])
        own = self.numbers
        for limit, outside in zip(
            self.attributes.get("valid_range", ()), (operator.lt, operator.gt), strict=False
        ):
            if own.dtype.kind == "f":
                gone = gone | np.isfinite(own) & outside(own, own.dtype.type(limit))
            else:
                gone = gone | outside(own.astype(object), limit).astype(bool)
        return np.asarray(gone)

    def meant(self) -> np.ndarray[Any, Any]:
        """What is meant by stored numbers."""
        scale, offset = (self.attributes.get(name) for name in ("scale_factor", "add_offset"))
        if scale is None or self.view.get("cf") is False:
            return self.numbers
        return self.numbers.astype(float) * scale + offset


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Return an array with attributes, and a view of it."""
    kind = draw(st.sampled_from(["i1", "i2", "i4", "i8", "u1", "u8", "f2", "f4", "f8", "b1"]))
    dtype, attributes = np.dtype(kind), dict[str, Any]()
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        known = [0, 1, 7, 100, int(limits.min), int(limits.max), int(limits.max) - 2]
    elif dtype.kind == "f":
        known = [0.0, -0.0, 0.1, 7.0, 100.0, np.nan, np.inf, -np.inf]
    else:
        known = [False, True]

    def perhaps() -> bool:
        return draw(st.booleans())

    values = np.array(draw(st.lists(st.sampled_from(known), min_size=6, max_size=6)), dtype)
    finite = [one for one in known if np.isfinite(one)]
    if perhaps():
        attributes["_FillValue"] = draw(st.sampled_from(finite))
    if dtype.kind != "b" and perhaps():
        attributes["valid_range"] = sorted(draw(st.tuples(*[st.sampled_from(finite)] * 2)))
    if dtype.kind != "b" and perhaps():
        attributes["missing_value"] = draw(st.sampled_from(finite))
    if dtype.kind == "i" and perhaps():
        attributes |= {"_Unsigned": "true"}
        attributes.pop("valid_range", None)
    elif dtype.kind != "b" and perhaps():
        attributes |= {"scale_factor": draw(st.sampled_from([0.5, -0.1])), "add_offset": 2.0}
    view: dict[str, Any] = {}
    if perhaps():
        view["mask"] = draw(st.sampled_from(["raw", "storage"]))
    if perhaps():
        view["cf"] = False
    if perhaps():
        view |= {"x": "y", "y": "x"}
    return Case(values.reshape(SHAPE), attributes, view, draw(st.sampled_from([2, 3])))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("truth")


@settings(
    max_examples=CASES,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(case=cases())
@example(Case(np.array([[0, 0, 0], [0, 0, 0.1]], "f4"), {"valid_range": [0.0, 0.1]}, {}, 2))
@example(
    Case(
        np.array([[0, 0, 0], [0, 0, 1]], "u1"),
        {"valid_range": [0, 1], "scale_factor": 0.5, "add_offset": 2.0},
        {"mask": "storage"},
        2,
    )
)
def test_all_ways_out_lead_to_the_same_values(folder: Path, case: Case) -> None:
    with tempfile.TemporaryDirectory(dir=folder) as place, warnings.catch_warnings():
        # of integers that are rounded, fill values that xarray has twice
        warnings.simplefilter("ignore")
        store = Path(place) / "s.zarr"
        group = zarr.create_group(store, zarr_format=case.zarr_format)
        named = {"dimension_names": ("y", "x")} if case.zarr_format == 3 else {}
        whole = {"write_empty_chunks": True}  # statistics leave out what was never written
        array = group.create_array("v", data=case.values, fill_value=0, config=whole, **named)
        old = {"_ARRAY_DIMENSIONS": ["y", "x"]} if case.zarr_format == 2 else {}
        array.attrs.update({**old, **case.attributes})
        ex = nz.explore(store, path="/v")
        try:
            ex.view = case.view
            compare(ex, case, Path(place))
        finally:
            ex.close()
            plt.close("all")


def compare(ex: nz.Explorer, case: Case, place: Path) -> None:
    gone, wanted = case.missing(), case.meant()
    if "x" in case.view:
        gone, wanted = gone.T, wanted.T
    values = ex.values()
    assert np.ma.getmaskarray(values).tolist() == gone.tolist()
    assert values.dtype == wanted.dtype
    here = wanted[~gone]

    def same(found: Any, what: str, *, rounded: bool = False) -> None:
        """Ask that what is not missing is the same to the last digit, or to the nearest float64."""
        there = here.astype(np.float64) if rounded else here
        np.testing.assert_array_equal(np.asarray(found)[~gone], there, what, strict=False)

    same(values.data, "values")
    rounded = bool(gone.any())
    for what, plain in (
        ("xarray", ex.to_xarray(shown=True).values),
        ("npy", np.load(ex.export(place / "a.npy"))),
    ):
        same(plain, what, rounded=rounded)
        assert np.isnan(plain[gone].astype(float)).all(), what
    rows = list(csv.reader(io.StringIO(ex.export(place / "a.csv").read_text(), newline="")))
    cells = np.array([row[1:] for row in rows[1:]], object)
    assert (cells[gone] == "").all()
    assert cells[~gone].tolist() == [str(one) for one in here]
    if case.view.get("cf", True) or "scale_factor" not in case.attributes:
        in_netcdf(ex.export(place / "a.nc"), gone, here)
    for using in ("zarr", "xarray"):
        names: dict[str, Any] = {}
        exec(compile(ex.code(using=using), "program", "exec"), names)  # type: ignore[arg-type]
        assert np.ma.getmaskarray(names["values"]).tolist() == gone.tolist(), using
        same(np.ma.getdata(names["values"]), using)
        if "ex" in names:
            names["ex"].close()
    look = ex._look()
    if look.values is not None and np.abs(case.numbers.astype(float)).max() < 2**53:
        drawn = View.of(drawing(ex.view), ("mask", "decoded"))
        shown = np.isin(drawn.states(look), (VALUE, NAN, INF, NEG_INF))
        assert shown.tolist() == (~gone).tolist()
        same(drawn.values(look), "picture")
    scan = nz.scan(ex.node)
    ex.view = {}
    there = case.numbers[~Case(case.values, case.attributes, {}, 2).missing()]
    there = there[np.isfinite(there)]
    assert scan.count == there.size
    if there.size:
        assert (scan.minimum, scan.maximum) == (there.min(), there.max())


def in_netcdf(file: Path, gone: Any, here: Any) -> None:
    """Ask that a netCDF file, read as its attributes say, holds the same; packed numbers to the last digit but one."""
    with netcdf.Dataset(file) as opened:
        variable = opened["v"]
        variable.set_auto_maskandscale(False)
        found, said = variable[:], variable.__dict__
    lost = np.isnan(found) if found.dtype.kind == "f" else np.zeros(SHAPE, bool).reshape(gone.shape)
    for name in {"_FillValue", "missing_value"} & said.keys():
        lost |= found == said[name]
    if "_Unsigned" in said:
        found = found.view(f"u{found.itemsize}")
    if "valid_range" in said:
        low, high = said["valid_range"]
        lost |= np.isfinite(found.astype(float)) & ((found < low) | (found > high))
    numbers = found.astype(float) * said.get("scale_factor", 1) + said.get("add_offset", 0)
    nan = np.isnan(here.astype(float))
    assert lost[gone].all()
    assert lost[~gone].tolist() == nan.tolist()
    there, wanted = numbers[~gone][~nan], here[~nan]  # a NaN may be written as what is missing
    np.testing.assert_allclose(there, wanted.astype(float), rtol=1e-12)
