"""``nz-explorer check`` and ``explain``: output, exit codes, and what a user sees when a source is none."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from nz_explorer.cli import main
from nz_explorer.conventions import rules
from tests.corpus.cases import contents, write

Run = Callable[..., Result]


@pytest.fixture
def run() -> Run:
    return lambda *args: CliRunner().invoke(main, [str(arg) for arg in args])


@pytest.fixture
def good(tmp_path: Path) -> Path:
    return write(contents({"base": "plain"}), tmp_path / "good")


@pytest.fixture
def bad(good: Path, tmp_path: Path) -> Path:
    documents = contents({"base": "plain"})
    a = json.loads(documents["a/zarr.json"])
    a["dimension_names"] = ["y", None]
    return write({**documents, "a/zarr.json": json.dumps(a).encode()}, tmp_path / "bad")


@pytest.fixture
def mild(tmp_path: Path) -> Path:
    documents = contents({"base": "plain"})
    return write({**documents, "2m/zarr.json": documents["a/zarr.json"]}, tmp_path / "mild")


def test_exit_codes(run: Run, good: Path, bad: Path, mild: Path) -> None:
    assert run("check", good).exit_code == 0
    assert run("check", bad).exit_code == 1
    assert run("check", bad, "--fail-on", "never").exit_code == 0
    assert run("check", mild).exit_code == 0
    assert run("check", mild, "--fail-on", "warning").exit_code == 1
    assert run("check", bad, "--ignore", "NZ-DIM").exit_code == 0
    assert run("check", bad, "--select", "NZ-NAME").exit_code == 0


def test_a_source_that_is_none_is_one_line_and_exit_code_2(run: Run, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    file = tmp_path / "notes.txt"
    file.write_text("hello")
    archive = tmp_path / "broken.zip"
    archive.write_bytes(b"PK\x03\x04 and no more")
    for source in (empty, file, archive, tmp_path / "nowhere"):
        result = run("check", source)
        assert result.exit_code == 2
        assert result.stdout == ""
        assert result.stderr.count("\n") == 1
        assert str(source) in result.stderr
        assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    "extra", [["--select", "FOO"], ["--conventions", "foo"], ["--format", "pdf"]]
)
def test_a_wrong_call_is_exit_code_2(run: Run, good: Path, extra: list[str]) -> None:
    result = run("check", good, *extra)
    assert result.exit_code == 2
    assert result.stderr.startswith("nz-explorer: ")
    assert run("check").exit_code == 2


def test_a_broken_root_is_a_report(run: Run, tmp_path: Path) -> None:
    store = write({"zarr.json": b'{"zarr_format": 3,'}, tmp_path / "store")
    result = run("check", store, "--format", "json")
    report = json.loads(result.stdout)
    assert result.exit_code == 1
    assert {finding["rule"] for finding in report["findings"]} == {"JSON-002", "NZ-BASE-001"}
    assert report["nodes"] == {"groups": 0, "arrays": 0, "unreadable": 1}
    assert report["conforms"]["NZ-1.0"] is False


def test_json_is_the_contract(run: Run, tmp_path: Path) -> None:
    documents = contents({"base": "plain"})
    group = documents["zarr.json"]

    def array(length: int) -> bytes:
        x = json.loads(documents["x/zarr.json"])
        x["shape"], x["chunk_grid"]["configuration"]["chunk_shape"] = [length], [length]
        return json.dumps(x).encode()

    store = write(
        {"zarr.json": group, "a/zarr.json": array(4), "b/zarr.json": array(5)}, tmp_path / "store"
    )
    report = json.loads(run("check", store, "--format", "json").stdout)
    assert report == {
        "schema": "nz-explorer/report/1",
        "source": str(store),
        "zarr_format": 3,
        "conforms": {"NZ-1.0": False, "Zarr v3": True},
        "readers": {
            "xarray": {"opens": False, "why": ["NZ-DIM-010"]},
            "zarr-python": {"opens": True, "why": []},
            "netCDF-C": {
                "opens": None,
                "why": [],
                "reason": "few builds of netCDF-C read Zarr v3",
            },
        },
        "nodes": {"groups": 1, "arrays": 2, "unreadable": 0},
        "complete": True,
        "not_evaluated": [
            {"rule": rule, "path": "/", "reason": "cost"}
            for rule in (
                *(
                    "CF-COORD-004",
                    "CF-FILL-002",
                    "CF-FILL-004",
                    "CF-PACK-004",
                    "CF-PACK-005",
                    "CF-RANGE-001",
                    "CF-RANGE-004",
                    "CF-TIME-009",
                ),
                *(f"Z3-CHUNK-00{i}" for i in (1, 2, 3, 4, 6)),
            )
        ],
        "findings": [
            {
                "rule": "NZ-DIM-010",
                "level": "MUST",
                "severity": "error",
                "impact": "blocks",
                "path": "/",
                "pointer": "/dimension_names/0",
                "message": "dimension x is 4 long in a and 5 long in b",
                "related": ["/a", "/b"],
                "readers": {
                    "xarray": "raises ValueError: conflicting sizes for dimension 'x', and cannot open"
                    " the group"
                },
                "places": [
                    {"path": "/a", "pointer": "/dimension_names/0"},
                    {"path": "/b", "pointer": "/dimension_names/0"},
                ],
                "fix": {
                    "safety": "suggest",
                    "document": "a/zarr.json",
                    "patch": [{"op": "replace", "path": "/dimension_names/0", "value": "x_4"}],
                    "note": "rename: no value is lost; along the new name a no longer has the coordinate x",
                },
                "alternatives": [
                    {
                        "safety": "suggest",
                        "document": "b/zarr.json",
                        "patch": [{"op": "replace", "path": "/shape/0", "value": 4}],
                        "note": "crop: the last value is no longer visible along x of b; the chunks"
                        " stay in the store",
                    },
                    {
                        "safety": "suggest",
                        "document": "zarr.json",
                        "patch": [],
                        "note": "or move a to a separate group, with a coordinate x of that length:"
                        " nothing is lost, but it is opened separately",
                    },
                ],
            }
        ],
    }


@pytest.mark.parametrize("form", ["text", "jsonl"])
@pytest.mark.parametrize(
    ("base", "changes", "failing"),
    [
        ("consolidated", {}, set()),
        (
            "plain",
            {"dimension_names": ["x", "x"]},
            {"error", "warning", "blocks", "values", "xarray"},
        ),
        ("plain", {"attributes": {"mixed": [1, "a"]}}, {"error", "warning"}),
        (
            "consolidated",
            {"attributes": {"units": "K"}},
            {"error", "warning", "values", "xarray", "zarr-python"},
        ),
    ],
)
def test_the_exit_code_goes_by_what_is_asked_for(
    run: Run, tmp_path: Path, base: str, changes: dict[str, Any], failing: set[str], form: str
) -> None:
    documents = contents({"base": base})
    array = {**json.loads(documents["a/zarr.json"]), **changes}
    store = write({**documents, "a/zarr.json": json.dumps(array).encode()}, tmp_path / "store")
    levels = ("error", "warning", "never", "blocks", "values", "xarray", "zarr-python", "netcdf-c")
    codes = {
        level: run("check", store, "--format", form, "--fail-on", level).exit_code
        for level in levels
    }
    assert codes == {level: int(level in failing) for level in levels}


def test_several_sources_are_an_array(run: Run, good: Path, bad: Path, tmp_path: Path) -> None:
    result = run("check", good, bad, "--format", "json")
    assert [report["source"] for report in json.loads(result.stdout)] == [str(good), str(bad)]
    assert result.exit_code == 1
    result = run("check", good, tmp_path / "nowhere", "--format", "json")
    assert result.exit_code == 2
    assert json.loads(result.stdout)["source"] == str(good)


@pytest.mark.parametrize("form", ["text", "json", "html", "markdown", "sarif", "github"])
def test_output_goes_to_a_file(run: Run, bad: Path, tmp_path: Path, form: str) -> None:
    file = tmp_path / "report"
    result = run("check", bad, "--format", form, "--output", file)
    assert result.exit_code == 1
    assert result.stdout == ""
    assert "NZ-DIM-004" in file.read_text("utf-8")


def test_text_is_plain_when_piped(run: Run, bad: Path) -> None:
    result = run("check", bad)
    assert "\x1b" not in result.stdout
    assert result.stderr == ""
    assert "error   NZ-DIM-004" in result.stdout


def test_a_real_process(bad: Path, tmp_path: Path) -> None:
    def call(*args: Any) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "nz_explorer.cli", "check", *map(str, args)]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    done = call(bad, "--format", "json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["findings"][0]["rule"] == "NZ-DIM-004"
    assert done.stderr == ""
    lost = call(tmp_path / "nowhere")
    assert lost.returncode == 2
    assert lost.stdout == ""
    assert lost.stderr.count("\n") == 1


def test_explain_a_rule(run: Run) -> None:
    page = run("explain", "NZ-DIM-010").stdout
    for part in (
        "NZ-DIM-010",
        "MUST",
        "NZ-1.0, Dimension",
        "Why",
        "Breaks it",
        "Keeps it",
        "xarray:",
    ):
        assert part in page
    assert run("explain", "nz/dim-shared-length").stdout == page
    assert "NZ-DIM-011" in run("explain", "nz-dim").stdout


def test_explain_all_names_every_rule(run: Run) -> None:
    table = run("explain", "--all").stdout
    assert [line.split()[0] for line in table.splitlines()[1:]] == list(rules())


@pytest.mark.parametrize(
    ("message", "rule"),
    [
        ("ValueError: conflicting sizes for dimension 'time': length 4 on 'a'", "NZ-DIM-010"),
        ("TypeError: Failed to decode fill_value: expected str or bytes for dtype", "NZ-FILL-006"),
        ("binascii.Error: Incorrect padding", "NZ-FILL-006"),
        ("StopIteration", "OME-IMG-008"),
        ("ValueError: unable to decode time units 'months since 1955-01-01'", "CF-TIME-001"),
        ('Object includes extra members: "checksum"', "Z2-CODEC-002"),
        ("SyntaxError: Unexpected token N in JSON at position 12", "JSON-003"),
    ],
)
def test_explain_what_a_reader_says(run: Run, message: str, rule: str) -> None:
    found = run("explain", message).stdout.split("\n\n")[1].splitlines()
    first = [line.split()[0] for line in found if not line.startswith(" ")][:5]
    assert rule in first


def test_explain_what_no_rule_is_behind(run: Run) -> None:
    result = run("explain", "the cat sat on the mat")
    assert result.exit_code == 2
    assert "no rule is known" in result.stderr


def test_explain_what_does_not_exist(run: Run) -> None:
    result = run("explain", "NZ-DIM-999")
    assert result.exit_code == 2
    assert "NZ-DIM" in result.stderr
    assert run("explain").exit_code == 2


def test_cdl_with_special_attributes_and_a_name(run: Run, data: Path) -> None:
    source = str(data / "nczarr" / "unsigned-byte.zip")
    plain = run("cdl", source, "--name", "ref_byte").output
    assert plain.startswith("netcdf ref_byte {\ndimensions:\n\t_Anonymous_Dim_20 = 20 ;\n")
    assert "_ChunkSizes" not in plain
    assert "\t\tbyte:_ChunkSizes = 20, 20 ;\n" in run("cdl", source, "--special").output
