"""However numbers leave the explorer they are the same: in Python, for xarray, in files, in programs, in the browser."""

from __future__ import annotations

import csv
import io
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr

import nz_explorer as nz
from nz_explorer.widget.picture_messages import picture

Explore = Callable[..., nz.Explorer]


@pytest.fixture
def explore(tmp_path: Path) -> Iterator[Explore]:
    """Return what explores an array of given values."""
    opened = []

    def one(values: Any, dtype: Any = None, **attributes: Any) -> nz.Explorer:
        values = np.asarray(values)
        group = zarr.create_group(tmp_path / f"{len(opened)}.zarr")
        names = ("y", "x")[2 - values.ndim :]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of types that are no part of the specification
            array = group.create_array(
                "v", shape=values.shape, dtype=dtype or values.dtype, dimension_names=names
            )
            array[...] = values
            array.attrs.update(attributes)
            opened.append(nz.explore(tmp_path / f"{len(opened)}.zarr", path="/v"))
        return opened[-1]

    yield one
    for ex in opened:
        ex.close()


def table(ex: nz.Explorer, tmp_path: Path) -> list[list[str]]:
    """Return the rows of a table as any reader of such files has them."""
    text = ex.export(tmp_path / "a.csv").read_bytes().decode()
    return list(csv.reader(io.StringIO(text, newline="")))


TEXTS = ["a,b", 'q"q', "new\nline", "cr\rcr", "ü€", ""]


@pytest.mark.filterwarnings("ignore::zarr.errors.UnstableSpecificationWarning")
@pytest.mark.parametrize(
    ("values", "cells"),
    [
        (np.array([0.1, 1e20, np.nan, -np.inf], "f4"), ["0.1", "1e+20", "nan", "-inf"]),
        (np.array([0.1, -2.5], "f2"), ["0.1", "-2.5"]),
        (np.array([0.1 + 0.2], "f8"), ["0.30000000000000004"]),
        (np.array([0.1 + 2j], "c8"), ["(0.1+2j)"]),
        (np.array([2**63 - 1, -(2**63)], "i8"), ["9223372036854775807", "-9223372036854775808"]),
        (np.array([2**64 - 1], "u8"), ["18446744073709551615"]),
        (np.array([True, False]), ["True", "False"]),
        (np.array(TEXTS), TEXTS),
        (np.array([text.encode() for text in TEXTS] + [b"\xff"]), [*TEXTS, "b'\\xff'"]),
        (np.array([90, "NaT"], "m8[s]"), ["90", ""]),
        (np.array([90, "NaT"], "M8[s]"), ["1970-01-01T00:01:30", ""]),
        (np.datetime64("2001-02-03", "s"), ["2001-02-03T00:00:00"]),
        (np.array([(1, 0.5)], [("a", "i4"), ("b", "f8")]), ["(1, 0.5)"]),
        (np.zeros((0, 3)), []),
    ],
    ids=lambda one: str(one.dtype) if hasattr(one, "dtype") else "",
)
def test_cells_of_a_table_are_values_in_all_their_digits(
    explore: Explore, tmp_path: Path, values: Any, cells: list[str]
) -> None:
    head, *rows = table(explore(values), tmp_path)
    assert [row[-1] for row in rows] == cells
    assert head[-1] == ("v (s)" if values.dtype.kind == "m" else "v")


def test_texts_of_any_length_are_what_a_table_has(explore: Explore, tmp_path: Path) -> None:
    ex = explore([*TEXTS, "gone"], str, _FillValue="gone")
    assert [row[1] for row in table(ex, tmp_path)[1:]] == [*TEXTS, ""]


@pytest.mark.parametrize(
    ("values", "limits", "gone"),
    [
        (np.array([0.1, 0.7, 0.8], "f2"), [0.1, 0.7], [False, False, True]),
        (np.array([0.1, 0.7, 0.8], "f4"), [0.1, 0.7], [False, False, True]),
        (np.array([1, 6e4], "f2"), [0, 1e9], [False, False]),
        (np.array([2**63 - 1, 2**63 - 2], "i8"), [0, 2**63 - 2], [True, False]),
        (np.array([2**64 - 1, 2**64 - 2], "u8"), [0, 2**64 - 2], [True, False]),
        (np.array([0, 200], "u1"), [-5, 2**70], [False, False]),
    ],
    ids=lambda one: str(one.dtype) if hasattr(one, "dtype") else "",
)
def test_limits_of_a_valid_range_are_values_of_the_array(
    explore: Explore, values: Any, limits: list[float], gone: list[bool]
) -> None:
    ex = explore(values, valid_range=limits)
    assert np.ma.getmaskarray(ex.values()).tolist() == gone
    names: dict[str, Any] = {}
    exec(ex.code().partition("plt.")[0], names)
    assert np.ma.getmaskarray(names["values"]).tolist() == gone
    look, _ = picture(ex._look())
    if values.dtype.kind == "f":  # the browser, too, has these very numbers
        low, high = (look.valid_low, np.inf if look.valid_high is None else look.valid_high)
        assert (~((values >= low) & (values <= high))).tolist() == gone
