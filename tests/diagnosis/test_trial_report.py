"""Readers on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import zarr
from click.testing import CliRunner

from nz_explorer import check, diagnosis
from nz_explorer.cli import main
from nz_explorer.diagnosis import Failure, Trial
from nz_explorer.diagnosis.attribution import explain
from nz_explorer.diagnosis.trial_report import lines
from nz_explorer.model import Hierarchy


@pytest.fixture
def pretended(monkeypatch: pytest.MonkeyPatch) -> None:
    """Readers of which one fails and the others are not there; that they really run is tested beside."""

    def try_reader(name: str, hierarchy: Hierarchy, **_: object) -> Trial:
        if name != "zarr-python":
            return Trial(name, "not installed", message="the package is not installed")
        failure = Failure("/analysis/snow", "UnknownCodecError: Unknown codec: \x1b[31m'wavelet9'")
        return Trial(name, "fails", "3.1", 56, [failure])

    monkeypatch.setattr(diagnosis, "try_reader", try_reader)


@pytest.mark.usefixtures("pretended")
def test_failures_come_with_their_rules(broken_store: Path) -> None:
    done = CliRunner().invoke(main, ["readers", str(broken_store)])
    assert done.exit_code == 1, done.output
    assert "zarr-python 3.1: opens 56 nodes, fails at 1" in done.output
    assert "most likely Z3-CODEC-012 at /analysis/snow" in done.output
    assert "\x1b" not in done.output
    done = CliRunner().invoke(main, ["readers", str(broken_store), "--format", "json"])
    first, *others = json.loads(done.output)
    assert first["failures"][0]["rules"] == [{"rule": "Z3-CODEC-012", "path": "/analysis/snow"}]
    assert {one["state"] for one in others} == {"not installed"}


@pytest.mark.usefixtures("pretended")
def test_a_source_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["readers", str(tmp_path / "nowhere")])
    assert (done.exit_code, done.output.count("\n")) == (2, 1)


@pytest.mark.parametrize(
    ("reader", "message", "dtype", "rule"),
    [
        ("netCDF-C", "OSError: [Errno -137] NetCDF: NCZarr error: 'file://s#mode=zarr,file'", "<M8[ns]", "Z2-OGC-004"),
        ("GDAL", "RasterioIOError: Invalid or unsupported format for dtype: <M8[ns]", "<M8[ns]", "Z2-OGC-004"),
        ("GDAL", "RasterioIOError: Invalid or unsupported format for dtype: <M8[ns]", "<f8", ""),
    ],
)  # fmt: skip
def test_what_other_programs_say_is_explained(
    tmp_path: Path, reader: str, message: str, dtype: str, rule: str
) -> None:
    root = zarr.open_group(tmp_path / "s", mode="w", zarr_format=2)
    root.create_array(
        "t", shape=(2,), dtype=dtype, fill_value=None, attributes={"_ARRAY_DIMENSIONS": ["n"]}
    )
    where = [":netCDF4._netCDF4.Dataset.__init__"] if reader == "netCDF-C" else [":open"]
    failure = Failure("/" if reader == "netCDF-C" else "/t", message, ("OSError",), tuple(where))
    evaluation = check(tmp_path / "s", progress=False).evaluation
    assert [one.rule for one in explain(failure, reader, evaluation)] == [rule] * bool(rule)


def test_a_form_that_only_xarray_reads_is_why_a_plain_reader_refuses_it(tmp_path: Path) -> None:
    root = zarr.open_group(tmp_path / "s", mode="w")
    mark = {"_FillValue": "AAAAAAAA+H8="}
    root.create_array("a", shape=(2,), dtype="f4", dimension_names=["n"], attributes=mark)
    report = check(tmp_path / "s", progress=False)
    (found,) = [one for one in report.findings if one.rule == "NZ-FILL-005"]
    failure = Failure("/a", f"ValueError: _FillValue: {found.message}", ("ValueError",))
    assert explain(failure, "plain NZ", report.evaluation) == [found]


def test_what_only_chunks_can_explain_leads_to_the_values(tmp_path: Path) -> None:
    zarr.open_group(tmp_path / "s", mode="w")
    failure = Failure("/", "ValueError: cannot reshape array", during="reading the first chunk")
    trial = Trial("zarr-python", "fails", "3.1", 1, [failure])
    said = {
        values: "\n".join(lines(trial, check(tmp_path / "s", values=values, progress=False).evaluation))
        for values in ("coordinates", "all")
    }  # fmt: skip
    assert "--values all" in said["coordinates"]
    assert "--values all" not in said["all"]
